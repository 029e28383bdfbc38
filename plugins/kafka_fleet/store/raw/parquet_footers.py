"""Files of a version that bounded nothing: takes a data file's bytes, says why none of it may be given to who judges.

A text of many megabytes in a single row is a small file when it is compressed, and ends a JVM that reads it. The footer
of a Parquet file tells how large a column can be without the column being read; what could be too long is looked at.
"""

import io

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.column_constraints import bounds
from kafka_fleet.store.raw.constraints import Text
from kafka_fleet.store.raw.sweep_quota import DECODED_BYTES

LONGEST = 64 * 1024  # bytes; Kafka's own texts have at most 32,767, settings that were stored 16,384 characters
PER_CHARACTER = 4  # bytes of UTF-8, at most


def too_much(table: str, content: bytes) -> str | None:
    """Why a data file of a raw table is not given to any reader; None where its texts are as long as they may be."""
    try:
        file = pq.ParquetFile(io.BytesIO(content), pre_buffer=False)
        return _too_much(table, file, content)
    except pa.ArrowInvalid:
        return f"{table}: it is no Parquet file"


def _too_much(table: str, file: pq.ParquetFile, content: bytes) -> str | None:
    groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    if size > DECODED_BYTES:
        most = f"{DECODED_BYTES / 1e6:,.0f}"
        return f"{table}: {size / 1e6:,.0f} MB when decoded, a sweep may have {most}: it is not opened"
    known = bounds(table) if table in raw_schemas() else {}
    for name in (field.name for field in file.schema_arrow if pa.types.is_string(field.type)):
        bound = known.get(name)
        longest = max(LONGEST, PER_CHARACTER * bound.longest if isinstance(bound, Text) else 0)
        if any(_size(group, name) > longest for group in groups):
            found = pq.read_table(io.BytesIO(content), columns=[name], read_dictionary=[name])[name]
            if any((pc.max(pc.binary_length(part.dictionary)).as_py() or 0) > longest for part in found.chunks):
                return f"{table}: a text in {name} is longer than {longest:,} bytes: it is not opened"
    return None


def _size(group: pq.RowGroupMetaData, name: str) -> int:
    """Bytes of a column before it was compressed: no text of it is longer."""
    columns = (group.column(place) for place in range(group.num_columns))
    return sum(one.total_uncompressed_size for one in columns if one.path_in_schema == name)
