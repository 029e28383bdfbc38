"""Fact tables, read without Spark: takes the folder of one generation, gives rows of one cluster or of all.

For what is small: the rows of restarts of a day, not those of partitions.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafka_fleet.store.files import read_all, read_file

_UTC = pa.timestamp("us", tz="UTC")


def fact_rows(folder: Path, columns: Sequence[str], cluster: str | None = None) -> list[dict[str, Any]] | None:
    """Rows in these columns, times in UTC; None where the table is not there. Raises OSError."""
    files = sorted(folder.glob("*.parquet"))
    if not files:
        return None
    only = None if cluster is None else pc.field("cluster") == cluster
    read = read_all(
        lambda path: pq.read_table(io.BytesIO(read_file(path)), columns=list(columns), filters=only), files, folder
    )
    found = [row for table in read for row in _in_utc(table).to_pylist()]
    return found


def _in_utc(table: pa.Table) -> pa.Table:
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            column = table[field.name].cast(pa.timestamp("us", tz=field.type.tz), safe=False)
            column = pc.assume_timezone(column, "UTC") if field.type.tz is None else column.cast(_UTC)
            table = table.set_column(place, field.name, column)
    return table
