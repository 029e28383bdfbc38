"""Small steps over Arrow tables that several questions need: explode a list, look a value up, count by a key."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def exploded(table: pa.Table, name: str, into: str, keep: Sequence[str]) -> pa.Table:
    """A row per member of a list column, called `into`, beside the columns to keep. Null lists and members are none."""
    column = table[name].combine_chunks()
    parents = pc.list_parent_indices(column)
    made = table.select(list(keep)).take(parents).append_column(into, pc.list_flatten(column))
    return made.filter(pc.is_valid(made[into]))


def looked_up(keys: pa.ChunkedArray, known: pa.Table, key: str, value: str) -> pa.ChunkedArray:
    """Of each key the value beside it in another table, the first of several; null where that has no such key."""
    return pc.take(known[value], pc.index_in(keys, known[key].combine_chunks()))


def whole_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts that are whole numbers of at most nine digits, int64; null for all others."""
    fits = pc.match_substring_regex(texts, r"^[0-9]{1,9}$")
    return pc.cast(pc.if_else(fits, texts, pa.scalar(None, pa.string())), pa.int64())


def counts(table: pa.Table, keys: Sequence[str]) -> list[dict[str, Any]]:
    """`count` of the rows of each combination of keys, the most first, then by the keys."""
    found = table.group_by(list(keys)).aggregate([([], "count_all")])
    found = found.rename_columns(["count" if name == "count_all" else name for name in found.column_names])
    rows: list[dict[str, Any]] = found.sort_by(
        [("count", "descending"), *((key, "ascending") for key in keys)]
    ).to_pylist()
    return rows
