"""Connections of listeners by interval, in plain Python: takes a day's raw rows, gives what a storm is judged by.

Written from docs/signatures/reconnect_storm.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from support.oracles.signature_oracle import SignatureOracle

Row = dict[str, Any]
Listener = tuple[str, int, str]  # cluster, broker, listener
TABLES = "listeners", "acceptors", "broker_configs", "hosts", "request_times"
COUNTS = "connections_created", "connections_closed", "failed_authentications", "connections"
INTERNAL = "controller.listener.names", "inter.broker.listener.name", "control.plane.listener.name"
KERNEL = "listen_overflows", "listen_drops", "syncookies_sent"


class ListenerOracle(SignatureOracle):
    """The raw day, with the tables that this signature reads besides those of the facts."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "storms", limits, TABLES)
        processors: dict[Any, list[Row]] = defaultdict(list)
        for row in self.raw["listeners"]:
            processors[*self._key(row), row["listener"]].append(row)
        self.sums = {key: self._sum(rows) for key, rows in processors.items()}
        self.read_together: dict[Any, dict[str, Row]] = defaultdict(dict)
        for (*read, listener), sums in self.sums.items():
            self.read_together[tuple(read)][listener] = sums
        self.blocked = {(*self._key(row), row["listener"]): row["blocked_ns"] for row in self.raw["acceptors"]}
        self.reads = {self._key(row): row for row in self.raw["brokers"]}
        self.configs = self._configs()
        self.kernel = dict(self._kernel())
        self.answered = {self._key(last): last for _first, last in self._answers()}
        self.hosts = {key[:2]: row for key, row in self.answered.items()}  # by the last of the day
        self.backlogs = {key[:2]: self._backlog(*key[:2]) for key in self.metrics}
        self.spans = list(self._spans())

    @staticmethod
    def _sum(rows: list[Row]) -> Row:
        """Network processors together; a sum with an unknown part is unknown."""
        values = {name: [row[name] for row in rows] for name in COUNTS}
        sums = {name: None if None in found else round(sum(found)) for name, found in values.items()}
        return {**sums, "processors": len(rows)}

    def _configs(self) -> dict[tuple[str, int], dict[str, str | None]]:
        """Settings of each broker at the last sweep of the day that read them."""
        last: dict[Any, dict[str, Any]] = defaultdict(dict)
        for row in sorted(self.raw["broker_configs"], key=lambda row: row["sweep_at"]):
            if row["sweep_at"].date() == self.ds:
                last[row["cluster"], row["broker"]][row["name"]] = row["value"]
        return last

    def _answers(self) -> Iterator[tuple[Row | None, Row]]:
        """Answered reads of a broker's node_exporter that are of the day, each with the one before it."""
        before: dict[tuple[str, int], Row] = {}
        for row in sorted(self.raw["hosts"], key=lambda row: row["sweep_at"]):
            if row["read_at"] is not None:
                if row["sweep_at"].date() == self.ds:
                    yield before.get((row["cluster"], row["broker"])), row
                before[row["cluster"], row["broker"]] = row

    def _kernel(self) -> Iterator[tuple[Any, dict[str, int | None]]]:
        for first, last in self._answers():
            if first is not None:
                since_boot = last["boot_time_s"] > first["boot_time_s"] + 60
                found = {}
                for name in KERNEL:
                    was = 0 if since_boot else first[name]
                    found[name] = None if last[name] is None or was is None else last[name] - was
                yield self._key(last), found

    def _backlog(self, cluster: str, broker: int) -> tuple[int, bool]:
        """socket.listen.backlog.size in force, and whether it is known."""
        name, settings = "socket.listen.backlog.size", self.configs.get((cluster, broker))
        value = settings.get(name) if settings else None
        release = self._release(cluster, broker)
        old = release is not None and release < (3, 2)
        known = value is not None or (settings is not None and name not in settings) or old
        return int(value) if value is not None else 50, known

    def _release(self, cluster: str, broker: int) -> tuple[int, ...] | None:
        """Major and minor of the last read of the day."""
        rows = [key for key in self.metrics if key[:2] == (cluster, broker) and key[2].date() == self.ds]
        release = self.metrics[max(rows, key=lambda key: key[2])]["release"] if rows else None
        return None if release is None else tuple(map(int, release.split(".")[:2]))

    def _let_in_one_by_one(self, where: tuple[str, int]) -> bool:
        """Whether a limit of new connections per second is set, or may be: brokers have one from 2.7 on (KIP-612)."""
        settings = self.configs.get(where)
        if not settings:
            release = self._release(*where)
            return release is None or release >= (2, 7)
        rates = [value for name, value in settings.items() if name.endswith("max.connection.creation.rate")]
        return any(value is None or int(value) < 2**31 - 1 for value in rates)

    def _spans(self) -> Iterator[Row]:
        """Usable intervals of every listener."""
        for interval in self.intervals():
            where = interval["cluster"], interval["broker"]
            if not interval["same_process"] or interval["seconds"] <= 0:
                continue
            for listener, last in self.read_together.get((*where, interval["to_sweep"]), {}).items():
                span = self._span(interval, where, listener, last)
                if span is not None:
                    yield span

    def _span(self, interval: Row, where: tuple[str, int], listener: str, last: Row) -> Row | None:
        starts = interval["kind"] == "start"
        first = self.sums.get((*where, interval["from_sweep"], listener))
        first = dict.fromkeys(COUNTS, 0) if starts else first
        if first is None:
            return None
        deltas = {name: None if None in (last[name], first[name]) else last[name] - first[name] for name in COUNTS}
        ends = [self.blocked.get((*where, interval[at], listener)) for at in ("from_sweep", "to_sweep")]
        ends[0] = 0 if starts else ends[0]
        blocked = None if None in ends else ends[1] - ends[0]  # type: ignore[operator]
        counters = [deltas[name] for name in COUNTS[:3]] + [blocked]
        if deltas["connections_created"] is None or last["connections"] is None:
            return None
        if any(count is not None and count < 0 for count in counters):
            return None
        if self._let_in_one_by_one(where):
            blocked = None
        backlog, known = self.backlogs[where]
        host = self.hosts.get(where, {})
        kernel = self.kernel.get((*where, interval["to_sweep"]), dict.fromkeys(KERNEL))
        somaxconn, then = host.get("somaxconn"), self.answered.get((*where, interval["to_sweep"]), {})
        read = [value for value in kernel.values() if value is not None]
        waited = max(kernel["listen_overflows"] or 0, kernel["listen_drops"] or 0)
        settings = [found for (cluster, _broker), found in self.configs.items() if cluster == where[0]]
        names = {name.strip() for key in INTERNAL for found in settings for name in (found.get(key) or "").split(",")}
        return {
            **interval, "listener": listener, "created": deltas["connections_created"], "held": last["connections"],
            "failed_authentications": deltas["failed_authentications"], "processors": last["processors"],
            "blocked_ns": blocked, "backlog": backlog if somaxconn is None else min(backlog, somaxconn),
            "backlog_known": known, **kernel, "somaxconn": somaxconn, "tcp_syncookies": then.get("tcp_syncookies"),
            "tcp_max_syn_backlog": then.get("tcp_max_syn_backlog"),
            "overflows": waited + (kernel["syncookies_sent"] or 0) if read else None,
            "internal": listener in names, **self._ages(interval, where), **self._leaders(interval, where),
            "held_before": self._held_before(interval, where, listener) if starts else None,
        }  # fmt: skip

    def _ages(self, interval: Row, where: tuple[str, int]) -> Row:
        """Age of the process at the end, and the time in which its connections can have come; by its own clock."""
        read, metrics = self.reads[*where, interval["to_sweep"]], self.metrics[*where, interval["to_sweep"]]
        now_ms = (read["read_at"] - datetime.fromtimestamp(0, read["read_at"].tzinfo)) / timedelta(milliseconds=1)
        now_ms += 1000 * (read["agent_clock_skew_s"] or 0)
        t = seconds = interval["seconds"]
        if interval["kind"] == "start":
            began, slack = metrics["app_start_ms"], self.limits["start_slack_s"]
            t = max(1, seconds if began is None else min(seconds, (now_ms - began) / 1000 + slack))
        return {"process_seconds": (now_ms - metrics["jvm_start_ms"]) / 1000, "burst_s": t}

    def _leaders(self, interval: Row, where: tuple[str, int]) -> Row:
        last = self.metrics[*where, interval["to_sweep"]]
        first = self.metrics[*where, interval["from_sweep"]] if interval["kind"] == "sweeps" else None
        gained = 0
        if first is not None:
            new = max(0, last["partition_count"] - first["partition_count"])
            gained = last["leader_count"] - first["leader_count"] - new
        return {"leaders": last["leader_count"], "leaders_gained": gained}

    def _held_before(self, interval: Row, where: tuple[str, int], listener: str) -> int | None:
        """What the broker's earlier process held when it was last read."""
        earlier = [key for key in self.metrics if key[:2] == where and key[2] < interval["to_sweep"]]
        sums = self.sums.get((*max(earlier, key=lambda key: key[2]), listener)) if earlier else None
        return sums["connections"] if sums else None

    @cached_property
    def baselines(self) -> dict[Listener, tuple[float, float, int]]:
        """Usual rate of a listener per second, its deviation, and on how many of the cluster's intervals it rests."""
        rates: dict[tuple[str, int | None, str], list[float]] = defaultdict(list)
        for span in self.spans:
            if span["kind"] == "sweeps":
                for broker in (span["broker"], None):  # its own, and all of the cluster
                    rates[span["cluster"], broker, span["listener"]].append(span["created"] / span["seconds"])
        found = {}
        for cluster, broker, listener in {(s["cluster"], s["broker"], s["listener"]) for s in self.spans}:
            some = [rates[cluster, which, listener] for which in (broker, None) if rates[cluster, which, listener]]
            middle = max(map(median, some), default=0.0)
            spread = max((median(abs(rate - median(one)) for rate in one) for one in some), default=0.0)
            found[cluster, broker, listener] = middle, spread, len(rates[cluster, None, listener])
        return found
