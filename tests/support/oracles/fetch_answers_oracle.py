"""Answers of fetch_latency, a second time: takes raw rows, gives what a broker delivered, and who may poll it unseen.

Written from docs/signatures/fetch_latency.md; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from datetime import datetime
from functools import cached_property
from typing import Any

from support.oracles.fetch_legal_oracle import FetchLegal, total
from support.oracles.fetch_reads_oracle import Row, Window


class FetchAnswers(FetchLegal):
    """What ends a fetch before its time, besides what a member may legally let expire."""

    @cached_property
    def behind(self) -> set[tuple[str, str, int]]:
        """Topics of which a group got on by more than came in, by window: it reads what was there before."""
        read: dict[Any, int] = defaultdict(int)
        for row in self.forward:
            read[row["cluster"], row["topic"], row["time_window"], row["group"]] += row["counted"]
        came: dict[Any, int] = defaultdict(int)
        for (cluster, _broker, topic, window), one in self.traffic.items():
            came[cluster, topic, window] += one["messages_in"]
        return {
            key[:3] for key, records in read.items()
            if key[:3] in came and records > self.limits["excess_factor"] * came[key[:3]]
        }  # fmt: skip

    def delivered(self, key: Window) -> tuple[float, bool]:
        """Batches that went out at a broker and were waited for, and whether that is all that went out."""
        cluster, _broker, window = key
        found, whole, some = [], True, False
        for (c, b, topic, w), one in self.traffic.items():
            if (c, b, w) != key or one["bytes_out"] <= 0:
                continue
            some = True
            if (cluster, topic, window) in self.behind:
                whole = False
                continue
            sums = self._of_topic(cluster, topic, window)
            if sums["bytes_in"]:
                found.append(one["bytes_out"] * (sums["batches"] / sums["bytes_in"]))
        return total(found), whole and some

    def _of_topic(self, cluster: str, topic: str, window: int) -> Row:
        rows = [one for (c, _b, t, w), one in self.traffic.items() if (c, t, w) == (cluster, topic, window)]
        return {name: sum(row[name] for row in rows) for name in ("batches", "bytes_in")}

    @cached_property
    def polled(self) -> set[Window]:
        """Brokers and windows with a group that has offsets there, got on with nothing and showed no member."""
        held: set[tuple[str, int, int, str]] = set()
        read: dict[str, set[datetime]] = defaultdict(set)
        for row in self.raw["sweeps"]:
            if row["admin_outcome"] != "failed" and "group_offsets" not in (row["admin_missing"] or []):
                read[row["cluster"]].add(row["sweep_at"])
        for row in self.raw["group_offsets"]:
            cluster, sweep = row["cluster"], row["sweep_at"]
            leader = self.leaders.get((cluster, sweep, row["topic"], row["partition"]))
            if leader is not None and sweep in read[cluster] and sweep.date() == self.ds:
                held.add((cluster, leader, self._window(sweep), row["group_id"]))
        held -= {(row["cluster"], row["leader"], row["time_window"], row["group"]) for row in self.forward}
        for span in self.spans:
            cluster, broker, window, sweep = (span[n] for n in ("cluster", "broker", "time_window", "to_sweep"))
            for (group, _member), places in self.members[cluster, sweep].items():
                if any(self.leaders.get((cluster, sweep, *place)) == broker for place in places):
                    held.discard((cluster, broker, window, group))
        return {one[:3] for one in held}
