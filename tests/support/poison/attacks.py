"""Rows of raw that no sound broker gives: takes a cluster's raw tables, gives them with some columns poisoned.

What stands in raw came from brokers, agents and clients, by this version or an earlier one, so that any value of a
column's type may stand there. `cluster` and `sweep_at` are the collector's own, and whole numbers that name a broker or
a partition join tables: they are poisoned one column at a time, and not in the clusters where all is.
"""

import random
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pyarrow as pa

from kafka_fleet.schema.raw_tables import raw_schemas
from support.homes.recorded import Row
from support.poison.eventful_cluster import Tables, eventful, queries, settings_read

Cell = tuple[str, str]  # table and column
LONG, INT = 2**63, 2**31
OWN = ("cluster", "sweep_at")
KEYS = ("broker", "partition", "topic", "group_id", "member_id", "listener", "request", "phase", "name", "feature",
        "leader", "replicas", "outcome", "admin_outcome", "admin_missing", "previous_sweep_at", "is_broker", "host",
        "declaration")  # fmt: skip
_HIGHEST = 1.7976931348623157e308
_WORDS = ("", None, "abc", "4", "-", "NaN", "1e999", "9" * 400, "99999999999")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

VALUES: dict[pa.DataType, tuple[Any, ...]] = {
    pa.int64(): (LONG - 1, -LONG, None, 10**15, 1_795_477_272_000_000_000, -1, 0, 2**60, -(2**62)),
    pa.int32(): (INT - 1, -INT, None, -1, 0),
    pa.float64(): (float("nan"), float("inf"), float("-inf"), _HIGHEST, -_HIGHEST, 5e-324, 9e18, None, -1.0, 0.0),
    pa.string(): (*_WORDS, "\u0663", "a.b", "4.\x00", "'\\%_*", "x" * 100_000, "\U0001f4a3"),
    pa.bool_(): (None, True, False),
    pa.timestamp("us", tz="UTC"): (LONG - 1, -LONG, None, 0, 10**18, 253_402_300_800_000_000),  # microseconds
    pa.list_(pa.int32()): (None, [], [None], [INT - 1, -INT], [1, 1, 1], list(range(100))),
    pa.list_(pa.string()): (None, [], [None], ["", "topics"], ["x" * 10_000]),
}


SETTINGS = ("", None, "abc", "NaN", "1e999", "99999999999", "9" * 400)


class Poisoned(NamedTuple):
    """One cluster of the day: its id says what was done to it. first_day: of which nothing earlier is stored."""

    cluster: str
    tables: Tables
    first_day: bool = False


def cells() -> list[Cell]:
    """Every column of every raw table but those of the collector itself."""
    return [(table, name) for table, schema in raw_schemas().items() for name in schema.names if name not in OWN]


def values_of(cell: Cell) -> tuple[Any, ...]:
    """What a column is poisoned with."""
    table, column = cell
    return VALUES[raw_schemas()[table].field(column).type]


def put(tables: Tables, cell: Cell, value: Callable[[int], Any]) -> None:
    """Set a column of every row; value: of the row's place among the rows of its table."""
    table, column = cell
    for place, row in enumerate(tables[table]):
        row[column] = value(place)


def singles() -> Iterator[tuple[str, Callable[[Tables], None]]]:
    """One column at a time: each value in all rows, then all of them by turns, so that they meet each other.

    Of a column that no query names, the turns alone.
    """
    for cell in cells():
        table, column = cell
        if re.search(rf"\b{column}\b", queries()):
            for number, value in enumerate(values_of(cell)):
                yield f"{table}.{column} = {str(value)[:24]!r}", _all(cell, value)
                if number < 2:
                    yield f"{table}.{column} = {str(value)[:24]!r} at last", _last(cell, value)
            yield f"{table}.{column} by turns of sweeps", _sweeps(cell)
        yield f"{table}.{column} by turns", _turns(cell)
    for name in settings_read():
        for value in SETTINGS:
            yield f"{name} = {str(value)[:24]!r}", _setting(name, value)
    for table in raw_schemas():
        yield f"{table} twice", _twice(table)


