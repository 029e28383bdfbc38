"""Facts to measured conditions: runs all conditions as one query, gives the answer of each per cluster.

Queries read the fact tables and two views more: `release_days`, what the release catalogue says of the releases in use,
and `thresholds`, the values in force.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import BooleanType, DoubleType, StringType, StructField, StructType

from fleet_spark.aside import Aside, Task
from fleet_spark.failures import running
from fleet_spark.frames import in_driver
from fleet_spark.signatures import Overrides, figure, thresholds
from fleet_spark.ways import Ways, tables_read
from kafka_fleet.knowledge.detection_rows import (
    COLUMNS,
    DetectionRow,
    detection_row,
    sentence,
    template,
    totals_of,
)
from kafka_fleet.knowledge.measured import MOST, Answered, Condition, listed
from kafka_fleet.knowledge.releases import catalogue, comparable_release

_TEXTS = ("kafka_release", "line", "newest_patch")
_RELEASES = StructType(
    [*(StructField(name, StringType()) for name in _TEXTS)]
    + [StructField(name, BooleanType()) for name in ("comparable", "supported")]
)


def release_days(spark: SparkSession, releases: Iterable[str], ds: str) -> None:
    """Register `release_days`: one row per release text that any process showed, as of the day.

    comparable: surely Apache's own build. line, supported and newest_patch (of its line) are null where it is not.
    """
    known, day = catalogue(), dt.date.fromisoformat(ds)
    rows: list[dict[str, str | bool | None]] = []
    for text in sorted(releases):
        release = comparable_release(text)
        newest = known.latest_patch(release.line, day) if release else None
        rows.append(
            {
                "kafka_release": text,
                "comparable": release is not None,
                "line": release.line_text if release else None,
                "supported": known.supported(release, day) if release else None,
                "newest_patch": str(newest) if newest else None,
            }
        )
    _register(spark, "release_days", rows, _RELEASES)


def threshold_rows(
    spark: SparkSession, conditions: Iterable[Condition], clusters: Iterable[str], overrides: Mapping[str, Overrides]
) -> None:
    """Register `thresholds`: one row per cluster and condition, a column for each threshold; null of another's."""
    rows, names = [], set[str]()
    for condition in conditions:
        names |= set(condition.thresholds)
        for cluster in clusters:
            values = thresholds(condition, overrides.get(cluster, {}))
            rows.append({"cluster": cluster, "check_id": condition.id, **values})
    texts = [StructField(name, StringType()) for name in ("cluster", "check_id")]
    _register(
        spark, "thresholds", rows, StructType(texts + [StructField(name, DoubleType()) for name in sorted(names)])
    )


def _register(spark: SparkSession, view: str, rows: Sequence[Mapping[str, Any]], schema: StructType) -> None:
    types = {StringType(): pa.string(), BooleanType(): pa.bool_(), DoubleType(): pa.float64()}
    columns = {f.name: pa.array([row.get(f.name) for row in rows], types[f.dataType]) for f in schema}
    in_driver(spark, pa.table(columns), schema).createOrReplaceTempView(view)


def answer(condition: Condition, found: Sequence[DetectionRow], values: Mapping[str, float]) -> Answered:
    """What the rows of one cluster say. values: the thresholds in force."""
    order = {metric: place for place, metric in enumerate(condition.evidence)}
    rows = sorted(
        found, key=lambda row: (row.ordinal, order.get(row.metric, -1), row.object_name or "", row.object_detail or "")
    )
    totals = totals_of(rows)
    missing: list[str] = []
    for metric, text in condition.needs.items():
        own = [template(text).of_row(row, totals) for row in rows if row.metric == metric and row.amount != 0]
        missing += sorted(one for one in own if one is not None)
    subjects = [row for row in rows if row.is_subject]
    holds = True if subjects else None if missing else False
    if holds is None:
        return Answered(None, "; ".join(missing), (), (), tuple(missing))
    named = [template(text).of_row(row, totals) for text in condition.subjects for row in subjects]
    evidence = []
    for row in rows:
        if (line := condition.evidence.get(row.metric)) is not None:
            place = condition.place if row.kind is not None else condition.cluster_place
            threshold = values[line.threshold] if line.threshold else None
            where = template(place).of_row(row, totals)
            evidence.append(figure(line, row.amount, threshold, where, row.from_at, row.to_at))
    told = tuple(one for one in evidence if one is not None)
    said = sentence(condition.sentence, rows, values) or f"{condition.id.replace('_', ' ')} was not measured"
    return Answered(holds, said, listed(tuple(dict.fromkeys(one for one in named if one))), told[:MOST], tuple(missing))


def union_of(conditions: Iterable[Condition]) -> str:
    """The queries of all conditions as one; `check_id` says whose row it is."""
    columns = ", ".join(COLUMNS)
    selects = (f"SELECT '{one.id}' AS check_id, {columns} FROM (\n{one.query}\n) AS d" for one in conditions)
    return "\nUNION ALL\n".join(selects)


def run_conditions(
    spark: SparkSession,
    conditions: Mapping[str, Condition],
    ds: str,
    ways: Ways | None = None,
    aside: Aside | None = None,
    overrides: Mapping[str, Overrides] | None = None,
) -> dict[str, dict[str, Answered]]:
    """Cluster -> condition -> answer, of every cluster of the day.

    ways: of the job that made the facts' views; None: all of them are small. aside: of the job, which goes on without
    the clusters that make the query fail; None: what it raised ends the run. overrides: of clusters that have their own
    thresholds.
    """
    if not conditions:
        return {}
    known, own = ways or Ways(spark), overrides or {}
    texts = "\n".join(one.queries for one in conditions.values())

    def answers(_clusters: list[str]) -> dict[str, dict[str, Answered]]:
        with running("conditions"), known.of(texts) as small:
            clusters = _values(spark, "cluster_days", "cluster")
            release_days(spark, _values(spark, "process_days", "kafka_release"), ds)
            threshold_rows(spark, conditions.values(), sorted(clusters), own)
            for condition in conditions.values():
                for view, step in condition.steps.items():
                    spark.sql(step).createOrReplaceTempView(view)
            frame = spark.sql(union_of(conditions.values()))
            rows = (frame.coalesce(1) if small else frame).collect()
            by_check: dict[tuple[str, str], list[DetectionRow]] = defaultdict(list)
            for row in rows:
                by_check[row.cluster, row.check_id].append(detection_row(row.asDict()))
            found: dict[str, dict[str, Answered]] = defaultdict(dict)
            for (cluster, name), of_one in sorted(by_check.items()):
                condition = conditions[name]
                found[cluster][name] = answer(condition, of_one, thresholds(condition, own.get(cluster, {})))
            return dict(found)

    tables = tables_read(texts) | {"cluster_days", "process_days"}
    return (aside or Aside(None, (), "conditions")).run(Task(tables, answers))


def _values(spark: SparkSession, table: str, column: str) -> set[str]:
    """The distinct values of a column, without null."""
    return {value for value in spark.table(table).select(column).toArrow()[column].to_pylist() if value is not None}
