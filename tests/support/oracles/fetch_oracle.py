"""fetch_latency judged a second time, in plain Python: takes windows and what is legal there, gives detections.

Written from docs/signatures/fetch_latency.md; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from math import exp

from support.oracles.fetch_answers_oracle import FetchAnswers
from support.oracles.fetch_legal_oracle import total
from support.oracles.fetch_reads_oracle import QUANTILES, Row, Window


class FetchOracle(FetchAnswers):
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
        batches, whole = self.delivered(key)
        rates = {row["topic"]: self.rates[cluster, row["topic"], window] for row in read}
        busiest = max(rates.values(), default=0.0)
        strange = [rate for topic, rate in rates.items() if (cluster, topic, window) not in self.readers]
        groups = {topic: self.readers.get((cluster, topic, window), []) for topic in rates}
        places = {
            "follower": {t: o["groups"] for (c, b, t, w), o in self.followers.items() if (c, b, w) == key},
            "redirect": {t: o["groups"] for (c, b, t, w), o in self.bypassed.items() if (c, b, w) == key},
            "min_bytes": groups,
        }
        if self.nodes[cluster][broker]["settings"].get("replica.selector.class"):
            partly = [row for row in read if row["replicas"] > row["leaders"]]
            places["selected"] = {row["topic"]: groups[row["topic"]] for row in partly}
        unseen = [
            exp(-row["batches"] / row["seconds"] / max(row["leaders"], 1) * one["wait_s"])
            for row in read
            if (cluster, broker, row["topic"], window) not in self.seen
        ]
        return {
            **one, "legal_expired": legal, "legal_fetches": legal_fetches, "excess": excess, "busy_fetches": busy,
            "busy_ratio": excess / max(busy, 1), "batches_per_s": busiest if rates else None, "places": places,
            "prompt_share": (busy - excess) / max(busiest * one["seconds"], 1),
            "unseen_share": max(unseen, default=0.0),
            "legal_share": max([exp(-rate * one["wait_s"]) for rate in (*strange, busiest)]),
            "delivered": batches, "whole": whole, "polled": key in self.polled,
            "delayed": self.delayed(key), "sent": {row["topic"]: row["bytes_out"] for row in read},
        }  # fmt: skip

    def _cause(self, one: Row) -> str | None:
        limits, places = self.limits, one["places"]
        clear = one["busy_ratio"] - one["legal_share"] >= limits["min_margin"]
        late = clear and one["prompt_share"] < limits["max_prompt_share"] and not self._served(one)
        if places["follower"]:
            return "follower" if late and one["busy_ratio"] >= limits["min_ratio"] else None
        if places["redirect"]:
            groups = {group for found in places["redirect"].values() for group in found}
            most = limits["max_redirect_rate"] * one["seconds"] / one["wait_s"] * max(1, len(groups))
            known = not places["min_bytes"] and not one["polled"]
            return "redirect" if known and 0 < one["excess"] <= most else None
        unlikely, elsewhere = one["busy_ratio"] - one["unseen_share"], places.get("selected")
        least = limits["min_selected_ratio" if elsewhere else "min_bytes_ratio"]
        if not late or unlikely < limits["min_unseen_margin"] or one["busy_ratio"] < least:
            return None
        return "follower" if elsewhere else "min_bytes"

    def _served(self, one: Row) -> bool:
        """As many prompt answers as batches went out; not many more, where those may be redirects and carry nothing."""
        share, prompt = self.limits["max_prompt_share"], one["busy_fetches"] - one["excess"]
        if prompt < share * max(1.0, one["delivered"]):
            return False
        redirects = one["places"].get("selected") and one["whole"]
        return not redirects or bool(prompt <= one["delivered"] / share + self.limits["min_expired"])

    def delayed(self, key: Window) -> int:
        """Group members at a broker with partitions there of one topic alone, which is read from it as a follower."""
        cluster, broker, window = key
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for span in self.spans:
            if (span["cluster"], span["broker"], span["time_window"]) == key:
                for name, places in self.members[cluster, span["to_sweep"]].items():
                    found[name] |= {
                        topic for topic, partition in places
                        if broker in self.replicas.get((cluster, span["to_sweep"], topic, partition), ())
                    }  # fmt: skip
        return sum(
            len(topics) == 1 and (cluster, broker, *topics, window) in self.followers for topics in found.values()
        )

    def _proven(self, one: Row) -> bool:
        """Sweeps close together, and expiries that the members seen can make; or redirects."""
        if one["longest_s"] > self.limits["max_interval_s"]:
            return False
        most = (1 + self.limits["min_margin"]) * one["seconds"] / one["wait_s"] * one["delayed"]
        return one["cause"] == "redirect" or bool(
            one["cause"] == "follower" and one["places"]["follower"] and one["excess"] <= most
        )

    def detections(self) -> Iterator[Row]:
        """One row per broker and cause."""
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
            named = [_places(row) for row in rows]
            topics = sorted({topic for found in named for topic in found})
            groups = sorted({group for found in named for some in found.values() for group in some})
            sums = {n: sum(row[n] for row in rows) for n in ("expired", "fetches", "legal_expired", "legal_fetches")}
            known = [row["batches_per_s"] for row in rows if row["batches_per_s"] is not None]
            sure = [row for row in rows if self._proven(row)]
            proven = (
                sum(row["seconds"] for row in sure) >= self.limits["min_seconds"]
                and total(row["excess"] for row in sure) >= self.limits[least]
            )
            yield {
                "cluster": cluster, "cause": cause, "strength": "conclusive" if proven else "suggestive",
                "subjects": [f"broker {broker}", *(f"topic {t}" for t in topics), *(f"group {g}" for g in groups)],
                "bounds": None, "evidence": {
                    "expired_ratio": sums["expired"] / sums["fetches"], "excess": excess,
                    "busy_ratio": excess / max(1, total(row["busy_fetches"] for row in rows)),
                    "healthy_ratio": sums["legal_expired"] / sums["legal_fetches"] if sums["legal_fetches"] else None,
                    "batches_per_s": max(known, default=None),
                    "bytes_out": sum(row["sent"].get(topic, 0) for row, found in zip(rows, named, strict=True)
                                     for topic in (row["sent"] if cause == "redirect" else found)),
                    **_share_at_wait(max(rows, key=lambda row: row["to_at"])),
                },
            }  # fmt: skip

    def unmeasured(self) -> set[str]:
        """Clusters of which too few brokers were read twice."""
        seen = {(span["cluster"], span["broker"]) for span in self.spans}
        low = self.limits["min_coverage"]
        return {
            cluster for cluster, nodes in self.nodes.items()
            if sum((cluster, node) in seen for node in nodes) < low * len(nodes)
        }  # fmt: skip


def _places(one: Row) -> dict[str, list[str]]:
    """Topics that the cause of a window is about, with the groups that got on with each."""
    places: dict[str, dict[str, list[str]]] = one["places"]
    return places[one["cause"]] or places.get("selected", {}) if one["cause"] == "follower" else places[one["cause"]]


def _share_at_wait(one: Row) -> dict[str, float]:
    """Bounds of the share of fetches that waited so long: quantiles near the wait, and those beside them."""
    wait, near = 1000 * one["wait_s"], max(5, 20 * one["wait_s"])
    shares = dict(zip(QUANTILES, (0.5, 0.75, 0.95, 0.98, 0.99, 0.999), strict=True))
    knots = [(0.0, -1.0), (1.0, 1e9), *((shares[n], one[n]) for n in QUANTILES if one[n] is not None)]
    upto, within = (max(p for p, ms in knots if ms <= wait + near), min(p for p, ms in knots if ms >= wait - near))
    above, below = (min(p for p, ms in knots if ms > wait + near), max(p for p, ms in knots if ms < wait - near))
    return {"wait_ms": wait, "mass_at_least": max(0.0, upto - within), "mass_at_most": above - below}
