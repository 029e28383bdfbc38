"""Reads of the admin layer that raise: each costs its own tables, is told by its kind, and costs no other table."""

from typing import Any

import pytest
from kafka import errors

from support.builders.admin_sweeps import Client, raising, swept

GROUPS = {"groups", "group_members", "group_assignments", "group_offsets"}
FAULTS = [
    errors.ClusterAuthorizationFailedError("far side"),
    errors.for_code(999)("far side"),
    errors.UnsupportedVersionError("far side"),
    errors.KafkaTimeoutError("far side\r\n\x1b[31m" + "x" * 500),
    errors.KafkaConnectionError("far side"),
    errors.InvalidReceiveError("far side"),
    errors.IllegalStateError("far side"),
    KeyError("far side"),
    TypeError("far side"),
    AttributeError("far side"),
    OSError("far side"),
    ValueError("far side"),
]


@pytest.mark.parametrize("error", FAULTS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize(
    ("call", "lost"),
    [
        ("_get_cluster_metadata", {"brokers", "topics"}),
        ("describe_features", {"features"}),
        ("describe_configs", {"topic_configs"}),
        ("list_groups", GROUPS),
        ("_find_coordinator_ids", GROUPS - {"groups"}),
        ("describe_groups", {"group_members", "group_assignments"}),
        ("list_group_offsets", {"group_offsets"}),
    ],
)
def test_what_one_read_raises_costs_its_own_tables(monkeypatch, call, lost, error):
    found = swept(monkeypatch, **{call: raising(error)})
    assert found.outcome == ("failed" if "brokers" in lost else "partial")
    assert lost <= set(found.missing)
    assert found.detail.isprintable()
    assert "far side" not in found.detail
    assert type(error).__name__ in found.detail
    assert not [table for table in lost if found.tables.get(table)]
    assert not (GROUPS - lost - set(found.tables))
    assert len([rows for rows in found.tables.values() if rows]) >= 2


def test_one_broker_that_refuses_its_configs_and_one_that_says_nothing(monkeypatch):
    def configs(resources: list[Any], config_filter: str) -> dict[str, Any]:
        if resources[0].name == "1":
            raise errors.ClusterAuthorizationFailedError()
        return {}

    found = swept(monkeypatch, describe_configs=configs)
    assert {"broker_configs", "topic_configs"} <= set(found.missing)
    assert "is DescribeConfigs allowed?" in found.detail


def test_a_broker_that_loads_its_groups_is_asked_again(monkeypatch):
    waits: list[float] = []
    asked: list[list[int]] = []
    monkeypatch.setattr("kafka_fleet.collect.admin.groups.time.sleep", waits.append)
    whole = Client().list_groups

    def loading(broker_ids: list[int]) -> list[dict[str, Any]]:
        asked.append(broker_ids)
        if broker_ids == [1] and asked.count([1]) < 3:
            raise errors.CoordinatorLoadInProgressError()
        return whole(broker_ids)

    found = swept(monkeypatch, list_groups=loading)
    assert GROUPS & set(found.missing) == set()
    assert sorted(row["group_id"] for row in found.tables["groups"]) == ["billing", "connect", "new"]
    assert asked == [[1], [2], [1], [1]], "who has answered is not asked again"
    assert 2.0 in waits, "the second wait is longer"


def test_a_broker_that_goes_on_loading_costs_its_own_groups_and_is_named(monkeypatch):
    monkeypatch.setattr("kafka_fleet.collect.admin.groups.time.sleep", lambda _s: None)
    whole = Client().list_groups

    def loading(broker_ids: list[int]) -> list[dict[str, Any]]:
        if broker_ids == [1]:
            raise errors.CoordinatorLoadInProgressError()
        return whole(broker_ids)

    found = swept(monkeypatch, list_groups=loading)
    assert set(found.missing) >= GROUPS
    assert "broker 1: CoordinatorLoadInProgressError" in found.detail
    assert sorted(row["group_id"] for row in found.tables["groups"]) == ["connect", "new"]
