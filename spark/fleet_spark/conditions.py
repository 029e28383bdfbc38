"""Facts to measured conditions: runs all conditions as one query, gives the answer of each per cluster.

Queries read the fact tables and views more: `release_days`, what the release catalogue says of the releases in use,
`refused_requests`, what clients send and brokers from 4.0 on refuse, and for each condition `<id>_thresholds`, the
values in force by cluster.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BooleanType, IntegerType, StringType, StructField, StructType

from fleet_spark.aside import Aside, Task
from fleet_spark.coverage import show_thresholds
from fleet_spark.failures import running
from fleet_spark.frames import local_frame
from fleet_spark.query_profiles import QueryProfiles, tables_read
from fleet_spark.signatures import Overrides, thresholds
from fleet_spark.sql_files import joined, query_file, written_in
from kafka_fleet.knowledge.conditions import MOST, Answered, Condition, listed_subjects
from kafka_fleet.knowledge.detection_rows import (
    COLUMNS,
    DetectionRow,
    detection_row,
    sentence,
    template,
    totals_of,
)
from kafka_fleet.knowledge.evidence import figure
from kafka_fleet.knowledge.query_columns import CONDITION
from kafka_fleet.knowledge.refused_requests import counts_clients, for_good, is_four
from kafka_fleet.knowledge.releases import catalogue, comparable_release

_TEXTS = ("kafka_release", "line", "newest_patch")
_RELEASES = StructType(
    [*(StructField(name, StringType()) for name in _TEXTS)]
    + [StructField(name, BooleanType()) for name in ("comparable", "supported", "counts_clients", "is_four")]
)
_REFUSED = StructType(
    [StructField("request", StringType()), StructField("api", StringType()), StructField("up_to", IntegerType())]
)


def release_table(releases: Iterable[str], ds: str) -> pa.Table:
    """One row per release text that any process showed, as of the day.

    comparable: surely Apache's own build. line, supported and newest_patch (of its line) are null where it is not.
    counts_clients: whether it counts old requests by client; null of an unknown build. is_four: 4.0 or later.
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
                "counts_clients": counts_clients(text),
                "is_four": is_four(text),
            }
        )
    return pa.Table.from_pylist(rows, to_arrow_schema(_RELEASES))


def refused_table() -> pa.Table:
    """A row per request that clients send, with the last version that 4.x refuses.

    request is the name in MBeans, api the one in Kafka's protocol.
    """
    rows = [{"request": name, "api": one.api or name, "up_to": one.up_to} for name, one in for_good().items()]
    return pa.Table.from_pylist(rows, to_arrow_schema(_REFUSED))


def _ordered(condition: Condition, found: Iterable[DetectionRow]) -> list[DetectionRow]:
    """The rows by ordinal; those of one object by the order of the lines of evidence."""
    lines = {metric: place for place, metric in enumerate(condition.evidence)}

    def key(row: DetectionRow) -> tuple[int, int, str, str]:
        return row.ordinal, lines.get(row.metric, -1), row.object_name or "", row.object_detail or ""

    return sorted(found, key=key)


def _missing(condition: Condition, rows: Sequence[DetectionRow], values: Mapping[str, float]) -> list[str]:
    """A sentence for each missing input: a row whose number is 0 is none."""
    totals, missing = {**values, **totals_of(rows)}, list[str]()
    for metric, text in condition.needs.items():
        own = [template(text).of_row(row, totals) for row in rows if row.metric == metric and row.amount != 0]
        missing += sorted(one for one in own if one is not None)
    return missing


def _evidence(
    condition: Condition, rows: Sequence[DetectionRow], values: Mapping[str, float]
) -> Iterator[dict[str, Any]]:
    totals = totals_of(rows)
    for row in rows:
        line = condition.evidence.get(row.metric)
        if line is not None:
            where = template(condition.cluster_place if row.kind is None else condition.place).of_row(row, totals)
            threshold = values[line.threshold] if line.threshold else None
            one = figure(line, row.amount, threshold, where, row.from_at, row.to_at)
            if one is not None:
                yield one


