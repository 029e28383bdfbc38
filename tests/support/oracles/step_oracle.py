"""Committed offsets that stepped back, in plain Python: takes a day's raw rows, gives each step with what was so then.

Written from docs/signatures/offset_rewind.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from support.oracles.commits_oracle import IDLE, OFFSETS, Place, Row
from support.oracles.election_oracle import ElectionOracle


class StepOracle(ElectionOracle):
    """Steps back of committed offsets, without what made them."""

    def _pairs(self) -> Iterator[tuple[str, datetime, datetime, str, Place, bool]]:
        """Two commits of a group on a partition, the later one of the day; the last says whether sweeps lie between."""
        for cluster, sweeps in self.sweeps_with("group_offsets"):
            held: dict[tuple[str, Place], list[int]] = defaultdict(list)
            for number, at in enumerate(sweeps):
                for where in self.commits[cluster, at]:
                    held[where].append(number)
            for (group, place), numbers in held.items():
                for first, last in pairwise(numbers):
                    if self.today(sweeps[last]):
                        yield cluster, sweeps[first], sweeps[last], group, place, last - first > 1

    def same_topic(self, cluster: str, topic: str, first: datetime, last: datetime) -> bool | None:
        """Whether the topic is the same one at both sweeps, by its id."""
        ids = [
            {row["topic_id"] for (name, _number), row in self.told[cluster, at].items() if name == topic}
            for at in (first, last)
        ]
        if not all(ids) or None in ids[0] | ids[1]:
            return None
        return ids[0] == ids[1]

    def loaded(self, cluster: str, group: str, first: datetime, last: datetime) -> bool | None:
        """Whether the group's coordinator loaded its offsets between two sweeps."""
        was, now = (self.coordinator(cluster, at, group)[0] for at in (first, last))
        began = self.began(cluster, now, last)
        moved = None if was is None or now is None else was != now
        started = None if began is None else began > first
        if moved or started:
            return True
        return None if moved is None or started is None else False

    @cached_property
    def steps(self) -> list[Row]:
        """Steps back that count, of one group and partition each."""
        found = []
        for cluster, first, last, group, place, vanished in self._pairs():
            was, now = (self.commits[cluster, at][group, place]["committed_offset"] for at in (first, last))
            if was <= now:
                continue
            same = self.same_topic(cluster, place[0], first, last)
            end = self.log(cluster, last, place, "log_end_offset")
            if same is False or (same is None and (end is None or end < was)):
                continue
            start = self.log(cluster, last, place, "log_start_offset")
            found.append({
                "cluster": cluster, "from_sweep": first, "to_sweep": last, "group_id": group, "topic": place[0],
                "partition": place[1], "records_back": was - now, "from_committed_offset": was, "vanished": vanished,
                "log_end_offset": end, "read_again": None if start is None else max(0, was - start),
                "skipped": None if end is None else max(0, end - was),
                "coordinator": self.coordinator(cluster, last, group)[0],
                "loaded": self.loaded(cluster, group, first, last),
                "idle": any(self.states[cluster, at].get(group) in IDLE for at in (first, last)),
                "memberless": self.memberless(cluster, group), "cut": self.log_cut(cluster, group, first, last),
            })  # fmt: skip
        return found

    def log_cut(self, cluster: str, group: str, first: datetime, last: datetime) -> bool:
        """Whether the group's partition of the offsets log had an unclean election for certain between two sweeps."""
        place = OFFSETS, self.coordinator(cluster, last, group)[1]
        return any(
            one["proven"] and one["cluster"] == cluster and (one["topic"], one["partition"]) == place
            and first <= one["from_sweep"] and one["to_sweep"] <= last
            for one in self.uncleans
        )  # fmt: skip

    @cached_property
    def uncleans(self) -> list[Row]:
        """Leaders from outside, with what is proven of them."""
        return list(self.unclean())
