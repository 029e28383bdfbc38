"""The tables of one day: takes a home, a day and a generation, gives raw views to read and facts to write.

Raw is read by manifest only. A day reads its own sweeps and, for the first interval, each cluster's last sweep of the
day before.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
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

from kafka_fleet.store.generations import publish
from kafka_fleet.store.landing import Damaged, Manifest, manifests
from kafka_fleet.store.schemas import raw_schemas

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


class Day:
    """One day's tables in one generation. `sweeps` are the day's, `earlier` the last one before it per cluster."""

    def __init__(self, spark: SparkSession, home: Path, ds: str, generation: str, sql: Path) -> None:
        self.spark = spark
        self.home = home
        self.ds = ds
        self.generation = generation
        self.sql = sql

    def load_raw(self, clusters: list[str]) -> list[Manifest]:
        """Register `raw_<table>` views over the committed sweeps; gives the day's manifests."""
        sweeps, self.damaged = self.sweeps(clusters)
        before = (date.fromisoformat(self.ds) - timedelta(days=1)).isoformat()
        earlier = {m.cluster: m for m in manifests(self.home, before)[0]}  # in time order: the last one stays
        used = sweeps + [m for m in earlier.values() if m.cluster in {s.cluster for s in sweeps}]
        for table in raw_schemas():
            paths = [str(self.home / m.files[table].path) for m in used if table in m.files]
            schema = spark_schema(table)
            frame = self.spark.read.schema(schema).parquet(*paths) if paths else self.spark.createDataFrame([], schema)
            frame.createOrReplaceTempView(f"raw_{table}")
        return sweeps

    def sweeps(self, clusters: list[str]) -> tuple[list[Manifest], list[Damaged]]:
        """Committed sweeps of the day and those that are damaged, of the named clusters or of all."""
        whole, damaged = manifests(self.home, self.ds)
        wanted = set(clusters)
        return (
            [one for one in whole if not wanted or one.cluster in wanted],
            [one for one in damaged if not wanted or one.cluster in wanted],
        )

    def facts_path(self, table: str) -> Path:
        """Folder of one fact table of this day; its generations are below."""
        return self.home / f"facts/{table}/ds={self.ds}"

    def write_fact(self, table: str, frame: DataFrame) -> DataFrame:
        """Write one fact table as this generation and read it back: later queries see what was stored."""
        frame.write.mode("overwrite").parquet(str(self.facts_path(table) / self.generation))
        return self.read_fact(table, frame.schema)

    def publish_facts(self, tables: Iterable[str]) -> None:
        """Point readers at this generation of every table, when all of them are whole."""
        for table in tables:
            publish(self.facts_path(table), self.generation)

    def read_fact(self, table: str, schema: StructType | None = None) -> DataFrame:
        """One fact table of this generation, registered as a view of its name."""
        reader = self.spark.read if schema is None else self.spark.read.schema(schema)
        frame = reader.parquet(str(self.facts_path(table) / self.generation))
        frame.createOrReplaceTempView(table)
        return frame
