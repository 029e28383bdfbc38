"""Random raw rows of brokers that stop: takes a random source, gives sweeps of a cluster whose processes come and go.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
SEQUENCE = "OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID"


class RandomStops:
    """One cluster: brokers that are stopped, killed and started, controllers that count it or not, producers' ids."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.kraft = rng.random() < 0.25
        self.release = (
            rng.choice(("3.9.1", "4.1.1")) if self.kraft else rng.choice(("2.1.1", "2.8.2", "2.8.2", "2.8.2", "3.6.2"))
        )
        self.calm = rng.random() < 0.6  # nothing fails to be read
        self.every = rng.choice((60, 300, 600, 900))
        many = 17 if rng.random() < 0.06 else rng.choice((1, 2, 3, 4, 5, 5))
        self.nodes = {number: self._node(True) for number in range(1, many + 1)}
        self.nodes |= {101: self._node(False)} if self.kraft or rng.random() < 0.1 else {}
        self.usual, self.fenced, self.stopped = rng.choice((4, 4, 50)), 0, 0
        self.nodes[rng.choice(list(self.nodes))]["active"] = 1
        self.settings = {
            "controlled.shutdown.enable": rng.choice(("true", "true", "false")),
            "controlled.shutdown.max.retries": "3", "controlled.shutdown.retry.backoff.ms": rng.choice(("5000", "250")),
            "transactional.id.expiration.ms": rng.choice(("604800000",) * 9 + ("3599999",)),
        }  # fmt: skip
        brokers = [number for number, node in self.nodes.items() if node["is_broker"]]
        self.places: list[Row] = []
        for number in range(rng.randint(1, 4)):
            replicas = rng.sample(brokers, min(len(brokers), rng.randint(2, 3)))
            ids = {rng.randrange(1000 * number, 1000 * number + 99) for _ in range(rng.randint(0, 4))}
            self.places.append({"topic": f"t{number % 3}", "partition": number // 3, "replicas": replicas, "ids": ids,
                                "isr": list(replicas), "known": {broker: set(ids) for broker in replicas},
                                "sequences": dict.fromkeys(ids, 5), "epoch": 0, "start": 100, "end": 1000,
                                "purged": rng.random() < 0.3})  # fmt: skip

    def _node(self, is_broker: bool) -> Row:
        rng = self.rng
        began = rng.choice((1_795_100_000_000, 1_795_130_000_000 + rng.randrange(10**6)))
        return {"is_broker": is_broker, "started": began, "app": began + rng.randrange(2000, 9000), "down": 0,
                "active": 0, "shutdowns": None if self.kraft else rng.randrange(9), "errors": {"NONE": 9},
                "invalid": 3, "remaining": 0, "gone": False, "refused": rng.randrange(3)}  # fmt: skip

    def sweeps(self) -> Iterator[tuple[str, datetime, dict[str, list[Row]]]]:
        """Sweeps of the day, in order, with the rows that stopped brokers are judged by."""
        at = MIDNIGHT + timedelta(seconds=self.rng.uniform(-2, 1) * self.every)
        for _ in range(self.rng.randint(2, 12)):
            seconds = self.every * self.rng.uniform(0.5, 1.5)
            at += timedelta(microseconds=round(1e6 * seconds))
            self._step(at, seconds)
            yield self.cluster, at, self._tables(at)

    def _step(self, at: datetime, seconds: float) -> None:
        rng = self.rng
        for number, node in self.nodes.items():
            if node["down"]:
                node["down"] -= 1
                if not node["down"]:
                    self._start(number, node, at, seconds)
            elif node["remaining"]:
                node["remaining"] = rng.choice((0, 17))
                node["app"] = None if node["remaining"] else round(1000 * at.timestamp()) - rng.choice((100, 3000))
            for code in SEQUENCE:
                if rng.random() < 0.1:
                    node["errors"][code] = node["errors"].get(code, 0) + rng.randint(1, 5)
            node["invalid"] += rng.choice((0, 0, 0, 2))
        up = [number for number, node in self.nodes.items() if not node["down"]]
        if rng.random() < 0.8:  # else the controller goes too, and takes its count along
            up = [number for number in up if not self.nodes[number]["active"]]
        stopping = min(len(up), rng.choice((0, 0, 1, 1, 2, 2, 3)) if rng.random() < 0.6 else 0)
        stopping = len(up) if len(self.nodes) > 10 and rng.random() < 0.3 else stopping
        counted = rng.choice((0, 0, stopping, stopping, max(0, stopping - 1), stopping + 1))
        for number in rng.sample(up, stopping):
            node = self.nodes[number]
            node["down"] = rng.choice((0, 0, 0, 0, 1, 2, 30))
            node["gone"] = rng.random() < 0.5  # not even asked while it is away
            if node["active"] and rng.random() < 0.8:
                node["active"] = 0
                self.nodes[rng.choice(list(self.nodes))]["active"] = 1
            if not node["down"]:
                self._start(number, node, at, seconds)
        if rng.random() < 0.05:
            for node in self.nodes.values():
                node["active"] = 0
            self.nodes[rng.choice(list(self.nodes))]["active"] = 1
        for node in self.nodes.values():
            if node["active"] and node["shutdowns"] is not None:
                node["shutdowns"] += counted
        self.fenced = sum(node["down"] > 0 for node in self.nodes.values()) + (rng.random() < 0.1)
        self.stopped = rng.choice((0, self.fenced, rng.randint(0, self.fenced)))
        for place in self.places:
            for one in place["ids"]:
                wrote = rng.choice((0, 1, 7)) if rng.random() < 0.8 else 0
                place["sequences"][one] += wrote
                place["end"] += wrote
            place["epoch"] += rng.random() < 0.1
            if place["purged"]:
                place["start"] = place["end"] - rng.choice((0, 1, 3, 20))
            if rng.random() < 0.3:
                place["isr"] = rng.sample(place["replicas"], rng.randint(1, len(place["replicas"])))
            for known in place["known"].values():
                known |= {one for one in place["ids"] if rng.random() < 0.3}
                if rng.random() < 0.05:
                    known.discard(rng.choice([*place["ids"], 0]))

    def _start(self, number: int, node: Row, at: datetime, seconds: float) -> None:
        rng = self.rng
        ago = seconds * rng.choice((0.05, 0.5, 0.9, 0.9, 0.99, 3 if rng.random() < 0.1 else 0.7))
        ahead = 0 if self.calm else rng.choice((0, 0, 0, seconds))  # the broker's clock against the collector's
        node["started"] = round(1000 * (at.timestamp() - ago + ahead))
        usual = 1000 * self.usual
        took = rng.choice((usual, usual + 300, 3 * usual, 119_999, 120_000, 150_000, 400_000))
        node["app"] = None if rng.random() < 0.1 else node["started"] + took
        node["remaining"] = rng.choice((0, 0, 0, 40))
        node["app"] = None if node["remaining"] else node["app"]
        node["errors"], node["invalid"] = {"NONE": 1}, 0
        node["shutdowns"], node["refused"] = None if self.kraft else 0, 0
        if self.kraft and rng.random() < 0.3:
            for one in self.nodes.values():
                one["refused"] += one["active"] * rng.randint(1, 5)
        for place in self.places:
            known = place["known"].get(number)
            if known and rng.random() < 0.5:
                known -= set(rng.sample(sorted(known), rng.randint(1, len(known))))

    def _tables(self, at: datetime) -> dict[str, list[Row]]:
        rng = self.rng
        names = ("brokers", "broker_metrics", "recoveries", "request_errors", "broker_configs", "partitions", "topics",
                 "producers")  # fmt: skip
        tables: dict[str, list[Row]] = {name: [] for name in names}
        admin = self.calm or rng.random() < 0.85
        for number, node in self.nodes.items():
            if node["down"] and node["gone"]:
                continue
            silent = node["down"] or (not self.calm and rng.random() < 0.07)
            read = None if silent else at + timedelta(microseconds=rng.randrange(2_900_000))
            outcome = "failed" if silent else "partial" if not self.calm and rng.random() < 0.1 else "ok"
            listed = admin and node["is_broker"] and not node["down"]
            tables["brokers"].append({"broker": number, "is_broker": node["is_broker"], "host": "b" if listed else None,
                                      "read_at": read, "outcome": outcome, "missing": [],
                                      "seconds": None if rng.random() < 0.05 else 0.2})  # fmt: skip
            if read is not None:
                self._read(tables, {"broker": number, "read_at": read}, node)
            if admin and listed:
                tables["broker_configs"] += [
                    {"broker": number, "name": name, "value": value, "redacted": False, "is_default": False,
                     "source": "STATIC_BROKER_CONFIG"}
                    for name, value in self.settings.items()
                ]  # fmt: skip
        if admin:
            tables["topics"] = [
                {"topic": place["topic"], "topic_id": "a" * 22, "partition": place["partition"], "internal": False,
                 "leader": place["isr"][0], "replicas": place["replicas"], "isr": place["isr"]}
                for place in self.places
            ]  # fmt: skip
            tables["producers"] = self._producers(at) if self.release == "2.8.2" else []
        tables["sweeps"] = [{"ended_at": at, "admin_outcome": "ok" if admin else "failed", "admin_missing": []}]
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": "{}"}]
        return tables

    def _read(self, tables: dict[str, list[Row]], known: Row, node: Row) -> None:
        rng = self.rng
        shows = self.calm or rng.random() < 0.95
        tables["broker_metrics"].append(known | {
            "release": self.release, "jvm_start_ms": node["started"], "app_start_ms": node["app"],
            "active_controller": node["active"] if shows else None, "invalid_offset_or_sequence": node["invalid"],
            "controlled_shutdowns": node["shutdowns"] if shows or rng.random() < 0.5 else None,
            "leader_count": rng.choice((0, 5, 5, 5)), "fenced_brokers": self.fenced if self.kraft else None,
            "controlled_shutdown_brokers": self.stopped if self.release == "4.1.1" else None,
        })  # fmt: skip
        if not self.kraft:
            half = node["remaining"] // 2
            for folder, logs in (("a", half), ("b", node["remaining"] - half)):
                tables["recoveries"].append(known | {"log_dir": folder, "remaining_logs": logs})
        if self.calm or rng.random() < 0.95:
            tables["partitions"] += [
                known | {"topic": place["topic"], "partition": place["partition"], "log_start_offset": place["start"],
                         "log_end_offset": place["end"]}
                for place in self.places if known["broker"] in place["replicas"]
            ]  # fmt: skip
        if self.calm or rng.random() < 0.95:
            tables["request_errors"] += [
                known | {"request": "Produce", "error": code, "errors": many} for code, many in node["errors"].items()
            ]
            tables["request_errors"].append(known | {"request": "Fetch", "error": SEQUENCE[0], "errors": 5})
            refused = {"request": "BrokerRegistration", "error": "DUPLICATE_BROKER_REGISTRATION"}
            tables["request_errors"] += [known | refused | {"errors": node["refused"]}] if node["refused"] else []

    def _producers(self, at: datetime) -> list[Row]:
        rng, rows = self.rng, []
        for place in self.places:
            for broker, known in place["known"].items():
                if self.nodes[broker]["down"] or rng.random() < 0.1:
                    continue
                read = at + timedelta(microseconds=rng.randrange(2_000_000, 6_000_000))
                where = {"broker": broker, "read_at": read, "topic": place["topic"], "partition": place["partition"]}
                if not known:
                    rows.append(where | {"producer_id": None})
                for one in sorted(known):
                    age = rng.choice((0, 1000, 1000, 3_000_000, 3_600_000, 5_000_000))
                    rows.append(where | {"producer_id": one, "producer_epoch": place["epoch"],
                                         "last_sequence": place["sequences"].get(one, 0),
                                         "last_timestamp_ms": round(1000 * at.timestamp()) - age})  # fmt: skip
        return rows
