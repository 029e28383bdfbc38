"""Do records follow as a leader's slowness begins or ends, or a partition changes leaders? In plain Python.

Written from docs/signatures/partition_skew.md alone; takes windows of one topic, gives the changes that were followed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from support.oracles.skew_windows import Window

Place = tuple[str, datetime, datetime]  # cluster, from_sweep, to_sweep
At = tuple[Place, int]  # and a broker


class Change(NamedTuple):
    """Partitions of a slow broker that were usual when it was not slow, or when another broker led them."""

    broker: int
    spell: int
    begins: bool
    moved: bool
    partitions: int


@dataclass
class Loads:
    """Records, requests and bytes per second of each broker of a cluster, and its pace."""

    rates: dict[At, tuple[float, float, float | None]]
    paces: dict[At, str]

    def unloaded(self, at: At) -> bool:
        """Whether a broker is slow under no more than it or another broker bears without being slow."""
        if self.paces.get(at) != "slow":
            return False
        own = [self.rates[x] for x, pace in self.paces.items() if x[1] == at[1] and pace != "slow"]
        others = [self.rates[x] for x, pace in self.paces.items() if x[0] == at[0] and pace != "slow"]
        for number, value in enumerate(self.rates[at]):
            most = [rate for rates in own if (rate := rates[number]) is not None]
            least = [rate for rates in others if (rate := rates[number]) is not None]
            borne = ([max(most)] if most else []) + ([min(least)] if least else [])
            if value is not None and (borne or number < 2) and value > max(borne, default=-1.0):
                return False  # of bytes alone nothing may be known
        return True

    def spell(self, at: At) -> int:
        """How many of the broker's windows up to this one are not slow; the same for all windows of one slow spell."""
        return sum(
            x[1] == at[1] and pace != "slow" and x[0][1] <= at[0][1] for x, pace in self.paces.items()
        )  # fmt: skip


def followed_changes(
    windows: list[Window],
    loads: Loads,
    means: Mapping[At, float],
    racks: Mapping[int, str],
    limits: Mapping[str, float],
) -> Iterator[Change]:
    """Every change that the records followed, in windows that are near each other."""
    for slow in (window for window in windows if window.contrasted):
        for other in windows:
            apart = max(slow.begin - other.end, other.begin - slow.end).total_seconds()
            near = apart <= limits["max_apart"] * max(slow.seconds, other.seconds)
            if not near or len(slow.rates) != len(other.rates):
                continue
            for (broker, moved), group in _changed(slow, other, means, racks, limits).items():
                if not _followed(slow, other, group, limits):
                    continue
                begins = other.place[1] < slow.place[1]
                for window in (slow, other) if moved else (slow,):
                    if loads.unloaded((window.place, broker)):
                        yield Change(broker, loads.spell((window.place, broker)), begins, moved, len(group))


def _changed(
    slow: Window, other: Window, means: Mapping[At, float], racks: Mapping[int, str], limits: Mapping[str, float]
) -> dict[tuple[int, bool], list[int]]:
    """Partitions by slow leader, and whether another broker leads them in the other window."""
    groups: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for number, broker in slow.leaders.items():
        if slow.paces[number] != "slow" or other.paces.get(number) in ("slow", None):
            continue
        leader: Any = other.leaders[number]
        slower = means[slow.place, broker] >= limits["slow_ratio"] * means[other.place, leader]
        if slower and (other.calm if leader == broker else racks.get(leader) == racks.get(broker)):
            groups[broker, leader != broker].append(number)
    return groups


def _followed(slow: Window, other: Window, group: list[int], limits: Mapping[str, float]) -> bool:
    """Hot in the one window and usual in the other, and what they gain there the others lose."""
    usual, n = slow.mean("timely") or 0.0, len(group)
    hot, before = sum(slow.rates[p] for p in group), sum(other.rates[p] for p in group)
    rest = [rate for p, rate in other.rates.items() if other.paces[p] != "slow" and p not in group]
    if hot <= before or not rest:
        return False
    gained, lost = hot - before, sum(other.rates.values()) - before - sum(slow.rates.values()) + hot
    return (
        hot >= limits["min_leader_ratio"] * usual * n
        and min(slow.rates[p] for p in group) >= limits["min_window_ratio"] * usual
        and before * len(rest) <= limits["min_window_ratio"] * sum(rest) * n
        and lost >= limits["min_exchanged"] * gained
        and gained >= limits["min_exchanged"] * lost
    )
