"""isr_stagnation computed a second time, in plain Python: takes a day's raw rows, gives waits, streaks and detections.

Written from docs/signatures/isr_stagnation.md alone; it shares nothing with the SQL but the meaning.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from support.oracles.signature_oracle import SignatureOracle

Row = dict[str, Any]
Place = tuple[str, int]  # topic, partition


class IsrOracle(SignatureOracle):
    """The raw day, with the tables that this signature reads besides those of the facts."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "sets", limits, ("sweeps", "fetcher_lags"))
        self.day = self.ds
        self.listed: dict[tuple[str, datetime], set[int]] = defaultdict(set)
        for row in self.raw["brokers"]:
            if row["host"] is not None:
                self.listed[row["cluster"], row["sweep_at"]].add(row["broker"])
        self.told: dict[tuple[str, datetime], dict[Place, Row]] = defaultdict(dict)
        for row in self.raw["topics"]:
            self.told[row["cluster"], row["sweep_at"]][row["topic"], row["partition"]] = row
        self.fewest: dict[tuple[str, str], int] = {}
        for row in self.raw["topics"]:
            name, many = (row["cluster"], row["topic"]), len(row["replicas"])
            self.fewest[name] = min(many, self.fewest.get(name, many))
        self.logs = {(*self._key(r), r["topic"], r["partition"]): r for r in self.raw["partitions"]}
        self.lags = {(*self._key(r), r["topic"], r["partition"]): r["lag"] for r in self.raw["fetcher_lags"]}
        self.spans = {(s["cluster"], s["broker"], s["from_sweep"], s["to_sweep"]): s for s in self.intervals()}
        counted = [s for s in self.broker_counters() if not s["ran_back"]]
        self.expands = {(s["cluster"], s["broker"], s["from_sweep"], s["to_sweep"]): s["isr_expands"] for s in counted}

    def larger(self, cluster: str) -> int:
        """Partitions that show by their replicas that they are moved, at the sweep where they are most."""
        sizes: dict[tuple[datetime, str], list[int]] = defaultdict(list)
        for (name, sweep), rows in self.told.items():
            if name == cluster:
                for (topic, _partition), row in rows.items():
                    sizes[sweep, topic].append(len(row["replicas"]))
        found: dict[datetime, int] = defaultdict(int)
        for (sweep, _topic), many in sizes.items():
            beyond = [one - min(many) for one in many]
            found[sweep] += -(-sum(beyond) // max(beyond)) if any(beyond) else 0
        return max(found.values(), default=0)

    def pairs(self) -> Iterator[tuple[str, datetime, datetime]]:
        """Consecutive sweeps with metadata, of which the second is of the day."""
        sweeps: dict[str, list[datetime]] = defaultdict(list)
        for row in sorted(self.raw["sweeps"], key=lambda row: row["sweep_at"]):
            if row["admin_outcome"] != "failed" and "topics" not in (row["admin_missing"] or []):
                sweeps[row["cluster"]].append(row["sweep_at"])
        for cluster, found in sweeps.items():
            yield from ((cluster, first, last) for first, last in pairwise(found) if last.date() == self.day)

    def missing(self, cluster: str, sweep: datetime) -> dict[tuple[str, int, int], Row]:
        """Followers that are missing from an in-sync set at a sweep: topic, partition, follower -> metadata."""
        found = {}
        for (topic, partition), row in self.told[cluster, sweep].items():
            if row["leader"] is None:
                continue
            gone = set(row["replicas"]) - set(row["isr"])
            own = self.logs.get((cluster, row["leader"], sweep, topic, partition))
            short = own is not None and (own["replicas_count"] or 0) > 0 and own["isr_count"] < own["replicas_count"]
            if not gone and short:
                gone = set(row["replicas"]) - {row["leader"]}
            found |= {(topic, partition, follower): row for follower in gone}
        return found

    def waits(self) -> Iterator[Row]:
        """Every wait with what it is."""
        for cluster, first, last in self.pairs():
            before, after = self.missing(cluster, first), self.missing(cluster, last)
            for (topic, partition, follower), now in after.items():
                was = before.get((topic, partition, follower))
                if was is None or follower not in self.listed[cluster, last]:
                    continue
                wait = {"cluster": cluster, "topic": topic, "partition": partition, "follower": follower}
                yield wait | {"from_sweep": first, "to_sweep": last} | self._wait(wait, was, now, first, last)

    def _wait(self, wait: Row, was: Row, now: Row, first: datetime, last: datetime) -> Row:
        cluster, follower, leader = wait["cluster"], wait["follower"], now["leader"]
        place = wait["topic"], wait["partition"]

        def log(broker: int, sweep: datetime) -> Row:
            return self.logs.get((cluster, broker, sweep, *place), {"log_end_offset": None, "read_at": None})

        led, followed = self.spans.get((cluster, leader, first, last)), self.spans.get((cluster, follower, first, last))
        at = {"L1": (leader, first), "L2": (leader, last), "F1": (follower, first), "F2": (follower, last)}
        ends = {name: log(*where)["log_end_offset"] for name, where in at.items()}
        found: Row = {
            "leader": leader,
            "seconds": led["seconds"] if led else (last - first).total_seconds(),
            "records": _minus(ends["L2"], ends["L1"]),
            "lag": _minus(ends["L2"], ends["F2"]),
            "first_lag": _minus(ends["L1"], ends["F1"]),
            "followed": _minus(ends["F2"], ends["F1"]),
            "whole": (log(leader, last).get("isr_count") or 0) >= len(now["replicas"]),
            "broken": any(self._gauge(cluster, follower, sweep, name) for sweep in (first, last)
                          for name in ("fetcher_failed_partitions", "fetcher_dead_threads")),
            "fetcher": self.lags.get((cluster, follower, last, *place)),
            "expands": self.expands.get((cluster, leader, first, last)),
            "moved": (
                len(now["replicas"]) > self.fewest[cluster, wait["topic"]]
                or self.larger(cluster) < max(
                    self._gauge(cluster, leader, sweep, "reassigning_partitions") or 0 for sweep in (first, last)
                )
            )
            and any(self._gauge(cluster, leader, sweep, "reassigning_partitions") for sweep in (first, last)),
        }  # fmt: skip
        changed = (
            any(was[name] != now[name] for name in ("leader", "replicas", "topic_id"))
            or set(was["isr"]) != set(now["isr"])
            or follower not in self.listed[cluster, first]
        )
        gap = 0.0
        if log(leader, last)["read_at"] and log(follower, last)["read_at"]:
            gap = (log(follower, last)["read_at"] - log(leader, last)["read_at"]).total_seconds()
        return found | {"held_as": self._held_as(found, changed, led, followed, gap)}

    def _gauge(self, cluster: str, broker: int, sweep: datetime, name: str) -> int:
        return (self.metrics.get((cluster, broker, sweep)) or {}).get(name) or 0

    def _held_as(self, found: Row, changed: bool, led: Row | None, followed: Row | None, gap: float) -> str:
        limits = self.limits
        if changed:
            return "changed"
        if any(span is not None and not (span["same_process"] and span["seconds"] > 0) for span in (led, followed)):
            return "restarted"
        if led is None or followed is None or found["records"] is None or found["records"] < 0:
            return "unread"
        if None in (found["lag"], found["followed"], found["expands"]):
            return "unread"
        pace = found["records"] / found["seconds"]
        timely = (limits["max_lag_s"] + abs(gap)) * pace
        behind = found["lag"] > max(limits["max_lag"], timely) or found["records"] > 0 >= found["followed"]
        fetcher = found["fetcher"]
        if behind or (fetcher is not None and fetcher > max(limits["max_lag"], limits["max_lag_s"] * pace)):
            return "lagging"
        if found["moved"]:
            return "reassignment"
        if found["records"] == 0:
            return "idle"
        if found["broken"] or found["whole"] or found["lag"] > max(found["first_lag"], math.ceil(timely)):
            return "unproven"
        return "expanding" if found["expands"] > 0 else "frozen"

    def streaks(self, kinds: set[str]) -> Iterator[list[Row]]:
        """Runs of waits of these kinds without a gap, of one partition and follower."""
        runs: dict[tuple[str, str, int, int], list[list[Row]]] = defaultdict(list)
        for wait in sorted(self.waits(), key=lambda wait: wait["to_sweep"]):
            if wait["held_as"] in kinds:
                run = runs[wait["cluster"], wait["topic"], wait["partition"], wait["follower"]]
                if run and run[-1][-1]["to_sweep"] == wait["from_sweep"]:
                    run[-1].append(wait)
                else:
                    run.append([wait])
        for found in runs.values():
            yield from found

    def frozen(self) -> Iterator[Row]:
        """Streaks of caught-up followers that last."""
        limits = self.limits
        for run in self.streaks({"frozen", "idle", "unproven", "expanding"}):
            for part in _same_leader(run):
                pure = [wait for wait in part if wait["held_as"] == "frozen"]
                held = [wait for wait in part if wait["held_as"] in ("frozen", "expanding")]
                chances = [min(1.0, wait["expands"] * limits["settle_s"] / wait["seconds"])
                           for wait in held if wait["held_as"] == "expanding"]  # fmt: skip
                seconds, frozen_s = _total(part), _total(pure)
                if seconds >= limits["min_frozen_s"] and len(part) + 1 >= limits["min_sweeps"]:
                    proven = self._lasts(pure) or (
                        self._lasts(held) and sum(map(math.log, chances)) <= math.log(limits["max_chance"])
                    )
                    yield {**_head(part), "seconds": seconds, "frozen_seconds": frozen_s, "is_proven": proven,
                           "sweeps": len(part) + 1, "records": sum(wait["records"] for wait in part)}  # fmt: skip

    def _lasts(self, waits: list[Row]) -> bool:
        """Whether waits of one streak are long and many enough."""
        return _total(waits) >= self.limits["min_frozen_s"] and len(waits) + 1 >= self.limits["min_sweeps"]

    def laggards(self) -> Iterator[Row]:
        """Streaks of lagging followers that come no nearer."""
        limits = self.limits
        for run in self.streaks({"lagging"}):
            for part in _same_leader(run):
                first, last, seconds = part[0]["first_lag"], part[-1]["lag"], _total(part)
                long = seconds >= limits["min_lagging_s"] and len(part) + 1 >= limits["min_sweeps"]
                if long and None not in (first, last) and last >= (1 - limits["min_progress"]) * first:
                    cause = "reassignment" if any(wait["moved"] for wait in part) else "catching_up"
                    yield {**_head(part), "cause": cause, "seconds": seconds, "last_lag": last}

    def absences(self) -> Iterator[Row]:
        """Brokers that are not listed over consecutive sweeps while in-sync sets lack them."""
        runs: dict[tuple[str, int], list[list[tuple[datetime, datetime]]]] = defaultdict(list)
        for cluster, first, last in self.pairs():
            for broker in self._absent(cluster, first) & self._absent(cluster, last):
                run = runs[cluster, broker]
                if run and run[-1][-1][1] == first:
                    run[-1].append((first, last))
                else:
                    run.append([(first, last)])
        for (cluster, broker), found in runs.items():
            for run in found:
                seconds = (run[-1][1] - run[0][0]).total_seconds()
                if seconds >= self.limits["min_dead_s"] and len(run) + 1 >= self.limits["min_sweeps"]:
                    yield {"cluster": cluster, "broker": broker, "seconds": seconds, "sweeps": len(run) + 1}

    def _absent(self, cluster: str, sweep: datetime) -> set[int]:
        return {follower for _t, _p, follower in self.missing(cluster, sweep)} - self.listed[cluster, sweep]


def _minus(last: int | None, first: int | None) -> int | None:
    return None if last is None or first is None else last - first


def _total(part: list[Row]) -> float:
    return sum(round(wait["seconds"] * 10**6) for wait in part) / 10**6


def _head(part: list[Row]) -> Row:
    return {name: part[0][name] for name in ("cluster", "topic", "partition", "follower", "leader")}


def _same_leader(run: list[Row]) -> Iterator[list[Row]]:
    """The parts of a run under one leader each: a streak has one leader."""
    part: list[Row] = []
    for wait in run:
        if part and wait["leader"] != part[-1]["leader"]:
            yield part
            part = []
        part.append(wait)
    yield part
