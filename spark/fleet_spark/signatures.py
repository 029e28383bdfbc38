"""Facts to signatures: runs the queries of every signature, gives state, detections and chart points per cluster.

Thresholds are bound as named parameters. Clusters that override none share one run; each set of overrides has its own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row, SparkSession

from fleet_spark.aside import Aside, Task
from fleet_spark.failures import running
from fleet_spark.frames import in_driver, nothing, observed
from fleet_spark.ways import Ways, tables_read, weight
from kafka_fleet.knowledge.conditions import Line
from kafka_fleet.knowledge.detections import Detection, SignatureResult
from kafka_fleet.knowledge.signatures import EvidenceRow, Signature

Overrides = Mapping[str, Mapping[str, float]]  # signature -> threshold -> value, of one cluster
Point = dict[str, Any]
_CLUSTERS = re.compile(r"array_contains\(:clusters, ([a-z_.]+)\)")


class Measured(NamedTuple):
    """One signature on one cluster: what was found, and for the letter its charts and the rows behind them."""

    result: SignatureResult
    charts: list[dict[str, Any]]
    rows: dict[str, Any] | None = None


def iso(moment: datetime) -> str:
    """A moment as the contract writes it, UTC to the second. Spark hands out naive times of the session's zone, UTC."""
    return moment.replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def thresholds(signature: Signature, overrides: Overrides) -> dict[str, float]:
    """The values in force for a cluster."""
    own = overrides.get(signature.id, {})
    return {name: float(own.get(name, threshold.value)) for name, threshold in signature.thresholds.items()}


def detection(signature: Signature, found: Mapping[str, Any], values: Mapping[str, float]) -> Detection:
    """One row of the signature's query as a detection. values: the thresholds in force."""
    evidence = []
    for line in signature.evidence:
        name = line.threshold.get(found["cause"])
        threshold = values[name] if name else None
        evidence.append(figure(line, found[line.value], threshold, found["place"], found["from_at"], found["to_at"]))
    told = tuple(one for one in evidence if one is not None)
    return Detection(found["cause"], found["strength"], named(found["subjects"]), told, _bounds(found))


def figure(
    line: EvidenceRow | Line, value: Any, threshold: float | None, where: str | None, from_at: Any, to_at: Any
) -> dict[str, Any] | None:
    """One line of evidence as the contract writes it; None where there is no number, or no moment that it is of."""
    if value is None or not isfinite(value) or from_at is None or to_at is None:
        return None
    return {
        "metric": line.metric,
        "value": round(float(value), 4),
        "unit": line.unit,
        "threshold": threshold,
        "where": where or "",
        "from": iso(from_at),
        "to": iso(to_at),
        "mbean": line.mbean,
    }


def named(subjects: Iterable[str | None]) -> tuple[str, ...]:
    """Subjects that have a name: what lacks a part of it is null in SQL."""
    return tuple(subject for subject in subjects if subject is not None)


def _bounds(found: Mapping[str, Any]) -> Any:
    """Lower and upper bounds as plain JSON, without those that are not known."""
    bounds = found.get("bounds")
    if isinstance(bounds, dict):
        return {name: value for name, value in bounds.items() if value is not None} or None
    return bounds


def _bind(query: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if f":{name}" in query}


def _of_clusters(query: str, clusters: list[str]) -> str:
    """The query with its clusters as a list of literals, in which Spark looks a name up; along an array it walks."""
    escaped = [cluster.replace("\\", "\\\\").replace("'", "\\'") for cluster in clusters]
    names = ", ".join(f"'{cluster}'" for cluster in escaped) or "NULL"
    return _CLUSTERS.sub(lambda found: f"{found[1]} IN ({names})", query)


def _charts(rows: list[Row]) -> list[dict[str, Any]]:
    charts: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.title is None or row.ratio is None or row.from_at is None or row.to_at is None:
            continue
        chart = charts.setdefault(
            row.title, {"title": row.title, "unit": row.unit, "threshold": row.threshold, "points": []}
        )
        point = {"from": iso(row.from_at), "to": iso(row.to_at), "value": float(row.ratio), "reference": None}
        chart["points"].append(point)
    return list(charts.values())


def _by_cluster(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.cluster].append(row)
    return found


def _text(value: Any) -> str | None:
    """One cell of the rows behind a detection."""
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return None if value is None else str(value)


