"""What the processes of a simulated cluster hold besides logs and counters: clocks, threads, a quorum, transactions.

All of it is as plain as can be until a day changes it. Times are seconds after sweep 0, shares lie between 0 and 1.
"""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Generic, TypeVar

T = TypeVar("T")


class Steps(Generic[T]):
    """A value that changes at moments."""

    def __init__(self, first: T) -> None:
        self.times, self.values = [float("-inf")], [first]

    def set(self, t: float, value: T) -> None:
        """From t on; moments come in order."""
        assert t >= self.times[-1], "moments come in order"
        self.times.append(t)
        self.values.append(value)

    def at(self, t: float) -> T:
        return self.values[bisect_right(self.times, t) - 1]


def total(steps: Steps[float], since: float, until: float) -> float:
    """The value times the seconds for which it held, from one moment to another."""
    cuts = [since, *(one for one in steps.times if since < one < until), until]
    return sum((b - a) * steps.at(a) for a, b in pairwise(cuts))


@dataclass(frozen=True)
class Open:
    """A transaction of one partition: since when it is open and until when. written: seconds between its batches."""

    topic: str
    partition: int
    producer: int
    since: float
    until: float
    timeout_s: float
    written: float = 1.0
    start_offset: int = 1_000_000


@dataclass
class Quorum:
    """Controllers of KRaft: none named are the first three brokers. away: by controller, from when until when."""

    controllers: list[int] = field(default_factory=list)
    away: dict[int, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    leader: Steps[int] | None = None  # None: the cluster's controller
    epoch: Steps[int] = field(default_factory=lambda: Steps(5))
    bursts: list[tuple[float, int]] = field(default_factory=list)  # when so many records were written at once
    behind: dict[int, Steps[int]] = field(default_factory=dict)  # records that a broker has not applied yet

    def up(self, node: int, t: float) -> bool:
        return not any(a <= t < b for a, b in self.away[node])


@dataclass
class State:
    """The rest of a cluster. Dictionaries by broker have an entry where something differs from the plain value."""

    handlers: dict[int, Steps[float]] = field(default_factory=lambda: defaultdict(lambda: Steps(0.96)))
    network: dict[int, Steps[float]] = field(default_factory=lambda: defaultdict(lambda: Steps(0.97)))
    clocks: dict[int, Steps[float]] = field(default_factory=lambda: defaultdict(lambda: Steps(0.0)))  # s ahead
    collector: Steps[float] = field(default_factory=lambda: Steps(0.0))  # s ahead
    quorum: Quorum = field(default_factory=Quorum)
    transactions: list[Open] = field(default_factory=list)
    groups: dict[str, Steps[str]] = field(default_factory=dict)  # states of groups that have members
    protocols: dict[str, str] = field(default_factory=dict)  # types of groups that are no consumers
    members: dict[str, tuple[str, str]] = field(default_factory=dict)  # member id -> client id, host
    dropped: dict[str, float] = field(default_factory=dict)  # topic -> when it was deleted, its meters with it
    kraft: dict[int, Steps[bool]] = field(default_factory=dict)  # a broker that is moved from ZooKeeper
    configs: dict[int, Steps[dict[str, str]]] = field(default_factory=dict)  # of one broker, beside the cluster's
    sizes: dict[tuple[str, int], list[tuple[float, int]]] = field(default_factory=dict)  # bytes of logs, from when on
    unregistered: dict[int, float] = field(default_factory=dict)  # broker -> since when
    first_sweep: int = 0

    def clock(self, broker: int, t: float) -> float:
        """Seconds by which a broker's clock is ahead of the true one."""
        return self.clocks[broker].at(t) if broker in self.clocks else 0.0

    def latest(self, broker: int, t: float) -> float:
        """The latest moment that a broker's clock has shown: Kafka keeps the larger of two (LeaderState)."""
        steps = self.clocks[broker] if broker in self.clocks else Steps(0.0)
        past = [b + steps.values[n] for n, b in enumerate(steps.times[1:]) if b <= t]
        return max([t + steps.at(t), *past])
