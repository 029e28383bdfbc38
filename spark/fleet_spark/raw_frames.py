"""Raw tables as Spark reads them: takes the sweeps that a day uses, gives a frame per table.

Names are today's, values are within bounds (staging.py), and a row of a table of states holds from `sweep_at` to
`last_sweep_at`.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from fleet_spark.frames import empty_frame, local_frame
from fleet_spark.staging import staged
from kafka_fleet.schema.raw_tables import STATES, raw_schemas
from kafka_fleet.store.raw.manifests import Manifest
from kafka_fleet.store.versions import RENAMED

_SPARK_TYPES: dict[pa.DataType, DataType] = {
    pa.string(): StringType(),
    pa.int32(): IntegerType(),
    pa.int64(): LongType(),
    pa.float64(): DoubleType(),
    pa.bool_(): BooleanType(),
    pa.timestamp("us", tz="UTC"): TimestampType(),
    pa.list_(pa.int32()): ArrayType(IntegerType()),
    pa.list_(pa.string()): ArrayType(StringType()),
}


def spark_schema(table: str) -> StructType:
    """The raw table's schema as Spark's; columns that an older file lacks are read as null."""
    return StructType([StructField(field.name, _SPARK_TYPES[field.type]) for field in raw_schemas()[table]])


_JOINED = StructType([StructField("joined_cluster", StringType()), StructField("at", TimestampType())])


def raw_frame(spark: SparkSession, home: Path, table: str, sweeps: Sequence[Manifest]) -> DataFrame:
    """Rows of a raw table over these sweeps, in order of cluster and time."""
    schema, old = spark_schema(table), RENAMED.get(table, {})
    files = [one.files[table] for one in sweeps if table in one.files]
    paths = list(dict.fromkeys(str(home / file.path) for file in files if file.rows))
    if not paths:
        return empty_frame(spark, schema)
    there = [StructField(name, schema[new].dataType) for name, new in old.items()]  # both names are read
    read = spark.read.schema(StructType([*schema, *there])).parquet(*paths)
    frame = read.selectExpr(*staged(schema, {new: name for name, new in old.items()}))
    return _beside_late_sweeps(spark, frame, sweeps) if table in STATES else frame


def _beside_late_sweeps(spark: SparkSession, frame: DataFrame, sweeps: Sequence[Manifest]) -> DataFrame:
    """The states, but one row per sweep of clusters with a sweep that landed after its day was joined and lies between
    those that were: the late one has rows of its own.
    """
    times: dict[str, list[datetime]] = {}
    for one in sweeps:
        if one.joined:
            times.setdefault(one.cluster, []).append(one.sweep_at)
    alone = [one for one in sweeps if not one.joined and one.cluster in times]
    late = {one.cluster for one in alone if min(times[one.cluster]) < one.sweep_at < max(times[one.cluster])}
    if not late:
        return frame
    joined = [(cluster, at) for cluster in sorted(late) for at in times[cluster]]
    each = local_frame(
        spark,
        pa.table(
            {
                "joined_cluster": pa.array([cluster for cluster, _at in joined], pa.string()),
                "at": pa.array([at for _cluster, at in joined], pa.timestamp("us", tz="UTC")),
            }
        ),
        _JOINED,
    )
    split = col("cluster").isin(sorted(late)) & (col("sweep_at") < col("last_sweep_at"))
    within = (col("cluster") == col("joined_cluster")) & col("at").between(col("sweep_at"), col("last_sweep_at"))
    found = frame.where(split).join(each, within)
    single = {name: col("at").alias(name) for name in ("sweep_at", "last_sweep_at")}
    return frame.where(~split).union(found.select(*(single.get(name, col(name)) for name in frame.columns)))
