"""Facts to signatures: runs the queries of every signature, gives state, detections and chart points per cluster.

Thresholds are a table, `<id>_thresholds`, that the queries join: a signature runs once, whatever clusters override.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from fleet_spark.aside import Aside, Task
from fleet_spark.coverage import Values, run_coverage, show_step, show_thresholds, thresholds_view
from fleet_spark.failures import running
from fleet_spark.query_profiles import QueryProfiles, tables_read
from fleet_spark.sql_files import joined, query_file, require_columns, require_names, written_in
from fleet_spark.steps import Step, compute_step
from kafka_fleet.knowledge.conditions import Condition
from kafka_fleet.knowledge.detections import Detection, SignatureResult
from kafka_fleet.knowledge.needs import Coverage
from kafka_fleet.knowledge.query_columns import DETECTIONS, QUERIES, named_columns, table_columns
from kafka_fleet.knowledge.query_columns import SERIES as SERIES_COLUMNS
from kafka_fleet.knowledge.signature_rows import SERIES, charts_of, detections_of, table_of
from kafka_fleet.knowledge.signatures import Signature

Overrides = Mapping[str, Mapping[str, float]]  # signature -> threshold -> value, of one cluster
Rows = list[dict[str, Any]]
Charts = dict[str, Rows]  # of one signature, by cluster


class Measured(NamedTuple):
    """One signature on one cluster: what was found, and for the letter its charts and the rows behind them."""

    result: SignatureResult
    charts: list[dict[str, Any]]
    rows: dict[str, Any] | None = None


class Found(NamedTuple):
    """What a signature's queries gave of each cluster that they were run for; and its steps, by view."""

    detections: dict[str, tuple[Detection, ...]]
    tables: dict[str, dict[str, Any] | None]
    steps: dict[str, Step]


def thresholds(signature: Signature | Condition, overrides: Overrides) -> dict[str, float]:
    """The values in force for a cluster."""
    own = overrides.get(signature.id, {})
    return {name: float(own.get(name, threshold.value)) for name, threshold in signature.thresholds.items()}


def _of_each(rows: Iterable[dict[str, Any]], clusters: Iterable[str]) -> dict[str, Rows]:
    """The rows of each of these clusters."""
    found: dict[str, Rows] = {cluster: [] for cluster in clusters}
    for row in rows:
        if row["cluster"] in found:
            found[row["cluster"]].append(row)
    return found


def _found(
    spark: SparkSession, signature: Signature, of: Values, profiles: QueryProfiles, clusters: list[str]
) -> Found:
    """of: thresholds in force, by cluster; clusters: those of them that are computed."""
    own = {cluster: of[cluster] for cluster in clusters if cluster in of}

    def rows_of(name: str, query: str) -> dict[str, Rows]:
        with running(f"{signature.id}/{name}"), profiles.for_query(query):
            file = query_file("signatures", signature.id, name)
            with written_in(file):
                frame = spark.sql(query)
            named = table_columns(signature) if name == "rows" else ()
            require_columns(file, frame.columns, QUERIES["signatures"][name], named)
            return _of_each(frame.toArrow().to_pylist(), own)

    show_thresholds(spark, signature, own)
    profiles.rows[thresholds_view(signature)] = len(own)
    steps: dict[str, Step] = {}
    found: dict[str, Rows] = {}
    for view, query in signature.all_steps.items():
        with running(f"{signature.id}/{view}"):
            is_last = view == signature.detections_view
            file = query_file("signatures", signature.id, "detections" if is_last else view)
            with written_in(file):
                step = compute_step(spark, query, profiles)
            step.frame.createOrReplaceTempView(view)
            profiles.rows[view] = step.rows
            steps[view] = Step(step.frame, list(own), step.rows)
            if is_last:
                require_columns(file, step.frame.columns, DETECTIONS, named_columns(signature))
                rows = step.all_rows()
                require_names(file, "cause", (row["cause"] for row in rows), signature.causes)
                require_names(file, "strength", (row["strength"] for row in rows), ("conclusive", "suggestive"))
                found = _of_each(rows, own)
    asked = {"subjects": signature.subjects_query, "rows": signature.rows_query} if any(found.values()) else {}
    others = {name: rows_of(name, query) for name, query in asked.items() if query}
    named, behind = others.get("subjects", {}), others.get("rows", found)
    with running(f"{signature.id}/{signature.detections_view}"):  # a value that no figure can be made of is met here
        detections = {c: detections_of(signature, rows, named.get(c, ()), own[c]) for c, rows in found.items()}
        tables = {c: table_of(signature, rows) for c, rows in behind.items()}
    return Found(detections, tables, steps)


