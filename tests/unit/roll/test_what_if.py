"""What if: a rack that is lost, a broker that restarts, a topic that grows; rows in, consequences out."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.roll import topic_growth
from kafka_fleet.roll.topic_growth import GroupSkip, Growth, NoTopic, growth
from kafka_fleet.roll.what_if import brokers_of_rack, of_rack, of_restart
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.newest_sweep import newest_sweep, sweep_tables
from support.builders.roll_sweeps import AT, Rows, healthy, landed, partition


def by_code(reasons: Any) -> dict[str, Any]:
    return {one.code: one for one in reasons}


def test_a_lost_rack_takes_all_its_brokers(tmp_path: Path) -> None:
    rows = healthy()
    rows["brokers"] = [{**one, "rack": "a" if one["broker"] < 3 else "b"} for one in rows["brokers"]]
    rows["topics"].append(partition("pair", 0, [1, 2]))
    tables = landed(tmp_path, rows)
    assert brokers_of_rack(tables, "a") == [1, 2]
    assert brokers_of_rack(tables, "c") == []
    found = by_code(of_rack(tables, [1, 2]))
    assert (found["rack_offline"].count, found["rack_offline"].names) == (1, ["pair"])
    assert (found["rack_under_min_isr"].count, found["rack_under_min_isr"].names[0]) == (9, "__consumer_offsets")
    assert (found["rack_leaders"].count, found["rack_leaders"].limit) == (7, 10)
    assert found["rack_connections"].count == 40  # of two brokers with 20 each, on the one that is left
    assert found["rack_groups"].names == ["reports", "billing"]


def test_a_rack_that_can_be_spared(tmp_path: Path) -> None:
    found = by_code(of_rack(landed(tmp_path, healthy()), [1]))
    assert set(found) == {"rack_leaders", "rack_groups", "rack_connections"}
    assert all(one.level == "notes" for one in found.values())


def test_a_restart_is_told_whatever_else_is_in_its_way(tmp_path: Path) -> None:
    rows = healthy()
    rows["topics"].append(partition("lonely", 0, [1]))
    found = by_code(of_restart(landed(tmp_path, rows), 1))
    assert found["offline"].names == ["lonely"]
    assert (found["reconnects_fit"].count, found["reconnects_fit"].limit) == (20, 50)
    assert "offline" not in by_code(of_restart(landed(tmp_path / "b", healthy()), 1))


@pytest.mark.parametrize("change", [of_rack, lambda tables, _gone: of_restart(tables, 1)])
def test_partitions_that_were_not_read_are_told(tmp_path: Path, change: Any) -> None:
    rows = healthy() | {"sweeps": [{"admin_outcome": "partial", "admin_missing": ["topics"]}], "topics": []}
    assert by_code(change(landed(tmp_path, rows), [1]))["topics_unread"].level == "unmeasured"


def start(group: str, committed: int, end: int, **more: Any) -> dict[str, Any]:
    known = {"begin_known": True, "absence_sure": True, "group_state": "Stable", "topic": "orders"}
    offsets = {"committed_offset": committed, "log_start_offset": 0, "from_log_end_offset": end}
    return {"group_id": group, **known, **offsets, **more}


def grown(
    home: Path, starts: list[dict[str, Any]], declared: dict[str, Any] | None = None, change: Any = lambda _rows: None
) -> Growth | None:
    """Topic orders takes 60 records a second on 3 partitions; it gets 3 more. Group billing reads it."""
    rows: Rows = healthy()
    rows["declarations"] = [{"declaration": json.dumps({"client_configs": {"groups": declared or {}}})}]
    rows["group_offsets"] = [{"group_id": "billing", "topic": "orders", "partition": 0, "committed_offset": 5}]
    earlier = healthy()
    for number, tables in ((0, earlier), (1, rows)):
        tables["partitions"] = [
            {"broker": p + 1, "read_at": AT, "topic": "orders", "partition": p, "replicas_count": 3, "isr_count": 3,
             "log_end_offset": 12_000 * number}
            for p in range(3)
        ]  # fmt: skip
    change(rows)
    land(home, "payments-eu", AT - timedelta(minutes=10), earlier)
    land(home, "payments-eu", AT, rows)
    sweep = newest_sweep(home, "payments-eu", list(topic_growth.READS))
    assert sweep is not None
    return growth(sweep_tables(home, sweep, topic_growth.READS), "orders", 3, starts)


def skip(home: Path, *more: Any) -> GroupSkip:
    found = grown(home, *more)
    assert found is not None
    assert (found.partitions, found.rate) == (3, 60.0)
    (one,) = found.groups
    return one


def test_a_group_of_which_nothing_is_known_may_skip_a_refresh_of_records(tmp_path: Path) -> None:
    one = skip(tmp_path, [])
    assert (one.policy, one.source, one.members) == ("not known", "not known", 1)
    assert (one.at_least, one.at_most) == (0, 9000)  # half of 60 records/s for five minutes


def test_a_group_that_began_at_log_ends_resets_to_latest(tmp_path: Path) -> None:
    one = skip(tmp_path, [start("billing", 462, 440), start("other", 0, 440)])
    assert (one.policy, one.source, one.seen, one.at_most) == ("latest", "seen", 1, 9000)


def test_a_group_that_began_below_a_log_end_skips_nothing(tmp_path: Path) -> None:
    one = skip(tmp_path, [start("billing", 462, 440), start("billing", 35, 440)])
    assert (one.policy, one.source, one.at_most) == ("earliest", "seen", 0)


@pytest.mark.parametrize(
    "untold",
    [
        start("billing", 35, 440, begin_known=False),
        start("billing", 35, 440, absence_sure=None),
        start("billing", 35, 440, group_state="Empty"),
        start("billing", 0, 0),
        start("billing", 35, 440, committed_offset=None),
    ],
)
def test_a_start_that_may_have_been_anything_tells_nothing(tmp_path: Path, untold: dict[str, Any]) -> None:
    assert skip(tmp_path, [untold]).policy == "not known"


@pytest.mark.parametrize(
    ("settings", "policy", "at_most"),
    [
        ({"auto.offset.reset": "latest"}, "latest", 9000),
        ({"auto.offset.reset": "latest", "metadata.max.age.ms": 60_000}, "latest", 1800),
        ({"auto.offset.reset": "earliest"}, "earliest", 0),
        ({"auto.offset.reset": "none"}, "none", 0),
        ({"auto.offset.reset": "by_duration:PT6M"}, "by_duration", 0),
        ({"auto.offset.reset": "by_duration:PT4M"}, "by_duration", 1800),
        ({"auto.offset.reset": "by_duration:soon"}, "earliest", 0),
    ],
)
def test_what_the_owner_declares_comes_first(tmp_path: Path, settings: Any, policy: str, at_most: int) -> None:
    seen = [start("billing", 35, 440)]  # earliest
    one = skip(tmp_path, seen, {"*": {"auto.offset.reset": "none"}, "bill*": settings})
    assert (one.policy, one.at_most) == (policy, at_most)


def test_a_group_that_does_not_run_has_no_bound(tmp_path: Path) -> None:
    def gone(rows: Rows) -> None:
        rows["group_members"] = []

    one = skip(tmp_path, [start("billing", 462, 440)], None, gone)
    assert (one.policy, one.members, one.at_most) == ("latest", 0, None)


def test_without_a_sweep_before_there_is_no_rate(tmp_path: Path) -> None:
    def unread(rows: Rows) -> None:
        rows["partitions"] = []

    found = grown(tmp_path, [], None, unread)
    assert found is not None
    assert (found.rate, found.groups[0].at_most) == (None, None)


def test_offsets_that_were_not_read_are_told(tmp_path: Path) -> None:
    lost = [{"admin_outcome": "partial", "admin_missing": ["group_offsets"]}]
    assert grown(tmp_path, [], None, lambda rows: rows.update(sweeps=lost, group_offsets=[])) is None


def test_a_topic_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NoTopic):
        growth(landed(tmp_path, healthy()), "order", 3, [])
