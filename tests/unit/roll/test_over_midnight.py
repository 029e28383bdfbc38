"""A roll that spans midnight is one: the later day has all of it, the earlier one says that it goes on."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.report.roll_words import roll_lines, roll_title
from kafka_fleet.roll.day_rows import DayRows
from kafka_fleet.roll.over_midnight import whole_rolls
from kafka_fleet.roll.rolls import day_rolls
from kafka_fleet.schema.raw_tables import raw_schemas
from support.builders.documents import report
from support.builders.letter_samples import payments
from support.builders.page_client import client, text
from support.builders.published_days import dossier, publish_day

FIRST, SECOND, THIRD = "2026-11-19", "2026-11-20", "2026-11-21"
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
CLUSTER = "payments-eu"


def iso(minutes: float) -> str:
    return f"{MIDNIGHT + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


def restart(broker: int, minutes: int, **more: Any) -> dict[str, Any]:
    """Seen last so many minutes after midnight, and in sync again ten minutes later."""
    return {
        "broker": broker, "stop": "controlled", "from_release": "3.9.0", "to_release": "3.9.1",
        "last_seen": iso(minutes), "process_start": iso(minutes + 3), "first_seen": iso(minutes + 10),
        "start_seconds": 12.5, "remaining_logs": 0, "in_sync": iso(minutes + 10), "away_seconds": 600.0, **more,
    }  # fmt: skip


def part(*restarts: dict[str, Any], **more: Any) -> RollReport:
    begin = min(one["last_seen"] for one in restarts)
    end = max(one["in_sync"] or one["first_seen"] for one in restarts)
    kind = "upgrade" if len(restarts) > 1 else "restart"
    return RollReport.model_validate(
        {"kind": kind, "begin": begin, "end": end, "restarts": list(restarts), "under_min_isr": None, "errors": [],
         "reconnects": [], "rebalances": None, "groups_moved": None, "groups": [], "leadership": None, "symptoms": [],
         **more}
    )  # fmt: skip


def of(days: Mapping[str, list[RollReport] | None]) -> Any:
    return lambda ds: days.get(ds)


def error(before: int, during: int, after: int) -> dict[str, Any]:
    return {"request": "Produce", "error": "NOT_ENOUGH_REPLICAS", "before": before, "during": during, "after": after}


def symptom(before: float, during: float, after: float) -> dict[str, Any]:
    return {"signature": "fetch_latency", "title": "Expired", "unit": "ratio", "threshold": 0.3, "before": before,
            "during": during, "after": after}  # fmt: skip


def test_both_parts_are_one_roll_on_the_later_day_and_the_earlier_one_says_that_it_goes_on() -> None:
    early = part(restart(1, -40), restart(2, -20), rebalances=3, groups_moved=2, groups=["a"])
    late = part(restart(3, 5), rebalances=4, groups_moved=3, groups=["b", "a"])
    days = {FIRST: [part(restart(1, -600)), early], SECOND: [late, part(restart(2, 600))]}
    before, earlier = whole_rolls(of(days), FIRST)
    assert before == days[FIRST][0]
    assert (earlier.goes_on, [one.broker for one in earlier.restarts]) == (SECOND, [1, 2])
    whole, other = whole_rolls(of(days), SECOND)
    assert other == days[SECOND][1]
    assert (whole.kind, whole.begin, whole.end) == ("upgrade", iso(-40), iso(15))
    assert [one.broker for one in whole.restarts] == [1, 2, 3]
    assert (whole.since, whole.goes_on) == (FIRST, None)
    assert (whole.rebalances, whole.groups_moved, whole.groups) == (7, 3, ["a", "b"])
    lines = roll_lines(whole)
    assert "It began on 2026-11-19 and is told here as a whole" in lines
    assert "Coordinators completed at least 7 rebalances" in lines
    assert roll_title(whole, SECOND).endswith("2026-11-19 23:20 to 00:15 UTC")
    assert f"It goes on after midnight: {SECOND} tells the whole roll" in roll_lines(earlier)


@pytest.mark.parametrize(("first", "second", "one"), [(-20, 50, True), (-70, 1, False), (-10, 61, False)])
def test_restarts_an_hour_apart_are_two_rolls_over_midnight_too(first: int, second: int, one: bool) -> None:
    days = {FIRST: [part(restart(1, first))], SECOND: [part(restart(2, second))]}
    assert (whole_rolls(of(days), FIRST)[0].goes_on == SECOND) is one
    assert (len(whole_rolls(of(days), SECOND)[0].restarts) == 2) is one


def test_a_roll_of_days_is_followed_back_through_all_of_them() -> None:
    hours = range(-1470, 31, 50)
    days = {
        ds: [part(*(restart(n, m) for n, m in enumerate(hours) if iso(m + 10)[:10] == ds))]
        for ds in ("2026-11-18", FIRST, SECOND)
    }
    (whole,) = whole_rolls(of(days), SECOND)
    assert (len(whole.restarts), whole.since) == (31, "2026-11-18")
    (middle,) = whole_rolls(of(days), FIRST)
    assert (middle.since, middle.goes_on) == ("2026-11-18", SECOND)


def test_a_day_that_is_not_known_is_no_part_and_no_roll() -> None:
    days = {FIRST: None, SECOND: [part(restart(2, 5))]}
    assert whole_rolls(of(days), FIRST) is None
    assert whole_rolls(of(days), SECOND) == days[SECOND]
    assert whole_rolls(of({SECOND: []}), SECOND) == []


def test_figures_are_those_of_the_whole_and_never_better_than_measured() -> None:
    bounds = {"at_least": 60.0, "at_most": 600.0, "most": 2}
    early = part(restart(1, -30), under_min_isr=bounds, errors=[error(1, 10, 99)], symptoms=[symptom(0.1, 0.2, 9)])
    late = part(restart(2, 5), under_min_isr={**bounds, "most": 7}, errors=[error(99, 5, 3)],
                symptoms=[symptom(9, 0.4, 0.3)])  # fmt: skip
    (whole,) = whole_rolls(of({FIRST: [early], SECOND: [late]}), SECOND)
    assert whole.under_min_isr is not None
    assert (whole.under_min_isr.at_least, whole.under_min_isr.most) == (120.0, 7)
    assert whole.under_min_isr.at_most == 1200.0 + 25 * 60, "what lies between may have been under it too"
    (one,) = whole.errors
    assert (one.before, one.during, one.after) == (1, 15, 3)
    (change,) = whole.symptoms
    assert (change.before, change.during, change.after) == (0.1, 0.3, 0.3)
    (unread,) = whole_rolls(of({FIRST: [part(restart(1, -30))], SECOND: [late]}), SECOND)
    assert unread.under_min_isr is not None, "one part alone shows that partitions were under it"
    (fine,) = whole_rolls(of({FIRST: [part(restart(1, -30))], SECOND: [part(restart(2, 5))]}), SECOND)
    assert fine.under_min_isr is None


def test_replicas_that_caught_up_after_midnight_and_leadership_of_all_brokers_are_told() -> None:
    behind = restart(1, -20, in_sync=None, away_seconds=900.0)
    away = [{"broker": 1, "away": 4, "out_of_sync": 1, "topics": ["a"]}, {"broker": 9, "away": 7, "out_of_sync": 7}]
    leads = {"at": iso(900), "away": 0, "out_of_sync": 0, "topics": [], "preferred": away}
    late = part(restart(2, 5), leadership=leads, first_in_sync=[{"broker": 1, "at": iso(20)}])
    (whole,) = whole_rolls(of({FIRST: [part(behind)], SECOND: [late]}), SECOND)
    assert (whole.restarts[0].in_sync, whole.restarts[0].away_seconds) == (iso(20), 2400.0)
    assert whole.end == iso(20)
    assert whole.leadership is not None
    assert (whole.leadership.away, whole.leadership.out_of_sync, whole.leadership.topics) == (4, 1, ["a"])
    older = part(restart(2, 5), leadership={k: v for k, v in leads.items() if k != "preferred"})
    (unknown,) = whole_rolls(of({FIRST: [part(behind)], SECOND: [older]}), SECOND)
    assert unknown.leadership is None, "an earlier version told of the second part's brokers alone"


def test_a_stored_day_has_what_the_parts_need_and_rests_on_no_other_day() -> None:
    sweeps = [MIDNIGHT + timedelta(minutes=minute) for minute in (0, 10, 20)]
    facts: dict[str, list[dict[str, Any]]] = {
        "cluster_sweeps": [{"sweep_at": at, "topics_read": True} for at in sweeps],
        "restarts": [
            {"broker": 2, "from_sweep": sweeps[0], "to_sweep": sweeps[1], "from_at": sweeps[0], "to_at": sweeps[1],
             "process_start": sweeps[0], "controlled_shutdowns": 1, "stops": 1, "possible_stops": 1}
        ],
        "out_of_sync_replicas": [{"follower": 1, "sweep_at": sweeps[0]}, {"follower": 2, "sweep_at": sweeps[1]}],
    }  # fmt: skip

    def rows(table: str, columns: Any) -> list[dict[str, Any]] | None:
        return [{name: row.get(name) for name in columns} for row in facts[table]] if table in facts else None

    schema = raw_schemas()["broker_metrics"]
    metrics = schema.empty_table().select(
        ["sweep_at", "broker", "release", "jvm_start_ms", "under_min_isr_partitions", "completed_rebalances"]
    )
    seen = [{"sweep_at": at, "broker": b} for at in sweeps for b in (1, 2)]
    metrics = type(metrics).from_pylist(seen, schema=metrics.schema)
    (made,) = day_rolls(DayRows(rows, metrics, None), report({**payments(), "ds": SECOND}))
    assert [(one.broker, one.at) for one in made.first_in_sync] == [(1, iso(10)), (2, iso(0))]
    assert (made.since, made.goes_on) == (None, None)


def test_the_page_of_each_day_says_so(tmp_path: Path) -> None:
    parts = {FIRST: part(restart(1, -20)), SECOND: part(restart(2, 5))}
    for ds, one in parts.items():
        publish_day(tmp_path, ds, {CLUSTER: (dossier(CLUSTER, ds, rolls=[one.plain()]), [])}, letters=False)
    shown = {ds: text(client(tmp_path).get(f"/clusters/{CLUSTER}?day={ds}")) for ds in parts}
    assert "It goes on after midnight: 2026-11-20 tells the whole roll." in shown[FIRST]
    assert "Upgrade of 2 brokers from 3.9.0 to 3.9.1, 2026-11-19 23:40 to 00:15 UTC" in shown[SECOND]
