"""Metrics of the platform itself, through Airflow's own (StatsD or OpenTelemetry, see `[metrics]`); none when off.

kafka_fleet.sweep.brokers     gauge    brokers of a sweep, by cluster and outcome
kafka_fleet.sweep.duration    timing   ms of a sweep, by cluster
kafka_fleet.day.sweeps        gauge    sweeps of the judged day, by cluster
kafka_fleet.day.lateness      gauge    s between the end of the day and its judgement
kafka_fleet.findings          gauge    findings of the published day, by verdict
kafka_fleet.not_measured      gauge    clusters of the published day of which nothing was measured
kafka_fleet.letters           counter  letters of a run, by state: sent, skipped, later, failed
kafka_fleet.deadline_missed   counter  runs of fleet_health without letters by their deadline, by run type
kafka_fleet.late              gauge    1 while the letters of the newest day that is due are not out, else 0
kafka_fleet.alerts            counter  words to the platform's owners, by reason; counted at each try
kafka_fleet.set_aside         gauge    clusters that the published day is judged without
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from airflow.sdk.observability import stats

if TYPE_CHECKING:
    from kafka_fleet.collect.sweep_result import SweepResult
    from kafka_fleet.documents.summary import ClusterSummary


def sweep(result: "SweepResult") -> None:
    """One sweep of one cluster."""
    for outcome, count in result.outcomes.items():
        stats.gauge("kafka_fleet.sweep.brokers", count, tags={"cluster": result.cluster, "outcome": outcome})
    stats.timing("kafka_fleet.sweep.duration", 1000 * result.seconds, tags={"cluster": result.cluster})


def day(ds: str, sweeps: Mapping[str, int]) -> None:
    """What is stored of the day that is about to be judged. sweeps: by cluster."""
    for cluster, count in sweeps.items():
        stats.gauge("kafka_fleet.day.sweeps", count, tags={"cluster": cluster})
    end = datetime.combine(date.fromisoformat(ds), datetime.min.time(), UTC) + timedelta(days=1)
    stats.gauge("kafka_fleet.day.lateness", max(0.0, (datetime.now(UTC) - end).total_seconds()))


def published(clusters: Mapping[str, "ClusterSummary"]) -> None:
    """The day that readers follow now: its summary."""
    counts: dict[str, int] = {}
    for row in clusters.values():
        for verdict, count in row.counts.items():
            counts[verdict] = counts.get(verdict, 0) + count
    for verdict, count in counts.items():
        stats.gauge("kafka_fleet.findings", count, tags={"verdict": verdict})
    stats.gauge("kafka_fleet.not_measured", sum(not row.reached for row in clusters.values()))


def letter(state: str) -> None:
    """What came of one cluster's letter."""
    stats.incr("kafka_fleet.letters", tags={"state": state})


def deadline_missed(run_type: str) -> None:
    """A run's day has no letters in time."""
    stats.incr("kafka_fleet.deadline_missed", tags={"run_type": run_type})


def late(is_late: bool) -> None:
    """Whether the letters of the newest day that is due are still not out."""
    stats.gauge("kafka_fleet.late", int(is_late))


def alert(reason: str) -> None:
    """Count a notification to the platform owners."""
    stats.incr("kafka_fleet.alerts", tags={"reason": reason})


def set_aside(count: int) -> None:
    """So many clusters the published day is judged without."""
    stats.gauge("kafka_fleet.set_aside", count)
