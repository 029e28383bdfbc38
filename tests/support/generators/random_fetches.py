"""Random raw rows of consumer fetches: takes a random source, gives sweeps of a small cluster that groups read from.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
METERS = "messages_in", "bytes_in", "bytes_out", "produce_batches", "fetch_reads"


class RandomFetches:
    """One cluster: topics that are written at some rate, and groups that read them from leaders or followers."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.brokers = list(range(1, rng.randint(1, 3) + 1))
        self.release = rng.choice(("2.8.2", "3.1.2", "3.3.1", "3.9.1"))
        self.every = rng.choice((20, 300, 600))
        self.calm = rng.random() < 0.6  # nothing fails to be read
        self.started = dict.fromkeys(self.brokers, 1_795_130_000_000)
        self.fetches = {broker: [100, 30] for broker in self.brokers}  # made, expired
        self.plateau = rng.choice((None, None, 500.0, 501.0, 300.0, 1000.0))
        self.tls = rng.random() < 0.3
        self.topics = [self._topic(number) for number in range(rng.randint(1, 3))]
        self.groups = [self._group(number) for number in range(rng.randint(0, 3))]
        self.roles = rng.choice(("broker", "broker,controller", ""))
        self.blind = rng.random() < 0.1  # groups are never read
        self.selector = rng.choice(("", "org.apache.kafka.common.replica.RackAwareReplicaSelector"))

    def _topic(self, number: int) -> Row:
        rng = self.rng
        logs = []
        for _ in range(rng.randint(1, 4)):
            replicas = rng.sample(self.brokers, rng.randint(1, len(self.brokers)))
            logs.append({"replicas": replicas, "end": 1000})
        meters = {broker: dict.fromkeys(METERS, 50) for broker in self.brokers}
        return {"name": f"t{number}", "logs": logs, "rate": rng.choice((0.0, 0.2, 1.0, 5.0, 40.0)), "meters": meters,
                "per_batch": rng.choice((1, 1, 4)), "size": rng.choice((10, 100)),
                "read": rng.choice(("leader", "follower", "both", "nobody"))}  # fmt: skip

    def _group(self, number: int) -> Row:
        rng = self.rng
        members: list[list[tuple[str, int]]] = [[] for _ in range(rng.choice((1, 1, 2, 12)))]
        offsets = {}
        for topic in self.topics:
            if rng.random() < 0.7:
                for partition in range(len(topic["logs"])):
                    rng.choice(members).append((topic["name"], partition))
                    offsets[topic["name"], partition] = 900
        return {"name": f"g{number}", "members": members, "offsets": offsets}

    def sweeps(self) -> Iterator[tuple[str, datetime, dict[str, list[Row]]]]:
        """Sweeps of the day, in order, with the rows that fetches are judged by."""
        at = MIDNIGHT + timedelta(seconds=self.rng.uniform(-2, 1) * self.every)
        for _ in range(self.rng.randint(3, 9)):
            seconds = self.every * self.rng.uniform(0.5, 1.5)
            at += timedelta(microseconds=round(1e6 * seconds))
            self._step(at, seconds)
            yield self.cluster, at, self._tables(at)

    def _step(self, at: datetime, seconds: float) -> None:
        rng = self.rng
        for broker in self.brokers:
            if not self.calm and rng.random() < 0.05:
                self.started[broker] = round(1000 * (at.timestamp() - 0.6 * seconds))
                self.fetches[broker] = [0, 0]
                for topic in self.topics:
                    topic["meters"][broker] = dict.fromkeys(METERS, 0)
            made = round(seconds * rng.choice((0, 0.05, 1, 2, 5, 40)))
            self.fetches[broker][0] += made
            self.fetches[broker][1] += round(made * rng.choice((0, 0, 0.05, 0.3, 0.6, 0.95, 1.0)))
        for topic in self.topics:
            self._write(topic, seconds)
        for group in self.groups:
            for (name, partition), offset in group["offsets"].items():
                end = next(t for t in self.topics if t["name"] == name)["logs"][partition]["end"]
                group["offsets"][name, partition] = rng.choice((offset, end, end))

    def _write(self, topic: Row, seconds: float) -> None:
        rng = self.rng
        read = [group for group in self.groups if any(name == topic["name"] for name, _p in group["offsets"])]
        for log in topic["logs"]:
            many = round(topic["rate"] * seconds * rng.uniform(0.5, 1.5))
            log["end"] += many
            meters = topic["meters"][log["replicas"][0]]
            meters["messages_in"] += many
            meters["produce_batches"] += -(-many // topic["per_batch"])
            meters["bytes_in"] += many * topic["size"]
            where = {"leader": [log["replicas"][0]], "nobody": [], "follower": log["replicas"][1:2],
                     "both": log["replicas"][:2]}[topic["read"]]  # fmt: skip
            for broker in where:
                share = rng.choice((0.3, 1, 1, 1.2))
                topic["meters"][broker]["bytes_out"] += round(many * topic["size"] * max(1, len(read)) * share)
        if rng.random() < 0.05:
            rng.choice(topic["logs"])["replicas"].reverse()

    def _tables(self, at: datetime) -> dict[str, list[Row]]:
        names = (
            "brokers", "broker_metrics", "requests", "request_times", "broker_topics", "partitions", "broker_configs",
            "topics", "groups", "group_members", "group_assignments", "group_offsets",
        )  # fmt: skip
        rng = self.rng
        tables: dict[str, list[Row]] = {name: [] for name in names}
        failed = not self.calm and rng.random() < 0.06
        unread = self.blind or (not self.calm and rng.random() < 0.1)
        missing = ["groups", "group_offsets"] if unread else []
        for broker in self.brokers:
            silent = not self.calm and rng.random() < 0.05
            read = None if silent else at + timedelta(microseconds=rng.randrange(900_000))
            row = {"broker": broker, "is_broker": True, "host": None if failed else "b", "missing": []}
            tables["brokers"].append(row | {"read_at": read, "outcome": "failed" if silent else "ok"})
            if read is not None:
                self._read(tables, {"broker": broker, "read_at": read})
            if not failed:
                protocol = "EXTERNAL:SSL,INTERNAL:PLAINTEXT" if self.tls else "EXTERNAL:PLAINTEXT"
                settings = {"listener.security.protocol.map": protocol, "process.roles": self.roles}
                settings["replica.selector.class"] = self.selector
                tables["broker_configs"] += [
                    {"broker": broker, "name": name, "value": value, "redacted": False, "is_default": False,
                     "source": "STATIC_BROKER_CONFIG"}
                    for name, value in {**settings, "listeners": "EXTERNAL://:9093"}.items()
                ]  # fmt: skip
        if not failed:
            tables["topics"] = [
                {"topic": topic["name"], "topic_id": "a" * 22, "partition": number, "leader": log["replicas"][0],
                 "internal": False, "replicas": list(log["replicas"]), "isr": list(log["replicas"])}
                for topic in self.topics for number, log in enumerate(topic["logs"])
            ]  # fmt: skip
            if not missing:
                self._group_rows(tables, at)
        gone = ["topics", "groups", "group_offsets"] if failed else missing
        outcome = "failed" if failed else "partial" if missing else "ok"
        tables["sweeps"] = [{"ended_at": at, "admin_outcome": outcome, "admin_missing": gone}]
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": "{}"}]
        return tables

    def _group_rows(self, tables: dict[str, list[Row]], at: datetime) -> None:
        for group in self.groups:
            known = {"group_id": group["name"]}
            tables["groups"].append(known | {"state": "Stable", "protocol_type": "consumer"})
            for number, places in enumerate(group["members"]):
                member = known | {"member_id": f"m{number}"}
                tables["group_members"].append(member | {"client_id": "c", "client_host": "/127.0.0.1"})
                tables["group_assignments"] += [member | {"topic": t, "partition": p} for t, p in places]
            tables["group_offsets"] += [
                known | {"topic": t, "partition": p, "committed_offset": offset, "read_at": at}
                for (t, p), offset in group["offsets"].items()
            ]  # fmt: skip

    def _read(self, tables: dict[str, list[Row]], known: Row) -> None:
        rng, broker = self.rng, known["broker"]
        made, expired = self.fetches[broker]
        lacks = not self.calm and rng.random() < 0.04
        tables["broker_metrics"].append(known | {
            "release": self.release, "jvm_start_ms": self.started[broker], "active_controller": int(broker == 1),
            "expired_consumer_fetches": None if lacks else expired,
        })  # fmt: skip
        old = made // 3
        for version, many in (("11", old), ("12", made - old)):
            tables["requests"].append(known | {"request": "FetchConsumer", "version": version, "requests": many})
        wait = self.plateau
        remote = wait if not self.tls or wait != 300.0 else 1.0  # the poll's time is not the wait
        for phase, value in (("RemoteTimeMs", remote), ("TotalTimeMs", wait)):
            times = {"observations": made, "min_ms": 0.0, "max_ms": value, "mean_ms": value}
            times |= dict.fromkeys(("p50_ms", "p75_ms", "p95_ms", "p98_ms", "p99_ms", "p999_ms"), value)
            tables["request_times"].append(known | times | {"request": "FetchConsumer", "phase": phase})
        for topic in self.topics:
            hosted = [(n, log) for n, log in enumerate(topic["logs"]) if broker in log["replicas"]]
            if hosted:
                tables["broker_topics"].append(known | topic["meters"][broker] | {"topic": topic["name"]})
            for number, log in hosted:
                count = len(log["replicas"]) if log["replicas"][0] == broker else 0
                tables["partitions"].append(known | {
                    "topic": topic["name"], "partition": number, "log_end_offset": log["end"], "log_start_offset": 0,
                    "isr_count": count, "replicas_count": count,
                })  # fmt: skip
