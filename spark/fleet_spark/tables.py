"""The tables of one day: takes a home, a day and a generation, gives raw views to read and facts to write.

Raw is read by manifest only. A day reads its own sweeps and, for the first interval, each cluster's last sweep of the
day before.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql.functions import count, lit
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

from fleet_spark import session
from kafka_fleet.store.generations import publish
from kafka_fleet.store.manifests import Damaged, Manifest, manifests
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


def nothing(spark: SparkSession, schema: StructType) -> DataFrame:
    """A table without rows that the optimizer knows to be empty: what reads it is not planned, let alone run."""
    columns = ", ".join(f"CAST(NULL AS {field.dataType.simpleString()}) AS `{field.name}`" for field in schema)
    return spark.sql(f"SELECT {columns} WHERE FALSE")


def observed(frame: DataFrame) -> tuple[DataFrame, Observation]:
    """The same rows, counted as they go by: the count is there, as `rows`, after the action that asks for them."""
    counted = Observation()
    return frame.observe(counted, count(lit(1)).alias("rows")), counted


class Day:
    """One day's tables in one generation. `sweeps` are the day's, `earlier` the last one before it per cluster."""

    def __init__(self, spark: SparkSession, home: Path, ds: str, generation: str, sql: Path) -> None:
        self.spark = spark
        self.home = home
        self.ds = ds
        self.generation = generation
        self.sql = sql
        self._known: set[str] = set()
        self._few = False

    def load_raw(self, clusters: list[str]) -> list[Manifest]:
        """Register `raw_<table>` views over the committed sweeps; gives the day's manifests."""
        sweeps, self.damaged = self.sweeps(clusters)
        before = (date.fromisoformat(self.ds) - timedelta(days=1)).isoformat()
        earlier = {m.cluster: m for m in manifests(self.home, before)[0]}  # in time order: the last one stays
        # a last sweep that shares its files has lost its own: they would bring in the rest of its day
        alone = [m for m in earlier.values() if not m.joined]
        used = sweeps + [m for m in alone if m.cluster in {s.cluster for s in sweeps}]
        for table in raw_schemas():
            files = [m.files[table] for m in used if table in m.files]
            paths = list(dict.fromkeys(str(self.home / file.path) for file in files if file.rows))
            schema = spark_schema(table)
            frame = self.spark.read.schema(schema).parquet(*paths) if paths else nothing(self.spark, schema)
            self._view(frame, f"raw_{table}")
        return sweeps

    def _view(self, frame: DataFrame, name: str) -> None:
        """Few rows are read as one partition, so that joins and windows over them need no shuffle."""
        (frame.coalesce(1) if self._few else frame).createOrReplaceTempView(name)

    def sweeps(self, clusters: list[str]) -> tuple[list[Manifest], list[Damaged]]:
        """Committed sweeps of the day and those that are damaged, of the named clusters or of all.

        The session is suited to their number of rows.
        """
        whole, damaged = manifests(self.home, self.ds)
        wanted = set(clusters)
        used = [one for one in whole if not wanted or one.cluster in wanted]
        rows = sum(file.rows for one in used for file in one.files.values())
        session.suit(self.spark, rows)
        self._few = rows < session.FEW_ROWS
        return used, [one for one in damaged if not wanted or one.cluster in wanted]

    def facts_path(self, table: str) -> Path:
        """Folder of one fact table of this day; its generations are below."""
        return self.home / f"facts/{table}/ds={self.ds}"

    def write_fact(self, table: str, frame: DataFrame) -> int:
        """Write one fact table as this generation and register what was stored under its name; gives its rows."""
        stored, counted = observed(frame)
        stored.write.mode("overwrite").parquet(str(self.facts_path(table) / self.generation))
        rows = int(counted.get["rows"])
        if rows:
            self.read_fact(table, frame.schema)
        else:
            nothing(self.spark, frame.schema).createOrReplaceTempView(table)
            self._known.add(table)
        return rows

    def publish_facts(self, tables: Iterable[str]) -> None:
        """Point readers at this generation of every table, when all of them are whole."""
        for table in tables:
            publish(self.facts_path(table), self.generation)

    def read_fact(self, table: str, schema: StructType | None = None) -> None:
        """Register one fact table of this generation under its name, if this job has not done so."""
        if table in self._known:
            return
        reader = self.spark.read if schema is None else self.spark.read.schema(schema)
        self._view(reader.parquet(str(self.facts_path(table) / self.generation)), table)
        self._known.add(table)
