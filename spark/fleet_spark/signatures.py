"""Facts to signatures: runs the queries of every signature, gives state, detections and chart points per cluster.

Thresholds are bound as named parameters. Clusters that override none share one run; each set of overrides has its own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import Row, SparkSession

from fleet_spark.aside import Aside, Task
from fleet_spark.coverage import Values, run_coverage, show_step, show_thresholds, thresholds_view
from fleet_spark.failures import running
from fleet_spark.steps import Step, compute_step
from fleet_spark.ways import Ways, tables_read
from kafka_fleet.knowledge.conditions import Condition
from kafka_fleet.knowledge.detections import Detection, SignatureResult
from kafka_fleet.knowledge.evidence import figure, iso
from kafka_fleet.knowledge.needs import Coverage
from kafka_fleet.knowledge.signature_rows import SERIES, charts_of, detections_of, table_of
from kafka_fleet.knowledge.signatures import Signature

Overrides = Mapping[str, Mapping[str, float]]  # signature -> threshold -> value, of one cluster
Point = dict[str, Any]
_CLUSTERS = re.compile(r"array_contains\(:clusters, ([a-z_.]+)\)")


class Measured(NamedTuple):
    """One signature on one cluster: what was found, and for the letter its charts and the rows behind them."""

    result: SignatureResult
    charts: list[dict[str, Any]]
    rows: dict[str, Any] | None = None


def thresholds(signature: Signature | Condition, overrides: Overrides) -> dict[str, float]:
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


def _bound(signature: Signature, values: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Those that any query of the signature is bound to: its needs read the others from a table."""
    return tuple(sorted(_bind("\n".join(signature.queries), values).items()))


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


