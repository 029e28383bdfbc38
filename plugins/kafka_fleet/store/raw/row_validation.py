"""Rows come within bounds before they are stored: takes the rows of one table, gives a table and what is not in it.

A value outside its column's bound becomes null; where the column is a key, its row goes. Nothing is lost unsaid: what
was refused is counted by column and broker, and told.py says it in the sweep's own rows.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.schema.arrow import Item, Unheld, as_table
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.column_constraints import bounds, keys
from kafka_fleet.store.raw.constraints import Text


class Refused(NamedTuple):
    """Values of one column and broker that are not stored; `rows`: they were keys, and their rows are not either.

    broker: None where a table is not of brokers, or the broker's id is what was refused.
    """

    table: str
    column: str
    rows: bool
    broker: int | None
    number: int


def validated_rows(
    name: str, items: Iterable[Item], cluster: str, sweep_at: datetime
) -> tuple[pa.Table, list[Refused]]:
    """The raw table of one sweep, every value within its column's bound, and what was refused.

    Raises pyarrow.ArrowInvalid or pyarrow.ArrowTypeError for a value of another kind than its column's.
    """
    schema, unheld = raw_schemas()[name], Unheld()
    table = as_table(items, schema, {"cluster": cluster, "sweep_at": sweep_at}, unheld)
    outside = {
        column: found
        for column in schema.names[2:]
        if (found := _outside(name, column, table, sweep_at, unheld.get(column, set()))) is not None
    }
    refused: list[Refused] = []
    gone: pa.ChunkedArray | None = None
    for column in keys(name):
        if column in outside:
            refused += _counted(name, column, True, table, outside[column])
            gone = outside[column] if gone is None else pc.or_(gone, outside[column])
    for column, found in outside.items():
        if column in keys(name):
            continue
        bad = found if gone is None else pc.and_not(found, gone)
        refused += _counted(name, column, False, table, bad)
        place = schema.get_field_index(column)
        null = pa.scalar(None, schema.field(column).type)
        table = table.set_column(place, schema.field(column), pc.if_else(bad, null, table[column]))
    table = table if gone is None else table.filter(pc.invert(gone))
    return _cut(name, table), refused


def _outside(name: str, column: str, table: pa.Table, sweep_at: datetime, unheld: set[int]) -> pa.ChunkedArray | None:
    bound = bounds(name)[column]
    found = None if isinstance(bound, Text) and bound.own else bound.outside(table[column], sweep_at)
    if not unheld:
        return found
    more = pa.chunked_array([pa.array([place in unheld for place in range(table.num_rows)])])
    return more if found is None else pc.or_(found, more)


def _counted(name: str, column: str, rows: bool, table: pa.Table, bad: pa.ChunkedArray) -> list[Refused]:
    if "broker" not in table.column_names or column == "broker":
        number = pc.sum(bad).as_py()
        return [Refused(name, column, rows, None, number)] if number else []
    found = pc.value_counts(table["broker"].filter(bad)).to_pylist()
    return [Refused(name, column, rows, one["values"], one["counts"]) for one in found]


def _cut(name: str, table: pa.Table) -> pa.Table:
    """This program's own sentences, none of them too long."""
    for column, bound in bounds(name).items():
        if isinstance(bound, Text) and bound.own and table.num_rows:
            longest = pc.max(pc.binary_length(table[column])).as_py()
            if (longest or 0) > bound.longest:
                field = table.schema.field(column)
                table = table.set_column(table.schema.get_field_index(column), field, bound.cut(table[column]))
    return table
