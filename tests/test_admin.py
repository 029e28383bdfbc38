"""The admin layer without brokers: answers and refusals of every kind from a client in the library's place."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import TopicPartition, errors
from kafka.protocol.admin import DescribeGroupsRequest

from kafka_fleet.collect.admin import client as admin
from kafka_fleet.collect.admin import guarded_sockets
from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from kafka_fleet.schema.config_names import allowed
from wire_broker import assignment


def config(value: str | None, **more: Any) -> dict[str, Any]:
    return {"value": value, "is_sensitive": False, "config_source": "STATIC_BROKER_CONFIG", "is_default": None, **more}


CONFIGS = {
    "min.insync.replicas": config("2"),
    "num.io.threads": config("8", config_source="DEFAULT_CONFIG"),
    "log.dirs": config("canary", is_sensitive=True),
    "listener.name.x.plain.sasl.jaas.config": config("password=canary"),
    "my.plugin.url": config("https://canary@h"),
}
OFFSET = SimpleNamespace(offset=42)
PLACE = TopicPartition("orders", 0)


class Client:
    """Answers as the library does against a 3.x cluster of two brokers, with one topic and three groups."""

    def __init__(self, **changes: Any) -> None:
        self._manager = SimpleNamespace(run=lambda call, *a: call(*a), send=self._send)
        self.closed = False
        self.deleted = False
        for name, change in changes.items():
            setattr(self, name, change)

    def _get_cluster_metadata(self, _topics: Any) -> dict[str, Any]:
        partition = {"partition_index": 0, "leader_id": -1, "replica_nodes": [1, 2], "isr_nodes": [2]}
        topic = {"name": "orders", "topic_id": None, "is_internal": False, "error_code": 0, "partitions": [partition]}
        brokers = [{"node_id": b, "host": f"b{b}", "port": 9092, "rack": None} for b in (1, 2)]
        gone = {"name": "gone", "error_code": 3, "partitions": [], "is_internal": False}
        topics = [topic] if self.deleted else [topic, gone]
        self.deleted = True
        return {"cluster_id": "abc", "controller_id": 1, "brokers": brokers, "topics": topics}

    def describe_features(self) -> dict[str, Any]:
        return {"metadata.version": {"finalized": (1, 7)}, "kraft.version": {"supported": (0, 1)}}

    def describe_configs(self, resources: list[Any], config_filter: str) -> dict[str, Any]:
        kind = resources[0].resource_type.name.lower()
        return {kind: {one.name: CONFIGS for one in resources}}

    def list_groups(self, broker_ids: list[int]) -> list[dict[str, Any]]:
        kinds = {"billing": "classic", "connect": None, "new": "share"}
        return [
            {"group_id": g, "group_state": "Stable", "protocol_type": "consumer", "group_type": k}
            for g, k in kinds.items()
            if (g == "billing") == (broker_ids == [1])
        ]

    def _find_coordinator_ids(self, groups: list[str]) -> dict[str, int]:
        return dict.fromkeys(groups, 1)

    def _send(self, request: Any, broker: int) -> Any:
        assert broker == 1
        described = isinstance(request, DescribeGroupsRequest)
        return self.describe_groups(request.groups) if described else self.list_group_offsets(request)

    def describe_groups(self, groups: list[str]) -> Any:
        found = []
        for name in groups:
            kind, taken = ("connect", b"\x00canary") if name == "connect" else ("consumer", assignment(orders=[0]))
            member = SimpleNamespace(member_id="m", client_id="c", client_host="/10.0.0.9", member_assignment=taken)
            about = {"group_state": "Stable", "protocol_type": kind, "error_code": 0, "members": [member]}
            found.append(SimpleNamespace(group_id=name, **about))
        return SimpleNamespace(groups=found)

    def _list_group_offsets_requests(self, groups: dict[str, None]) -> Any:
        yield None, groups

    def list_group_offsets(self, groups: dict[str, None]) -> Any:
        unset = TopicPartition("orders", 1)
        offsets = {PLACE: OFFSET, unset: SimpleNamespace(offset=-1)}
        return SimpleNamespace(groups=[SimpleNamespace(group_id=name, offsets=offsets) for name in groups])

    def _parse_group_offsets(self, group: Any) -> Any:
        return group.offsets

    def close(self) -> None:
        self.closed = True


def swept(monkeypatch: pytest.MonkeyPatch, deadline_s: float = 5.0, **changes: Any) -> AdminSweep:
    client = Client(**changes)
    monkeypatch.setattr(guarded_sockets, "KafkaAdminClient", lambda **settings: client)
    found = sweep_admin(["127.0.0.1:1"], {}, deadline_s)
    assert client.closed
    assert "canary" not in repr(found)
    return found


def test_everything_of_a_cluster(monkeypatch):
    found = swept(monkeypatch)
    assert (found.kafka_cluster_id, found.controller) == ("abc", 1)
    (topic,) = found.tables["topics"]
    assert (topic["leader"], topic["replicas"], topic["isr"], topic["topic_id"]) == (None, [1, 2], [2], None)
    assert found.tables["features"] == [{"feature": "metadata.version", "min_level": 1, "max_level": 7}]
    assert [g["group_id"] for g in found.tables["groups"]] == ["billing", "connect", "new"]
    assert [(m["group_id"], m["client_host"]) for m in found.tables["group_members"]] == [
        ("billing", "10.0.0.9"),
        ("connect", "10.0.0.9"),
    ]
    assert [a["group_id"] for a in found.tables["group_assignments"]] == ["billing"]
    assert [o["committed_offset"] for o in found.tables["group_offsets"]] == [42, 42, 42]
    assert (found.outcome, found.missing) == ("ok", [])


@pytest.mark.fault(56)
def test_only_values_of_named_settings_that_are_not_sensitive_are_taken(monkeypatch):
    rows = {row["name"]: row for row in swept(monkeypatch).tables["broker_configs"] if row["broker"] == 1}
    assert {name for name, row in rows.items() if row["value"] is not None} == {"min.insync.replicas", "num.io.threads"}
    assert {name for name, row in rows.items() if row["redacted"]} == set(CONFIGS) - {
        "min.insync.replicas",
        "num.io.threads",
    }
    assert [rows[name]["is_default"] for name in ("min.insync.replicas", "num.io.threads")] == [False, True]
    for kind in ("broker", "topic", "client"):
        assert not [
            name for name in allowed(kind) if any(w in name for w in ("password", "jaas", "secret", "token.master"))
        ]


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_a: Any, **_k: Any) -> Any:
        raise error

    return call


@pytest.mark.fault(34)
@pytest.mark.parametrize("removed", [False, True])
def test_a_topic_made_or_removed_during_the_sweep_is_no_fault(monkeypatch, removed):
    """A broker that has not heard of a new topic says nothing of it, and nobody says anything of one that is gone."""
    asked, met = [], Client()._get_cluster_metadata(None)
    topic = met["topics"][0]
    before = {**met, "topics": [topic, {**topic, "name": "fresh"}]}
    after = {**met, "topics": [topic]} if removed else before

    def configs(resources: list[Any], config_filter: str) -> dict[str, Any]:
        names = [one.name for one in resources]
        asked.append(names)
        known = [name for name in names if name != "fresh" or names == ["fresh"]]
        return {resources[0].resource_type.name.lower(): dict.fromkeys(known, CONFIGS)}

    answers = iter([before, after])
    monkeypatch.setattr(admin, "SETTLES_S", 0)
    found = swept(monkeypatch, describe_configs=configs, _get_cluster_metadata=lambda _t: next(answers))
    assert "topic_configs" not in found.missing
    assert {row["topic"] for row in found.tables["topic_configs"]} == {"orders"} | (set() if removed else {"fresh"})
    assert (["fresh"] in asked) == (not removed)


@pytest.mark.fault(28)
def test_brokers_older_than_features_have_none_and_no_fault(monkeypatch):
    found = swept(monkeypatch, describe_features=raising(errors.IncompatibleBrokerVersion("x")))
    assert found.tables["features"] == []
    assert "features" not in found.missing


def test_slow_answers_end_at_the_deadline_also_between_the_brokers(monkeypatch):
    def slow(resources: list[Any], config_filter: str) -> dict[str, Any]:
        time.sleep(0.4)
        return {}

    many = {**Client()._get_cluster_metadata(None), "topics": []}
    many["brokers"] = [{"node_id": b, "host": "h", "port": 1, "rack": None} for b in range(100)]
    started = time.monotonic()
    found = swept(monkeypatch, 1.0, describe_configs=slow, _get_cluster_metadata=lambda _t: many)
    assert time.monotonic() - started < 2.5
    assert {"broker_configs", "groups"} <= set(found.missing)
    assert "the deadline has passed" in found.detail