def _by_cluster(rows: Iterable[Row], clusters: list[str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {cluster: [] for cluster in clusters}
    for row in rows:
        if row.cluster in found:
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


class Found(NamedTuple):
    """What a signature's queries gave of each cluster that they were run for; and its steps, by view."""

    detections: dict[str, tuple[Detection, ...]]
    charts: dict[str, list[Row]]
    rows: dict[str, list[Row]]
    steps: dict[str, list[Step]]
    tables: dict[str, dict[str, Any] | None] | None = None


def _run(
    spark: SparkSession, signature: Signature, clusters: list[str], of: Values, bound: Mapping[str, float], ways: Ways
) -> Found:
    """of: the thresholds of each cluster; bound: those that the queries are run with, which these clusters share."""

    def rows_of(name: str, text: str) -> dict[str, list[Row]]:
        query = _of_clusters(text, clusters)
        with running(f"{signature.id}/{name}"), ways.of(query):
            return _by_cluster(spark.sql(query, args=_bind(query, bound)).collect(), clusters)

    steps: dict[str, list[Step]] = {}
    for view, query in signature.steps.items():
        with running(f"{signature.id}/{view}"):
            step = compute_step(spark, _of_clusters(query, clusters), _bind(query, bound), ways)
        step.frame.createOrReplaceTempView(view)
        ways.rows[view] = step.rows
        steps[view] = [Step(step.frame, clusters, step.rows)]
    rows, charts = rows_of("query", signature.query), rows_of("charts", signature.charts_query)
    with running(f"{signature.id}/query"):  # a value that no figure can be made of is met here
        detections = {
            cluster: tuple(detection(signature, row.asDict(recursive=True), of[cluster]) for row in own)
            for cluster, own in rows.items()
        }
    shown = signature.rows_query if any(detections.values()) else None  # what is behind a detection, where there is one
    return Found(detections, charts, rows_of("rows", shown) if shown else {}, steps)


def _flat(spark: SparkSession, signature: Signature, clusters: list[str], of: Values, ways: Ways) -> Found:
    """A signature whose thresholds are a table: all clusters in one run. of: thresholds in force, by cluster."""
    own = {cluster: of[cluster] for cluster in clusters if cluster in of}

    def rows_of(name: str, query: str) -> dict[str, list[dict[str, Any]]]:
        with running(f"{signature.id}/{name}"), ways.of(query):
            return _of_each(spark.sql(query).toArrow().to_pylist(), own)

    show_thresholds(spark, signature, own)
    ways.rows[thresholds_view(signature)] = len(own)
    steps: dict[str, list[Step]] = {}
    last = f"{signature.id}_detections"
    for view, query in {**signature.steps, last: signature.detections_query}.items():
        with running(f"{signature.id}/{view}"):
            step = compute_step(spark, query, {}, ways)
        step.frame.createOrReplaceTempView(view)
        ways.rows[view] = step.rows
        steps[view] = [Step(step.frame, list(own), step.rows)]
    with running(f"{signature.id}/{last}"):
        found = _of_each(step.all_rows(), own)
    asked = {"subjects": signature.subjects_query, "rows": signature.rows_query} if any(found.values()) else {}
    others = {name: rows_of(name, query) for name, query in asked.items() if query}
    named, behind = others.get("subjects", {}), others.get("rows", found)
    with running(f"{signature.id}/{last}"):  # a value that no figure can be made of is met here
        detections = {c: detections_of(signature, rows, named.get(c, ()), own[c]) for c, rows in found.items()}
        tables = {c: table_of(signature, rows) for c, rows in behind.items()}
    return Found(detections, {}, {}, steps, tables)


def _of_each(rows: Iterable[dict[str, Any]], clusters: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each of these clusters."""
    found: dict[str, list[dict[str, Any]]] = {cluster: [] for cluster in clusters}
    for row in rows:
        if row["cluster"] in found:
            found[row["cluster"]].append(row)
    return found


def _series(
    spark: SparkSession,
    signatures: list[Signature],
    values: Mapping[str, Values],
    steps: Mapping[str, list[Step]],
    ways: Ways,
    aside: Aside,
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Signature -> cluster -> charts: the points of all of them are one query."""
    if not signatures:
        return {}
    query = "\nUNION ALL\n".join(_series_of(one) for one in signatures)
    read = tables_read(query)

    def charts(clusters: list[str]) -> dict[str, dict[str, list[dict[str, Any]]]]:
        points: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        with running("series"), ways.of(query):
            for view in sorted(read & set(steps)):
                show_step(view, steps[view], clusters)
            for row in spark.sql(query).collect():
                points[row.signature, row.cluster].append(row.asDict())
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


def _together(runs: Iterable[Found]) -> Found:
    """One for all sets of thresholds, each of which was run for clusters of its own."""
    whole = Found({}, {}, {}, defaultdict(list))
    for one in runs:
        whole.detections.update(one.detections)
        whole.charts.update(one.charts)
        whole.rows.update(one.rows)
        for view, own in one.steps.items():
            whole.steps[view] += own
    return whole


def _measured(
    signature: Signature, found: Found, covered: Mapping[str, Coverage], drawn: Mapping[str, list[dict[str, Any]]]
) -> dict[str, Measured]:
    """Of each cluster that `covered` knows. drawn: its charts."""
    measured = {}
    for cluster, one in covered.items():
        detections = found.detections.get(cluster, ())
        state = "detected" if detections else "quiet" if one.evaluated else "not_evaluated"
        result = SignatureResult(signature.id, state, detections, one.missing)  # type: ignore[arg-type]
        if found.tables is not None:
            table = found.tables.get(cluster) if detections else None
            measured[cluster] = Measured(result, drawn.get(cluster, []), table)
            continue
        table = _table(found.rows.get(cluster, [])) if detections else None
        measured[cluster] = Measured(result, _charts(found.charts.get(cluster, [])), table)
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
    values = {one.id: {c: thresholds(one, overrides) for c, overrides in clusters.items()} for one in signatures}

    def found(signature: Signature, wanted: list[str]) -> Found:
        of = values[signature.id]
        if signature.detections_query:
            return _flat(spark, signature, wanted, of, known)
        alike: dict[tuple[tuple[str, float], ...], list[str]] = defaultdict(list)
        for cluster in [one for one in wanted if one in clusters]:
            alike[_bound(signature, of[cluster])].append(cluster)
        # one after the other: each makes the signature's views anew
        sets = alike or {_bound(signature, thresholds(signature, {})): []}
        return _together(_run(spark, signature, own, of, dict(bound), known) for bound, own in sets.items())

    left = aside or Aside(None, clusters, "signatures")
    tasks = {one.id: Task(frozenset().union(*map(tables_read, one.queries)), partial(found, one)) for one in signatures}
    results = left.run_all(tasks)
    steps = {view: own for one in results.values() for view, own in one.steps.items()}
    covered = run_coverage(spark, signatures, values, steps, known, left)
    flat = [one for one in signatures if one.detections_query]
    drawn = _series(spark, flat, values, steps, known, left)
    measured = {one.id: _measured(one, results[one.id], covered[one.id], drawn.get(one.id, {})) for one in signatures}
    return {
        cluster: {name: rows[cluster] for name, rows in measured.items() if cluster in rows}
        for cluster in clusters
        if cluster in left.clusters
    }