def _series(
    spark: SparkSession,
    signatures: list[Signature],
    values: Mapping[str, Values],
    steps: Mapping[str, Step],
    profiles: QueryProfiles,
    aside: Aside,
) -> dict[str, Charts]:
    """Signature -> cluster -> charts: the points of all of them are one query."""
    if not signatures:
        return {}
    query = "\nUNION ALL\n".join(_series_of(one) for one in signatures)
    read = tables_read(query)

    def charts(clusters: list[str]) -> dict[str, Charts]:
        points: dict[tuple[str, str], Rows] = defaultdict(list)
        with running("series"), profiles.for_query(query):
            for view in sorted(read & set(steps)):
                show_step(view, steps[view], clusters)
            files = {query_file("signatures", one.id, "series"): one.series_query for one in signatures}
            for row in joined(spark, query, files, SERIES_COLUMNS).collect():
                points[row.signature, row.cluster].append(row.asDict())
            for one in signatures:
                names = {row["chart"] for (name, _), own in points.items() if name == one.id for row in own}
                require_names(query_file("signatures", one.id, "series"), "chart", names, one.charts)
            return {
                one.id: {c: charts_of(one, points[one.id, c], of) for c, of in values[one.id].items() if c in clusters}
                for one in signatures
            }

    return aside.run(Task(read, charts))


def _series_of(signature: Signature) -> str:
    """The signature's points with its name, and with null for the columns that it does not give."""
    text, columns = signature.series_query, []
    for name in SERIES:
        if name in ("object_name", "object_detail", "threshold") and not re.search(rf"\bAS {name}\b", text):
            columns.append(f"NULL AS {name}")
        elif name in ("threshold", "amount"):
            columns.append(f"TRY_CAST({name} AS DOUBLE) AS {name}")
        else:
            columns.append(f"CAST({name} AS STRING) AS {name}" if name.startswith("object_") else name)
    return f"SELECT '{signature.id}' AS signature, {', '.join(columns)} FROM (\n{text}\n)"  # noqa: S608  # the project's


def _measured(
    signature: Signature, found: Found, covered: Mapping[str, Coverage], charts: Mapping[str, Rows]
) -> dict[str, Measured]:
    """Of each cluster that `covered` knows."""
    measured = {}
    for cluster, one in covered.items():
        detections = found.detections.get(cluster, ())
        state = "detected" if detections else "quiet" if one.evaluated else "not_evaluated"
        result = SignatureResult(signature.id, state, detections, one.missing)  # type: ignore[arg-type]
        table = found.tables.get(cluster) if detections else None
        measured[cluster] = Measured(result, charts.get(cluster, []), table)
    return measured


def values_of(signatures: Iterable[Signature], clusters: Mapping[str, Overrides]) -> dict[str, Values]:
    """The thresholds in force: signature -> cluster -> threshold -> value."""
    return {one.id: {c: thresholds(one, overrides) for c, overrides in clusters.items()} for one in signatures}


def signature_tasks(
    spark: SparkSession, signatures: Iterable[Signature], values: Mapping[str, Values], profiles: QueryProfiles
) -> dict[str, Task[Found]]:
    """A task for each signature, those of the most steps first: one step waits for the other."""
    return {
        one.id: Task(
            frozenset().union(*map(tables_read, one.queries)), partial(_found, spark, one, values[one.id], profiles)
        )
        for one in sorted(signatures, key=lambda one: -len(one.all_steps))
    }


def measured_of(
    spark: SparkSession,
    signatures: list[Signature],
    values: Mapping[str, Values],
    found: Mapping[str, Found],
    profiles: QueryProfiles,
    aside: Aside,
) -> dict[str, dict[str, Measured]]:
    """Cluster -> signature -> measured, of the clusters that are left. found: what the tasks gave."""
    steps = {view: step for one in signatures for view, step in found[one.id].steps.items()}
    covered = run_coverage(spark, signatures, values, steps, profiles, aside)
    charts = _series(spark, signatures, values, steps, profiles, aside)
    by_cluster: dict[str, dict[str, Measured]] = defaultdict(dict)
    for one in signatures:
        for cluster, measured in _measured(one, found[one.id], covered[one.id], charts.get(one.id, {})).items():
            by_cluster[cluster][one.id] = measured
    return {cluster: of for cluster, of in by_cluster.items() if cluster in aside.clusters}


def run_signatures(
    spark: SparkSession,
    signatures: list[Signature],
    clusters: Mapping[str, Overrides],
    profiles: QueryProfiles | None = None,
) -> dict[str, dict[str, Measured]]:
    """Signatures by themselves: cluster -> signature -> measured. What a query raises ends the run.

    profiles: of the job that made the facts' views; None: all of them are small.
    """
    known, values = profiles or QueryProfiles(spark), values_of(signatures, clusters)
    alone = Aside(None, clusters, "signatures")
    found = alone.run_all(signature_tasks(spark, signatures, values, known))
    return measured_of(spark, signatures, values, found, known, alone)
