"""What of fetch_latency is legal, a second time: takes raw rows, gives the expiries that idle readers may cause.

Written from docs/signatures/fetch_latency.md; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from math import expm1
from typing import Any

from support.oracles.fetch_reads_oracle import FetchReads, Row, Window


def total(values: Iterable[float]) -> float:
    """A sum of fractions as they are summed there: to nine digits first."""
    return float(sum(Decimal(repr(value)).quantize(Decimal("1e-9"), ROUND_HALF_UP) for value in values))


class FetchLegal(FetchReads):
    """Readers at a broker and what they may wait for."""

    @cached_property
    def arrivals(self) -> dict[tuple[str, datetime, str, str, int], float]:
        """Batches per second of each partition: cluster, sweep, kind of the interval, topic, partition."""
        meters: dict[Any, list[Row]] = defaultdict(list)
        for row in self.topic_counters():
            meters[row["cluster"], row["to_sweep"], row["kind"], row["topic"]].append(row)
        rates: dict[Any, float] = {}
        for row in self.partition_rates():
            if not row["went_back"]:
                key = row["cluster"], row["to_sweep"], row["topic"], row["partition"]
                rates[key] = max(rates.get(key, 0.0), row["records"] / row["seconds"])
        sizes: dict[Any, int] = defaultdict(int)
        for cluster, sweep, topic, _partition in self.leaders:
            sizes[cluster, sweep, topic] += 1
        found = {}
        for cluster, sweep, topic, partition in self.leaders:
            for kind in ("sweeps", "start"):
                rows = meters[cluster, sweep, kind, topic]
                batches, records = (sum(row[name] for row in rows) for name in ("produce_batches", "messages_in"))
                rate = rates.get((cluster, sweep, topic, partition)) if kind == "sweeps" else None
                share = total(row["produce_batches"] / row["seconds"] for row in rows) / sizes[cluster, sweep, topic]
                own = share if rate is None else rate / (max(1.0, records / batches) if batches else 1.0)
                found[cluster, sweep, kind, topic, partition] = own
        return found

    @cached_property
    def members(self) -> dict[Any, dict[Any, list[tuple[str, int]]]]:
        """(cluster, sweep) -> (group, member) -> partitions that are assigned to it."""
        found: dict[Any, dict[Any, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
        for row in self.raw["group_assignments"]:
            member = found[row["cluster"], row["sweep_at"]][row["group_id"], row["member_id"]]
            member.append((row["topic"], row["partition"]))
        return found

    @cached_property
    def replicas(self) -> dict[Any, list[int]]:
        """Brokers of each partition: cluster, sweep, topic, partition."""
        return {(r["cluster"], r["sweep_at"], r["topic"], r["partition"]): r["replicas"] for r in self.raw["topics"]}

    @cached_property
    def legal(self) -> dict[Window, tuple[float, float]]:
        """Expiries that the group members at a broker may cause in a window, and their fetches."""
        found: dict[Window, list[tuple[float, float]]] = defaultdict(list)
        for span in self.spans:
            cluster, broker, window, sweep = (span[n] for n in ("cluster", "broker", "time_window", "to_sweep"))
            for places in self.members[cluster, sweep].values():
                rates = []
                for topic, partition in places:
                    place = cluster, broker, topic, window
                    hosted = broker in self.replicas.get((cluster, sweep, topic, partition), ())
                    led = self.leaders.get((cluster, sweep, topic, partition)) == broker
                    if hosted and place not in self.bypassed and (led or place in self.followers):
                        rates.append(self.arrivals[cluster, sweep, span["kind"], topic, partition])
                if rates:
                    wait = self.windows[cluster, broker, window]["wait_s"]
                    found[cluster, broker, window].append(_legal(total(rates), wait, span["seconds"]))
        return {key: (total(e for e, _f in some), total(f for _e, f in some)) for key, some in found.items()}

    @cached_property
    def seen(self) -> set[tuple[str, int, str, int]]:
        """Topics of which a member was seen that is assigned a partition the broker leads."""
        found = set()
        for span in self.spans:
            cluster, broker, window, sweep = (span[n] for n in ("cluster", "broker", "time_window", "to_sweep"))
            for topic, partition in (place for places in self.members[cluster, sweep].values() for place in places):
                if self.leaders.get((cluster, sweep, topic, partition)) == broker:
                    found.add((cluster, broker, topic, window))
        return found

    @cached_property
    def unspent(self) -> dict[tuple[str, int], float]:
        """Legal expiries of a window that no broker of the cluster showed."""
        found: dict[tuple[str, int], list[float]] = defaultdict(list)
        for (cluster, broker, window), (expired, _fetches) in self.legal.items():
            shown = self.windows[cluster, broker, window]["expired"]
            found[cluster, window].append(max(0.0, (1 - self.limits["missing_share"]) * expired - shown))
        return {key: total(values) for key, values in found.items()}

    @cached_property
    def rates(self) -> dict[tuple[str, str, int], float]:
        """Batches per second that arrive in a topic."""
        found: dict[tuple[str, str, int], list[float]] = defaultdict(list)
        for (cluster, _broker, topic, window), one in self.traffic.items():
            found[cluster, topic, window].append(one["batches"] / one["seconds"])
        return {key: total(values) for key, values in found.items()}

    @cached_property
    def nodes(self) -> dict[str, dict[int, Row]]:
        """Nodes of the day with their last release, whether any read saw the active controller there, and settings."""
        found: dict[str, dict[int, Row]] = defaultdict(dict)
        for row in self.raw["brokers"]:
            if row["sweep_at"].date() == self.ds:
                found[row["cluster"]][row["broker"]] = {"release": None, "active": False, "settings": {}}
        for row in sorted(self.raw["broker_metrics"], key=lambda row: row["sweep_at"]):
            if row["sweep_at"].date() == self.ds:
                node = found[row["cluster"]][row["broker"]]
                node["release"], node["active"] = row["release"], node["active"] or row["active_controller"] == 1
        for row in sorted(self.raw["broker_configs"], key=lambda row: row["sweep_at"]):
            if row["sweep_at"].date() == self.ds:
                found[row["cluster"]][row["broker"]]["settings"][row["name"]] = row["value"]
        return found


def _legal(rate: float, wait: float, seconds: float) -> tuple[float, float]:
    """Expiries and fetches of a reader for whom so many batches arrive per second."""
    if rate * wait < 1e-6:
        return seconds / wait, seconds / wait
    return seconds * rate / expm1(min(rate * wait, 700)), seconds * rate / -expm1(-rate * wait)
