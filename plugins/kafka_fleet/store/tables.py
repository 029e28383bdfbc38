"""Rows become an Arrow table: takes rows as dicts and as Arrow tables, mixed, and gives one table of a schema."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import pyarrow as pa

Row = Mapping[str, Any]
Item: TypeAlias = "Row | pa.Table"  # one row, or many as columns


def as_table(items: Iterable[Item], schema: pa.Schema, fixed: Row) -> pa.Table:
    """All items in their order. `fixed` gives columns that have one value throughout; what is absent is null.

    Raises pyarrow.ArrowInvalid, pyarrow.ArrowTypeError or OverflowError for a value that does not fit its column.
    """
    pieces: list[pa.Table] = []
    rows: list[Row] = []
    for item in items:
        if isinstance(item, pa.Table):
            pieces += [_of_rows(rows, schema, fixed)] * bool(rows)
            rows = []
            pieces.append(_of_table(item, schema, fixed))
        else:
            rows.append(item)
    pieces += [_of_rows(rows, schema, fixed)] * bool(rows)
    return pa.concat_tables(pieces) if pieces else schema.empty_table()


def with_columns(table: pa.Table, fixed: Row, schema: pa.Schema) -> pa.Table:
    """A table with further columns that have one value throughout, typed as the schema says."""
    for name, value in fixed.items():
        table = table.append_column(name, _repeated(value, schema.field(name).type, table.num_rows))
    return table


def _repeated(value: Any, kind: pa.DataType, number: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), number)


def _of_rows(rows: list[Row], schema: pa.Schema, fixed: Row) -> pa.Table:
    columns = [
        _repeated(fixed[field.name], field.type, len(rows))
        if field.name in fixed
        else pa.array([row.get(field.name) for row in rows], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


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
