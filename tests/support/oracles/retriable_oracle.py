"""retriable_errors computed a second time, in plain Python: takes a day's raw rows, gives errors and detections.

Written from docs/signatures/retriable_errors.md alone; it shares nothing with the SQL but the meaning.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from support.oracles.signature_oracle import SignatureOracle

Row = dict[str, Any]
Sweep = tuple[str, datetime]
TABLES = "sweeps", "request_errors", "client_software", "broker_configs", "declarations", "client_metrics"
CAUSES = {
    "NOT_LEADER_OR_FOLLOWER": "election", "NOT_LEADER_FOR_PARTITION": "election", "LEADER_NOT_AVAILABLE": "election",
    "KAFKA_STORAGE_ERROR": "election", "NOT_ENOUGH_REPLICAS": "min_isr",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND": "min_isr", "REQUEST_TIMED_OUT": "timeout",
}  # fmt: skip


class RetriableOracle(SignatureOracle):
    """The raw day, with the tables that this signature reads besides those of the facts."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "errors", limits, TABLES)
        self.counts: dict[Any, dict[str, int]] = defaultdict(dict)
        self.shows: set[Any] = set()
        for row in self.raw["request_errors"]:
            self.shows.add(self._key(row))
            if row["request"] == "Produce":
                self.counts[self._key(row)][row["error"]] = row["errors"]
        for row in self.raw["brokers"]:
            release = (self.metrics.get(self._key(row)) or {}).get("release")
            if row["outcome"] == "ok" and release and not release.startswith("0."):
                self.shows.add(self._key(row))
        self.clients = dict(self._clients())

    def _config(self, cluster: str, name: str) -> str | None:
        """A setting at the last sweep of the day that read it; the largest where brokers differ."""
        rows = [row for row in self.raw["broker_configs"] if row["cluster"] == cluster and row["name"] == name]
        last = {row["broker"]: row for row in sorted(rows, key=lambda row: row["sweep_at"])}
        values = [row["value"] or "" for row in last.values()]
        return max(values) if values else None

    def _clients(self) -> Iterator[tuple[Sweep, tuple[float, float]]]:
        """Sweep -> nameless connections less the brokers' own, connections of old Java, by listener."""
        seen: dict[Sweep, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
        for row in self.raw["client_software"]:
            if row["connections"] > 0:
                counts = seen[row["cluster"], row["sweep_at"]][row["listener"]]
                counts[0] += row["connections"] * (row["software"] == "unknown")
                old = row["software"] == "apache-kafka-java" and re.match(r"(0|1|2\.0)\.", row["software_version"])
                counts[1] += row["connections"] * bool(old)
        for (cluster, sweep), listeners in seen.items():
            controllers = (self._config(cluster, "controller.listener.names") or "").split(",")
            own = self._config(cluster, "inter.broker.listener.name") or self._config(
                cluster, "security.inter.broker.protocol"
            )
            fetchers = int(self._config(cluster, "num.replica.fetchers") or 1)
            n = self._brokers(cluster, sweep)
            held = fetchers * n * (n - 1) + n * self._zookeeper(cluster)
            kept = {name: counts for name, counts in listeners.items() if name not in controllers}
            found = {name: (max(0.0, c[0] - held * (name == own)), c[1]) for name, c in kept.items()}
            if found:
                yield (cluster, sweep), found

    def _brokers(self, cluster: str, sweep: datetime) -> int:
        rows = [row for row in self.raw["brokers"] if row["cluster"] == cluster and row["sweep_at"] == sweep]
        return sum(row["host"] is not None for row in rows) or sum(row["is_broker"] for row in rows)

    def _zookeeper(self, cluster: str) -> bool:
        rows = [row for row in self.raw["broker_configs"] if row["cluster"] == cluster]
        return any(row["name"] == "zookeeper.connect" and row["source"] != "DEFAULT_CONFIG" for row in rows)

    def seen(self, cluster: str, sweep: datetime) -> tuple[float, float, float, float] | None:
        """nameless(s), nameless(before), old_java(s), old_java(before); None where brokers tell no libraries."""
        now = self.clients.get((cluster, sweep))
        if now is None:
            return None
        earlier = [r["sweep_at"] for r in self.raw["sweeps"] if r["cluster"] == cluster and r["sweep_at"] < sweep]
        before = self.clients.get((cluster, max(earlier)), {}) if earlier else now
        sums = [sum(counts[kind] for counts in found.values()) for kind in (0, 1) for found in (now, before)]
        return sums[0], sums[1], sums[2], sums[3]

    def fleets(self, cluster: str) -> list[Row]:
        """Declared producer fleets, by the last declaration of the day."""
        rows = [row for row in self.raw["declarations"] if row["cluster"] == cluster]
        last = max(rows, key=lambda row: row["sweep_at"])
        found: list[Row] = json.loads(last["declaration"]).get("client_configs", {}).get("producers", [])
        return found

    @staticmethod
    def _without(fleet: Row) -> bool:
        """Whether a declared fleet has no retries, by its owner's word or by the default of its releases."""
        old = fleet["software"] == "apache-kafka-java" and _old(fleet["version"])
        return fleet.get("retries") == 0 or ("retries" not in fleet and old)

    def may_lose(self, cluster: str, sweep: datetime) -> bool:
        """Whether producers that may not try again were connected, or are declared."""
        fleets, seen = self.fleets(cluster), self.seen(cluster, sweep)
        if any(fleet.get("retries") == 0 for fleet in fleets):
            return True
        old = any(f["software"] == "apache-kafka-java" and "retries" not in f and _old(f["version"]) for f in fleets)
        if seen is None:
            return old
        most, least = max(seen[:2]), min(seen[:2])
        return max(seen[2:]) > 0 or (most >= self.limits["min_nameless"] and least >= 1) or (old and most > 0)

    def errors(self) -> Iterator[Row]:
        """Produce errors by interval and code, with the interval's batches."""
        for span in self.intervals():
            ends = [(span["cluster"], span["broker"], span[at]) for at in ("from_sweep", "to_sweep")]
            readable = ends[1] in self.shows and (span["kind"] == "start" or ends[0] in self.shows)
            if not (span["same_process"] and span["seconds"] > 0 and readable):
                continue
            first = {} if span["kind"] == "start" else self.counts[ends[0]]
            deltas = {code: many - first.get(code, 0) for code, many in self.counts[ends[1]].items()}
            kept = {code: many for code, many in deltas.items() if many > 0}
            for code, many in kept.items():
                if code != "NONE":
                    yield {
                        **{name: span[name] for name in ("cluster", "broker", "kind", "to_sweep", "from_at", "to_at")},
                        "error": code,
                        "errors": many, "batches": sum(kept.values()), "cause": CAUSES.get(code),
                        "may_lose": self.may_lose(span["cluster"], span["to_sweep"]),
                    }  # fmt: skip

    def pushed(self) -> Iterator[Row]:
        """What each producer counted between two samples of one receiver; None where a counter ran back or lacks."""
        series: dict[Any, list[Row]] = defaultdict(list)
        for row in self.raw["client_metrics"]:
            client = row["client_instance_id"] or row["client_id"]
            series[row["cluster"], client, row["topic"], row["instance"]].append(row)
        for (cluster, client, topic, _instance), rows in series.items():
            for earlier, later in pairwise(sorted(rows, key=lambda row: row["sweep_at"])):
                if later["sweep_at"].date() == self.ds:
                    ends = {"from_at": earlier["read_at"], "to_at": later["read_at"], "to_sweep": later["sweep_at"]}
                    counts = {
                        name: _grown(earlier[f"record_{name}"], later[f"record_{name}"])
                        for name in ("errors", "retries")
                    }
                    if later["record_sends"] < earlier["record_sends"]:  # another process
                        counts["errors"] = None
                    known = {"so_far": later["record_retries"], "waited": later["queue_time_max_ms"]}
                    known |= {"release": later["software_version"], "client_id": later["client_id"]}
                    yield {"cluster": cluster, "client": client, "topic": topic, **ends, **counts, **known}

    def losses(self) -> Iterator[Row]:
        """What producers gave up when batches were refused, of those that send nothing again."""
        refused, push = list(self.errors()), timedelta(seconds=self.limits["max_push_s"])
        clients: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self.pushed():
            clients[row["cluster"], row["client"]].append(row)
        for (cluster, client), rows in clients.items():
            whole = [row for row in rows if row["topic"] is None]
            waits = [row["waited"] for row in whole if row["waited"] is not None]
            again = any(row["retries"] is None or row["so_far"] for row in whole)
            if again or not waits or max(waits) > self.limits["max_queue_ms"]:
                continue
            given_up = [row for row in rows if row["topic"] is not None and row["errors"]]
            causes = []
            for row in given_up:
                most = 2 * (row["to_at"] - row["from_at"] + push)
                causes.append({
                    (one["cause"], None if one["cause"] else one["error"])
                    for one in refused
                    if one["cluster"] == cluster and one["from_at"] < row["to_at"]
                    and one["to_at"] > row["from_at"] - push and one["to_at"] - one["from_at"] <= most
                })  # fmt: skip
            told = {row["release"] for row in whole} - {None}
            owned = [_old(fleet["version"]) and "java" in fleet["software"] for fleet in self.fleets(cluster)
                     if rows[0]["client_id"] in fleet.get("client_ids", ()) and self._without(fleet)]  # fmt: skip
            is_old = all(re.match(r"(0|1|2\.0)\.", one) for one in told) if told else bool(owned) and all(owned)
            if all(len(found) == 1 and next(iter(found))[0] for found in causes):
                for row, found in zip(given_up, causes, strict=True):
                    cause = next(iter(found))[0]
                    names = {name: row[name] for name in ("topic", "to_sweep")}
                    yield {"cluster": cluster, "cause": cause, "client": client, **names, "lost": row["errors"],
                           "lost_by_old": row["errors"] if is_old else None}  # fmt: skip

    def detections(self) -> Iterator[Row]:
        """What is detected, with its strength, its errors and their share."""
        proven = {(row["cluster"], row["cause"]) for row in self.losses()}
        losing: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self.errors():
            if row["cause"] and (row["may_lose"] or (row["cluster"], row["cause"]) in proven):
                losing[row["cluster"], row["cause"]].append(row)
        for (cluster, cause), rows in losing.items():
            errors = sum(row["errors"] for row in rows)
            batches = {(row["broker"], row["to_sweep"], row["kind"]): row["batches"] for row in rows}
            if errors >= self.limits["min_errors"]:
                strength = "conclusive" if (cluster, cause) in proven else "suggestive"
                share = errors / sum(batches.values())
                yield {"cluster": cluster, "cause": cause, "strength": strength, "errors": errors, "share": share}


def _grown(earlier: int | None, later: int | None) -> int | None:
    return None if earlier is None or later is None or later < earlier else later - earlier


def _old(versions: str) -> bool:
    """Whether a range of versions lies below 2.1 as a whole: one upper bound is enough."""
    for part in versions.split(","):
        sign, major, minor = re.fullmatch(r"\s*([<>=]*)\s*(\d+)\.(\d+).*", part).groups()  # type: ignore[union-attr]
        line = int(major), int(minor)
        if (sign == "<" and line <= (2, 1)) or (sign in ("<=", "=", "==", "") and line < (2, 1)):
            return True
    return False
