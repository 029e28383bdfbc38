"""Differences are prepared when a sweep lands: takes its partitions and the sweep before, gives them side by side.

A day compares every leader's log end with the one before. Looked up here, once and between two files, it is a column;
looked up over a finished day it is a join of all its partitions with themselves.
"""

import pyarrow as pa
import pyarrow.compute as pc

KEYS = ["broker", "topic", "partition"]
ENDS = ["log_end_offset", "log_start_offset"]
COLUMNS = [*KEYS, *ENDS, "replicas_count"]


def with_previous(partitions: pa.Table, before: pa.Table) -> pa.Table | None:
    """The rows in their order, with `previous_<end>` of the same leader's row in `before`; null where there is none.

    Both have COLUMNS. None when a leader's row is there twice, so that nothing can be laid beside it.
    """
    leaders = _leaders(partitions.select(COLUMNS))
    if leaders.group_by(KEYS).aggregate([]).num_rows < leaders.num_rows:
        return None
    earlier = _leaders(before.select(COLUMNS)).group_by(KEYS).aggregate([(name, "max") for name in ENDS])
    earlier = earlier.select([*KEYS, *(f"{name}_max" for name in ENDS)])
    numbered = leaders.select([*KEYS, "row"])
    found = numbered.join(earlier, KEYS, join_type="inner").sort_by("row")
    return _spread(partitions, found)


def _leaders(table: pa.Table) -> pa.Table:
    numbered = table.append_column("row", pa.array(range(table.num_rows), pa.int64()))
    return numbered.filter(
        pc.and_(pc.greater(table["replicas_count"], 0), pc.greater_equal(table["log_end_offset"], 0))
    )


def _spread(table: pa.Table, found: pa.Table) -> pa.Table:
    """The columns of the rows that were found, at their places among all rows."""
    mask = pc.is_in(pa.array(range(table.num_rows), pa.int64()), found["row"].combine_chunks())
    for name in ENDS:
        empty = pa.nulls(table.num_rows, pa.int64())
        values = pc.replace_with_mask(empty, mask, found[f"{name}_max"].combine_chunks())
        table = table.set_column(table.schema.get_field_index(f"previous_{name}"), f"previous_{name}", values)
    return table
