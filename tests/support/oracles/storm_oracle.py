"""reconnect_storm computed a second time, in plain Python: takes a day's raw rows, gives bursts, storms and detections.

Written from docs/signatures/reconnect_storm.md alone; it shares nothing with the SQL but the meaning.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property
from math import ceil, floor, sqrt
from statistics import median
from typing import Any

from support.oracles.listener_oracle import ListenerOracle

Row = dict[str, Any]


class StormOracle(ListenerOracle):
    """Usable intervals of listeners, judged."""

    @cached_property
    def bursts(self) -> list[Row]:
        """Intervals beyond min_score that something set off, each with how many came together."""
        scored = [self._scored(span) for span in self.spans]
        found = [span for span in scored if span["score"] >= self.limits["min_score"]]
        return [{**span, **self._together(span)} for span in found if span["cause"] is not None]

    def _scored(self, span: Row) -> Row:
        rate, mad, known = self.baselines[span["cluster"], span["broker"], span["listener"]]
        usual, seconds = rate * span["seconds"], span["seconds"]
        score = (span["created"] - usual) / max(1, sqrt(usual), 1.4826 * mad * seconds)
        surplus = max(0, floor(span["created"] - usual))
        return {
            **span, "usual": usual, "score": score, "surplus": surplus, "kept": min(surplus, span["held"]),
            "intervals_known": known, "cause": self._cause(span),
        }  # fmt: skip

    def _cause(self, span: Row) -> str | None:
        limits, failed = self.limits, span["failed_authentications"]
        least = max(limits["min_failed"], limits["min_failed_share"] * span["created"])
        if failed is not None and failed >= least:
            return "auth_failures"
        if span["kind"] == "start":
            return "restart"
        if span["leaders_gained"] >= max(1, limits["min_moved_share"] * span["leaders"]):
            return "leader_move"
        if span["process_seconds"] - span["seconds"] <= limits["restart_s"]:
            return "restart"
        return None if span["internal"] else "deploy"

    def _together(self, span: Row) -> Row:
        limits, many = self.limits, span["kept"]
        by_rate = ceil(many / max(1, ceil(span["burst_s"] / limits["window_s"])))
        queues = 20 * span["processors"]
        blocked = span["blocked_ns"] is not None and span["blocked_ns"] >= 1e6 * limits["min_blocked_ms"]
        by_acceptor = queues + 1 if blocked and many > queues else 0
        overflowed = span["overflows"] is not None and span["overflows"] >= limits["min_overflows"]
        by_kernel = span["backlog"] + 1 if overflowed else 0
        held_back = None
        if span["blocked_ns"] is not None:
            held_back = floor(many * min(span["blocked_ns"] / 1e9, span["burst_s"]) / span["burst_s"])
        return {
            "together_by_rate": by_rate, "together_by_acceptor": by_acceptor, "together_by_kernel": by_kernel,
            "held_back": held_back, "together": max(by_rate, by_acceptor, held_back or 0, min(by_kernel, many)),
        }  # fmt: skip

    @cached_property
    def sending(self) -> dict[tuple[str, int], list[tuple[datetime, float]]]:
        """Each broker's reads of the day: when, and the 99 % quantile of sending to consumers, ms."""
        found: dict[tuple[str, int], list[tuple[datetime, float]]] = defaultdict(list)
        for row in self.raw["request_times"]:
            if row["sweep_at"].date() == self.ds and row["p99_ms"] is not None:
                found[row["cluster"], row["broker"]].append((row["read_at"], row["p99_ms"]))
        return found

    def aftermath(self, burst: Row) -> tuple[float | None, float | None]:
        """Median 99 % quantile of sending to consumers, before and after; None without two reads on both sides."""
        far = timedelta(seconds=self.limits["aftermath_s"])
        before, after = [], []
        for at, p99_ms in self.sending.get((burst["cluster"], burst["broker"]), []):
            if burst["from_at"] - far <= at <= burst["from_at"]:
                before.append(p99_ms)
            if burst["to_at"] < at <= burst["to_at"] + far:
                after.append(p99_ms)
        return (median(before), median(after)) if min(len(before), len(after)) >= 2 else (None, None)

    @cached_property
    def storms(self) -> list[Row]:
        """What is proven or suggested."""
        found = []
        for burst in self.bursts:
            before, after = self.aftermath(burst)
            one = {**burst, "send_ms_before": before, "send_ms_after": after}
            strength = self._strength(one)
            if strength:
                found.append({**one, "strength": strength})
        return found

    def _strength(self, one: Row) -> str | None:
        limits = self.limits
        if one["cause"] == "auth_failures":
            return "conclusive"
        many, full, short = one["kept"], limits["min_backlogs"] * one["backlog"], one["burst_s"] <= limits["burst_s"]
        if many <= full:
            return None
        deploys, habit = one["cause"] == "deploy", one["intervals_known"] >= limits["min_history"]
        if not short:
            return None
        if one["together_by_kernel"]:
            return "conclusive"
        held_back = (one["held_back"] or 0) > full
        sound = not deploys and one["overflows"] != 0 and one["backlog_known"]
        sound = (
            sound
            and (one["kind"] == "sweeps" or one["held_before"] is not None)
            and (habit or 2 * one["held"] >= one["created"])
        )
        if sound and held_back:
            return "conclusive"
        if deploys and not habit:
            return None
        hinted = held_back or one["together_by_rate"] > full
        hinted = hinted or (not deploys and (one["together_by_acceptor"] > 0 or self._slow(one)))
        return "suggestive" if hinted else None

    def _slow(self, one: Row) -> bool:
        before, after = one["send_ms_before"], one["send_ms_after"]
        if before is None:
            return False
        slower = after - before >= self.limits["slow_ms"]
        return bool(after >= self.limits["slow_factor"] * before and slower)

    def detections(self) -> Iterator[Row]:
        """One row per cluster and cause, with the numbers of its worst storm."""
        causes: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for storm in self.storms:
            causes[storm["cluster"], storm["cause"]].append(storm)
        for (cluster, cause), storms in causes.items():
            proven = [storm for storm in storms if storm["strength"] == "conclusive"]
            ranked = sorted(proven or storms, key=lambda storm: (storm["broker"], storm["listener"]))
            ranked.sort(key=lambda storm: (storm["together"], storm["kept"], storm["to_at"]), reverse=True)
            counted = cause == "auth_failures"  # nothing is said of a backlog then
            worst, brokers = ranked[0], list(dict.fromkeys(storm["broker"] for storm in ranked))
            names = sorted({storm["listener"] for storm in ranked})
            subjects = [f"broker {broker}" for broker in brokers[:15]] + [f"listener {name}" for name in names[:4]]
            yield {
                "cluster": cluster, "cause": cause, "strength": worst["strength"], "subjects": subjects,
                "evidence": {
                    **{name: worst[name] for name in (
                        "created", "held_before", "held", "score", "burst_s", "listen_overflows", "listen_drops",
                        "syncookies_sent", "tcp_syncookies", "somaxconn", "tcp_max_syn_backlog", "send_ms_before",
                        "send_ms_after",
                    )},
                    "failed": worst["failed_authentications"] if counted else None,
                    "leaders_gained": worst["leaders_gained"] if cause == "leader_move" else None,
                    "backlog": None if counted else worst["backlog"], "needed": None if counted else worst["kept"],
                    "together": None if counted else worst["together"],
                    "held_back": None if counted else worst["held_back"], "usual": round(worst["usual"], 1),
                    "blocked_ms": None if worst["blocked_ns"] is None else worst["blocked_ns"] / 1e6,
                    "lifetime_s": worst["held"] * worst["burst_s"] / worst["created"],
                },
                "bounds": None if counted else {
                    "backlog_in_force": worst["backlog"], "together_at_least": worst["together"],
                    "together_at_most": worst["kept"], "backlog_needed_at_most": worst["kept"],
                },
            }  # fmt: skip

    def unmeasured(self) -> set[str]:
        """Clusters with too few brokers whose connections were read twice."""
        brokers: dict[str, set[int]] = defaultdict(set)
        for row in self.raw["brokers"]:
            if row["sweep_at"].date() == self.ds:
                brokers[row["cluster"]].add(row["broker"])
        seen: dict[str, set[int]] = defaultdict(set)
        for span in self.spans:
            if span["kind"] == "sweeps" or span["seconds"] <= self.limits["burst_s"]:
                seen[span["cluster"]].add(span["broker"])
        low = self.limits["min_coverage"]
        return {name for name, found in brokers.items() if len(seen[name]) < low * len(found)}
