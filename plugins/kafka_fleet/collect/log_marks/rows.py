"""Rows of the raw table `log_marks`: takes what was counted of one log of one broker, gives its rows."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Row = dict[str, Any]


@dataclass
class Tally:
    """Lines of one mark, and of one port where they name one."""

    lines: int = 0
    number: int | None = None
    first_at: datetime | None = None
    last_at: datetime | None = None

    def add(self, at: datetime, number: int | None) -> None:
        """One more line, written at a time."""
        self.lines += 1
        if number is not None:
            self.number = (self.number or 0) + number
        self.first_at = at if self.first_at is None else min(self.first_at, at)
        self.last_at = at if self.last_at is None else max(self.last_at, at)


@dataclass
class Counted:
    """What was read of one log: tallies by mark and port. detail: what is incomplete."""

    counted_from: datetime
    read_at: datetime
    tallies: dict[tuple[str, int | None], Tally] = field(default_factory=dict)
    detail: str | None = None


def failed(broker: int, log: str, detail: str, unread_from: datetime | None = None) -> Row:
    """The row of a log that was not read. unread_from: where the next sweep goes on; None: it is counted anyway."""
    return {"broker": broker, "log": log, "outcome": "failed", "detail": detail, "counted_from": unread_from}


def rows_of(broker: int, log: str, counted: Counted) -> Iterable[Row]:
    """What was read, and a row per mark of which there are lines."""
    source = {"broker": broker, "log": log, "read_at": counted.read_at, "counted_from": counted.counted_from}
    yield {**source, "outcome": "ok", "detail": counted.detail}
    for (mark, port), tally in sorted(counted.tallies.items(), key=lambda one: (one[0][0], one[0][1] or 0)):
        if tally.lines:
            yield {**source, "outcome": "ok", "mark": mark, "port": port, **vars(tally)}
