"""Random raw rows of Produce errors and client libraries: takes a random source, gives sweeps of a small cluster.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from support.generators.random_producers import RandomProducer

Row = dict[str, Any]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
CODES = (
    "NOT_LEADER_OR_FOLLOWER", "NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "KAFKA_STORAGE_ERROR",
    "NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT", "UNKNOWN_TOPIC_OR_PARTITION",
    "CORRUPT_MESSAGE", "MESSAGE_TOO_LARGE",
)  # fmt: skip
LIBRARIES = (
    ("unknown", "unknown"), ("apache-kafka-java", "2.0.1"), ("apache-kafka-java", "1.1.0"),
    ("apache-kafka-java", "2.1.0"), ("apache-kafka-java", "3.9.1"), ("librdkafka", "2.3.0"),
)  # fmt: skip
DECLARED = (
    {"retries": 0, "version": "<2.1"}, {"version": "<2.1"}, {"version": ">=0.11,<2.1"}, {"version": "<2.4"},
    {"version": "1.1"}, {"version": "2.1", "retries": 5},
)  # fmt: skip


class RandomErrors:
    """One cluster: brokers that refuse batches, and clients that come and go."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.brokers = list(range(1, rng.randint(1, 3) + 1))
        self.release = rng.choice(("1.1.1", "2.4.1", "2.8.2", "2.8.2", "3.9.1", "3.9.1"))
        self.started = dict.fromkeys(self.brokers, 1_795_130_000_000)
        self.errors = {broker: Counter({"NONE": 100}) for broker in self.brokers}
        self.likely = rng.sample(CODES, 3)
        self.libraries = rng.sample(LIBRARIES, 2)
        self.kraft = self.release == "3.9.1"
        self.own = rng.choice(("", "INTERNAL"))
        self.fetchers = rng.choice(("1", "2"))
        fleet = {"software": rng.choice(("apache-kafka-java", "librdkafka")), **rng.choice(DECLARED)}
        self.declared = [fleet | rng.choice(({}, {"client_ids": ["app-0", "app-2"]}))] if rng.random() < 0.4 else []
        self.producers = [RandomProducer(rng, number) for number in range(rng.choice((0, 1, 3)))]

    def sweeps(self) -> Iterator[tuple[str, datetime, dict[str, list[Row]]]]:
        """Sweeps of the day, in order, with the rows that refused batches are judged by."""
        at = MIDNIGHT + timedelta(seconds=self.rng.uniform(-900, 300))
        for _ in range(self.rng.randint(3, 8)):
            at += timedelta(microseconds=round(1e6 * self.rng.uniform(300, 900)))
            yield self.cluster, at, self._tables(at)

    def _tables(self, at: datetime) -> dict[str, list[Row]]:
        rng = self.rng
        names = "brokers", "broker_metrics", "request_errors", "client_software", "broker_configs"
        tables: dict[str, list[Row]] = {name: [] for name in names}
        refused = False
        for broker in self.brokers:
            if rng.random() < 0.08:
                self.started[broker] = round(1000 * (at.timestamp() - rng.uniform(5, 200)))
                self.errors[broker].clear()
            self.errors[broker].update({"NONE": rng.randint(0, 500)})
            codes = {code: rng.randint(1, 4) for code in self.likely if rng.random() < 0.15}
            refused |= bool(codes)
            self.errors[broker].update(codes)
            outcome = rng.choices(("ok", "partial", "failed"), (0.85, 0.1, 0.05))[0]
            read = None if outcome == "failed" else at + timedelta(microseconds=rng.randrange(900_000))
            host = f"broker-{broker}" if rng.random() < 0.95 else None
            row = {
                "broker": broker,
                "is_broker": True,
                "host": host,
                "read_at": read,
                "outcome": outcome,
                "missing": [],
            }
            tables["brokers"].append(row)
            if read is not None:
                self._read(tables, {"broker": broker, "read_at": read}, whole=outcome == "ok" or rng.random() < 0.5)
            tables["broker_configs"] += self._configs(broker)
        tables["client_metrics"] = [row for one in self.producers for row in one.rows(at, refused)]
        entry = {"client_configs": {"groups": {}, "producers": self.declared}, "id": self.cluster}
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": json.dumps(entry)}]
        tables["sweeps"] = [{"ended_at": at, "admin_outcome": "ok", "admin_missing": []}]
        return tables

    def _read(self, tables: dict[str, list[Row]], known: Row, whole: bool) -> None:
        rng, broker = self.rng, known["broker"]
        started = {"release": self.release, "jvm_start_ms": self.started[broker]}
        tables["broker_metrics"].append(known | started)
        if whole:
            counts = [(code, many) for code, many in self.errors[broker].items() if many]
            tables["request_errors"] += [known | {"request": "Produce", "error": c, "errors": n} for c, n in counts]
            tables["request_errors"].append(known | {"request": "Fetch", "error": "NONE", "errors": 9})
        if self.release in ("1.1.1", "2.4.1") or rng.random() < 0.05:
            return
        for listener in ("PLAINTEXT", *(("INTERNAL",) if self.own else ()), *(("CONTROLLER",) if self.kraft else ())):
            for software, version in self.libraries:
                count = rng.choice((0, 0, 1, 2, 3, 9))
                place = {"listener": listener, "network_processor": rng.randrange(3), "connections": float(count)}
                tables["client_software"].append(known | place | {"software": software, "software_version": version})

    def _configs(self, broker: int) -> list[Row]:
        values = {"inter.broker.listener.name": self.own, "security.inter.broker.protocol": "PLAINTEXT",
                  "num.replica.fetchers": self.fetchers}  # fmt: skip
        values |= {"process.roles": "broker", "controller.listener.names": "CONTROLLER"} if self.kraft else {}
        values |= {} if self.kraft else {"zookeeper.connect": "zookeeper:2181"}
        return [
            {"broker": broker, "name": name, "value": value, "redacted": False, "is_default": False,
             "source": "STATIC_BROKER_CONFIG"}
            for name, value in values.items()
        ]  # fmt: skip
