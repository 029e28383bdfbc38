"""Which brokers to look at now: takes the brokers that checks suspect and the stored looks, gives the chosen ones."""

import time
from typing import Any, NamedTuple

from kafka_fleet.collect.close_looks.suspicion import Since
from kafka_fleet.collect.close_looks.sweep_context import Sweeping
from kafka_fleet.knowledge.close_looks import Look
from kafka_fleet.store.raw.look_history import last_looks

TOTAL_S = 60.0  # of one sweep, all its looks together
EVERY_S = 60.0  # between the beginnings of two looks at one broker for one check
SPARE_S = 10.0  # of a sweep, left when a look ends

Row = dict[str, Any]
Name = tuple[int, str]  # broker and check


class Suspect(NamedTuple):
    """A broker that a check wants to see closely, and why."""

    broker: int
    signature: str
    look: Look
    reason: str
    span: Since

    @property
    def name(self) -> Name:
        """Broker and check."""
        return self.broker, self.signature

    def row(self, outcome: str, detail: str | None, **rest: Any) -> Row:
        """Its row of `looks`."""
        about = {"broker": self.broker, "signature": self.signature, "reason": self.reason}
        return {**about, "outcome": outcome, "detail": detail, **rest}


def select_looks(sweep: Sweeping, suspects: list[Suspect], most: int) -> tuple[list[Suspect], list[Row]]:
    """Who is looked at now, in the order of turns, and rows of those who are not."""
    earlier = last_looks(sweep.home, sweep.cluster.id, sweep.started)
    made = [[row for row in rows if row["outcome"] != "skipped"] for rows in earlier]
    recent = {(row["broker"], row["signature"]): row["started_at"] for rows in reversed(made) for row in rows}
    last: Name = next(((rows[-1]["broker"], rows[-1]["signature"]) for rows in made if rows), (-1, ""))
    turns = sorted(suspects, key=lambda one: (one.name <= last, one.name))
    now, rows, left = list[Suspect](), list[Row](), TOTAL_S
    room = sweep.end - SPARE_S - time.monotonic()
    for one in turns:
        seconds = sweep.cluster.looks.seconds or one.look.seconds.value
        ago = (sweep.started - recent[one.name]).total_seconds() if recent.get(one.name) else EVERY_S
        if 0 <= ago < EVERY_S:
            why = f"it was looked at {ago:.0f} s before, and once in {EVERY_S:.0f} s is enough"
        elif len(now) == most:
            why = f"one sweep makes {most} looks, and its turn comes in a later one"
        elif seconds > left:
            why = f"the looks of one sweep take {TOTAL_S:.0f} s in all, and its turn comes in a later one"
        elif seconds > room:
            why = "the sweep had no time left for it"
        else:
            now.append(one)
            left -= seconds
            continue
        rows.append(one.row("skipped", f"not looked at: {why}"))
    return now, rows