def answer(condition: Condition, found: Iterable[DetectionRow], values: Mapping[str, float]) -> Answered:
    """What the rows of one cluster say. values: the thresholds in force."""
    rows = _ordered(condition, found)
    missing, totals = _missing(condition, rows, values), totals_of(rows)
    subjects = [row for row in rows if row.is_subject]
    beside: dict[int, dict[str, list[DetectionRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        beside[row.ordinal][row.metric].append(row)
    if missing and not subjects:
        return Answered(None, "; ".join(missing), missing=tuple(missing))
    made = (
        template(text).of_row(row, {**totals, "beside": beside[row.ordinal]})
        for text in condition.subjects
        for row in subjects
    )
    named = tuple(dict.fromkeys(one for one in made if one is not None))
    evidence = tuple(_evidence(condition, rows, values))[:MOST]
    said = sentence(condition.sentence, rows, values) or f"{condition.id.replace('_', ' ')} was not measured"
    return Answered(bool(subjects), said, listed_subjects(named), evidence, tuple(missing))


def union_of(conditions: Iterable[Condition]) -> str:
    """The queries of all conditions as one; `check_id` says whose row it is."""
    columns = ", ".join(COLUMNS)
    return "\nUNION ALL\n".join(
        "\n".join((f"SELECT '{one.id}' AS check_id, {columns}", "FROM (", one.query, ") AS detections"))
        for one in conditions
    )


def conditions_task(
    spark: SparkSession,
    conditions: Mapping[str, Condition],
    ds: str,
    profiles: QueryProfiles,
    overrides: Mapping[str, Overrides],
) -> Task[dict[str, dict[str, Answered]]]:
    """Gives cluster -> condition -> answer, of every cluster of the day.

    profiles: of the job that made the facts' views. overrides: of clusters that have their own thresholds.
    """
    texts = "\n".join(one.queries for one in conditions.values())

    def answers(_clusters: list[str]) -> dict[str, dict[str, Answered]]:
        values: dict[str, dict[str, dict[str, float]]] = {}
        with running("conditions"), profiles.for_query(texts) as small:
            clusters = sorted(_values(spark, "cluster_days", "cluster"))
            known = release_table(_values(spark, "broker_days", "kafka_release"), ds)
            local_frame(spark, known, _RELEASES).createOrReplaceTempView("release_days")
            local_frame(spark, refused_table(), _REFUSED).createOrReplaceTempView("refused_requests")
            for condition in conditions.values():
                values[condition.id] = {c: thresholds(condition, overrides.get(c, {})) for c in clusters}
                if condition.thresholds:
                    show_thresholds(spark, condition, values[condition.id])
                for view, step in condition.steps.items():
                    with written_in(query_file("conditions", condition.id, view)):
                        spark.sql(step).createOrReplaceTempView(view)
            files = {query_file("conditions", one.id, "detections"): one.query for one in conditions.values()}
            frame = joined(spark, union_of(conditions.values()), files, CONDITION)
            rows = (frame.coalesce(1) if small else frame).collect()
            by_check: dict[tuple[str, str], list[DetectionRow]] = defaultdict(list)
            for row in rows:
                if row.cluster in values[row.check_id]:  # of a cluster without a sweep that counts nothing is said
                    by_check[row.cluster, row.check_id].append(detection_row(row.asDict()))
            found: dict[str, dict[str, Answered]] = defaultdict(dict)
            for (cluster, name), of_one in sorted(by_check.items()):
                found[cluster][name] = answer(conditions[name], of_one, values[name][cluster])
            return dict(found)

    return Task(tables_read(texts) | {"cluster_days", "broker_days"}, answers)


def run_conditions(
    spark: SparkSession,
    conditions: Mapping[str, Condition],
    ds: str,
    profiles: QueryProfiles | None = None,
    overrides: Mapping[str, Overrides] | None = None,
) -> dict[str, dict[str, Answered]]:
    """Conditions by themselves: what the query raises ends the run. profiles: None where all views are small."""
    task = conditions_task(spark, conditions, ds, profiles or QueryProfiles(spark), overrides or {})
    return Aside(None, (), "conditions").run(task)


def _values(spark: SparkSession, table: str, column: str) -> set[str]:
    """The distinct values of a column, without null."""
    return {value for value in spark.table(table).select(column).toArrow()[column].to_pylist() if value is not None}
