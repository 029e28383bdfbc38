"""How much one sweep of one cluster may store: takes its tables, gives those that are stored, and what is left out.

Two measures, since both do harm: bytes as rows in memory, which whoever judges the day has to hold, and bytes as files.
The largest parts go first: all of one broker in one table, or a whole table that is not of brokers. So one agent that
sends too much costs the others nothing.
"""

import io
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# A sweep of 200,000 partitions in three copies, each read by two of 10,000 groups takes a fifth of both, and
# a fifth of the half for what the admin protocol tells (see benchmarks/quota.py).
DECODED_BYTES = 2**30
STORED_BYTES = 64 * 2**20
READ_BYTES = (
    STORED_BYTES + 32 * 2**20
)  # of a sweep that is read: its fleet entry and what it says of itself are stored in any case
WHOLE = ("declarations", "sweeps")  # a row each, without which the sweep is none
FEW_ROWS = 1_000  # a dictionary for each column of so few rows takes longer to make than all the rest of the file
SPLIT = 1_000  # brokers of a table that are weighed one by one

Part: TypeAlias = "tuple[str, int | None]"  # a table, or a broker's rows of one
Weigh: TypeAlias = "Callable[[pa.Table], int]"


class Over(NamedTuple):
    """A part that is not stored: its rows and bytes. broker: None for a whole table."""

    table: str
    broker: int | None
    rows: int
    bytes: int


class Room(NamedTuple):
    """Bytes that there is room for, as rows in memory and as files."""

    decoded: int = DECODED_BYTES
    stored: int = STORED_BYTES

    def less(self, made: Mapping[str, pa.Table], contents: Mapping[str, bytes]) -> "Room":
        """What is left beside these."""
        return Room(self.decoded - sum(map(decoded, made.values())), self.stored - sum(map(len, contents.values())))

    @property
    def half(self) -> "Room":
        """For what is stored first, so that the rest finds room."""
        return Room(self.decoded // 2, self.stored // 2)


def encoded(table: pa.Table) -> bytes:
    """The table as a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", use_dictionary=table.num_rows > FEW_ROWS)
    return buffer.getvalue()


def decoded(table: pa.Table) -> int:
    """Bytes of the rows in memory: each value by its type, texts and lists by what is in them."""
    return sum(_decoded(table[name]) for name in table.column_names)


def _decoded(values: pa.ChunkedArray) -> int:
    if pa.types.is_list(values.type):
        return 4 * len(values) + _decoded(pc.list_flatten(values))
    if pa.types.is_string(values.type):
        return 4 * len(values) + (pc.sum(pc.binary_length(values)).as_py() or 0)
    return len(values) * max(int(values.type.bit_width) // 8, 1)


def fit_quota(made: Mapping[str, pa.Table], room: Room, each: Callable[..., list[bytes]]) -> tuple[
    dict[str, pa.Table], dict[str, bytes], list[Over]
]:  # fmt: skip
    """The tables that there is room for, their files, and what is left out.

    each: maps a function over a list, many at a time.
    """
    tables, over = _without_largest(made, decoded, sum(map(decoded, made.values())) - room.decoded)
    names = [name for name, table in tables.items() if table.num_rows]
    contents = dict(zip(names, each(encoded, [tables[name] for name in names]), strict=True))
    while (excess := sum(map(len, contents.values())) - room.stored) > 0:
        fewer, more = _without_largest(tables, lambda table: len(encoded(table)), excess)
        if not more:
            break  # what is left is a row for each of the tables that have to be
        over += more
        for name in {part.table for part in more}:
            contents.pop(name)
            if fewer[name].num_rows:
                contents[name] = encoded(fewer[name])
        tables = fewer
    return tables, contents, over


def _without_largest(made: Mapping[str, pa.Table], weigh: Weigh, excess: int) -> tuple[dict[str, pa.Table], list[Over]]:
    """The tables without their largest parts, so many that they weigh less by an excess, if there is one."""
    tables, over = dict(made), list[Over]()
    if excess <= 0:
        return tables, over
    weights: dict[Part, tuple[int, int]] = {}
    for name, table in made.items():
        if name not in WHOLE and table.num_rows:
            weights |= {(name, broker): (weigh(rows), rows.num_rows) for broker, rows in _parts(name, table)}
    for (name, broker), (weight, rows) in sorted(weights.items(), key=lambda one: (-one[1][0], str(one[0]))):
        if excess <= 0:
            break
        over.append(Over(name, broker, rows, weight))
        excess -= weight
    for name in {one.table for one in over}:
        gone = [one.broker for one in over if one.table == name]
        if gone == [None]:
            tables[name] = made[name].slice(0, 0)
        else:
            tables[name] = made[name].filter(pc.invert(pc.is_in(made[name]["broker"], pa.array(gone, pa.int32()))))
    return tables, over


def _parts(name: str, table: pa.Table) -> list[tuple[int | None, pa.Table]]:
    """The rows of each broker; a table that has none, or very many, and the list of brokers itself are whole."""
    if name == "brokers" or "broker" not in table.column_names:
        return [(None, table)]
    ordered = table.take(pc.sort_indices(table["broker"]))
    counts = pc.value_counts(ordered["broker"]).to_pylist()
    if len(counts) > SPLIT:
        return [(None, table)]
    parts, begin = list[tuple[int | None, pa.Table]](), 0
    for one in counts:
        parts.append((one["values"], ordered.slice(begin, one["counts"])))
        begin += one["counts"]
    return parts
