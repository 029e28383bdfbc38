"""Fact tables at rest: one folder of Parquet files per table, day and generation, in the form that Spark writes.

Few rows are written by the driver, which has them: Spark would run a job, and a commit of that, for each table.
"""

import io
import json
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from fleet_spark.frames import counted_frame, nullable
from kafka_fleet.store.files import replace_file

_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"  # where Spark puts its own words for it, in each footer
_NAME = "part-00000.parquet"


class Stored(NamedTuple):
    """A stored fact table: Spark's schema of it, its rows, and its files."""

    schema: StructType
    rows: int
    files: list[Path]

    def read(self) -> pa.Table:
        """All its rows."""
        return pa.concat_tables(pq.ParquetFile(io.BytesIO(file.read_bytes())).read() for file in self.files)


def read_footer(folder: Path) -> Stored:
    """What the footers say; asking Spark would be a job for each table. Raises FileNotFoundError where is none."""
    schema, rows = None, 0
    files = sorted(folder.glob("*.parquet"))
    for path in files:
        with path.open("rb") as file:
            footer = pq.ParquetFile(file).metadata
            schema, rows = footer.metadata[_SCHEMA], rows + footer.num_rows
    if schema is None:
        raise FileNotFoundError(f"{folder}: the facts of this generation are not there")
    return Stored(StructType.fromJson(json.loads(schema)), rows, files)


def write_local(folder: Path, rows: pa.Table, schema: StructType) -> None:
    """Store rows that the driver holds, in place of what an attempt before may have left."""
    content = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata({_SCHEMA: nullable(schema).json()}), content)
    replace_file(folder / _NAME, content.getvalue())
    for left in folder.glob("*.parquet"):
        if left.name != _NAME:
            left.unlink()


def write_distributed(folder: Path, frame: DataFrame) -> int:
    """Let Spark compute and store the frame's rows, in place of what was there; gives how many they are."""
    counted, count = counted_frame(frame)
    counted.write.mode("overwrite").parquet(str(folder))
    return int(count.get["rows"])
