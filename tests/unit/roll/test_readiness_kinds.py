"""Coordinators, connections, processes and controllers: what each of them says before a broker is stopped."""

from pathlib import Path

import pytest

from kafka_fleet.roll.coordinators import java_hash, offsets_partition
from kafka_fleet.roll.readiness import Known
from support.builders.documents import report
from support.builders.letter_samples import payments
from support.builders.roll_sweeps import Rows, asked, decisive, only, partition


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0), ("hello", 99162322), ("polygenelubricants", -(2**31)), ("заказы", 1849395971), ("😀", 1772899)],
)
def test_names_are_hashed_as_java_does(text: str, value: int) -> None:
    assert java_hash(text) == value


def test_the_least_hash_has_no_absolute_value() -> None:
    assert offsets_partition("polygenelubricants", 50) == 0
    assert offsets_partition("hello", 50) == 22


def test_a_group_without_another_coordinator_is_named(tmp_path: Path) -> None:
    place = offsets_partition("billing", 6)

    def alone(rows: Rows) -> None:
        own = [one for one in rows["topics"] if one["topic"] == "__consumer_offsets" and one["partition"] == place]
        own[0].update(replicas=[2], isr=[2], leader=2)

    one = only(asked(tmp_path, alone), "coordinator_lost", 2)
    assert (one.level, one.count, one.names) == ("blocks", 1, ["billing"])


def test_groups_that_could_not_commit_are_told(tmp_path: Path) -> None:
    place = offsets_partition("billing", 6)

    def short(rows: Rows) -> None:
        own = [one for one in rows["topics"] if one["topic"] == "__consumer_offsets" and one["partition"] == place]
        own[0].update(replicas=[2, 1, 3], isr=[2, 1], leader=2)

    found = asked(tmp_path, short)
    assert "billing" in only(found, "commits_fail", 2).names


def test_an_offsets_log_that_is_not_compacted_delays_the_next_coordinator(tmp_path: Path) -> None:
    def large(rows: Rows) -> None:
        for one in rows["partitions"]:
            one["size_bytes"] = 3 * 2**30

    found = asked(tmp_path, large)
    slow = [one for one in found.reasons if one.code == "coordinator_slow"]
    assert sum(one.count for one in slow) == 2
    assert {one.about for one in slow} == {str(3 * 2**30)}


def held(count: float):
    def change(rows: Rows) -> None:
        for one in rows["listeners"]:
            if one["broker"] == 1 and one["listener"] == "EXTERNAL":
                one["connections"] = count

    return change


def test_more_connections_than_the_queue_holds_are_a_warning(tmp_path: Path) -> None:
    one = only(asked(tmp_path, held(100.0)), "reconnects", 1)
    assert (one.level, one.count, one.limit, one.names, one.about) == ("warns", 200, 50, ["EXTERNAL"], None)
    assert only(asked(tmp_path / "b", held(100.0)), "reconnects_elsewhere", 1).count == 100


def test_they_are_in_the_way_where_a_queue_is_known_to_have_overflowed(tmp_path: Path) -> None:
    day = payments()
    shown = {**day["signatures"][0], "signature": "reconnect_storm", "state": "detected"}
    detection = {"cause": "restart", "strength": "conclusive", "subjects": [], "bounds": None, "evidence": []}
    for strength, level in (("conclusive", "blocks"), ("suggestive", "warns")):
        shown["detections"] = [{**detection, "strength": strength}]
        known = Known(report({**day, "signatures": [shown]}))
        assert only(asked(tmp_path / strength, held(100.0), known=known), "reconnects", 1).level == level


def test_the_kernel_cuts_the_queue_off(tmp_path: Path) -> None:
    def small(rows: Rows) -> None:
        rows["hosts"] = [{**one, "somaxconn": 16} for one in rows["hosts"]]

    assert only(asked(tmp_path, small), "reconnects", 1).limit == 16
    one = only(asked(tmp_path / "b", lambda rows: rows.update(hosts=[])), "reconnects_fit", 1)
    assert (one.limit, one.about) == (50, "somaxconn")


def test_connections_among_brokers_come_back_too_and_are_no_clients(tmp_path: Path) -> None:
    def shared(rows: Rows) -> None:
        for one in rows["broker_configs"]:
            if one["name"] == "inter.broker.listener.name":
                one["value"] = "EXTERNAL"

    assert only(asked(tmp_path, shared), "reconnects_fit", 1).count == 18


def test_a_broker_that_still_starts_stops_all(tmp_path: Path) -> None:
    def starting(rows: Rows) -> None:
        rows["recoveries"] = [{"broker": 2, "read_at": rows["brokers"][0]["read_at"], "log_dir": "/d",
                               "remaining_logs": 7}]  # fmt: skip

    assert decisive(asked(tmp_path, starting)) == [("blocks", "broker_starting", None)]


def combined(voters: str, answering: tuple[int, ...] = (1, 2, 3)):
    def change(rows: Rows) -> None:
        for one in rows["broker_configs"]:
            one["value"] = "broker,controller" if one["name"] == "process.roles" else one["value"]
        at = rows["brokers"][0]["read_at"]
        rows["broker_configs"].append({"broker": 1, "name": "controller.quorum.voters", "value": voters})
        for one in rows["brokers"]:
            one["read_at"] = at if one["broker"] in answering else None

    return change


@pytest.mark.parametrize(
    ("voters", "reasons"),
    [
        ("1@a:9093,2@b:9093,3@c:9093", []),
        ("1@a:9093", [("blocks", "quorum_lost", 1)]),
        ("1@a:9093,2@b:9093", [("blocks", "quorum_lost", 1), ("blocks", "quorum_lost", 2)]),
        ("1@a:9093,8@b:9093,9@c:9093", [("unmeasured", "quorum_unread", 1)]),
        ("", [("unmeasured", "quorum_unread", 1), ("unmeasured", "quorum_unread", 2),
              ("unmeasured", "quorum_unread", 3)]),
    ],
)  # fmt: skip
def test_the_majority_of_the_controllers_is_kept(tmp_path: Path, voters: str, reasons: list) -> None:
    found = decisive(asked(tmp_path, combined(voters)))
    assert [one for one in found if "quorum" in one[1]] == reasons


def test_a_hostile_topic_is_carried_as_it_is(tmp_path: Path) -> None:
    name = "<script>\u202e"
    found = asked(tmp_path, lambda rows: rows["topics"].append(partition(name, 0, [1])))
    assert only(found, "offline", 1).names == [name]
