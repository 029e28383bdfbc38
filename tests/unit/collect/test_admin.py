"""The admin layer without brokers: answers and refusals of every kind from a client in the library's place."""

import time
from typing import Any

import pytest
from kafka import errors

from kafka_fleet.collect.admin import client as admin
from kafka_fleet.schema.config_names import allowed
from support.builders.admin_sweeps import CONFIGS, Client, raising, swept


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
