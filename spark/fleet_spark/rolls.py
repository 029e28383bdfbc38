"""Rolls and readiness of each cluster's day: takes the day's facts and last sweeps, adds both to the report.

The driver reads a few rows by itself. Spark is asked nothing, so that a quiet day has no query more.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from fleet_spark.tables import Day
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.roll.day_rows import LAST, METRICS, DayRows
from kafka_fleet.roll.readiness import READS, Asked, Known, readiness
from kafka_fleet.roll.rolls import day_rolls
from kafka_fleet.store.facts import fact_rows
from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.manifests import Manifest, read_manifest, sweep_id
from kafka_fleet.store.raw.newest_sweep import sweep_tables
from kafka_fleet.store.raw.sweep_rows import sweep_rows


class RollsOfDay:
    """What a day tells of restarts. sweeps: those of the day by cluster, in order of time."""

    def __init__(self, day: Day, sweeps: Mapping[str, Sequence[Manifest]]) -> None:
        self._day, self._sweeps = day, sweeps

    def added_to(self, report: ClusterReport) -> ClusterReport:
        """The report with the day's rolls, and the readiness at its last sweep; as it is where no sweep reached it."""
        sweeps = self._sweeps.get(report.cluster)
        if not sweeps or not report.judged:
            return report
        rolls = self._rolls(report, sweeps)
        tables = sweep_tables(self._day.home, sweeps[-1], READS)
        found = readiness(tables, Asked(), Known(report, rolls or ()))
        return report.model_copy(update={"readiness": found, "rolls": rolls})

    @cached_property
    def _restarted(self) -> set[str] | None:
        """Clusters with a restart; None where the day is judged without that table."""
        rows = fact_rows(self._day.facts_path("restarts") / self._day.generation, ["cluster"])
        return None if rows is None else {one["cluster"] for one in rows}

    def _rolls(self, report: ClusterReport, sweeps: Sequence[Manifest]) -> list[RollReport] | None:
        if self._restarted is None:
            return None
        if report.cluster not in self._restarted:
            return []
        day = self._day

        def facts(table: str, columns: Sequence[str]) -> list[dict[str, Any]] | None:
            return fact_rows(day.facts_path(table) / day.generation, columns, report.cluster)

        known = [*self._before(report.cluster, facts("restarts", ["from_sweep"]) or ()), *sweeps]
        metrics = sweep_rows(day.home, known, "broker_metrics", METRICS)
        return day_rolls(DayRows(facts, metrics, sweep_tables(day.home, sweeps[-1], LAST)), report)

    def _before(self, cluster: str, restarts: Sequence[Mapping[str, Any]]) -> list[Manifest]:
        """The last sweep of the day before, where a restart begins with it."""
        found = []
        for at in sorted({one["from_sweep"] for one in restarts}):
            ds = at.date().isoformat()
            path = Home(self._day.home).manifests(ds) / f"{cluster}.{sweep_id(at)}.json"
            if ds < self._day.ds and path.exists():
                found.append(read_manifest(path))
        return found
