"""Who is suspected: takes what was just read of a broker and what the sweep before found, gives rates and a reason.

Rates are over the time since the last stored sweep of the same process; where there is none, since the process began.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.knowledge.close_looks import Look, Source, look_source

READ = look_source("broker_topics.bytes_out")  # what says that a topic is read at a broker
START = "jvm_start_ms"  # of a process, its name
PROCESS = "broker_metrics"
Row = Mapping[str, Any]
RowsBefore = Callable[[str], Iterable[Row]]  # of one broker, in a raw table of the sweep before


class Since(NamedTuple):
    """The time that rates are over. stored: since the sweep before, not since the process began."""

    seconds: float
    stored: bool


def total(rows: Iterable[Row], what: Source) -> int | float | None:
    """A number of the whole broker from the rows of its table; None where it has none."""
    found = [row.get(what.column) for row in rows if all(row.get(key) == v for key, v in what.fixed.items())]
    known = [value for value in found if isinstance(value, int | float)]
    return sum(known) if known and len(known) == len(found) else None


def rates_since(one: BrokerSweep, before: RowsBefore) -> Since | None:
    """What rates of a broker are over; None where its process tells no start."""
    now = next(iter(one.rows.by_table[PROCESS].values()), {})
    start = now.get(START)
    if one.read_at is None or not isinstance(start, int):
        return None
    for row in before(PROCESS):
        if row.get(START) == start and isinstance(at := row.get("read_at"), datetime):
            seconds = (one.read_at - at).total_seconds()
            return Since(seconds, True) if seconds > 0 else None
    seconds = one.read_at.timestamp() - start / 1000
    return Since(seconds, False) if seconds > 1 else None


def suspicion_reason(look: Look, one: BrokerSweep, span: Since, before: RowsBefore) -> str | None:
    """Why a check wants to see a broker closely: its words, and the rates; None where it does not."""
    told = []
    for name, least in look.when.items():
        what = look_source(look.broker[name])
        now = total(_rows(one, what.table), what)
        then = total(before(what.table), what) if span.stored else 0
        if now is None or then is None or (now - then) / span.seconds <= least.value:
            return None
        told.append(f"{name} {(now - then) / span.seconds:,.4g} {least.unit}")
    over = "since the sweep before" if span.stored else "since the process began"
    return f"{look.reason}: {', '.join(told)} {over}"


def read_topics(one: BrokerSweep, span: Since, before: RowsBefore) -> list[str]:
    """Topics of which bytes went out to consumers meanwhile, those with most first."""
    then = {row["topic"]: row.get(READ.column) for row in before(READ.table)} if span.stored else {}
    grown: dict[str, int] = {}
    for row in _rows(one, READ.table):
        now, was = row.get(READ.column), then.get(row["topic"])
        if isinstance(now, int) and now > (was or 0):
            grown[row["topic"]] = now - (was or 0)
    return sorted(grown, key=lambda topic: (-grown[topic], topic))


def _rows(one: BrokerSweep, table: str) -> list[dict[str, Any]]:
    found = one.rows.of_table(table)
    if isinstance(found, pa.Table):
        some = found.filter(pc.greater(found[READ.column], 0)) if table == READ.table else found
        return list(some.to_pylist())
    return found


def columns_before(look: Look) -> dict[str, set[str]]:
    """Columns of each raw table that are asked of the sweep before."""
    found: dict[str, set[str]] = {PROCESS: {START, "read_at"}, READ.table: {"topic", READ.column}}
    for name in look.when:
        what = look_source(look.broker[name])
        found.setdefault(what.table, set()).update({what.column, *what.fixed})
    return found
