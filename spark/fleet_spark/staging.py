"""Raw columns as queries take them: takes a raw table's schema, gives each column with null for what nobody can mean.

Raw holds whatever brokers, agents and clients answered, as far as the column's type goes; homes of earlier versions
hold it without any bound. Under ANSI one such value would end the query, and with it the day of every cluster. Here
each number and moment gets bounds within which the sum or difference of four values cannot overflow, and which every
language that reads the results can represent. What lies outside counts as not measured.
"""

from datetime import UTC, datetime

from pyspark.sql import Column
from pyspark.sql.functions import array_compact, col, lit, when
from pyspark.sql.types import ArrayType, DoubleType, LongType, StructField, StructType, TimestampType

MOST = 2**60  # counts, offsets, bytes: a broker that sends 10 GB/s has sent as much after 3.6 years
FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)  # moments
LAST_S = round(LAST.timestamp())
SWEEPS = ("sweep_at", "previous_sweep_at")  # the collector's own, which files are skipped and joined by


def staged(schema: StructType) -> list[Column]:
    """The columns of a raw table, in its order, under their names and of their types."""
    return [_staged(field) for field in schema]


def _staged(field: StructField) -> Column:
    low, high = _bounds(field)
    value = col(field.name)
    if isinstance(field.dataType, ArrayType):
        return array_compact(value).alias(field.name)  # an item that is null names nothing
    return value if low is None else when(value.between(lit(low), lit(high)), value).alias(field.name)


def _bounds(field: StructField) -> tuple[object, object]:
    """The least and the most that a column can mean; None where its type bears every value of it."""
    if isinstance(field.dataType, TimestampType) and field.name not in SWEEPS:
        return FIRST, LAST
    if isinstance(field.dataType, LongType):  # `_ms`: moments as Java and Kafka tell them, or durations
        return (0, 1000 * LAST_S) if field.name.endswith("_ms") else (-MOST, MOST)
    if isinstance(field.dataType, DoubleType):  # what is not a number counts as more than any number
        most = float(LAST_S if field.name == "agent_clock_skew_s" else MOST)
        return -most, most
    return None, None
