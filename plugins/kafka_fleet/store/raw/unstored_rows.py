"""What a sweep did not store is said in its own rows: takes what was refused or left out, gives those rows anew.

The sentences go the way of all others on what could not be read: through the day's facts to the letter.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from kafka_fleet.schema import mbeans
from kafka_fleet.schema.look_tables import LOOK_TABLES
from kafka_fleet.store.raw.row_validation import Refused
from kafka_fleet.store.raw.sweep_quota import Over

NAMED = 5  # columns, or parts, that a sentence names
LONGEST = 1_000  # characters of what was said before and is kept before such a sentence
NEEDED = "partitions"  # without it a broker tells of no rate at all
Row = dict[str, Any]


def with_unstored(
    made: Mapping[str, pa.Table], refused: Sequence[Refused], over: Sequence[Over]
) -> dict[str, pa.Table]:
    """The tables `brokers`, `looks` and `sweeps` that say what is not stored; without anything of that kind none.

    What is of a broker is said in its row, what is of a close look in the look's, all else in the sweep's: with which
    rows are missing the table is, too.
    """
    found = {}
    listed = set(made["brokers"]["broker"].to_pylist()) if "brokers" in made else set()
    own = {broker for broker in (*map(_whose, refused), *map(_whose, over)) if broker in listed}
    if own:
        found["brokers"] = _changed(made["brokers"], lambda row: _broker(row, refused, over), own)
    looks = {one.broker for one in refused if one.table in LOOK_TABLES}
    looks |= {one.broker for one in over if one.table in LOOK_TABLES}
    if looks and "looks" in made:
        of = None if None in looks else looks
        found["looks"] = _changed(made["looks"], lambda row: _look(row, refused, over), of)
    rest = [one for one in refused if _whose(one) not in listed and one.table not in LOOK_TABLES]
    left = [one for one in over if _whose(one) not in listed and one.table not in LOOK_TABLES]
    if (rest or left) and "sweeps" in made:
        found["sweeps"] = _changed(made["sweeps"], lambda row: _sweep(row, rest, left), None)
    return found


def _whose(one: Refused | Over) -> int | None:
    """The broker that a fault is of: what the admin protocol tells of brokers is not read from them."""
    return one.broker if one.table in {"brokers", "hosts", *mbeans.tables()} else None


def _changed(table: pa.Table, change: Callable[[Row], Row], brokers: set[int | None] | None) -> pa.Table:
    rows = [change(row) if brokers is None or row["broker"] in brokers else row for row in table.to_pylist()]
    return pa.Table.from_pylist(rows, schema=table.schema)


def _broker(row: Row, refused: Sequence[Refused], over: Sequence[Over]) -> Row:
    own = [one for one in refused if _whose(one) == row["broker"]]
    left = [one for one in over if _whose(one) == row["broker"]]
    outcome = row["outcome"]
    if outcome in ("ok", "partial"):
        outcome = "truncated" if any(one.table == NEEDED for one in left) else "partial"
    return {
        **row,
        "outcome": outcome,
        "detail": _said(row["detail"], own, left),
        "unusable": (row["unusable"] or 0) + sum(one.number for one in own),
    }


def _look(row: Row, refused: Sequence[Refused], over: Sequence[Over]) -> Row:
    own = [one for one in refused if one.table in LOOK_TABLES and one.broker in (None, row["broker"])]
    left = [one for one in over if one.table in LOOK_TABLES and one.broker in (None, row["broker"])]
    outcome = "failed" if left else "partial" if row["outcome"] == "ok" else row["outcome"]
    return {**row, "outcome": outcome, "detail": _said(row["detail"], own, left)}


def _sweep(row: Row, refused: Sequence[Refused], over: Sequence[Over]) -> Row:
    # a value that is null costs its own row; a row that is missing costs what is judged by its table
    lost = {one.table for one in refused if one.rows} | {one.table for one in over}
    missing = sorted({*(row["admin_missing"] or []), *lost}) if lost else row["admin_missing"]
    return {
        **row,
        "admin_outcome": "partial" if row["admin_outcome"] == "ok" else row["admin_outcome"],
        "admin_detail": _said(row["admin_detail"], refused, over),
        "admin_missing": missing,
    }


def _said(before: str | None, refused: Iterable[Refused], over: Iterable[Over]) -> str:
    counts: dict[str, int] = {}
    for one in refused:
        what = f"{one.table}.{one.column} ({{}} {'row' if one.rows else 'value'}{{}})"
        counts[what] = counts.get(what, 0) + one.number
    named = [what.format(f"{count:,}", "s" * (count != 1)) for what, count in sorted(counts.items())]
    parts = [
        one.table + f" of broker {one.broker}" * (one.broker is not None) + f" ({_size(one.bytes)}, {one.rows:,} rows)"
        for one in over
    ]
    sentences = [before[:LONGEST]] if before else []
    sentences += [f"beyond the bounds of their columns and not stored: {_few(named)}"] if named else []
    sentences += [f"beyond the quota of a sweep and not stored: {_few(parts)}"] if parts else []
    return "; ".join(sentences)


def _few(named: list[str]) -> str:
    more = len(named) - NAMED
    return ", ".join(named[:NAMED]) + (f" and {more:,} more such" if more > 0 else "")


def _size(number: int) -> str:
    return f"{number / 1e6:,.0f} MB" if number >= 1e6 else f"{number:,} bytes"
