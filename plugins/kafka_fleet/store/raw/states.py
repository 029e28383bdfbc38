"""States instead of repetitions: takes a table that describes, sweep by sweep; gives a row per run of equal rows.

A run is a row as it was in sweeps that follow each other: `sweep_at` is its first, `last_sweep_at` its last (a slowly
changing dimension of type 2). 96 sweeps of 200,000 partitions that stay where they are become 200,000 rows.
"""

from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

TIMES = ("sweep_at", "last_sweep_at")


class StateRuns:
    """The runs of one table and cluster: sweeps go in, in order of time."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._content = [name for name in schema.names if name not in TIMES]
        self._ended: list[pa.Table] = []
        self._open = schema.empty_table()  # of the last sweep; `sweep_at`: since when
        self._last: datetime | None = None

    def add(self, at: datetime, rows: pa.Table) -> None:
        """The rows of one sweep; none where it was not read, which ends every run."""
        if self._same(rows):
            self._last = at
            return
        numbers = _row_numbers(pa.concat_tables([self._open.select(self._content), rows.select(self._content)]))
        before, now = numbers.slice(0, self._open.num_rows), numbers.slice(self._open.num_rows)
        if len(pc.unique(before)) < len(before) or len(pc.unique(now)) < len(now):  # which goes on cannot be told
            before = pa.nulls(len(before), pa.int64())
        self._end(self._open.filter(pc.invert(pc.is_in(before, now, skip_nulls=True))))
        since = pc.take(self._open["sweep_at"].combine_chunks(), pc.index_in(now, before, skip_nulls=True))
        since = pc.fill_null(since, pa.scalar(at, since.type))
        self._open = rows.set_column(rows.schema.get_field_index("sweep_at"), self._schema.field("sweep_at"), since)
        self._last = at

    def table(self) -> pa.Table:
        """All runs, in the order in which they begin."""
        self._end(self._open)
        self._open = self._schema.empty_table()
        return pa.concat_tables([self._schema.empty_table(), *self._ended]).sort_by("sweep_at")

    def _same(self, rows: pa.Table) -> bool:
        return bool(rows.num_rows and rows.select(self._content).equals(self._open.select(self._content)))

    def _end(self, rows: pa.Table) -> None:
        if rows.num_rows:
            field = self._schema.field("last_sweep_at")
            last = pa.repeat(pa.scalar(self._last, field.type), rows.num_rows)
            self._ended.append(rows.set_column(self._schema.get_field_index(field.name), field, last))


def rows_at(at: datetime, rows: pa.Table) -> pa.Table:
    """Those of one sweep, as it landed them, among the rows of a file that it shares with others."""
    first = rows["sweep_at"]
    moment = pa.scalar(at, first.type)
    if "last_sweep_at" not in rows.column_names:
        return rows.filter(pc.equal(first, moment))
    last = pc.coalesce(rows["last_sweep_at"], first)
    own = rows.filter(pc.and_(pc.less_equal(first, moment), pc.greater_equal(last, moment)))
    for name, value in {"sweep_at": moment, "last_sweep_at": pa.scalar(None, first.type)}.items():
        place = own.schema.get_field_index(name)
        own = own.set_column(place, own.schema.field(place), pa.repeat(value, own.num_rows))
    return own


def _row_numbers(table: pa.Table) -> pa.Array:
    """A number for every row, int64: equal rows, and no others, have the same."""
    numbers = pa.array([0] * table.num_rows, pa.int64())
    for column in table.itercolumns():
        codes = pc.cast(pc.dictionary_encode(_scalars(column.combine_chunks()), "encode").indices, pa.int64())
        joined = pc.add(pc.multiply(numbers, max(table.num_rows, 1)), codes)
        numbers = pc.cast(pc.dictionary_encode(joined).indices, pa.int64())
    return numbers


def _scalars(column: pa.Array) -> pa.Array:
    """Lists as texts that tell them apart: those of numbers joined, those of texts as Python writes them."""
    if not pa.types.is_list(column.type):
        return column
    if pa.types.is_integer(column.type.value_type) and not column.flatten().null_count:
        return pc.binary_join(pc.cast(column, pa.list_(pa.string())), ",")
    return pa.array([None if one is None else repr(one) for one in column.to_pylist()], pa.string())
