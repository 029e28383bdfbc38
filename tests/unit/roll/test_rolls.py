"""What a roll did: rows of facts and a few raw rows in, its report out."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.roll.day_rows import DayRows
from kafka_fleet.roll.restarts import stop_by_log, stop_of
from kafka_fleet.roll.rolls import day_rolls
from kafka_fleet.schema.raw_tables import raw_schemas
from support.builders.documents import report
from support.builders.letter_samples import payments
from support.builders.roll_sweeps import healthy, landed

Row = dict[str, Any]
BEGIN = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
COUNTED = dict.fromkeys(
    ("controlled_shutdown_brokers", "leaders_before", "fenced_brokers", "refused_registrations", "controlled_shutdowns")
)


def at(minutes: float) -> datetime:
    return BEGIN + timedelta(minutes=minutes)


def restart(broker: int, minutes: int, **more: Any) -> Row:
    """Read at so many minutes, found as another process ten minutes later."""
    return {
        "broker": broker, "from_sweep": at(minutes), "to_sweep": at(minutes + 10), "from_at": at(minutes),
        "to_at": at(minutes + 10), "process_start": at(minutes + 4), **COUNTED, "controlled_shutdowns": 1, "stops": 1,
        "possible_stops": 1, **more,
    }  # fmt: skip


def metric(broker: int, minutes: int, **more: Any) -> Row:
    return {"sweep_at": at(minutes), "broker": broker, "release": "3.9.1", "jvm_start_ms": 1, **more}


def day(tmp_path: Path, facts: dict[str, list[Row]], metrics: Sequence[Row] = (), last: bool = True) -> DayRows:
    sweeps = [{"sweep_at": at(minute), "topics_read": True} for minute in range(0, 70, 10)]
    given = {"cluster_sweeps": sweeps, **facts}

    def rows(table: str, columns: Sequence[str]) -> list[Row] | None:
        return [{name: row.get(name) for name in columns} for row in given[table]] if table in given else None

    columns = ("sweep_at", "broker", "release", "jvm_start_ms", "under_min_isr_partitions", "completed_rebalances")
    schema = pa.schema([raw_schemas()["broker_metrics"].field(name) for name in columns])
    made = pa.Table.from_pylist([{name: row.get(name) for name in columns} for row in metrics], schema=schema)
    return DayRows(rows, made, landed(tmp_path, healthy()) if last else None)


def rolls(found: DayRows) -> list[Any]:
    return day_rolls(found, report(payments()))


def test_a_day_without_a_restart_has_no_roll(tmp_path: Path) -> None:
    assert rolls(day(tmp_path, {"restarts": []})) == []


def test_restarts_that_follow_each_other_are_one_roll(tmp_path: Path) -> None:
    one, other = rolls(day(tmp_path, {"restarts": [restart(1, 0), restart(2, 20), restart(3, 200)]}))
    assert (one.kind, [r.broker for r in one.restarts]) == ("roll", [1, 2])
    assert (one.begin, one.end) == ("2026-11-20T09:00:00Z", "2026-11-20T09:30:00Z")
    assert (other.kind, [r.broker for r in other.restarts]) == ("restart", [3])


def test_a_restart_has_its_durations(tmp_path: Path) -> None:
    facts = {
        "restarts": [restart(1, 0)],
        "broker_starts": [
            {"broker": 1, "process_start": at(4), "start_seconds": 42.5, "remaining_logs": 7},
            {"broker": 1, "process_start": at(-99), "start_seconds": 1.0, "remaining_logs": None},
        ],
        "out_of_sync_replicas": [{"follower": 1, "sweep_at": at(10)}, {"follower": 2, "sweep_at": at(20)}],
    }
    (one,) = rolls(day(tmp_path, facts, [metric(1, 0, release="3.9.0"), metric(1, 10)]))[0].restarts
    assert (one.start_seconds, one.remaining_logs) == (42.5, 7)
    assert (one.from_release, one.to_release) == ("3.9.0", "3.9.1")
    assert (one.in_sync, one.away_seconds) == ("2026-11-20T09:20:00Z", 1200.0)


def test_another_release_makes_it_an_upgrade(tmp_path: Path) -> None:
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)]}, [metric(1, 0, release="3.9.0"), metric(1, 10)]))
    assert (one.kind, one.to_releases) == ("upgrade", ["3.9.1"])


def test_a_replica_that_stays_behind_is_never_in_sync(tmp_path: Path) -> None:
    behind = [{"follower": 1, "sweep_at": at(minute)} for minute in range(10, 70, 10)]
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)], "out_of_sync_replicas": behind}))[0].restarts
    assert (one.in_sync, one.away_seconds) == (None, 3600.0)


def test_errors_are_counted_before_during_and_after(tmp_path: Path) -> None:
    errors = [
        {"request": "Produce", "error": error, "errors": count, "to_sweep": at(minute)}
        for error, count, minute in [
            ("NONE", 999, 10), ("NOT_LEADER_OR_FOLLOWER", 3, 0), ("NOT_LEADER_OR_FOLLOWER", 50, 10),
            ("NOT_LEADER_OR_FOLLOWER", 2, 20), ("NOT_ENOUGH_REPLICAS", 4, 10), ("NOT_ENOUGH_REPLICAS", 8, -50),
        ]
    ]  # fmt: skip
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)], "error_counters": errors}))
    assert [(e.error, e.before, e.during, e.after) for e in one.errors] == [
        ("NOT_LEADER_OR_FOLLOWER", 3, 50, 2),
        ("NOT_ENOUGH_REPLICAS", 0, 4, 0),
    ]


def test_connections_of_the_new_process_and_what_the_kernel_dropped(tmp_path: Path) -> None:
    base = {"listener": "EXTERNAL", "kind": "start", "to_sweep": at(10), "seconds": 300.0, "ran_back": False}
    facts = {
        "restarts": [restart(1, 0)],
        "listener_connections": [
            {**base, "broker": 1, "created": 400, "held_before": 390},
            {**base, "broker": 2, "created": 7, "held_before": 7},
            {**base, "broker": 1, "kind": "sweeps", "created": 5, "held_before": None},
        ],
        "host_counters": [
            {"broker": 1, "to_sweep": at(10), "listen_overflows": 20, "listen_drops": 25, "syncookies_sent": 5}
        ],
    }
    (made,) = rolls(day(tmp_path, facts))[0].reconnects
    assert (made.broker, made.created, made.held_before, made.overflows) == (1, 400, 390, 30)


def test_groups_whose_coordinator_moved_are_named_by_members(tmp_path: Path) -> None:
    seen = [("small", 2, (1, 2, 1)), ("large", 9, (1, 3, 3)), ("still", 5, (2, 2, 2)), ("later", 5, (2, 2, 2))]
    rows = [
        {"group_id": group, "members": members, "coordinator": broker, "sweep_at": at(10 * place)}
        for group, members, brokers in seen
        for place, broker in enumerate(brokers)
    ]
    rows.append({"group_id": "later", "members": 5, "coordinator": 1, "sweep_at": at(60)})
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)], "group_coordinators": rows}))
    assert (one.groups_moved, one.groups) == (2, ["large", "small"])


def test_groups_amid_a_rebalance_are_named(tmp_path: Path) -> None:
    rows = [
        {"group_id": group, "members": members, "group_state": state, "sweep_at": at(minute)}
        for group, members, state, minute in [
            ("a", 1, "PreparingRebalance", 10), ("b", 7, "CompletingRebalance", 10), ("c", 9, "Stable", 10),
            ("d", 9, "PreparingRebalance", 60), ("e", 9, "PreparingRebalance", 0),
        ]
    ]  # fmt: skip
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)], "group_coordinators": rows}))
    assert one.rebalancing == ["b", "a"]


@pytest.mark.parametrize(
    ("gauge", "bounds"),
    [
        ((0, 0, 0, 0), (0.0, 0.0, 0)),
        ((0, 5, 0, 0), (0.0, 1200.0, 5)),
        ((0, 5, 8, 0), (600.0, 1800.0, 8)),
        ((None, None, None, None), None),
    ],
)
def test_time_under_min_isr_has_bounds(tmp_path: Path, gauge: Sequence[int | None], bounds: Any) -> None:
    metrics = [metric(2, 10 * place, under_min_isr_partitions=value) for place, value in enumerate(gauge)]
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0), restart(3, 10)]}, metrics))
    found = one.under_min_isr
    assert (found and (found.at_least, found.at_most, found.most)) == bounds


def test_rebalances_are_counted_within_processes(tmp_path: Path) -> None:
    metrics = [
        metric(1, 0, completed_rebalances=100.0), metric(1, 10, jvm_start_ms=2, completed_rebalances=4.0),
        metric(2, 0, completed_rebalances=10.0), metric(2, 10, completed_rebalances=13.0),
        metric(2, 20, completed_rebalances=90.0),
    ]  # fmt: skip
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)]}, metrics))
    assert one.rebalances == 7


def test_leadership_that_did_not_return(tmp_path: Path) -> None:
    rows = healthy()
    rows["topics"][0]["leader"] = 2
    rows["topics"][1].update(leader=3, isr=[3, 1])  # of broker 2, which was not restarted
    found = day(tmp_path, {"restarts": [restart(1, 0)]}, last=False)
    last = DayRows(found.facts, found.metrics, landed(tmp_path, rows))
    leads = rolls(last)[0].leadership
    assert (leads.away, leads.out_of_sync, leads.topics) == (1, 0, ["orders"])


def test_what_was_not_measured_is_none(tmp_path: Path) -> None:
    (one,) = rolls(day(tmp_path, {"restarts": [restart(1, 0)]}, last=False))
    assert (one.under_min_isr, one.rebalances, one.groups_moved, one.leadership) == (None, None, None, None)
    assert (one.errors, one.reconnects) == ([], [])


def cases() -> list[tuple[str, list[Row], list[Row], bool]]:
    """Restarts and log marks of the cases of unclean_restart, and whether the signature finds one that was killed."""
    found = []
    for path in sorted((sql_dir() / "signatures/unclean_restart/cases").glob("*.yaml")):
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = case["given"].get("restarts", [])
        killed = any(one["cause"] == "killed" for one in case["expect"].get("detections", []))
        found.append((path.stem, rows, case["given"].get("log_marks", []), killed))
    return [one for one in found if one[1]]


def flat(rows: list[Row]) -> list[Row]:
    """The rows of a case, of which one may stand for several by lists of values."""
    made = []
    for row in rows:
        size = max(len(value) if isinstance(value, list) else 1 for value in row.values())
        for place in range(size):
            made.append({key: value[place] if isinstance(value, list) else value for key, value in row.items()})
    return made


@pytest.mark.parametrize(("name", "rows", "marks", "killed"), cases(), ids=[one[0] for one in cases()])
def test_a_stop_is_judged_as_the_signature_does(name: str, rows: list[Row], marks: list[Row], killed: bool) -> None:
    stops = []
    for row in flat(rows):
        begun = row.get("process_start")
        lines = {
            one["mark"]
            for one in flat(marks)
            if one["broker"] == row["broker"] and begun is not None and one["last_at"] >= begun
        }
        counted = stop_of({**COUNTED, "stops": 1, "possible_stops": row.get("stops", 1), **row})
        stops.append(stop_by_log(counted, lines))
    assert any(one in ("killed", "some_killed") for one in stops) == killed


def test_the_log_of_the_new_process_tells_how_the_old_one_ended(tmp_path: Path) -> None:
    rows = [restart(1, 0, controlled_shutdowns=None), restart(2, 0, controlled_shutdowns=None)]
    rows.append(restart(1, 20, controlled_shutdowns=None))
    starts = [{"broker": one["broker"], "process_start": one["process_start"]} for one in rows]
    marks = [
        {"broker": 1, "mark": "unclean_start", "last_at": at(5)},
        {"broker": 1, "mark": "recovered_segment", "last_at": at(6)},
        {"broker": 2, "mark": "clean_start", "last_at": at(5)},
        {"broker": 2, "mark": "recovered_segment", "last_at": None},  # a script that tells no times
        {"broker": 2, "mark": "unclean_start", "last_at": at(3)},  # of an earlier start
    ]
    (one,) = rolls(day(tmp_path, {"restarts": rows, "broker_starts": starts, "log_marks": marks}))
    assert [(told.broker, told.stop) for told in one.restarts] == [(1, "killed"), (2, "controlled"), (1, "unknown")]
