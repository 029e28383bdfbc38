"""fetch_latency computed a second time, in plain Python: takes a day's raw rows, gives excess, causes and detections.

Written from docs/signatures/fetch_latency.md; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from math import exp, expm1
from typing import Any

from fetch_reads_oracle import QUANTILES, FetchReads, Row, Window


def total(values: Iterable[float]) -> float:
    """A sum of fractions as they are summed there: to nine digits first."""
    return float(sum(Decimal(repr(value)).quantize(Decimal("1e-9"), ROUND_HALF_UP) for value in values))


class FetchOracle(FetchReads):
    """Windows, judged."""

    @cached_property
    def arrivals(self) -> dict[tuple[str, datetime, str, str, int], float]:
        """Batches per second of each partition: cluster, sweep, kind of the interval, topic, partition."""
        meters: dict[Any, list[Row]] = defaultdict(list)
        for row in self.topic_traffic():
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
    def legal(self) -> dict[Window, tuple[float, float]]:
        """Expiries that the group members at a broker may cause in a window, and their fetches."""
        replicas = {
            (r["cluster"], r["sweep_at"], r["topic"], r["partition"]): r["replicas"] for r in self.raw["topics"]
        }
        found: dict[Window, list[tuple[float, float]]] = defaultdict(list)
        for span in self.spans:
            cluster, broker, window, sweep = (span[n] for n in ("cluster", "broker", "time_window", "to_sweep"))
            for places in self.members[cluster, sweep].values():
                rates = []
                for topic, partition in places:
                    place = cluster, broker, topic, window
                    hosted = broker in replicas.get((cluster, sweep, topic, partition), ())
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

    @cached_property
    def judged(self) -> list[Row]:
        """Every window with what is left of its expiries, and the cause."""
        read: dict[Window, list[Row]] = defaultdict(list)
        for (cluster, broker, _topic, window), one in self.traffic.items():
            if one["bytes_out"] > 0:
                read[cluster, broker, window].append(one)
        found = [self._judged(key, one, read[key]) for key, one in self.windows.items()]
        return [{**one, "cause": self._cause(one)} for one in found]

    def _judged(self, key: Window, one: Row, read: list[Row]) -> Row:
        cluster, broker, window = key
        legal, legal_fetches = self.legal.get(key, (0.0, 0.0))
        off = legal + self.unspent.get((cluster, window), 0.0)
        node, metadata = self.nodes[cluster][broker], 0.0
        roles, release = node["settings"].get("process.roles") or "", node["release"] or ""
        if "controller" in roles and node["active"] and release.startswith(("2.8.", "3.0.", "3.1.", "3.2.")):
            each = 2 * (len(self.nodes[cluster]) - 1) * one["seconds"]
            metadata = min(one["fetches"] - one["expired"], each)
        excess, busy = one["expired"] - off, one["fetches"] - off - metadata
        rates = {row["topic"]: self.rates[cluster, row["topic"], window] for row in read}
        busiest = max(rates.values(), default=0.0)
        strange = [rate for topic, rate in rates.items() if (cluster, topic, window) not in self.readers]
        groups = {topic: self.readers.get((cluster, topic, window), []) for topic in rates}
        places = {
            "follower": {t: o["groups"] for (c, b, t, w), o in self.followers.items() if (c, b, w) == key},
            "redirect": {t: o["groups"] for (c, b, t, w), o in self.bypassed.items() if (c, b, w) == key},
            "min_bytes": groups,
        }
        unseen = [
            exp(-row["batches"] / row["seconds"] / max(row["leaders"], 1) * one["wait_s"])
            for row in read
            if (cluster, broker, row["topic"], window) not in self.seen
        ]
        follower_bytes = [o["bytes_out"] for (c, b, _t, w), o in self.followers.items() if (c, b, w) == key]
        return {
            **one, "legal_expired": legal, "legal_fetches": legal_fetches, "excess": excess, "busy_fetches": busy,
            "busy_ratio": excess / max(busy, 1), "batches_per_s": busiest if rates else None, "places": places,
            "prompt_share": (busy - excess) / max(busiest * one["seconds"], 1),
            "unseen_share": max(unseen, default=0.0),
            "legal_share": max([exp(-rate * one["wait_s"]) for rate in (*strange, busiest)]),
            "bytes_out": sum(follower_bytes) if follower_bytes else sum(row["bytes_out"] for row in read),
        }  # fmt: skip

    def _cause(self, one: Row) -> str | None:
        limits, places = self.limits, one["places"]
        clear = one["busy_ratio"] - one["legal_share"] >= limits["min_margin"]
        late = clear and one["prompt_share"] < limits["max_prompt_share"]
        if places["follower"]:
            return "follower" if late and one["busy_ratio"] >= limits["min_ratio"] else None
        if places["redirect"]:
            groups = {group for found in places["redirect"].values() for group in found}
            most = limits["max_redirect_rate"] * one["seconds"] / one["wait_s"] * max(1, len(groups))
            return "redirect" if not places["min_bytes"] and 0 < one["excess"] <= most else None
        unlikely = one["busy_ratio"] - one["unseen_share"] >= limits["min_unseen_margin"]
        return "min_bytes" if late and unlikely and one["busy_ratio"] >= limits["min_bytes_ratio"] else None

    def detections(self) -> Iterator[Row]:
        """One row per broker and cause, without those of the network thread's poll."""
        causes: dict[tuple[str, int, str], list[Row]] = defaultdict(list)
        for one in self.judged:
            if one["cause"] is not None:
                causes[one["cluster"], one["broker"], one["cause"]].append(one)
        for (cluster, broker, cause), rows in causes.items():
            excess, least = (
                total(row["excess"] for row in rows),
                "min_redirects" if cause == "redirect" else "min_expired",
            )
            long = sum(row["seconds"] for row in rows) >= self.limits["min_seconds"]
            if not long or excess < self.limits[least]:
                continue
            named = [row["places"][cause] for row in rows]
            topics = sorted({topic for found in named for topic in found})
            groups = sorted({group for found in named for some in found.values() for group in some})
            sums = {n: sum(row[n] for row in rows) for n in ("expired", "fetches", "legal_expired", "legal_fetches")}
            known = [row["batches_per_s"] for row in rows if row["batches_per_s"] is not None]
            proven = cause != "min_bytes" and self.groups_read(cluster)
            yield {
                "cluster": cluster, "cause": cause, "strength": "conclusive" if proven else "suggestive",
                "subjects": [f"broker {broker}", *(f"topic {t}" for t in topics), *(f"group {g}" for g in groups)],
                "bounds": None, "evidence": {
                    "expired_ratio": sums["expired"] / sums["fetches"], "excess": excess,
                    "busy_ratio": excess / max(1, total(row["busy_fetches"] for row in rows)),
                    "healthy_ratio": sums["legal_expired"] / sums["legal_fetches"] if sums["legal_fetches"] else None,
                    "bytes_out": sum(row["bytes_out"] for row in rows), "batches_per_s": max(known, default=None),
                    **_share_at_wait(max(rows, key=lambda row: row["to_at"])),
                },
            }  # fmt: skip

    def polls(self) -> Iterator[Row]:
        """Brokers with a TLS listener whose fetches take one poll of the network thread and do not wait so long."""
        poll = self.limits["tls_poll_ms"]
        taken = {self._key(row): row for row in self.raw["request_times"] if row["phase"] == "TotalTimeMs"}
        found: dict[tuple[str, int], list[Row]] = defaultdict(list)
        for (cluster, broker, _window), one in self.windows.items():
            row = taken.get((cluster, broker, one["to_sweep"]))
            protocols = self.nodes[cluster][broker]["settings"].get("listener.security.protocol.map") or ""
            if row is None or None in (row["p75_ms"], row["p95_ms"], one["p75_ms"]) or "SSL" not in protocols:
                continue
            sits = all(poll - 5 <= row[name] <= poll + 20 for name in ("p75_ms", "p95_ms"))
            if sits and one["p75_ms"] < 0.5 * poll:
                found[cluster, broker].append({**one, "total_ms": row["p95_ms"]})
        for (cluster, broker), rows in found.items():
            last = max(rows, key=lambda row: row["to_at"])["total_ms"]
            fetches, expired = (sum(row[name] for row in rows) for name in ("fetches", "expired"))
            if sum(row["seconds"] for row in rows) >= self.limits["min_seconds"]:
                sitting = {**dict.fromkeys(QUANTILES), "p95_ms": last, "wait_s": last / 1000}
                ratio = {"expired_ratio": expired / fetches if fetches else None}
                yield {"cluster": cluster, "cause": "tls_poll", "strength": "suggestive",
                       "subjects": [f"broker {broker}"], "bounds": None,
                       "evidence": ratio | _share_at_wait(sitting)}  # fmt: skip

    def unmeasured(self) -> set[str]:
        """Clusters of which too few brokers were read twice."""
        seen = {(span["cluster"], span["broker"]) for span in self.spans}
        low = self.limits["min_coverage"]
        return {
            cluster for cluster, nodes in self.nodes.items()
            if sum((cluster, node) in seen for node in nodes) < low * len(nodes)
        }  # fmt: skip

    def groups_read(self, cluster: str) -> bool:
        """Whether any sweep of the day read groups."""
        return any(
            row["cluster"] == cluster and row["sweep_at"].date() == self.ds and row["admin_outcome"] != "failed"
            and "groups" not in row["admin_missing"]
            for row in self.raw["sweeps"]
        )  # fmt: skip


def _legal(rate: float, wait: float, seconds: float) -> tuple[float, float]:
    """Expiries and fetches of a reader for whom so many batches arrive per second."""
    if rate * wait < 1e-6:
        return seconds / wait, seconds / wait
    return seconds * rate / expm1(min(rate * wait, 700)), seconds * rate / -expm1(-rate * wait)


def _share_at_wait(one: Row) -> dict[str, float]:
    """Bounds of the share of fetches that waited so long: quantiles near the wait, and those beside them."""
    wait, near = 1000 * one["wait_s"], max(5, 20 * one["wait_s"])
    shares = dict(zip(QUANTILES, (0.5, 0.75, 0.95, 0.98, 0.99, 0.999), strict=True))
    knots = [(0.0, -1.0), (1.0, 1e9), *((shares[n], one[n]) for n in QUANTILES if one[n] is not None)]
    upto, within = (max(p for p, ms in knots if ms <= wait + near), min(p for p, ms in knots if ms >= wait - near))
    above, below = (min(p for p, ms in knots if ms > wait + near), max(p for p, ms in knots if ms < wait - near))
    return {"wait_ms": wait, "mass_at_least": max(0.0, upto - within), "mass_at_most": above - below}
