"""Rows become an Arrow table: takes rows as dicts and as Arrow tables, mixed, and gives one table of a schema."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import pyarrow as pa

Row = Mapping[str, Any]
Item: TypeAlias = "Row | pa.Table"  # one row, or many as columns
UTC = pa.timestamp("us", tz="UTC")
Described: TypeAlias = "dict[str, tuple[str, list[tuple[str, pa.DataType, str]]]]"  # table: what a row is, columns
Unheld: TypeAlias = dict[str, set[int]]  # rows by column whose value is of the column's kind and no value of its type


def as_table(items: Iterable[Item], schema: pa.Schema, fixed: Row, unheld: Unheld | None = None) -> pa.Table:
    """All items in their order. `fixed` gives columns that have one value throughout; what is absent is null.

    So is, with `unheld`, what the type of its column cannot hold: a number beyond it, half a character; without it that
    raises pyarrow.ArrowInvalid, OverflowError or UnicodeEncodeError. A value of another kind than its column's raises
    pyarrow.ArrowInvalid or pyarrow.ArrowTypeError.
    """
    pieces: list[pa.Table] = []
    rows: list[Row] = []
    before = 0
    for item in items:
        if isinstance(item, pa.Table):
            pieces += [_of_rows(rows, schema, fixed, unheld, before)] * bool(rows)
            before += len(rows) + item.num_rows
            rows = []
            pieces.append(_of_table(item, schema, fixed))
        else:
            rows.append(item)
    pieces += [_of_rows(rows, schema, fixed, unheld, before)] * bool(rows)
    return pa.concat_tables(pieces) if pieces else schema.empty_table()


def with_columns(table: pa.Table, fixed: Row, schema: pa.Schema) -> pa.Table:
    """A table with further columns that have one value throughout, typed as the schema says."""
    for name, value in fixed.items():
        table = table.append_column(name, _repeated(value, schema.field(name).type, table.num_rows))
    return table


def _repeated(value: Any, kind: pa.DataType, number: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), number)


def _of_rows(rows: list[Row], schema: pa.Schema, fixed: Row, unheld: Unheld | None, before: int) -> pa.Table:
    columns = []
    for field in schema:
        if field.name in fixed:
            columns.append(_repeated(fixed[field.name], field.type, len(rows)))
            continue
        values = [row.get(field.name) for row in rows]
        try:
            column = pa.array(values, field.type)
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
            beyond = [] if unheld is None else [place for place, one in enumerate(values) if not _held(one, field.type)]
            if unheld is None or not beyond:
                raise
            unheld.setdefault(field.name, set()).update(before + place for place in beyond)
            for place in beyond:
                values[place] = None
            column = pa.array(values, field.type)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=schema)


def _held(value: Any, kind: pa.DataType) -> bool:
    """Whether a type can hold a value; True as well for one that is of another kind."""
    if isinstance(value, list) and pa.types.is_list(kind):
        return all(_held(one, kind.value_type) for one in value)
    if isinstance(value, int) and pa.types.is_integer(kind):
        return bool(-(2 ** (kind.bit_width - 1)) <= value < 2 ** (kind.bit_width - 1))
    if isinstance(value, int) and pa.types.is_floating(kind):
        return abs(value) <= 2**53  # pyarrow takes no number that it would have to round
    if isinstance(value, str) and pa.types.is_string(kind):
        with suppress(UnicodeEncodeError):
            return bool(value.encode()) or True
        return False
    return True


def _of_table(table: pa.Table, schema: pa.Schema, fixed: Row) -> pa.Table:
    there = set(table.column_names)
    columns = [
        _repeated(fixed[field.name], field.type, table.num_rows)
        if field.name in fixed
        else table[field.name].cast(field.type)
        if field.name in there
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
