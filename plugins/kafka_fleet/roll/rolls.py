"""Rolls of a day: takes its rows and its report, gives a report of each series of restarts, in their order."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.roll_report import BrokerRestart, InSync, Kind, RollReport
from kafka_fleet.knowledge.evidence import iso
from kafka_fleet.roll.day_rows import DayRows
from kafka_fleet.roll.restarts import Restart, restarts_of
from kafka_fleet.roll.roll_effects import (
    errors_of,
    groups_moved,
    groups_rebalancing,
    leadership,
    rebalances,
    reconnects_of,
    under_min_isr,
)
from kafka_fleet.roll.symptoms import symptoms_of

APART = timedelta(hours=1)  # restarts further apart than this are two rolls


def day_rolls(day: DayRows, report: ClusterReport) -> list[RollReport]:
    """None of a day without a restart."""
    return [_report(day, one, report) for one in _series(restarts_of(day))]


def _series(restarts: Sequence[Restart]) -> list[list[Restart]]:
    found: list[list[Restart]] = []
    last: datetime | None = None
    for one in restarts:
        if last is None or one.row["from_at"] - last > APART:
            found.append([])
        found[-1].append(one)
        last = max(one.row["to_at"], last or one.row["to_at"])
    return found


def _report(day: DayRows, series: Sequence[Restart], report: ClusterReport) -> RollReport:
    rows, restarts = [one.row for one in series], [one.told for one in series]
    begin, end = min(row["from_sweep"] for row in rows), max(one.until for one in series)
    moved = groups_moved(day, begin, end)
    return RollReport(
        kind=kind_of(restarts),
        begin=min(one.last_seen for one in restarts),
        end=max(one.in_sync or one.first_seen for one in restarts),
        restarts=restarts,
        under_min_isr=under_min_isr(day.metrics, begin, end),
        errors=errors_of(day, begin, end),
        reconnects=reconnects_of(day, rows),
        rebalances=rebalances(day.metrics, begin, end),
        groups_moved=None if moved is None else moved[0],
        groups=[] if moved is None else moved[1],
        rebalancing=groups_rebalancing(day, begin, end),
        leadership=leadership(day, [one.broker for one in restarts], end),
        symptoms=symptoms_of(report, begin, end),
        first_in_sync=_first_in_sync(day, begin, report.ds),
    )


def _first_in_sync(day: DayRows, begin: datetime, ds: str) -> list[InSync]:
    """For a roll that may have begun before midnight: brokers that the day before saw behind may be among these."""
    if begin - datetime.fromisoformat(ds).replace(tzinfo=UTC) > APART:
        return []
    rows = day.facts("out_of_sync_replicas", ("follower", "sweep_at")) or []
    behind, sweeps = {(one["follower"], one["sweep_at"]) for one in rows}, day.sweeps_with_topics()
    found = []
    for broker in sorted(set(day.metrics["broker"].to_pylist())):
        at = next((one for one in sweeps if (broker, one) not in behind), None)
        found += [] if at is None else [InSync(broker=broker, at=iso(at))]
    return found


def kind_of(restarts: Sequence[BrokerRestart]) -> Kind:
    """An upgrade where a broker came back with another release, else a roll where there are several."""
    if any(one.from_release and one.to_release and one.from_release != one.to_release for one in restarts):
        return "upgrade"
    return "roll" if len({one.broker for one in restarts}) > 1 else "restart"
