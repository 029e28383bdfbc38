"""How many records consumers can have read of a topic, a second time: takes a day's raw rows, gives budgets of windows.

Written from docs/signatures/partition_growth.md: sent, known and unexplained.
"""

import math
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from support.oracles.commits_oracle import IDLE, CommitsOracle, Row


class CommitTraffic(CommitsOracle):
    """Bytes sent, of topics and windows, against what groups are known to have read."""

    @cached_property
    def sound(self) -> list[Row]:
        """Intervals between two sweeps whose counters did not run back."""
        return [one for one in self.broker_counters() if one["kind"] == "sweeps" and not one["ran_back"]]

    @cached_property
    def traffic(self) -> list[Row]:
        """What topics' meters did in these."""
        return [one for one in self.topic_counters() if one["kind"] == "sweeps"]

    @cached_property
    def metered(self) -> set[tuple[Any, ...]]:
        """Of which ends and topics these are."""
        return {(*self._key({**row, "sweep_at": row["to_sweep"]}), row["topic"]) for row in self.traffic}

    @cached_property
    def meters(self) -> set[tuple[Any, ...]]:
        """Reads that show meters, by topic."""
        return {(*self._key(row), row["topic"]) for row in self.raw["broker_topics"]}

    @cached_property
    def steps(self) -> list[Row]:
        """What groups are known to have read, of each topic and pair of sweeps."""
        return list(self.progress())

    def progress(self) -> Iterator[Row]:
        """Committed offsets of a group between consecutive sweeps that read them."""
        for cluster, sweeps in self.sweeps_with("group_offsets"):
            for first, last in pairwise(sweeps):
                for where, row in self.commits[cluster, last].items():
                    was = self.commits[cluster, first].get(where)
                    if was is not None:
                        group, place = where
                        yield {"cluster": cluster, "group_id": group, "topic": place[0], "from_sweep": first,
                               "to_sweep": last, "idle": self._idle(cluster, first, last, group),
                               "seconds": (row["read_at"] - was["read_at"]).total_seconds(),
                               "records": row["committed_offset"] - was["committed_offset"]}  # fmt: skip

    def _idle(self, cluster: str, first: datetime, last: datetime, group: str) -> bool:
        """Whether a group had no members at either sweep, so that somebody else moved its offsets."""
        return all(at in self.usable[cluster] and self.states[cluster, at].get(group) in IDLE for at in (first, last))

    def appended(self, cluster: str, topic: str, first: datetime, last: datetime) -> int | None:
        """Offsets by which the logs of a topic grew, added partitions from 0 on; None where a leader was not read."""
        total = 0
        for place, now in self.told[cluster, last].items():
            if place[0] == topic:
                was = self.told[cluster, first].get(place)
                there = was is not None and was["topic_id"] == now["topic_id"]
                end = self.log(cluster, last, place, "log_end_offset")
                began = self.log(cluster, first, place, "log_end_offset") if there else 0
                if end is None or began is None:
                    return None
                total += end - began
        return total

    def held(self, rows: list[Row]) -> float | None:
        """Offsets per byte of the logs of these partitions; None where a leader was not read or has no bytes."""
        offsets, size = 0, 0
        for row in rows:
            where = row["cluster"], row["to_sweep"], row["place"]
            ends = [self.log(*where, column) for column in ("log_start_offset", "log_end_offset", "size_bytes")]
            if ends[0] is None or ends[1] is None or ends[2] is None:
                return None
            offsets, size = offsets + ends[1] - ends[0], size + ends[2]
        return offsets / size if size else None

    def unexplained(self, cluster: str, topic: str, first: datetime, last: datetime, begun: list[Row]) -> int | None:
        """Offsets that the bytes sent allow beyond what groups are known to have read; None if it cannot be said."""
        if (last - first).total_seconds() < self.limits["min_budget_s"]:
            return None
        hosts = {
            broker
            for at in self.usable[cluster] if first <= at <= last
            for (name, _number), row in self.told[cluster, at].items() if name == topic
            for broker in row["replicas"]
        }  # fmt: skip
        if not all(self._gapless(cluster, topic, broker, first, last) for broker in hosts):
            return None
        rows = [row for row in self.traffic if (row["cluster"], row["topic"]) == (cluster, topic)
                and first <= row["from_sweep"] and row["to_sweep"] <= last]  # fmt: skip
        out, came, many = (sum(row[name] for row in rows) for name in ("bytes_out", "bytes_in", "messages_in"))
        appended, held = self.appended(cluster, topic, first, last), self.held(begun)
        if not came or appended is None or held is None:
            return None
        known = sum(
            max(0, row["records"]) for row in self.steps
            if row["cluster"] == cluster and row["topic"] == topic and not row["idle"]
            and first <= row["from_sweep"] and row["to_sweep"] <= last
        )  # fmt: skip
        sent = out * max(max(many, appended) / came, held) * (1 + self.limits["size_tolerance"])
        return math.ceil(sent) - known if sent >= known else None

    def _gapless(self, cluster: str, topic: str, broker: int, first: datetime, last: datetime) -> bool:
        """Whether sound intervals of one process, and of the topic's meters in it, fill the time."""
        at = first
        for span in sorted(self.sound, key=lambda span: span["to_sweep"]):
            meters = self._metered(span, topic) and span["to_sweep"] <= last
            if (span["cluster"], span["broker"]) == (cluster, broker) and span["from_sweep"] == at and meters:
                at = span["to_sweep"]
        return at == last

    def _metered(self, span: Row, topic: str) -> bool:
        """Whether the topic's meters went on, or were not there yet."""
        key = span["cluster"], span["broker"]
        return (*key, span["to_sweep"], topic) in self.metered or (*key, span["from_sweep"], topic) not in self.meters
