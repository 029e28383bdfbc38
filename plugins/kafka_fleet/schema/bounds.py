"""What a stored number or moment can mean: takes rows of a raw table, gives null for what nobody can mean by it.

Raw holds whatever brokers, agents and clients answered, as far as the column's type goes. Within these bounds the sum
or difference of four values cannot overflow, and every language that reads the results can represent them.
"""

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

MOST = 2**60  # counts, offsets, bytes: a broker that sends 10 GB/s has sent as much after 3.6 years
FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)  # moments
LAST_S = round(LAST.timestamp())
_NAMES_SWEEPS = ("sweep_at", "last_sweep_at")  # the collector's own, which files are joined by


def within_bounds(rows: pa.Table) -> pa.Table:
    """The same rows, with null for a moment, long or double that lies outside. Of rows that are read without Spark."""
    for place, field in enumerate(rows.schema):
        low, high = _bounds(field)
        if low is not None:
            column = rows[field.name]
            known = pc.and_(pc.greater_equal(column, low), pc.less_equal(column, high))
            if not pc.all(pc.fill_null(known, True)).as_py():
                column = pc.if_else(known, column, pa.scalar(None, field.type))
                rows = rows.set_column(place, field, column)
    return rows


def _bounds(field: pa.Field) -> tuple[pa.Scalar, pa.Scalar] | tuple[None, None]:
    if pa.types.is_timestamp(field.type) and field.name not in _NAMES_SWEEPS:
        return pa.scalar(FIRST, field.type), pa.scalar(LAST, field.type)
    if pa.types.is_int64(field.type):
        return pa.scalar(-MOST, field.type), pa.scalar(MOST, field.type)
    if pa.types.is_floating(field.type):  # what is not a number is within no bounds
        return pa.scalar(-float(MOST), field.type), pa.scalar(float(MOST), field.type)
    return None, None