def attacks() -> dict[str, Callable[[Tables], None]]:
    """What one agent, broker or client was able to end the fleet's day with, by name."""

    def of(*changes: Callable[[Tables], None]) -> Callable[[Tables], None]:
        return lambda tables: [change(tables) for change in changes] and None

    most, start = LONG - 1, ("broker_metrics", "jvm_start_ms")
    topics = [
        ("partitions", "log_start_offset"),
        ("partitions", "log_end_offset"),
        ("group_offsets", "committed_offset"),
    ]
    counters = [("broker_metrics", name) for name in ("messages_in", "bytes_in", "bytes_out")]
    return {
        "agent-time": _all(("brokers", "agent_clock_skew_s"), 9e18),
        "agent-time-in-nanoseconds": _all(("brokers", "agent_clock_skew_s"), 1_795_477_272_000_000_000.0),
        "start-at-the-end-of-time": _all(start, most),
        "start-in-microseconds": _all(start, 10**15),
        "starts-in-microseconds": of(_all(start, 10**15), _all(("broker_metrics", "app_start_ms"), 10**15)),
        "fetchers-abc": _setting("num.replica.fetchers", "abc"),
        "retries-three": _setting("controlled.shutdown.max.retries", "three"),
        "retries-hidden": _setting("controlled.shutdown.max.retries", None),
        "rebalance-nonsense": of(
            _setting("leader.imbalance.per.broker.percentage", "ten"),
            _setting("leader.imbalance.check.interval.seconds", ""),
        ),
        "release-without-a-dot": of(
            _all(("broker_metrics", "release"), "4"), lambda tables: tables["broker_configs"].clear()
        ),
        "log-from-end-to-end": of(_all(topics[0], -most), _sweeps(topics[1])),
        "commit-at-the-end": _sweeps(topics[2]),
        "commit-at-the-end-of-all-partitions": of(_more_partitions, _sweeps(topics[2])),
        "counters-from-end-to-end": of(*(_sweeps(cell) for cell in counters)),
        "no-replicas": of(_all(("topics", "replicas"), []), _all(("topics", "isr"), [])),
    }


def _more_partitions(tables: Tables) -> None:
    """Commits of a group on 20 partitions, so that what it went back by in all is more than any number holds."""
    for row in [row for row in tables["group_offsets"] if row["partition"] == 0]:
        tables["group_offsets"] += [{**row, "partition": number} for number in range(2, 20)]
    for row in [row for row in tables["topics"] if row["topic"] == "orders" and row["partition"] == 0]:
        tables["topics"] += [{**row, "partition": number} for number in range(2, 20)]


def _all(cell: Cell, value: Any) -> Callable[[Tables], None]:
    return lambda tables: put(tables, cell, lambda _place: value)


def _last(cell: Cell, value: Any) -> Callable[[Tables], None]:
    """Only in the last sweep: beside a sound one."""

    def change(tables: Tables) -> None:
        rows = tables[cell[0]]
        last = max((row["sweep_at"] for row in rows), default=None)
        for row in rows:
            if row["sweep_at"] == last:
                row[cell[1]] = value

    return change


def _turns(cell: Cell) -> Callable[[Tables], None]:
    values = values_of(cell)
    return lambda tables: put(tables, cell, lambda place: values[place % len(values)])


def _sweeps(cell: Cell) -> Callable[[Tables], None]:
    """The highest and the lowest value by turns from sweep to sweep: a difference is as large as can be."""
    values = values_of(cell)

    def change(tables: Tables) -> None:
        times = sorted({row["sweep_at"] for row in tables[cell[0]]})
        for row in tables[cell[0]]:
            row[cell[1]] = values[times.index(row["sweep_at"]) % 2]

    return change


def _setting(name: str, value: str | None) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        for table in ("broker_configs", "topic_configs"):
            rows = tables[table]
            given = [row for row in rows if row["name"] == name]
            for row in given:
                row["value"] = value
            if not given and rows:
                rows += [{**row, "name": name, "value": value} for row in rows if row["name"] == rows[0]["name"]]

    return change


def _twice(table: str) -> Callable[[Tables], None]:
    return lambda tables: tables[table].extend([dict(row) for row in tables[table]])


def extreme(seed: int) -> Callable[[Tables], None]:
    """Every column but the keys of some or of all tables, each row with a value of its own."""
    drawn = random.Random(seed)  # noqa: S311  # repeatable, and no secret
    share = drawn.choice((0.05, 0.3, 1.0))
    chosen = [cell for cell in cells() if cell[1] not in KEYS and drawn.random() < share]

    def change(tables: Tables) -> None:
        for table, column in chosen:
            most = drawn.choice((1, 2, 99))  # few values meet themselves and their opposite more often
            values = drawn.sample(values_of((table, column)), min(most, len(values_of((table, column)))))
            rows = tables[table]
            for row in rows:
                if drawn.random() < 0.8:
                    row[column] = drawn.choice(values)

    return change


def made(cluster: str, change: Callable[[Tables], None], base: Callable[[str], Tables] = eventful) -> Poisoned:
    """A cluster to which something was done."""
    tables = base(cluster)
    change(tables)
    return Poisoned(cluster, tables)


def arrow(table: str, rows: list[Row]) -> pa.Table:
    """Rows as the raw table, without any bound but the columns' types; moments may be microseconds since 1970."""
    columns = []
    for field in raw_schemas()[table]:
        values = [row.get(field.name) for row in rows]
        if pa.types.is_timestamp(field.type):
            values = [_micros(value) for value in values]
            columns.append(pa.array(values, pa.int64()).cast(field.type))
        else:
            columns.append(pa.array(values, field.type))
    return pa.Table.from_arrays(columns, schema=raw_schemas()[table])


def _micros(moment: datetime | int | None) -> int | None:
    return (moment - _EPOCH) // timedelta(microseconds=1) if isinstance(moment, datetime) else moment
