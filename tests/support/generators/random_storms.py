"""Random raw rows of listeners: takes a random source, gives sweeps of a small cluster whose clients come in crowds.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
COUNTERS = "created", "closed", "failed"
KERNEL = "listen_overflows", "listen_drops", "syncookies_sent"


class RandomStorms:
    """One cluster: nodes that restart now and then, with listeners whose clients come and go."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.kraft = rng.random() < 0.5
        self.release = rng.choice(("3.9.1", "4.1.1") if self.kraft else ("2.1.1", "2.8.2", "3.1.2", "3.9.1"))
        self.every = rng.choice((5, 60, 300, 600, 1500))
        self.calm = rng.random() < 0.5  # nothing fails to be read
        listeners = ["EXTERNAL", rng.choice(("INTERNAL", "CLIENTS"))] + ["CONTROLLER"] * self.kraft
        self.named = {
            "inter.broker.listener.name": "INTERNAL",
            "controller.listener.names": rng.choice(("CONTROLLER", "X, CONTROLLER")),
            "num.network.threads": "3", **({"control.plane.listener.name": "CLIENTS"} if rng.random() < 0.2 else {}),
        }  # fmt: skip
        if not self.kraft:
            del self.named["controller.listener.names"]
        self.nodes = [self._node(number, listeners) for number in range(1, rng.randint(1, 3) + 1)]
        if self.kraft and rng.random() < 0.3:
            self.nodes.append({**self._node(101, ["CONTROLLER"]), "is_broker": False})

    def _node(self, number: int, listeners: list[str]) -> Row:
        rng = self.rng
        kernel = {"somaxconn": 128, "tcp_max_syn_backlog": 256, "tcp_syncookies": 1} if rng.random() < 0.5 else {}
        return {
            "broker": number, "is_broker": True, "started": 1_795_130_000_000, "app": 1_795_130_008_000, "skew": 0.0,
            "leaders": 40, "replicas": 80, "read_at": None, "boot": 1_790_000_000, "has_host": rng.random() < 0.6,
            "kernel": {**dict.fromkeys(KERNEL, 7), **kernel}, "lost": rng.sample(KERNEL, rng.choice((0, 0, 1, 2))),
            "backlog": rng.choice((None, None, "none", "50", "100", "500")),
            "listeners": {name: self._listener() for name in listeners}, "send_ms": 4.0,
        }  # fmt: skip

    def _listener(self) -> Row:
        rng = self.rng
        processors = [dict.fromkeys(COUNTERS, 0) for _ in range(rng.randint(1, 3))]
        one = {"processors": processors, "blocked": 0, "rate": rng.choice((0.0, 0.0, 0.002, 0.3)), "failing": 0.0}
        self._add(one, rng.choice((0, 40, 300)), 0, 0)
        return one

    def _add(self, one: Row, created: int, closed: int, failed: int) -> None:
        for name, count in zip(COUNTERS, (created, closed, failed), strict=True):
            for index, processor in enumerate(one["processors"]):
                processor[name] += count // len(one["processors"]) + (index < count % len(one["processors"]))

    def _held(self, one: Row) -> int:
        return sum(processor["created"] - processor["closed"] for processor in one["processors"])

    def sweeps(self) -> Iterator[tuple[str, datetime, dict[str, list[Row]]]]:
        """Sweeps of the day, in order, with the rows that storms are judged by."""
        at = MIDNIGHT + timedelta(seconds=round(self.rng.uniform(-2, 1) * self.every))
        for _ in range(self.rng.randint(5, 16)):
            seconds = round(self.every * self.rng.choice((0.5, 0.5, 0.9, 1, 1, 1.1, 1.5, 2)), 1)
            at += timedelta(seconds=seconds)
            for node in self.nodes:
                self._step(node, at, seconds)
            yield self.cluster, at, self._tables(at)

    def _step(self, node: Row, at: datetime, seconds: float) -> None:
        rng, event = self.rng, self.rng.choice((None, None, None, "restart", "crowd", "crowd", "leaders", "wrong"))
        held = {name: self._held(one) for name, one in node["listeners"].items()}
        if event == "restart":
            age = rng.choice((0.3, 0.9, 1.0)) * min(seconds, rng.choice((20, 400, 2000)))
            node["started"] = round(1000 * (at.timestamp() - age))
            node["skew"] = rng.choice((0.0, 0.0, 2.0, -1.0, None))
            starting = rng.choice((2000, 8000, 15_000, round(500 * age)))
            node["app"] = None if rng.random() < 0.2 else node["started"] + starting
            node["backlog"] = rng.choice((node["backlog"],) * 5 + ("50", "200"))
        if event == "leaders" or rng.random() < 0.1:
            gained = rng.choice((1, 2, 3, 30))
            node["leaders"] = max(0, node["leaders"] + rng.choice((1, 1, -1)) * gained)
            node["replicas"] += rng.choice((0, 0, 0, -3, 1, gained))
        for name, one in node["listeners"].items():
            if event == "restart":
                one["processors"] = [dict.fromkeys(COUNTERS, 0) for _ in one["processors"]]
                one["blocked"], back = 0, rng.choice((0, 0.3, 1, 1))
                self._crowd(node, one, round(back * held[name]))
            elif event and rng.random() < 0.7:
                self._crowd(node, one, 0, wrong=event == "wrong")
            usual = round(one["rate"] * seconds * rng.uniform(0.7, 1.3))
            self._add(one, usual, min(usual, self._held(one)), 0)
            if rng.random() < 0.2:
                self._add(one, 0, round(self._held(one) * rng.choice((0.1, 0.9))), 0)
        node["send_ms"] = rng.choice((node["send_ms"],) * 6 + (4.0, 20.0, 54.0, 150.0))

    def _crowd(self, node: Row, one: Row, held: int, wrong: bool = False) -> None:
        rng = self.rng
        backlog = int(node["backlog"] or 50) if node["backlog"] != "none" else 50
        size = rng.choice((held, backlog, backlog + 1, 2 * backlog + 1, 10 * backlog, 10 * backlog + 1, 150, 900, 4000))
        failed = rng.choice((99, 100, size // 2, (size + 1) // 2, size)) if wrong else 0
        stay = 0 if wrong or rng.random() < 0.1 else size
        self._add(one, size, size - stay, min(size, failed))
        one["blocked"] += rng.choice((0, 0, 0, 1_999_999, 2_000_000, 40_000_000, 30_000_000_000))
        if rng.random() < 0.4:
            for name in rng.sample(KERNEL, rng.randint(1, 3)):
                node["kernel"][name] += rng.choice((1, 5, 9, 10, 300))

    def _tables(self, at: datetime) -> dict[str, list[Row]]:
        names = ("brokers", "broker_metrics", "listeners", "acceptors", "request_times", "broker_configs", "hosts")
        tables: dict[str, list[Row]] = {name: [] for name in names}
        admin = self.calm or self.rng.random() < 0.85
        for node in self.nodes:
            self._node_rows(tables, node, at, admin)
        outcome = "ok" if admin else "failed"
        tables["sweeps"] = [{"ended_at": at, "admin_outcome": outcome, "admin_missing": []}]
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": "{}"}]
        return tables

    def _node_rows(self, tables: dict[str, list[Row]], node: Row, at: datetime, admin: bool) -> None:
        rng, broker = self.rng, node["broker"]
        silent = not self.calm and rng.random() < 0.08
        read = None if silent else at + timedelta(microseconds=rng.randrange(900_000))
        tables["brokers"].append({
            "broker": broker, "is_broker": node["is_broker"], "host": "b" if admin and node["is_broker"] else None,
            "read_at": read, "outcome": "failed" if silent else "ok", "missing": [], "agent_clock_skew_s": node["skew"],
        })  # fmt: skip
        if node["has_host"]:
            answered = self.calm or rng.random() < 0.9
            if rng.random() < 0.05 and at.timestamp() > node["boot"] + 120:
                node["boot"] = round(at.timestamp()) - 10
                node["kernel"].update(dict.fromkeys(KERNEL, rng.choice((0, 3, 12))))
            counts = {name: value for name, value in node["kernel"].items() if name not in node["lost"]}
            row = {"broker": broker, "read_at": at if answered else None, "outcome": "ok" if answered else "failed"}
            tables["hosts"].append(row | ({**counts, "boot_time_s": node["boot"]} if answered else {}))
        if admin and node["is_broker"] and (self.calm or rng.random() < 0.9):
            backlog = {} if node["backlog"] is None else {"socket.listen.backlog.size": node["backlog"]}
            for name, value in {**self.named, **backlog}.items():
                value = None if value == "none" else value
                row = {"is_default": False, "source": "STATIC_BROKER_CONFIG", "redacted": value is None}
                tables["broker_configs"].append(row | {"broker": broker, "name": name, "value": value})
        if read is None:
            return
        known = {"broker": broker, "read_at": read}
        tables["broker_metrics"].append(known | {
            "release": self.release, "jvm_start_ms": node["started"], "app_start_ms": node["app"],
            "leader_count": node["leaders"], "partition_count": node["replicas"],
        })  # fmt: skip
        tables["request_times"].append(known | {"request": "FetchConsumer", "phase": "ResponseSendTimeMs",
                                                "observations": 9, "p99_ms": node["send_ms"]})  # fmt: skip
        for name, one in node["listeners"].items():
            self._listener_rows(tables, known | {"listener": name}, one)

    def _listener_rows(self, tables: dict[str, list[Row]], known: Row, one: Row) -> None:
        rng, odd = self.rng, not self.calm and self.rng.random() < 0.06
        lacks = rng.choice(("rows", "created", "closed", "failed", "held", "back")) if odd else None
        if lacks == "rows":
            return
        for index, processor in enumerate(one["processors"]):
            values = {**processor, "held": processor["created"] - processor["closed"]}
            if lacks and index == 0:
                values[lacks if lacks != "back" else "failed"] = -1 if lacks == "back" else None
            tables["listeners"].append(known | {
                "network_processor": index, "connections": values["held"], "connections_created": values["created"],
                "connections_closed": values["closed"], "failed_authentications": values["failed"],
            })  # fmt: skip
        if self.release != "2.1.1" and lacks != "back":
            tables["acceptors"].append(known | {"acceptor": "", "blocked_ns": one["blocked"]})
