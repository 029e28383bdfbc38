"""Rows that a test gives: takes a view's schema and rows, registers it as a small day's tables are held by the jobs.

A table without rows is known to be empty, so that what reads it is not run; the others are part of the plan.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from fleet_spark.frames import empty_frame, local_frame, nullable

Row = Mapping[str, Any]


@cache
def _empty(session: SparkSession, schema: str) -> DataFrame:
    return empty_frame(session, StructType.fromJson(json.loads(schema)))


def give(session: SparkSession, view: str, schema: StructType, rows: Sequence[Row] = ()) -> None:
    """Register a view with these rows; columns that are left out are null."""
    if rows:
        table = pa.Table.from_pylist(list(rows), schema=to_arrow_schema(nullable(schema), timezone="UTC"))
        local_frame(session, table, schema).createOrReplaceTempView(view)
    else:
        _empty(session, schema.json()).createOrReplaceTempView(view)


def give_all(session: SparkSession, schemas: Mapping[str, StructType], rows: Mapping[str, Sequence[Row]]) -> None:
    """Register every view; one without rows is empty."""
    for view, schema in schemas.items():
        give(session, view, schema, rows.get(view, ()))
