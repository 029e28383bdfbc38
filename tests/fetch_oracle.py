"""fetch_latency judged a second time, in plain Python: takes windows and what is legal there, gives detections.

Written from docs/signatures/fetch_latency.md; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from math import exp

from fetch_legal_oracle import FetchLegal, total
from fetch_reads_oracle import QUANTILES, Row, Window


class FetchOracle(FetchLegal):
    """Windows, judged."""

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


def _share_at_wait(one: Row) -> dict[str, float]:
    """Bounds of the share of fetches that waited so long: quantiles near the wait, and those beside them."""
    wait, near = 1000 * one["wait_s"], max(5, 20 * one["wait_s"])
    shares = dict(zip(QUANTILES, (0.5, 0.75, 0.95, 0.98, 0.99, 0.999), strict=True))
    knots = [(0.0, -1.0), (1.0, 1e9), *((shares[n], one[n]) for n in QUANTILES if one[n] is not None)]
    upto, within = (max(p for p, ms in knots if ms <= wait + near), min(p for p, ms in knots if ms >= wait - near))
    above, below = (min(p for p, ms in knots if ms > wait + near), max(p for p, ms in knots if ms < wait - near))
    return {"wait_ms": wait, "mass_at_least": max(0.0, upto - within), "mass_at_most": above - below}
