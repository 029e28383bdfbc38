"""Facts by given raw rows: takes rows of raw tables of clusters, gives the rows of a fact table, in one run for all."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from fleet_spark.facts import CLOCK_SECONDS, START_HOURS, fact_queries
from fleet_spark.raw_frames import spark_schema
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.raw_tables import raw_views
from support.spark_runs.analysed import spark
from support.spark_runs.given_rows import give

DS = "2026-11-20"
BEGIN = datetime(2026, 11, 20, tzinfo=UTC)
GB, MB = 10**9, 10**6
Row = dict[str, Any]
Raw = dict[str, list[Row]]


def at(hours: float) -> datetime:
    """A moment of the day; below 0 of a day before."""
    return BEGIN + timedelta(hours=hours)


@cache
def session() -> SparkSession:
    """Views of its own, so that nobody else's are changed."""
    return spark().newSession()


def shown(name: str, schema: StructType, rows: Sequence[Row]) -> None:
    """Register a view; columns that are left out are null, and the broker is 1."""
    give(session(), name, schema, [{"broker": 1, **row} for row in rows])


def facts(wanted: str, raw: Raw) -> list[Row]:
    """Rows of a fact table, and of what it is made of, over given raw rows; tables that are left out are empty."""
    for view, table in raw_views().items():
        shown(view, spark_schema(table), raw.get(view.removeprefix("raw_"), []))
    found: list[Row] = []
    known = {"ds": DS, "start_hours": START_HOURS, "clock_s": CLOCK_SECONDS}
    for table, query in fact_queries(sql_dir(), [wanted]).items():
        frame = session().sql(query, args={name: value for name, value in known.items() if f":{name}" in query})
        found = [row.asDict() for row in frame.collect()]
        give(session(), table, frame.schema, found)
    return found


def of_all(clusters: Mapping[str, Raw]) -> Raw:
    """The rows of all clusters by table, each with the name of its own."""
    found: Raw = defaultdict(list)
    for cluster, tables in clusters.items():
        for table, rows in tables.items():
            found[table] += [{"cluster": cluster, **row} for row in rows]
    return found


def disk(hours: float, used: float, log_dir: str = "/d1", total: int = 1000 * GB, broker: int = 1) -> Row:
    """One log directory at one sweep; used in GB."""
    usable = total - round(used * GB)
    return {"sweep_at": at(hours), "read_at": at(hours), "broker": broker, "log_dir": log_dir, "total_bytes": total,
            "usable_bytes": usable}  # fmt: skip
