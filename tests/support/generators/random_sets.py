"""Random raw rows of in-sync sets: takes a random source, gives sweeps of a small cluster whose sets do what they like.

Nothing here is a healthy or a faulty cluster: values are drawn so that every branch of a definition is taken somewhere.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

Row = dict[str, Any]
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)


class RandomSets:
    """One cluster: brokers with processes, partitions with sets that change now and then."""

    def __init__(self, rng: Random, cluster: str) -> None:
        self.rng, self.cluster = rng, cluster
        self.brokers = list(range(1, rng.randint(2, 4) + 1))
        self.started = dict.fromkeys(self.brokers, 1_795_000_000_000)
        self.expands = dict.fromkeys(self.brokers, 0)
        self.reassigning = dict.fromkeys(self.brokers, 0)
        self.gone: set[int] = set()
        self.partitions: list[Row] = []
        for number in range(rng.randint(2, 6)):
            replicas = rng.sample(self.brokers, rng.randint(2, len(self.brokers)))
            self.partitions.append({
                "number": number, "replicas": replicas, "leader": replicas[0], "isr": set(replicas), "end": 1000,
                "rate": rng.choice((0, 3, 500)), "lag": dict.fromkeys(replicas, 0), "hidden": False, "id": "a" * 22,
                "habit": rng.choice(("steady", "steady", "erratic")),
            })  # fmt: skip
        self.every = rng.choice((40, 90, 300, 700))
        self.calm = rng.random() < 0.5  # no restarts, failed reads or missing metadata

    def sweeps(self) -> Iterator[tuple[str, datetime, dict[str, list[Row]]]]:
        """Sweeps of the day, in order, with the rows that in-sync sets are judged by."""
        at = MIDNIGHT + timedelta(seconds=self.rng.uniform(-2, 1) * self.every)
        for _ in range(self.rng.randint(6, 14)):
            at += timedelta(microseconds=round(1e6 * self.every * self.rng.uniform(0.5, 1.5)))
            self._step()
            yield self.cluster, at, self._tables(at)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _step(self) -> None:
        rng = self.rng
        for broker in self.brokers:
            self.expands[broker] += self._chance(0.15) * rng.randint(1, 3)
            self.reassigning[broker] = int(self._chance(0.06))
            if not self.calm and self._chance(0.04):
                self.started[broker] += 40_000
                self.expands[broker] = 0
        if self._chance(0.1):
            self.gone ^= {rng.choice(self.brokers)}
        for one in self.partitions:
            restless = 0.25 if one["habit"] == "erratic" else 0.04
            if self._chance(restless):
                one["isr"] = {b for b in one["replicas"] if self._chance(0.6)} | {one["leader"]}
            if self._chance(restless / 4) and one["leader"] is not None:
                one["leader"] = rng.choice(sorted(one["isr"]))
            one["hidden"] ^= self._chance(restless)  # the leader's own count is lower than what the controller tells
            one["end"] += round(one["rate"] * rng.choice((0, 1, 1, 1)) * self.every / 10)
            one["id"] = "b" * 22 if self._chance(0.01) else one["id"]
            for broker in one["replicas"]:
                if self._chance(0.3):
                    one["lag"][broker] = rng.choice((0, 0, 0, 5, 11, 400, 100_000))

    def _tables(self, at: datetime) -> dict[str, list[Row]]:
        rng = self.rng
        tables: dict[str, list[Row]] = {
            name: [] for name in ("brokers", "broker_metrics", "partitions", "fetcher_lags")
        }
        failed = not self.calm and self._chance(0.05)
        for broker in self.brokers:
            read = at + timedelta(microseconds=rng.randrange(20_000, 3_000_000))
            silent = not self.calm and self._chance(0.06)
            host = None if failed or broker in self.gone else f"broker-{broker}"
            row = {"broker": broker, "is_broker": True, "host": host, "read_at": None if silent else read,
                   "outcome": "failed" if silent else "ok", "missing": []}  # fmt: skip
            tables["brokers"].append(row)
            if not silent:
                known = {"broker": broker, "read_at": read}
                tables["broker_metrics"].append(known | self._metrics(broker))
                for one in (one for one in self.partitions if broker in one["replicas"]):
                    self._log(tables, known, one)
        if not failed:
            tables["topics"] = [self._told(one) for one in self.partitions]
        outcome = {"admin_outcome": "failed", "admin_missing": ["topics"]} if failed else {}
        tables["sweeps"] = [{"ended_at": at, "admin_outcome": "ok", "admin_missing": [], **outcome}]
        tables["declarations"] = [{"environment": "staging", "owners": [], "declaration": "{}"}]
        return tables

    def _told(self, one: Row) -> Row:
        isr = one["replicas"] if one["hidden"] else one["isr"]
        return {"topic": "t", "topic_id": one["id"], "partition": one["number"], "leader": one["leader"],
                "internal": False, "replicas": one["replicas"], "isr": sorted(isr)}  # fmt: skip

    def _metrics(self, broker: int) -> Row:
        broken = self.every == 90 and broker == self.brokers[-1] and self.expands[broker] % 2
        return {"release": "2.8.2", "fetcher_failed_partitions": int(broken), "fetcher_dead_threads": 0,
                "jvm_start_ms": self.started[broker], "isr_expands": self.expands[broker], "isr_shrinks": 0,
                "failed_isr_updates": 0, "partition_count": len(self.partitions),
                "reassigning_partitions": self.reassigning[broker]}  # fmt: skip

    def _log(self, tables: dict[str, list[Row]], known: Row, one: Row) -> None:
        leads = one["leader"] == known["broker"]
        lag = 0 if leads else one["lag"][known["broker"]]
        place = {"topic": "t", "partition": one["number"]}
        tables["partitions"].append(known | place | {
            "log_end_offset": max(0, one["end"] - lag), "log_start_offset": 0, "size_bytes": 0,
            "isr_count": len(one["isr"]) if leads else 0, "replicas_count": len(one["replicas"]) if leads else 0,
        })  # fmt: skip
        if not leads and self._chance(0.7):
            tables["fetcher_lags"].append(known | place | {"client_id": "ReplicaFetcherThread-0-1", "lag": lag})
