"""offset_rewind computed a second time, in plain Python: takes raw rows of a day, gives causes of steps back, losses.

Written from docs/signatures/offset_rewind.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from support.oracles.commits_oracle import OFFSETS, Place, Row
from support.oracles.facts_oracle import Key
from support.oracles.forgotten_oracle import forgotten
from support.oracles.step_oracle import StepOracle

MB = 1e6


class RewindOracle(StepOracle):
    """Committed offsets that stepped back, logs that became shorter, and coordinators whose next load is unsafe."""

    def neighbours(self, step: Row) -> int:
        """Groups of the same coordinator that stepped back at the same sweep, those without members left out."""
        if step["coordinator"] is None:
            return 1
        keys = "cluster", "to_sweep", "coordinator"
        steps = [one for one in self.steps if not one["memberless"] and all(one[key] == step[key] for key in keys)]
        return len({one["group_id"] for one in steps}) or 1

    def caused(self) -> Iterator[Row]:
        """Every step back with its cause, and whether nothing else explains it."""
        lost = forgotten(self)
        for step in self.steps:
            end, many = step["log_end_offset"], self.neighbours(step) >= self.limits["min_groups"]
            if step["memberless"]:
                if not (step["loaded"] and self.uncompacted(step["cluster"], step["coordinator"])):
                    continue
                cause, sure = "stale_load", False
            elif end is not None and end < step["from_committed_offset"]:
                cause, sure = "truncation", True
            elif step["cut"]:
                cause, sure = "stale_leader", not step["idle"] or many
            elif step["idle"] and not step["vanished"] and not many:
                cause, sure = "manual", step["loaded"] is False
            elif step["loaded"] is not False:
                cause, sure = "stale_load", (step["cluster"], step["group_id"], step["to_sweep"]) in lost
            elif not step["vanished"]:
                cause, sure = "manual", step["idle"]
            else:
                continue
            yield step | {"cause": cause, "sure": sure}

    def uncompacted(self, cluster: str, broker: int | None) -> bool:
        """Whether the offsets log on a broker is not compacted, at the end of any interval of the day."""
        ends = [one["to_sweep"] for one in self.health if (one["cluster"], one["broker"]) == (cluster, broker)]
        return any(self.stopped(cluster, broker, at) or self.swollen(cluster, broker, at) for at in ends)

    def stopped(self, cluster: str, broker: int | None, at: datetime) -> bool:
        """Whether the broker's cleaner has stopped."""
        row = self.metrics[cluster, broker, at]  # type: ignore[index]
        dead, idle = row["cleaner_dead_threads"], row["cleaner_idle_ms"]
        if dead is None and idle is not None and idle >= 1000 * self.limits["max_cleaner_idle_s"]:
            return True
        return bool((dead or 0) > 0 or (self.uncleanable(cluster, broker, at) or 0) > 0)

    def uncleanable(self, cluster: str, broker: int | None, at: datetime) -> int | None:
        """Partitions that the cleaner has given up, over all log directories."""
        key: Any = (cluster, broker, at)
        return total(row["uncleanable_partitions"] for row in self.of_read("log_dirs", key))

    def offsets_log(self, cluster: str, broker: int | None, at: datetime) -> int | None:
        """Bytes of the largest partition of the offsets topic on a broker."""
        key: Any = (cluster, broker, at)
        sizes = [row["size_bytes"] for row in self.of_read("partitions", key) if row["topic"] == OFFSETS]
        return max(sizes, default=None)

    def swollen(self, cluster: str, broker: int | None, at: datetime) -> bool:
        """Whether that is as large as a log that nobody cleans."""
        return (self.offsets_log(cluster, broker, at) or 0) >= MB * self.limits["min_offsets_log_mb"]

    def refused(self, span: Row) -> int | None:
        """Fetches answered OFFSET_OUT_OF_RANGE in an interval; None where one of its reads does not tell."""
        key, began = (span["cluster"], span["broker"]), span["kind"] == "start"
        last = self.out_of_range.get((*key, span["to_sweep"]))
        first = 0 if began else self.out_of_range.get((*key, span["from_sweep"]))
        return None if last is None or first is None else last - first

    @cached_property
    def out_of_range(self) -> dict[Key, int]:
        """Such answers since the process started, by read."""
        return {self._key(row): row["errors"] for row in self.raw["request_errors"]
                if (row["request"], row["error"]) == ("Fetch", "OFFSET_OUT_OF_RANGE")}  # fmt: skip

    def rewound(self) -> Iterator[Row]:
        """Steps back per group, topic, cause and sweep, without those that are too short."""
        sums: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in self.caused():
            sums[row["cluster"], row["cause"], row["group_id"], row["topic"], row["to_sweep"]].append(row)
        for (cluster, cause, group, topic, at), rows in sums.items():
            back = sum(row["records_back"] for row in rows)
            if back >= self.limits["min_rewound"]:
                yield {
                    "cluster": cluster, "cause": cause, "group_id": group, "topic": topic, "to_sweep": at,
                    "from_sweep": min(row["from_sweep"] for row in rows), "records_back": back,
                    "partitions_back": len(rows), "coordinator": rows[0]["coordinator"],
                    "partitions_held": sum(g == group and p[0] == topic for g, p in self.commits[cluster, at]),  # type: ignore[index]
                    "sure": all(row["sure"] for row in rows), "rewound_groups": self.neighbours(rows[0]),
                    "read_again_with_earliest": total(row["read_again"] for row in rows),
                    "skipped_with_latest": total(row["skipped"] for row in rows),
                }  # fmt: skip

    def losses(self) -> Iterator[Row]:
        """Log ends that went back, of the same topic."""
        reads: dict[tuple[str, Place], list[datetime]] = defaultdict(list)
        for (cluster, at), place in self.logs:
            reads[cluster, place].append(at)
        deltas = [
            (cluster, place, first, last, self._ends(cluster, first, place)[0], self._ends(cluster, last, place)[-1])
            for (cluster, place), ats in reads.items()
            for first, last in pairwise(sorted(ats)) if self.today(last)
        ]  # fmt: skip
        kept = {(d[0], d[1][0], d[3]) for d in deltas if d[4]["log_end_offset"] <= d[5]["log_end_offset"]}
        for cluster, place, first, last, was, now in deltas:
            lost = was["log_end_offset"] - now["log_end_offset"]
            same = self.same_topic(cluster, place[0], first, last)
            if lost > 0 and same is not False and (same or (cluster, place[0], last) in kept):
                yield {"cluster": cluster, "topic": place[0], "partition": place[1], "from_sweep": first,
                       "same_topic": same, "to_sweep": last, "from_broker": was["broker"], "broker": now["broker"],
                       "from_log_end_offset": was["log_end_offset"], "log_end_offset": now["log_end_offset"],
                       "records_lost": lost,
                       "led_in_isr": self._led_in_isr(cluster, place, first, was, now)}  # fmt: skip

    def _ends(self, cluster: str, at: datetime, place: Place) -> list[Row]:
        """The logs of those that call themselves leader, the shortest first."""
        return sorted(self.logs[(cluster, at), place], key=lambda row: (row["log_end_offset"], row["broker"]))

    def _led_in_isr(self, cluster: str, place: Place, first: datetime, was: Row, now: Row) -> bool | None:
        told = self.told[cluster, first].get(place)
        return None if told is None or was["broker"] == now["broker"] else now["broker"] in told["isr"]

    def lost(self) -> Iterator[Row]:
        """Losses that count, and whether they are proven."""
        proven = {_lead(one) for one in self.unclean() if one["proven"]}
        for loss in self.losses():
            cluster, first, last = loss["cluster"], loss["from_sweep"], loss["to_sweep"]
            place = loss["topic"], loss["partition"]
            beyond = loss["same_topic"] and any(
                where == place and row["committed_offset"] > loss["log_end_offset"]
                for (name, at), commits in self.commits.items() if name == cluster and first <= at < last
                for (group, where), row in commits.items() if not self.memberless(cluster, group)
            )  # fmt: skip
            elected = loss["led_in_isr"] is False and _lead(loss) in proven
            if elected or beyond or loss["records_lost"] >= self.limits["min_lost"]:
                yield loss | {"unclean_elections": self.elections.get((cluster, last), {}).get("unclean_elections"),
                              "sure": elected or bool(beyond)}  # fmt: skip

    def unsafe(self) -> Iterator[Row]:
        """Brokers whose last read shows a stopped cleaner and a swollen offsets log."""
        last = {(one["cluster"], one["broker"]): one["to_sweep"] for one in self.health}
        for (cluster, broker), at in last.items():
            if self.stopped(cluster, broker, at) and self.swollen(cluster, broker, at):
                gauges = self.metrics[cluster, broker, at]
                idle, size = gauges["cleaner_idle_ms"], self.offsets_log(cluster, broker, at)
                yield {
                    "cluster": cluster, "broker": broker, "cleaner_dead_threads": gauges["cleaner_dead_threads"],
                    "uncleanable_partitions": self.uncleanable(cluster, broker, at), "cleaner_idle_s": idle / 1000,
                    "offsets_log_mb": (size or 0) / MB,
                }  # fmt: skip


def _lead(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("cluster", "topic", "partition", "to_sweep", "broker"))


def total(values: Iterable[float | None]) -> int | None:
    """Sum of what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return round(sum(known)) if known else None
