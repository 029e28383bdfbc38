"""partition_growth computed a second time, in plain Python: takes a day's raw rows, gives late commits and detections.

Written from docs/signatures/partition_growth.md alone; it shares nothing with the SQL but the meaning.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from support.oracles.commit_traffic import CommitTraffic
from support.oracles.commits_oracle import IDLE, Place, Row

UP = timedelta(seconds=30)
TOOL = re.compile(r"console-consumer-\d+")


class GrowthOracle(CommitTraffic):
    """Events, what is skipped per group, and what is told of it."""

    def events(self) -> Iterator[Row]:
        """First commits and returns of the day."""
        for cluster, sweeps in self.usable.items():
            held: dict[tuple[str, Place], list[int]] = defaultdict(list)
            for number, at in enumerate(sweeps):
                for where in self.commits[cluster, at]:
                    held[where].append(number)
            for (group, place), numbers in held.items():
                for number in numbers:
                    if number and number - 1 not in numbers and self.today(sweeps[number]):
                        before = max((one for one in numbers if one < number), default=None)
                        yield self._event(cluster, sweeps, (group, place), before, number)

    def _event(
        self, cluster: str, sweeps: list[datetime], where: tuple[str, Place], before: int | None, number: int
    ) -> Row:
        group, place = where
        at, since = sweeps[number], 0 if before is None else before + 1
        taken = [one for one in range(since, number + 1) if place in self.assigned[cluster, sweeps[one], group]]
        last_free = min(taken, default=number) - 1
        begins = sweeps[last_free] if last_free >= 0 else None
        committed = self.commits[cluster, at][where]
        previous = None if before is None else self.commits[cluster, sweeps[before]][where]["committed_offset"]
        start = self.log(cluster, at, place, "log_start_offset")
        base = None if start is None else max(start, previous or 0)
        return {
            "cluster": cluster, "group_id": group, "topic": place[0], "partition": place[1], "place": place,
            "before_sweep": None if before is None else sweeps[before], "from_sweep": begins, "to_sweep": at,
            "last_sweep": sweeps[number - 1], "read_at": committed["read_at"], "base": base,
            "committed_offset": committed["committed_offset"],
            "at_most": None if base is None else committed["committed_offset"] - base,
            "state": self.states[cluster, at].get(group), "sweeps": sweeps,
        }  # fmt: skip

    def absence_sure(self, event: Row) -> bool:
        """Whether the group would have been seen at the sweep before."""
        cluster, group, before, at = event["cluster"], event["group_id"], event["last_sweep"], event["to_sweep"]
        was, offsets_partition = self.coordinator(cluster, before, group)
        now, _partition = self.coordinator(cluster, at, group)
        if group in self.states[cluster, before] or offsets_partition is None:
            return True
        began = self.began(cluster, now, at)
        return was is not None and was == now and began is not None and began <= before - UP

    def begin_known(self, event: Row) -> bool:
        """Whether the group had not begun at the sweep from which its beginning is counted."""
        cluster, group, free = event["cluster"], event["group_id"], event["from_sweep"]
        if free is None or not self.absence_sure(event):
            return False
        states = self.states[cluster, free]
        return group not in states or states[group] in IDLE or (cluster, free, group) in self.showing

    def there(self, event: Row) -> int:
        """Records of at_most that were in the log when the group had not begun."""
        if not self.begin_known(event) or self.compacted(event["cluster"], event["topic"]):
            return 0
        end = self.end_before(event)
        return 0 if end is None else max(0, min(event["committed_offset"], end) - event["base"])

    def end_before(self, event: Row) -> int | None:
        """The log end when the group had not begun; 0 where the partition did not exist."""
        cluster, free, place = event["cluster"], event["from_sweep"], event["place"]
        now, was = self.told[cluster, event["to_sweep"]][place], self.told[cluster, free].get(place)
        existed = was is not None and was["topic_id"] == now["topic_id"]
        return self.log(cluster, free, place, "log_end_offset") if existed else 0

    def compacted(self, cluster: str, topic: str) -> bool:
        """Whether the topic's offsets need not hold records."""
        rows = [row for row in self.raw["topic_configs"] if (row["cluster"], row["topic"]) == (cluster, topic)]
        return any(row["name"] == "cleanup.policy" and "compact" in (row["value"] or "") for row in rows)

    def below_the_end(self) -> set[tuple[str, ...]]:
        """Groups, topics and sweeps at which a first commit lies below the log end of before the group had begun."""
        found = set()
        for event in self.events():
            end = self.end_before(event) if self.begin_known(event) and event["state"] not in IDLE else None
            if end is not None and event["committed_offset"] < end:
                found.add((event["cluster"], event["group_id"], event["topic"], event["to_sweep"]))
        return found

    def cause(self, event: Row) -> str | None:
        """What the event is; None for one that says nothing."""
        cluster, at, (topic, _number) = event["cluster"], event["to_sweep"], event["place"]
        told = self.told[cluster, at].get(event["place"])
        if event["state"] in IDLE or told is None:
            return None
        if event["before_sweep"] is not None:
            if not self.absence_sure(event) or self.created_since(event):
                return None
            expired = self.sum_of_ends("offset_expirations", cluster, event["before_sweep"], at)
            shown = any(
                span["cluster"] == cluster and span["same_process"] and event["before_sweep"] < span["to_sweep"] <= at
                for span in self.spans
            )
            return "offsets_expired" if shown and (expired is None or expired > 0) else None
        added = event["place"] not in self.original(event)
        read = any(
            group == event["group_id"] and place[0] == topic
            for one in self.usable[cluster] if one < at
            for group, place in self.commits[cluster, one]
        )  # fmt: skip
        if added and read:
            return "growth"
        sure = self.absence_sure(event) and not TOOL.fullmatch(event["group_id"])
        return "first_start" if sure else None

    def created_since(self, event: Row) -> bool:
        """Whether the topic is another one than at the earlier commit."""
        cluster, place = event["cluster"], event["place"]
        was = self.told[cluster, event["before_sweep"]].get(place)
        return was is None or was["topic_id"] != self.told[cluster, event["to_sweep"]][place]["topic_id"]

    def _shapes(self, event: Row) -> list[set[Place]]:
        """Partitions of the event's topic, the same id, at each sweep that shows any."""
        cluster, place = event["cluster"], event["place"]
        topic = place[0], self.told[cluster, event["to_sweep"]][place]["topic_id"]
        told = [self.told[cluster, at] for at in self.usable[cluster]]
        shapes = [{p for p, row in rows.items() if (p[0], row["topic_id"]) == topic} for rows in told]
        return [shape for shape in shapes if shape]

    def original(self, event: Row) -> set[Place]:
        """Partitions that are as old as their topic."""
        return self._shapes(event)[0]

    def added(self, event: Row) -> int:
        """Partitions that appeared after their topic."""
        return len(set().union(*self._shapes(event)) - self.original(event))

    def policy(self, cluster: str, group: str) -> str | None:
        """auto.offset.reset by the owner's longest pattern that matches, of the last declaration of the day."""
        rows = [row for row in self.raw["declarations"] if row["cluster"] == cluster and self.today(row["sweep_at"])]
        declared = json.loads(max(rows, key=lambda row: row["sweep_at"])["declaration"])["client_configs"]["groups"]
        found = {
            pattern: settings["auto.offset.reset"]
            for pattern, settings in declared.items()
            if "auto.offset.reset" in settings and _matches(pattern, group)
        }
        return found[max(found, key=lambda pattern: (len(pattern), pattern))] if found else None

    def late(self) -> Iterator[Row]:
        """First commits past where reading would have begun, with their cause."""
        below = self.below_the_end()
        for event in self.events():
            cause, policy = self.cause(event), self.policy(event["cluster"], event["group_id"])
            if (event["cluster"], event["group_id"], event["topic"], event["to_sweep"]) in below:
                continue
            if cause and (event["at_most"] or 0) > 0 and policy in (None, "latest"):
                yield event | {"cause": cause, "reset_policy": policy, "there_before": self.there(event),
                               "begin_known": self.begin_known(event)}  # fmt: skip

    def skipping(self) -> Iterator[Row]:
        """What each group has skipped of a topic at one sweep, in bounds."""
        sums: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in self.late():
            sums[row["cluster"], row["cause"], row["group_id"], row["topic"], row["to_sweep"]].append(row)
        least = self.limits["min_skipped"]
        for (cluster, cause, group, topic, at), rows in sums.items():
            at_most, there = (sum(row[name] for row in rows) for name in ("at_most", "there_before"))
            begins = {row["from_sweep"] for row in rows if row["begin_known"]}
            sure = len(begins) == 1 and all(row["begin_known"] for row in rows)
            unexplained = self.unexplained(cluster, topic, begins.pop(), at, rows) if sure else None
            not_read = 0 if unexplained is None else max(0, at_most - unexplained)
            latest = rows[0]["reset_policy"] == "latest"
            proven = not_read >= least or (latest and there >= least)
            if at_most >= least and (cause != "first_start" or proven):
                yield {
                    "cluster": cluster, "cause": cause, "group_id": group, "topic": topic, "to_sweep": at,
                    "at_most": at_most, "there_before": there, "unexplained": unexplained, "not_read": not_read,
                    "reset_policy": rows[0]["reset_policy"], "rows": rows,
                    "at_least": max(not_read, there) if latest else not_read,
                    "strength": "conclusive" if proven else "suggestive",
                }  # fmt: skip


def _matches(pattern: str, group: str) -> bool:
    """`*` is any text, `?` any one character, everything else is literal."""
    wild = {"*": ".*", "?": "."}
    return re.fullmatch("".join(wild.get(one) or re.escape(one) for one in pattern), group, re.DOTALL) is not None
