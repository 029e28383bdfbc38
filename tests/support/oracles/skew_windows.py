"""Windows of a topic and averages over them, as docs/signatures/partition_skew.md defines them, in plain Python."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Unit = tuple[int, int, str | None]  # partition, leader, pace


@dataclass
class Window:
    """One topic between two sweeps: rates, leaders and relative rates by partition, and how many stays made them.

    A pace is slow, timely or between; None where the leader's Produce times were not measured.
    """

    records: int
    rates: dict[int, float]
    leaders: dict[int, int]
    paces: dict[int, str | None]
    place: tuple[str, datetime, datetime]  # cluster, from_sweep, to_sweep
    begin: datetime
    end: datetime
    seconds: float
    stays: float = 0.0
    shares: dict[int, float] = field(default_factory=dict)

    def mean(self, pace: str) -> float | None:
        """Mean rate of the partitions whose leaders are of this pace."""
        found = [rate for number, rate in self.rates.items() if self.paces[number] == pace]
        return sum(found) / len(found) if found else None

    @property
    def contrasted(self) -> bool:
        return {"slow", "timely"} <= set(self.paces.values())

    @property
    def calm(self) -> bool:
        return not {"slow", None} & set(self.paces.values())

    def contrast(self) -> float | None:
        """Mean rate under slow leaders over that under timely ones."""
        slow, timely = self.mean("slow"), self.mean("timely")
        return slow / timely if slow is not None and timely else None

    def uneven(self) -> bool:
        """Whether a partition stands out, or the partitions of slow leaders stay behind."""
        contrast = self.contrast()
        return max(self.shares.values()) >= 1.2 or (contrast is not None and contrast <= 0.9)

    def lead(self, number: int) -> float:
        """A partition's rate over the mean of the others."""
        others = sum(self.rates.values()) - self.rates[number]
        return self.rates[number] * (len(self.rates) - 1) / max(others, 1e-9)


def averaged(windows: list[Window]) -> dict[Unit, float]:
    """Relative rate of each unit, averaged with the records of the topic as weights."""
    sums: dict[Unit, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for window in windows:
        for number, share in window.shares.items():
            unit = sums[number, window.leaders[number], window.paces[number]]
            unit[0] += window.records * share
            unit[1] += window.records
    return {unit: total / weight for unit, (total, weight) in sums.items()}


def by_partition(windows: list[Window]) -> dict[int, float]:
    """The same per partition, whoever led it."""
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for window in windows:
        for number, share in window.shares.items():
            sums[number][0] += window.records * share
            sums[number][1] += window.records
    return {number: total / weight for number, (total, weight) in sums.items()}


def between(groups: Mapping[Any, list[float]]) -> float | None:
    """Share of the sum of squares that lies between groups; None where all values are the same."""
    values = [x for group in groups.values() for x in group]
    mean = sum(values) / len(values)
    total = sum((x - mean) ** 2 for x in values)
    means = [(len(group), sum(group) / len(group)) for group in groups.values()]
    return sum(n * (m - mean) ** 2 for n, m in means) / total if total > 1e-12 else None


def pace(mean: float, others: float, slow_ratio: float, slow_ms: float) -> str:
    """Whether a broker's mean Produce time is slow against the faster half of the others, timely, or between."""
    if mean >= slow_ratio * others and mean - others >= slow_ms:
        return "slow"
    return "timely" if mean <= (1 + slow_ratio) / 2 * others or mean - others <= slow_ms / 2 else "between"
