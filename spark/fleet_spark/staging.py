"""Raw columns as queries take them: takes a raw table's schema, gives each column with null for what nobody can mean.

Raw holds whatever brokers, agents and clients answered, as far as the column's type goes; homes of earlier versions
hold it without any bound. Under ANSI one such value would end the query, and with it the day of every cluster. Here
each number and moment gets bounds within which the sum or difference of four values cannot overflow, and which every
language that reads the results can represent. What lies outside counts as not measured.
"""

from collections.abc import Mapping

from pyspark.sql.types import ArrayType, DoubleType, LongType, StructField, StructType, TimestampType

from kafka_fleet.schema.bounds import FIRST, LAST, LAST_S, MOST

# the collector's own, which files are skipped and joined by
SWEEPS = ("sweep_at", "last_sweep_at", "previous_sweep_at")


def staged(schema: StructType, renamed: Mapping[str, str]) -> list[str]:
    """The columns of a raw table as SQL, in its order, under their names and of their types.

    renamed: the name that old files have for a column, by its name today.
    """
    return [f"{_staged(field, renamed.get(field.name))} AS `{field.name}`" for field in schema]


def _staged(field: StructField, old: str | None) -> str:
    low, high = _bounds(field)
    value = f"`{field.name}`" if old is None else f"coalesce(`{field.name}`, `{old}`)"
    if field.name == "last_sweep_at":  # null of rows that hold for one sweep alone; no row ends before it begins
        return f"greatest({value}, sweep_at)"
    if isinstance(field.dataType, ArrayType):
        return f"array_compact({value})"  # an item that is null names nothing
    return value if low is None else f"CASE WHEN {value} BETWEEN {low} AND {high} THEN {value} END"


def _bounds(field: StructField) -> tuple[str, str] | tuple[None, None]:
    """The least and the most that a column can mean; None where its type bears every value of it."""
    if isinstance(field.dataType, TimestampType) and field.name not in SWEEPS:
        return f"TIMESTAMP '{FIRST:%Y-%m-%d}'", f"TIMESTAMP '{LAST:%Y-%m-%d}'"
    if isinstance(field.dataType, LongType):  # `_ms`: moments as Java and Kafka tell them, or durations
        return ("0L", f"{1000 * LAST_S}L") if field.name.endswith("_ms") else (f"-{MOST}L", f"{MOST}L")
    if isinstance(field.dataType, DoubleType):  # what is not a number counts as more than any number
        most = f"{LAST_S if field.name == 'agent_clock_skew_s' else MOST}.0D"
        return f"-{most}", most
    return None, None
