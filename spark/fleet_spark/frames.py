"""Results between two queries: rows that are held, rows that are counted as they go by, and no rows at all."""

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql.functions import count, lit
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType

PLANNED_BYTES = 200_000  # a table within a plan is sent to every task that reads it; Spark warns from 1 MB on


def empty_frame(spark: SparkSession, schema: StructType) -> DataFrame:
    """A table without rows that the optimizer knows to be empty: what reads it is not planned, let alone run."""
    columns = ", ".join(f"CAST(NULL AS {field.dataType.simpleString()}) AS `{field.name}`" for field in schema)
    return spark.sql(f"SELECT {columns} WHERE FALSE")


def surely_empty(frame: DataFrame) -> bool:
    """Whether the optimizer knows that no row comes of it, since what it reads is empty."""
    most = frame._jdf.queryExecution().optimizedPlan().maxRows()
    return bool(most.isDefined() and most.get() == 0)


def no_rows(frame: DataFrame) -> pa.Table:
    """Its columns without a row, as `toArrow` gives them."""
    return to_arrow_schema(frame.schema, timezone="UTC").empty_table()


def local_frame(spark: SparkSession, rows: pa.Table, schema: StructType) -> DataFrame:
    """The rows as a table that no query has to open a file for.

    In one partition, so that joins and windows over it need no shuffle.
    """
    if not rows.num_rows:
        return empty_frame(spark, schema)
    frame = spark.createDataFrame(rows, nullable(schema)).coalesce(1)
    return frame if rows.nbytes < PLANNED_BYTES else held(frame)


def held(frame: DataFrame) -> DataFrame:
    """The same rows, computed once and kept in memory, or on disk where that is full.

    On a cluster they would be kept by executors, which may go: there the frame stays as it is.
    """
    master = frame.sparkSession.sparkContext.master or "local"
    return frame.localCheckpoint() if master.startswith("local") else frame


def nullable(schema: StructType) -> StructType:
    """The schema as it is read back from Parquet: every column may be null."""
    return StructType([StructField(field.name, field.dataType) for field in schema])


def counted_frame(frame: DataFrame) -> tuple[DataFrame, Observation]:
    """The same rows, counted as they go by: the count is there, as `rows`, after the action that asks for them."""
    counted = Observation()
    return frame.observe(counted, count(lit(1)).alias("rows")), counted
