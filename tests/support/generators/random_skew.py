"""Random raw rows of uneven topics: takes a random source, gives sweeps of a cluster with slow leaders and hot keys.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)


class RandomSkew:
    """One cluster: brokers that are slow at times, topics that follow them, or a key, or nothing."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.brokers = list(range(1, rng.randint(2, 5) + 1))
        self.sick = rng.sample(self.brokers, rng.choice((0, 1, 1, 2)))  # brokers that may be slow
        self.always, self.racks = rng.random() < 0.3, rng.random() < 0.3
        self.sharp = rng.random() < 0.4  # everything is measured, and what is slow is very slow
        self.spent = dict.fromkeys(self.brokers, 0.0)
        self.requests = dict.fromkeys(self.brokers, 0)
        self.topics = [self._topic(number) for number in range(rng.randint(1, 3))]
        self.told = rng.choice(("all", "all", "all", "few", "job", "no waits", "nothing"))  # what producers push
        self.pushed = {("web", None): 0.0, ("app", None): 0.0}
        self.slow = False
        if rng.random() < 0.8:  # two partitions are too few to be judged, and are load all the same
            ends = [{"leader": broker, "end": 0, "weight": 1.0} for broker in (self.sick * 2 or self.brokers)[:2]]
            self.topics.append(
                {"name": "ballast", "kind": "even", "logs": ends, "factor": 1.0, "bytes": 0, "rate": 0.0}
            )

    def _topic(self, number: int) -> Row:
        rng, count = self.rng, self.rng.randint(2, 8)
        logs = [{"leader": rng.choice(self.brokers), "end": 0, "weight": 1.0} for _ in range(count)]
        kind = (
            "follows" if self.sharp else rng.choice(("even", "follows", "follows", "follows", "flees", "key", "leader"))
        )
        if kind == "key":
            rng.choice(logs)["weight"] = rng.uniform(3, 12)
        if kind == "leader":  # a leader stands out, and nothing shows that it is slow
            loved = rng.choice(self.brokers)
            for log in logs:
                log["weight"] = 6.0 if log["leader"] == loved else 1.0
        return {"name": f"t{number}", "kind": kind, "logs": logs, "rate": rng.choice((0.5, 20.0, 300.0, 300.0)),
                "factor": rng.uniform(2, 8), "bytes": 0}  # fmt: skip

    def sweeps(self) -> Iterator[tuple[str, datetime, dict[str, list[Row]]]]:
        """Sweeps of the day, in order, with the rows that skew is judged by."""
        at = MIDNIGHT + timedelta(seconds=self.rng.uniform(-600, 0))
        for _ in range(self.rng.randint(4, 10)):
            seconds = self.rng.uniform(300, 900)
            at += timedelta(microseconds=round(1e6 * seconds))
            slow = {broker for broker in self.sick if self.always or self.rng.random() < 0.5}
            self.slow = bool(slow)
            self._run(seconds, slow)
            yield self.cluster, at, self._tables(at)

    def _run(self, seconds: float, slow: set[int]) -> None:
        rng = self.rng
        for broker in self.brokers:
            many = 700 if self.sharp else rng.choice((3, 500, 500, 900))
            self.requests[broker] += many
            self.spent[broker] += many * (
                rng.uniform(30 if self.sharp else 4, 90) if broker in slow else rng.uniform(2, 4.5)
            )
        for topic in self.topics:
            if topic["name"] == "ballast":
                topic["rate"] = rng.choice((0.0, 0.0, 3000.0))
            before = sum(log["end"] for log in topic["logs"])
            weights = [self._weight(topic, log, slow) * rng.uniform(0.85, 1.15) for log in topic["logs"]]
            for log, weight in zip(topic["logs"], weights, strict=True):
                log["end"] += round(topic["rate"] * seconds * weight / sum(weights))
                if rng.random() < 0.03:
                    log["leader"] = rng.choice(self.brokers)
            self._push(topic["name"], sum(log["end"] for log in topic["logs"]) - before)

    def _push(self, topic: str, records: int) -> None:
        """Two producers send the records of a topic; of a job one of them is there while a leader is slow alone."""
        web = (0.9 if self.slow else 0.1) if self.told == "job" else 0.6
        for name, share in (("web", web), ("app", 1 - web)):
            sent = round(share * records * (0.5 if self.told == "few" else 1))
            self.pushed[name, topic] = self.pushed.get((name, topic), 0) + sent

    def _client_metrics(self, at: datetime) -> Iterator[Row]:
        waited = None if self.told == "no waits" else 400.0 if self.slow else 10.0
        for (name, topic), sends in self.pushed.items() if self.told != "nothing" else ():
            yield {"client_id": name, "read_at": at + timedelta(milliseconds=450), "topic": topic, "record_retries": 0,
                   "record_errors": 0, "record_sends": round(sends), "queue_time_max_ms": waited}  # fmt: skip

    @staticmethod
    def _weight(topic: Row, log: Row, slow: set[int]) -> float:
        weight: float = log["weight"]
        if log["leader"] in slow and topic["kind"] == "follows":
            return weight * float(topic["factor"])
        return weight / float(topic["factor"]) if log["leader"] in slow and topic["kind"] == "flees" else weight

    def _tables(self, at: datetime) -> dict[str, list[Row]]:
        rng = self.rng
        names = "brokers", "broker_metrics", "partitions", "request_times", "broker_topics", "topics"
        tables: dict[str, list[Row]] = {name: [] for name in names}
        for broker in self.brokers:
            read = at + timedelta(microseconds=rng.randrange(900_000))
            known = {"broker": broker, "read_at": read}
            rack = "a" if self.racks and broker > 2 else "b" if self.racks else ""
            tables["brokers"].append(
                known | {"is_broker": True, "host": "b", "rack": rack, "outcome": "ok", "missing": []}
            )
            tables["broker_metrics"].append(known | {"release": "3.2.3", "jvm_start_ms": 1_795_000_000_000})
            many = self.requests[broker]
            times = {"observations": many, "mean_ms": self.spent[broker] / many, "p50_ms": 2.0, "p99_ms": 50.0}
            tables["request_times"].append(known | times | {"request": "Produce", "phase": "TotalTimeMs"})
            for topic in self.topics:
                led = [(n, log) for n, log in enumerate(topic["logs"]) if log["leader"] == broker]
                if led and topic["name"] != "t2":  # the bytes of the third topic are not known
                    counts = {"topic": topic["name"], "bytes_in": 90 * sum(log["end"] for _n, log in led)}
                    tables["broker_topics"].append(known | counts | {"messages_in": 0, "produce_batches": 0})
                tables["partitions"] += [
                    known | {"topic": topic["name"], "partition": n, "log_end_offset": log["end"],
                             "log_start_offset": 0, "isr_count": 1, "replicas_count": 1}
                    for n, log in led
                ]  # fmt: skip
        tables["topics"] = [
            {"topic": topic["name"], "topic_id": "a" * 22, "partition": n, "leader": log["leader"], "internal": False,
             "replicas": [log["leader"]], "isr": [log["leader"]]}
            for topic in self.topics for n, log in enumerate(topic["logs"])
        ]  # fmt: skip
        tables["client_metrics"] = list(self._client_metrics(at))
        tables["sweeps"] = [{"ended_at": at, "admin_outcome": "ok", "admin_missing": []}]
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": "{}"}]
        return tables
