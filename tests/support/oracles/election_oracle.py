"""Unclean elections a second time, in plain Python: takes a day's raw rows, gives counts and leaders out of sync.

Written from docs/signatures/offset_rewind.md alone; it shares nothing with the SQL but the meaning.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from support.oracles.commits_oracle import IDLE, CommitsOracle, Row, Sweep

ELIGIBLE = "eligible.leader.replicas.version"
EXACT = re.compile(r"(4\.[1-9]|[5-9]\.)[0-9.]*")


class ElectionOracle(CommitsOracle):
    """Elections that controllers counted, and leaders that came from outside the in-sync replicas."""

    @cached_property
    def health(self) -> list[Row]:
        """Intervals of one process that end on the day."""
        return [span for span in self.spans if span["same_process"]]

    def memberless(self, cluster: str, group: str) -> bool:
        """Whether the group was Empty or Dead, and showed no member, at every usable sweep that listed it."""
        ats = self.usable[cluster]
        states = [self.states[cluster, at][group] for at in ats if group in self.states[cluster, at]]
        shown = any((cluster, at, group) in self.showing for at in ats)
        return bool(states) and not shown and all(state in IDLE for state in states)

    def _exact(self, cluster: str, release: str | None) -> bool:
        """Whether what such a process counts are unclean elections alone."""
        levels = [row for row in self.raw["features"] if row["cluster"] == cluster]
        told = [row for row in self.raw["broker_configs"] if row["cluster"] == cluster and self.today(row["sweep_at"])]
        version = any(row["feature"] == "metadata.version" and self.today(row["sweep_at"]) for row in levels)
        if version or any(row["name"] == "process.roles" and row["value"] for row in told):
            eligible = not levels or any(row["feature"] == ELIGIBLE and row["max_level"] > 0 for row in levels)
            return not eligible and EXACT.fullmatch(release or "") is not None
        return any(row["name"] == "zookeeper.connect" for row in told)

    @cached_property
    def elections(self) -> dict[Sweep, Row]:
        """By the sweep that ends it: since when, the highest count of any process, and the highest certain one."""
        pairs: dict[Sweep, list[Row]] = defaultdict(list)
        for span in self.health:
            if span["kind"] == "sweeps":
                pairs[span["cluster"], span["to_sweep"]].append(span)
        found = {}
        for where, spans in pairs.items():
            first = max(span["from_sweep"] for span in spans)
            counts, exact = [], []
            for span in [one for one in spans if one["from_sweep"] == first]:
                count = self.delta(span, "unclean_leader_elections")
                if count is not None:
                    counts.append(count)
                    release = self.metrics[span["cluster"], span["broker"], span["to_sweep"]]["release"]
                    exact += [count] if self._exact(span["cluster"], release) else []
            if counts:
                found[where] = {"from_sweep": first, "unclean_elections": max(counts),
                                "exact_elections": max(exact, default=None)}  # fmt: skip
        return found

    def outside(self) -> Iterator[Row]:
        """Leaders that were not in sync at the sweep before, where elections were counted."""
        for (cluster, last), count in self.elections.items():
            first = count["from_sweep"]
            for place, now in self.told[cluster, last].items() if count["unclean_elections"] > 0 else ():
                was = self.told[cluster, first].get(place)
                if was is None or not was["isr"] or now["leader"] in was["isr"]:
                    continue
                ids = was["topic_id"], now["topic_id"]
                if now["leader"] in was["replicas"] and (None in ids or ids[0] == ids[1]):
                    gone = set(was["isr"]) & set(now["isr"]) <= self._begun(cluster, first, last)
                    yield {**count, "cluster": cluster, "topic": place[0], "partition": place[1], "to_sweep": last,
                           "from_broker": was["leader"], "broker": now["leader"], "replaced": gone,
                           "same_topic": None if None in ids else True}  # fmt: skip

    def _begun(self, cluster: str, first: datetime, last: datetime) -> set[int]:
        """Brokers whose process began between two reads."""
        key = cluster, first, last
        return {one["broker"] for one in self.spans
                if (one["cluster"], one["from_sweep"], one["to_sweep"]) == key and not one["same_process"]}  # fmt: skip

    def unclean(self) -> Iterator[Row]:
        """These, and whether as many elections are certain and the former ones in sync had gone."""
        rows = list(self.outside())
        came = Counter((row["cluster"], row["to_sweep"]) for row in rows)
        for row in rows:
            enough = (row["exact_elections"] or 0) >= came[row["cluster"], row["to_sweep"]]
            yield row | {"proven": row["replaced"] and enough}
