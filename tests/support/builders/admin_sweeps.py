"""Sweeps of the admin protocol with a client in the library's place."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import TopicPartition
from kafka.protocol.admin import DescribeGroupsRequest, DescribeTransactionsRequest, ListTransactionsRequest

from kafka_fleet.collect.admin import bounded_client
from kafka_fleet.collect.admin import client as admin_client
from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from support.servers.wire_broker import assignment


def config(value: str | None, **more: Any) -> dict[str, Any]:
    return {"value": value, "is_sensitive": False, "config_source": "STATIC_BROKER_CONFIG", "is_default": None, **more}


CONFIGS = {
    "min.insync.replicas": config("2"),
    "num.io.threads": config("8", config_source="DEFAULT_CONFIG"),
    "log.dirs": config("canary", is_sensitive=True),
    "listener.name.x.plain.sasl.jaas.config": config("password=canary"),
    "my.plugin.url": config("https://canary@h"),
}


def quorum_replica(node: int, end: int, at: int, directory: str | None = None) -> dict[str, Any]:
    """A voter or observer as the library gives it; -1 for what the leader does not know."""
    times = {"last_fetch_timestamp": at, "last_caught_up_timestamp": at}
    return {"replica_id": node, "replica_directory_id": directory, "log_end_offset": end, **times}


QUORUM = {
    "topics": [{"topic_name": "__cluster_metadata", "partitions": [
        {"partition_index": 0, "error": None, "leader_id": 100, "leader_epoch": 4, "high_watermark": 90,
         "current_voters": [quorum_replica(100, 90, 5000, "dir-a"), quorum_replica(101, -1, -1, "dir-b")],
         "observers": [quorum_replica(1, 88, 4900)]},
    ]}],
    "nodes": [{"node_id": node, "listeners": [{"name": "CONTROLLER", "host": f"c{node}", "port": 9093}]}
              for node in (100, 101)],
}  # fmt: skip
OFFSET = SimpleNamespace(offset=42)
PLACE = TopicPartition("orders", 0)


class Client:
    """Answers as the library does against a 3.x cluster of two brokers, with one topic and three groups."""

    def __init__(self, **changes: Any) -> None:
        versions = SimpleNamespace(api_version=lambda _request: 0)
        self._manager = SimpleNamespace(
            run=lambda call, *a: call(*a), send=self._send, broker_version_data=versions, broker_version=(3, 9),
            config={},
        )  # fmt: skip
        self.config: dict[str, Any] = {}
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

    def describe_log_dirs(self, topic_partitions: dict[str, Any], brokers: list[int]) -> list[dict[str, Any]]:
        assert topic_partitions == {}, "no partition is asked for"
        of = {"error_code": 0, "log_dir": "/data", "topics": [], "total_bytes": 1000, "usable_bytes": 400}
        offline, untold = {**of, "error_code": 56, "log_dir": "/lost"}, {**of, "log_dir": "/old", "total_bytes": -1}
        return [{"broker": one, "log_dirs": [of, offline, untold]} for one in brokers]

    def describe_metadata_quorum(self) -> dict[str, Any]:
        return QUORUM

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
        if isinstance(request, ListTransactionsRequest):
            return SimpleNamespace(error_code=0, transaction_states=[])
        if isinstance(request, DescribeTransactionsRequest):
            return SimpleNamespace(transaction_states=[])
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
    monkeypatch.setattr(bounded_client, "KafkaAdminClient", lambda **settings: client)
    monkeypatch.setattr(admin_client, "SETTLES_S", 0.0)
    found = sweep_admin(["127.0.0.1:1"], {}, deadline_s)
    assert client.closed
    assert "canary" not in repr(found)
    return found


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*_a: Any, **_k: Any) -> Any:
        raise error

    return call
