"""What the oracles of committed offsets share: takes a day's raw rows, gives groups, offsets, coordinators and logs.

Written from docs/signatures/partition_growth.md and offset_rewind.md.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from support.oracles.signature_oracle import SignatureOracle

Row = dict[str, Any]
Place = tuple[str, int]  # topic, partition
Sweep = tuple[str, datetime]  # cluster, time
TABLES = (
    "sweeps", "groups", "group_members", "group_assignments", "group_offsets", "declarations", "broker_configs",
    "client_software", "request_errors", "log_dirs", "topic_configs", "features",
)  # fmt: skip
OFFSETS = "__consumer_offsets"
IDLE = "Empty", "Dead"


class CommitsOracle(SignatureOracle):
    """The raw day, by sweep."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "commits", limits, TABLES)
        self.day: date = self.ds
        self.usable = dict(self.sweeps_with("topics", "groups", "group_offsets"))
        self.told: dict[Sweep, dict[Place, Row]] = defaultdict(dict)
        for row in self.raw["topics"]:
            self.told[row["cluster"], row["sweep_at"]][row["topic"], row["partition"]] = row
        self.states: dict[Sweep, dict[str, str | None]] = defaultdict(dict)
        for row in self.raw["groups"]:
            self.states[row["cluster"], row["sweep_at"]][row["group_id"]] = row["state"]
        self.showing = {(row["cluster"], row["sweep_at"], row["group_id"]) for row in self.raw["group_members"]}
        self.assigned: dict[tuple[str, datetime, str], set[Place]] = defaultdict(set)
        for row in self.raw["group_assignments"]:
            self.assigned[row["cluster"], row["sweep_at"], row["group_id"]].add((row["topic"], row["partition"]))
        self.commits: dict[Sweep, dict[tuple[str, Place], Row]] = defaultdict(dict)
        for row in self.raw["group_offsets"]:
            where = row["group_id"], (row["topic"], row["partition"])
            self.commits[row["cluster"], row["sweep_at"]][where] = row
        self.logs: dict[tuple[Sweep, Place], list[Row]] = defaultdict(list)  # of those that call themselves leader
        for row in self.raw["partitions"]:
            if row["replicas_count"] > 0:
                self.logs[(row["cluster"], row["sweep_at"]), (row["topic"], row["partition"])].append(row)
        self.spans = list(self.intervals())

    def sweeps_with(self, *tables: str) -> Iterator[tuple[str, list[datetime]]]:
        """Sweeps, in order, that read all of these tables of the admin protocol, by cluster."""
        found: dict[str, list[datetime]] = defaultdict(list)
        for row in sorted(self.raw["sweeps"], key=lambda row: row["sweep_at"]):
            if row["admin_outcome"] != "failed" and not set(tables) & set(row["admin_missing"]):
                found[row["cluster"]].append(row["sweep_at"])
        yield from found.items()

    def today(self, at: datetime) -> bool:
        """Whether a sweep is of the day that is judged."""
        return at.date() == self.day

    def log(self, cluster: str, at: datetime | None, place: Place, column: str) -> int | None:
        """A column of the leader's log, the larger where two brokers call themselves leader; None if none was read."""
        rows = self.logs.get(((cluster, at), place), []) if at is not None else []
        return max((row[column] for row in rows), default=None)

    def coordinator(self, cluster: str, at: datetime, group: str) -> tuple[int | None, int | None]:
        """The coordinator and its partition of the offsets topic; None where there is none."""
        parts = {number: row for (topic, number), row in self.told[cluster, at].items() if topic == OFFSETS}
        if not parts:
            return None, None
        number = abs_hash(group) % len(parts)
        return parts[number]["leader"], number

    def began(self, cluster: str, broker: int | None, at: datetime) -> datetime | None:
        """Since when the broker's process runs, by its read at a sweep."""
        reads = self.metrics.get((cluster, broker, at)) if broker is not None else None  # type: ignore[call-overload]
        return None if reads is None else self._process_start(reads)

    def sum_of_ends(self, name: str, cluster: str, after: datetime, to: datetime) -> int | None:
        """What a counter of all brokers grew by in intervals of one process that end within; None if none has it."""
        found = [
            self.delta(span, name)
            for span in self.spans
            if span["cluster"] == cluster and span["same_process"] and after < span["to_sweep"] <= to
        ]
        known = [many for many in found if many is not None]
        return round(sum(known)) if known else None

    def delta(self, span: Row, name: str) -> float | None:
        """What a counter of broker_metrics did in an interval of one process; it begins at 0 with the process."""
        key = span["cluster"], span["broker"]
        last: float | None = self.metrics[*key, span["to_sweep"]][name]
        first = 0 if span["kind"] == "start" else self.metrics[*key, span["from_sweep"]][name]
        return None if last is None or first is None else last - first


def abs_hash(text: str) -> int:
    """Absolute value of Java's hashCode as the coordinator takes it: that of the smallest integer is 0."""
    units, found = text.encode("utf-16-be"), 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + 256 * high + low) % 2**32
    return 0 if found == 2**31 else min(found, 2**32 - found)