def _table(rows: list[Row]) -> dict[str, Any] | None:
    """`{"columns": [...], "rows": [[...]]}` as texts; None without any row."""
    if not rows:
        return None
    columns = [name for name in rows[0].asDict() if name != "cluster"]
    return {"columns": columns, "rows": [[_text(row[name]) for name in columns] for row in rows]}


def _step(spark: SparkSession, query: str, values: Mapping[str, Any], ways: Ways) -> tuple[DataFrame, int]:
    """A step computed once, which every later step and all queries read; and its rows.

    As mere views the steps of fetch_latency grow into one plan that takes three times as long.
    """
    with ways.of(query) as small:
        frame = spark.sql(query, args=_bind(query, values))
        if small:
            found = frame.toArrow()
            return in_driver(spark, found, frame.schema), weight(found)
        counted, count = observed(frame)
        kept = counted.localCheckpoint(eager=True, storageLevel=StorageLevel.DISK_ONLY)  # the heap is for queries
        rows = int(count.get["rows"])
        return (kept if rows else nothing(spark, frame.schema)), rows


def _run(
    spark: SparkSession, signature: Signature, clusters: list[str], values: dict[str, float], ways: Ways
) -> dict[str, Measured]:
    def rows_of(name: str, text: str) -> list[Row]:
        query = _of_clusters(text, clusters)
        with running(f"{signature.id}/{name}"), ways.of(query):
            return spark.sql(query, args=_bind(query, values)).collect()

    for view, query in signature.steps.items():
        with running(f"{signature.id}/{view}"):
            step, ways.rows[view] = _step(spark, _of_clusters(query, clusters), values, ways)
        step.createOrReplaceTempView(view)
    rows = {
        name: rows_of(name, query)
        for name, query in (
            ("coverage", signature.coverage_query),
            ("query", signature.query),
            ("charts", signature.charts_query),
        )
    }
    detections: dict[str, list[Detection]] = defaultdict(list)
    with running(f"{signature.id}/query"):  # a value that no figure can be made of is met here
        for row in rows["query"]:
            detections[row.cluster].append(detection(signature, row.asDict(recursive=True), values))
    shown = signature.rows_query if detections else None  # the rows behind a detection, where there is one
    rows["rows"] = rows_of("rows", shown) if shown else []
    points, behind = _by_cluster(rows["charts"]), _by_cluster(rows["rows"])
    measured = {}
    for row in rows["coverage"]:
        found = tuple(detections[row.cluster])
        state = "detected" if found else "quiet" if row.evaluated else "not_evaluated"
        result = SignatureResult(signature.id, state, found, tuple(row.missing))  # type: ignore[arg-type]
        table = _table(behind[row.cluster]) if found else None
        measured[row.cluster] = Measured(result, _charts(points[row.cluster]), table)
    return measured


def run_signatures(
    spark: SparkSession,
    signatures: list[Signature],
    clusters: Mapping[str, Overrides],
    ways: Ways | None = None,
    aside: Aside | None = None,
) -> dict[str, dict[str, Measured]]:
    """Every signature on every cluster: cluster -> signature -> measured. Clusters without facts are absent.

    ways: of the job that made the facts' views; None: all of them are small. aside: of the job, which goes on without
    the clusters that make a query fail, so they are absent too; None: what the query raised ends the run.
    """
    known = ways or Ways(spark)

    def measured(signature: Signature, wanted: list[str]) -> dict[str, Measured]:
        alike: dict[tuple[tuple[str, float], ...], list[str]] = defaultdict(list)
        for cluster in [one for one in wanted if one in clusters]:
            alike[tuple(sorted(thresholds(signature, clusters[cluster]).items()))].append(cluster)
        rows: dict[str, Measured] = {}
        # one after the other: each makes the signature's views anew
        for values, members in (alike or {tuple(thresholds(signature, {}).items()): []}).items():
            rows |= _run(spark, signature, members, dict(values), known)
        return rows

    left = aside or Aside(None, clusters, "signatures")
    tasks = {
        one.id: Task(frozenset().union(*map(tables_read, one.queries)), partial(measured, one)) for one in signatures
    }
    results = left.run_all(tasks)
    return {
        cluster: {name: rows[cluster] for name, rows in results.items() if cluster in rows}
        for cluster in clusters
        if cluster in left.clusters
    }
