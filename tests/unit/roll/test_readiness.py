"""May a broker be stopped: rows of one sweep in, reasons out; each kind once, those that are not measured too."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from kafka_fleet.roll.readiness import Asked, Known, readiness
from support.builders.roll_sweeps import AT, Rows, asked, decisive, healthy, landed, only, partition

Change = Callable[[Rows], object]


def states(found) -> dict[int, str]:
    return {one.broker: one.state for one in found.brokers}


def test_a_healthy_cluster_is_ready_when_the_rest_was_seen_to(tmp_path: Path) -> None:
    found = asked(tmp_path)
    assert decisive(found) == []
    assert found.state == "ready"
    assert states(found) == {1: "ready", 2: "ready", 3: "ready"}
    assert only(found, "leaders_move", 1).count == 3
    assert only(found, "reconnects_fit", 1).count == 20


def test_room_that_was_not_measured_keeps_every_broker_from_being_ready(tmp_path: Path) -> None:
    rows = healthy()
    rows["disks"] = rows["disks"][:2]
    rows["broker_metrics"][0]["max_file_descriptors"] = None
    found = readiness(landed(tmp_path, rows), Asked(), Known())
    assert found.state == "unknown"
    gaps = [(one.code, one.names) for one in found.reasons if one.level == "unmeasured"]
    assert gaps == [("disk_unread", ["3"]), ("descriptors_unread", ["1"])]


def test_only_the_broker_that_is_needed_is_not_ready(tmp_path: Path) -> None:
    def short(rows: Rows) -> None:
        rows["topics"][0] = partition("orders", 0, [1, 2, 3], [1, 2])

    found = asked(tmp_path, short)
    assert states(found) == {1: "not_ready", 2: "not_ready", 3: "ready"}
    one = only(found, "under_min_isr", 1)
    assert (one.level, one.count, one.names) == ("blocks", 1, ["orders"])
    assert only(found, "out_of_sync_now").count == 1


def test_a_single_replica_would_be_offline(tmp_path: Path) -> None:
    found = asked(tmp_path, lambda rows: rows["topics"].append(partition("lonely", 0, [3])))
    assert states(found) == {1: "not_ready", 2: "not_ready", 3: "not_ready"}  # min ISR 2 of a topic with one replica
    assert only(found, "offline", 3).names == ["lonely"]
    assert only(found, "under_min_isr_now").names == ["lonely"]


def test_a_single_replica_with_min_isr_1_concerns_its_broker_alone(tmp_path: Path) -> None:
    def lonely(rows: Rows) -> None:
        rows["topics"].append(partition("lonely", 0, [3]))
        rows["topic_configs"].append({"topic": "lonely", "name": "min.insync.replicas", "value": "1"})

    found = asked(tmp_path, lonely)
    assert states(found) == {1: "ready", 2: "ready", 3: "not_ready"}
    assert decisive(found) == [("blocks", "offline", 3)]


def test_a_partition_without_a_leader_stops_all(tmp_path: Path) -> None:
    found = asked(tmp_path, lambda rows: rows["topics"].append(partition("dead", 0, [1, 2], [])))
    assert only(found, "offline_now").names == ["dead"]
    assert set(states(found).values()) == {"not_ready"}


def without_min_isr(rows: Rows) -> None:
    rows["topic_configs"] = []
    rows["broker_configs"] = [one for one in rows["broker_configs"] if one["name"] != "min.insync.replicas"]


def test_the_brokers_own_min_isr_stands_in_for_the_topics(tmp_path: Path) -> None:
    def short(rows: Rows) -> None:
        rows["topic_configs"] = []
        rows["topics"][0] = partition("orders", 0, [1, 2, 3], [1, 2])

    assert only(asked(tmp_path, short), "under_min_isr", 2).names == ["orders"]


def no_connections(rows: Rows) -> None:
    rows["listeners"] = [one for one in rows["listeners"] if one["broker"] != 2]


def no_settings(rows: Rows) -> None:
    rows["broker_configs"] = [one for one in rows["broker_configs"] if one["broker"] != 2]


def lost(table: str) -> Change:
    def change(rows: Rows) -> None:
        rows["sweeps"][0] |= {"admin_outcome": "partial", "admin_missing": [table]}
        rows[table] = []

    return change


def dead(rows: Rows) -> None:
    rows["brokers"][1] |= {"outcome": "failed", "kind": "timeout", "read_at": None}
    for table in ("broker_metrics", "listeners", "partitions"):
        rows[table] = [one for one in rows[table] if one["broker"] != 2]


@pytest.mark.parametrize(
    ("change", "reasons"),
    [
        (without_min_isr, [("min_isr_unread", 1), ("min_isr_unread", 2), ("min_isr_unread", 3)]),
        (no_connections, [("connections_unread", 2)]),
        (no_settings, [("backlog_unread", 2)]),
        (lost("topics"), [("topics_unread", None)]),
        (lost("groups"), [("groups_unread", None)]),
        (dead, [("broker_unread", None), ("connections_unread", 2)]),
        (lambda rows: rows.update(brokers=[], broker_metrics=[]), [("brokers_unread", None)]),
        (
            lambda rows: rows.update(partitions=[]),
            [("growth_unread", None), ("offsets_log_unread", 1), ("offsets_log_unread", 2)],
        ),
        (
            lambda rows: rows.update(sweeps=[{"admin_outcome": "failed", "admin_missing": []}], topics=[], groups=[]),
            [("topics_unread", None)],
        ),
    ],
)
def test_what_was_not_measured_is_not_ready(tmp_path: Path, change: Change, reasons: list) -> None:
    found = asked(tmp_path, change)
    assert found.state == "unknown"
    assert [(code, broker) for level, code, broker in decisive(found) if level == "unmeasured"] == reasons


def test_a_cluster_without_a_sweep_is_not_known() -> None:
    found = readiness(None, Asked(), Known())
    assert (found.state, [one.code for one in found.reasons]) == ("unknown", ["no_sweep"])


@pytest.mark.parametrize(("minutes", "state"), [(29, "ready"), (31, "unknown"), (-31, "unknown")])
def test_an_old_sweep_decides_nothing(tmp_path: Path, minutes: int, state: str) -> None:
    found = asked(tmp_path, now=AT + timedelta(minutes=minutes))
    assert found.state == state


def test_only_the_asked_brokers_decide(tmp_path: Path) -> None:
    def lonely(rows: Rows) -> None:
        rows["topics"].append(partition("lonely", 0, [3]))
        rows["topic_configs"].append({"topic": "lonely", "name": "min.insync.replicas", "value": "1"})

    assert asked(tmp_path / "a", lonely, brokers=[1]).state == "ready"
    assert asked(tmp_path / "b", lonely, brokers=[3]).state == "not_ready"
    assert asked(tmp_path / "c", lonely, brokers=[3], checked=["offline"]).state == "ready"
