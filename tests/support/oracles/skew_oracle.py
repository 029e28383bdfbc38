"""partition_skew computed a second time, in plain Python: takes a day's raw rows, gives ratios and causes per topic.

Written from docs/signatures/partition_skew.md alone; it shares nothing with the SQL but the meaning.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import copy
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from support.oracles.signature_oracle import SignatureOracle
from support.oracles.skew_producers import producers_tell
from support.oracles.skew_turns import Loads, followed_changes
from support.oracles.skew_windows import Unit, Window, averaged, between, by_partition, pace

Row = dict[str, Any]
Span = tuple[str, datetime, datetime]  # cluster, from_sweep, to_sweep


class SkewOracle(SignatureOracle):
    """The raw day, with the Produce times that this signature reads besides the tables of the facts."""

    def __init__(self, home: Path, ds: str, limits: Mapping[str, float]) -> None:
        super().__init__(home, ds, "skew", limits, ("request_times", "sweeps", "client_metrics"))
        self.produced: dict[tuple[Span, int], tuple[float, int, float]] = {}  # mean ms, requests, seconds
        self.loads: dict[str, Loads] = {}
        self.racks = {(row["cluster"], row["broker"]): row.get("rack") or "" for row in self.raw["brokers"]}
        self.uneven = list(self.topics())

    def paces(self) -> dict[tuple[Span, int], str]:
        """Whether a broker was slow, timely or between in a window; absent where it was not measured."""
        times = {self._key(row): row for row in self.raw["request_times"]
                 if row["request"] == "Produce" and row["phase"] == "TotalTimeMs"}  # fmt: skip
        means: dict[Span, dict[int, float]] = defaultdict(dict)
        for span in self.intervals():
            where = span["cluster"], span["broker"]
            first, last = times.get((*where, span["from_sweep"])), times.get((*where, span["to_sweep"]))
            if span["kind"] == "sweeps" and span["same_process"] and span["seconds"] > 0 and first and last:
                requests = last["observations"] - first["observations"]
                if requests >= max(1, self.limits["min_requests"]):
                    spent = last["observations"] * last["mean_ms"] - first["observations"] * first["mean_ms"]
                    place = span["cluster"], span["from_sweep"], span["to_sweep"]
                    means[place][span["broker"]] = max(0.0, spent) / requests
                    self.produced[place, span["broker"]] = max(0.0, spent) / requests, requests, span["seconds"]
        found = {}
        for place, by_broker in means.items():
            for broker, mean in by_broker.items():
                others = sorted(value for name, value in by_broker.items() if name != broker)
                if others:
                    usual = others[(len(others) + 1) // 2 - 1]
                    found[place, broker] = pace(mean, usual, self.limits["slow_ratio"], self.limits["slow_ms"])
        return found

    def topics(self) -> Iterator[tuple[str, str, list[Window]]]:
        """Topics that are uneven at all, with their windows in order."""
        for cluster in sorted({row["cluster"] for row in self.raw["sweeps"]}):
            one = copy(self)  # the second computation of facts is quadratic, so cluster by cluster
            one.raw = {name: [row for row in rows if row["cluster"] == cluster] for name, rows in self.raw.items()}
            yield from one._topics()

    def _topics(self) -> Iterator[tuple[str, str, list[Window]]]:
        paces, bytes_in = self.paces(), defaultdict(int)
        taken: dict[tuple[Span, int], list[int]] = defaultdict(lambda: [0])
        traffic: dict[tuple[Span, int], list[int]] = defaultdict(list)
        for row in self.topic_counters():
            if row["kind"] == "sweeps":
                bytes_in[row["cluster"], row["from_sweep"], row["to_sweep"], row["topic"]] += row["bytes_in"]
                traffic[(row["cluster"], row["from_sweep"], row["to_sweep"]), row["broker"]].append(row["bytes_in"])
        rows: dict[tuple[str, str], dict[Span, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in self.partition_rates():
            place = row["cluster"], row["from_sweep"], row["to_sweep"]
            if not row["went_back"]:
                taken[place, row["broker"]].append(row["records"])
                if not row["topic"].startswith("__"):
                    rows[row["cluster"], row["topic"]][place].append(row)
        for at in paces:
            _mean, requests, seconds = self.produced[at]
            sent = sum(traffic[at]) / seconds if at in traffic else None
            loads = self.loads.setdefault(at[0][0], Loads({}, {}))
            loads.rates[at] = sum(taken[at]) / seconds, requests / seconds, sent
            loads.paces[at] = paces[at]
        for (cluster, topic), spans in rows.items():
            windows = []
            for place, parts in sorted(spans.items()):
                records = sum(part["records"] for part in parts)
                if len(parts) < self.limits["min_partitions"] or records < self.limits["min_records"]:
                    continue
                rates = {part["partition"]: part["records"] / part["seconds"] for part in parts}
                leaders = {part["partition"]: part["broker"] for part in parts}
                found = Window(
                    records, rates, leaders, {n: paces.get((place, b)) for n, b in leaders.items()}, place,
                    min(part["from_at"] for part in parts), max(part["to_at"] for part in parts),
                    max(part["seconds"] for part in parts),
                )  # fmt: skip
                mean = sum(rates.values()) / len(rates)
                found.shares = {number: rate / mean for number, rate in rates.items()}
                known = bytes_in.get((*place, topic), self.limits["record_bytes"] * records)
                found.stays = known / self.limits["batch_bytes"]
                windows.append(found)
            if sum(window.uneven() for window in windows) >= self.limits["min_windows"]:
                yield cluster, topic, windows

    def contrasts(self) -> Iterator[Row]:
        """Slow against timely leaders, per topic with such windows."""
        for cluster, topic, windows in self.uneven:
            contrasted = [window for window in windows if window.contrasted]
            if contrasted:
                yield {"cluster": cluster, "topic": topic, **self._contrast(windows, contrasted)}

    def _contrast(self, windows: list[Window], contrasted: list[Window]) -> Row:
        units = {unit: x for unit, x in averaged(contrasted).items() if unit[2] in ("slow", "timely")}
        slow = [x for unit, x in units.items() if unit[2] == "slow"]
        timely = [x for unit, x in units.items() if unit[2] == "timely"]
        sides = [sum(w.stays * list(w.paces.values()).count(pace) / len(w.rates) for w in contrasted)
                 for pace in ("slow", "timely")]  # fmt: skip
        calm = [window for window in windows if window.calm]
        groups: dict[Any, list[float]] = defaultdict(list)
        for unit, x in units.items():
            groups[unit[1:]].append(x)
        contrasts = [window.contrast() for window in contrasted]
        wide = self.limits["min_window_ratio"]
        return {
            "ratio": median(slow) / median(timely) if median(timely) else None,
            "noise": math.sqrt(sum(1 / max(side, 1e-3) for side in sides)),
            "between_share": between(groups),
            "calm_ratio": self._calm_ratio(units, calm) if len(calm) >= self.limits["min_windows"] else None,
            "windows": len(contrasted),
            "hot_windows": sum(x is not None and x >= wide for x in contrasts),
            "cold_windows": sum(x is not None and x <= 1 / wide for x in contrasts),
            "records": sum(window.records for window in contrasted),
            "hot_records": sum(w.records for w in contrasted if (w.contrast() or 0) >= wide),
            "cold_records": sum(
                w.records for w, x in zip(contrasted, contrasts, strict=True) if x is not None and x <= 1 / wide
            ),
        }

    @staticmethod
    def _calm_ratio(units: dict[Unit, float], calm: list[Window]) -> float | None:
        quiet = by_partition(calm)
        slow = [quiet[unit[0]] for unit in units if unit[2] == "slow" and unit[0] in quiet]
        timely = [quiet[unit[0]] for unit in units if unit[2] == "timely" and unit[0] in quiet]
        return median(slow) / median(timely) if slow and timely and median(timely) else None

    def followed(self, row: Row) -> str | None:
        """leader_bound or adaptive, where the skew follows slow leaders."""
        limits, ratio, calm = self.limits, row["ratio"], row["calm_ratio"]
        if ratio is None or (row["between_share"] or 0) < limits["min_between_share"]:
            return None
        chance, wide = limits["noise_z"] * row["noise"], limits["min_window_ratio"]
        least, part = limits["min_windows"], limits["min_window_share"] * row["records"]
        if (
            ratio >= limits["min_leader_ratio"] and math.log(ratio / limits["cured_ratio"]) >= chance
            and row["hot_windows"] >= least and row["hot_records"] >= part and ratio >= wide * (calm or 0)
        ):  # fmt: skip
            return "leader_bound"
        if (
            ratio <= limits["max_adaptive_ratio"] and -math.log(max(ratio, 1e-6)) >= chance
            and row["cold_windows"] >= least and row["cold_records"] >= part and (calm is None or ratio * wide <= calm)
        ):  # fmt: skip
            return "adaptive"
        return None

    def turns(self) -> Iterator[Row]:
        """Topics whose records went over with a leader's slowness, or with a partition."""
        bound = {(row["cluster"], row["topic"]) for row in self.contrasts() if self.followed(row) == "leader_bound"}
        for cluster, topic, windows in self.uneven:
            if (cluster, topic) in bound:
                means = {at: mean for at, (mean, _requests, _seconds) in self.produced.items()}
                racks = {broker: rack for (name, broker), rack in self.racks.items() if name == cluster}
                changes = list(followed_changes(windows, self.loads[cluster], means, racks, self.limits))
                if changes:
                    spells = {(one.broker, one.spell, one.begins) for one in changes if not one.moved}
                    moved = max((one.partitions for one in changes if one.moved), default=0)
                    yield {"cluster": cluster, "topic": topic, "turns": len(spells), "moved": moved}

    def strengths(self) -> dict[tuple[str, str], str]:
        """Strength of every topic that follows slow leaders."""
        found, told = {(row["cluster"], row["topic"]): row for row in self.turns()}, self.told()
        strengths = {}
        for row in (one for one in self.contrasts() if self.followed(one)):
            place = row["cluster"], row["topic"]
            turns, moved = (found[place][name] if place in found else 0 for name in ("turns", "moved"))
            sure = turns >= self.limits["min_turns"] or moved or (turns and place in told)
            strengths[place] = "conclusive" if sure else "suggestive"
        return strengths

    def told(self) -> set[tuple[str, str]]:
        """Topics bound to slow leaders whose producers tell that they sent as before."""
        bound = {(row["cluster"], row["topic"]) for row in self.contrasts() if self.followed(row) == "leader_bound"}
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in self.raw["client_metrics"]:
            rows[row["cluster"]].append(row)
        return {
            (name, topic) for name, topic, windows in self.uneven
            if (name, topic) in bound and producers_tell(windows, rows[name], topic, self.limits)
        }  # fmt: skip

    def partitions(self) -> Iterator[Row]:
        """Every partition of an uneven topic over all its windows, with whether it is hot."""
        for cluster, topic, windows in self.uneven:
            means, limits = by_partition(windows), self.limits
            ordered, total, k = sorted(means.values()), sum(means.values()), len(means)
            middle = median(ordered)
            mad = median(abs(x - middle) for x in ordered)
            noise = math.sqrt(k / max(sum(window.stays for window in windows), 1e-3))
            gini = sum((2 * i - k - 1) * x for i, x in enumerate(ordered, 1)) / (k * total)
            for number, x in means.items():
                ratio = x / max(middle, 0.1)
                robust = (x - middle) / max(1.4826 * mad, middle * noise, 0.01)
                leading = sum(number in w.rates and w.lead(number) >= limits["min_window_ratio"] for w in windows)
                led: dict[int, int] = defaultdict(int)
                for window in windows:
                    if number in window.leaders:
                        led[window.leaders[number]] += 1
                hot = (
                    ratio >= limits["hot_ratio"] and math.log(ratio) >= limits["noise_z"] * noise
                    and x / total >= limits["min_share"] and robust >= limits["min_robust_z"]
                    and gini >= limits["min_gini"]
                    and leading >= max(limits["min_windows"], limits["min_window_share"] * len(windows))
                )  # fmt: skip
                yield {
                    "cluster": cluster, "topic": topic, "partition": number, "ratio": ratio, "gini": gini,
                    "robust_z": robust, "topic_share": x / total, "relative_rate": x, "hot": hot, "noise": noise,
                    "broker": min(led, key=lambda broker: (-led[broker], broker)),
                }  # fmt: skip

    def causes(self) -> dict[tuple[str, str], str]:
        """Cause per topic that has one."""
        found = {(row["cluster"], row["topic"]): self.followed(row) for row in self.contrasts()}
        causes = {place: cause for place, cause in found.items() if cause}
        hot: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self.partitions():
            hot[row["cluster"], row["topic"]].append(row)
        for place, rows in hot.items():
            if place not in causes and any(row["hot"] for row in rows):
                causes[place] = self._hot_cause(rows)
        return causes

    def _hot_cause(self, rows: list[Row]) -> str:
        leaders: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            leaders[row["broker"]].append(row)
        whole = all(len({row["hot"] for row in led}) == 1 for led in leaders.values())
        share = between({broker: [row["relative_rate"] for row in led] for broker, led in leaders.items()})
        many = 3 <= sum(row["hot"] for row in rows) < len(rows)
        return "leader_bound" if many and whole and (share or 0) >= self.limits["min_between_share"] else "key_bound"
