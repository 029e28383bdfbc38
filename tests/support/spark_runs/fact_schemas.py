"""Schemas of the fact tables, as their own queries over empty raw tables give them."""

from functools import cache
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

from fleet_spark.facts import CLOCK_SECONDS, START_HOURS, fact_queries
from fleet_spark.raw_frames import spark_schema
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.raw_tables import raw_views
from support.spark_runs.analysed import spark
from support.spark_runs.given_rows import give


@cache
def fact_schemas() -> dict[str, StructType]:
    """Schemas of the fact tables, as their own queries over empty raw tables give them."""
    session: SparkSession = spark()
    for view, table in raw_views().items():
        give(session, view, spark_schema(table))
    known: dict[str, Any] = {"ds": "2026-11-20", "start_hours": START_HOURS, "clock_s": CLOCK_SECONDS}
    schemas = {}
    for table, query in fact_queries(sql_dir()).items():
        frame = session.sql(query, args={name: value for name, value in known.items() if f":{name}" in query})
        # as read back from Parquet: every column may be null; and a table, so that no query is planned within another
        schemas[table] = StructType([StructField(one.name, one.dataType) for one in frame.schema])
        give(session, table, schemas[table])
    return schemas
