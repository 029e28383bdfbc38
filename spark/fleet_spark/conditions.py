"""Facts to measured conditions: runs the query of every condition, gives its answer per cluster.

Queries read the fact tables and one view more, `release_days`: what the release catalogue says of the releases in use.
"""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Mapping
from functools import partial

from pyspark.sql import Row, SparkSession

from fleet_spark.aside import Aside, Task
from fleet_spark.failures import running
from fleet_spark.signatures import figure, named
from fleet_spark.ways import Ways, tables_read
from kafka_fleet.knowledge.conditions import MOST, Answered, Condition, listed_subjects
from kafka_fleet.knowledge.releases import catalogue, comparable_release

_RELEASES = (
    "ARRAY<STRUCT<kafka_release: STRING, comparable: BOOLEAN, line: STRING, supported: BOOLEAN, newest_patch: STRING>>"
)


def release_days(spark: SparkSession, ds: str) -> None:
    """Register `release_days`: one row per release text that any broker of `process_days` showed, as of the day.

    comparable: surely Apache's own build. line, supported and newest_patch (of its line) are null where it is not.
    """
    known, day = catalogue(), dt.date.fromisoformat(ds)
    rows: list[dict[str, str | bool | None]] = []
    for (text,) in spark.sql(
        "SELECT DISTINCT kafka_release FROM process_days WHERE kafka_release IS NOT NULL"
    ).collect():
        release = comparable_release(text)
        if release is None:
            rows.append({"kafka_release": text, "comparable": False})
            continue
        newest = known.latest_patch(release.line, day)
        rows.append(
            {
                "kafka_release": text,
                "comparable": True,
                "line": release.line_text,
                "supported": known.supported(release, day),
                "newest_patch": str(newest) if newest else None,
            }
        )
    rows.sort(key=lambda row: str(row["kafka_release"]))
    # as a value of a query: rows handed over by createDataFrame would be unpickled by a Python beside each executor
    view = spark.sql(f"SELECT inline(from_json(:releases, '{_RELEASES}'))", args={"releases": json.dumps(rows)})
    view.createOrReplaceTempView("release_days")


def _answered(condition: Condition, row: Row) -> Answered:
    evidence = []
    for one in row.evidence or []:
        line = condition.evidence[one.line]
        threshold = condition.thresholds[line.threshold].value if line.threshold else None
        evidence.append(figure(line, one.amount, threshold, one.place, one.from_at, one.to_at))
    told = tuple(one for one in evidence if one is not None)
    missing = named(row.missing or ())
    sentence = row.sentence or "; ".join(missing) or f"{condition.id.replace('_', ' ')} was not measured"
    return Answered(row.holds, sentence, listed_subjects(named(row.subjects or ())), told[:MOST], missing)


def run_conditions(
    spark: SparkSession,
    conditions: Mapping[str, Condition],
    ds: str,
    ways: Ways | None = None,
    aside: Aside | None = None,
) -> dict[str, dict[str, Answered]]:
    """Cluster -> condition -> answer, of every cluster of the day. Raises KeyError for an unknown line of evidence.

    ways: of the job that made the facts' views; None: all of them are small. aside: of the job, which goes on without
    the clusters that make a query fail; None: what the query raised ends the run.
    """
    known, left = ways or Ways(spark), aside or Aside(None, (), "conditions")

    def releases(_clusters: list[str]) -> None:
        with running("release_days"):
            release_days(spark, ds)

    def answers(condition: Condition, _clusters: list[str]) -> dict[str, Answered]:
        values = {n: t.value for n, t in condition.thresholds.items() if f":{n}" in condition.query}
        with running(condition.id):
            with known.of(condition.query):
                rows = spark.sql(condition.query, args=values).collect()
            return {row.cluster: _answered(condition, row) for row in rows}

    left.run(Task({"process_days"}, releases))
    tasks = {name: Task(tables_read(one.query), partial(answers, one)) for name, one in conditions.items()}
    found: dict[str, dict[str, Answered]] = defaultdict(dict)
    for name, rows in left.run_all(tasks).items():
        for cluster, answer in rows.items():
            found[cluster][name] = answer
    return dict(found)
