"""Shape of one generated cluster: what it consists of and what happens to it, before anything runs."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.generators.fleetgen.model import Model

DS = "2026-11-20"
DAY = 1_795_132_800.0  # 2026-11-20T00:00:00Z, s since epoch
Event = Callable[["Model"], None]
Label = tuple[str, str]  # signature, cause


@dataclass
class Topic:
    """A topic: records/s of all producers together at the day's mean, and how they choose partitions."""

    name: str
    partitions: int
    rf: int
    rate: float
    batch: float = 1.0  # records per batch
    size: float = 170.0  # bytes per record
    stay: float = 1.0  # records that a producer gives one partition before it moves on
    weights: list[float] = field(default_factory=list)  # shares of keyed records; empty: even
    producers: int = 2
    retention_s: float = 7 * 86_400
    amplitude: float = 0.0  # of the daily cycle
    phase: float = 0.0
    commit_every_s: float = 0.0  # > 0: written in transactions that end so often
    steady: bool = False  # true: exactly the rate, without jitter; faults set their statistic with it


@dataclass
class Group:
    """A consumer group. `serve` names the broker that serves a partition instead of its leader, if any."""

    name: str
    topics: list[str]
    members: int = 1
    commit_s: float = 5.0
    every_s: float = 0.0  # > 0: a batch job that runs so often and is empty in between
    serve: Callable[["Model", str, int], int | None] | None = None
    wakes: bool = True  # false: a follower that does not wake fetches on replicated records
    min_bytes: bool = False  # true: nothing but the end of the wait ends a fetch
    until: float = float("inf")  # s since epoch; its members leave then
    paused: bool = False  # members are there and neither read nor commit, as in a long rebalance
    state: str = "Stable"  # while it has members
    anonymous: bool = False  # readers without a group: assigned by hand, they commit nothing
    committed: bool = False  # they read what is committed
    joins: Counter[int] = field(default_factory=Counter)  # how often each member has joined anew


@dataclass
class Clients:
    """A client library and the connections that it holds to each broker."""

    software: str
    version: str
    connections: int


@dataclass
class Spec:
    """One cluster-day. `events` are (seconds since midnight, what happens); `failing` are (broker, sweep number)."""

    cluster: str
    seed: int
    release: str
    kraft: bool
    brokers: list[int]
    topics: list[Topic]
    groups: list[Group]
    clients: list[Clients]
    sweeps: int = 24
    every_s: float = 900.0
    racks: bool = False
    own_listener: bool = False  # brokers talk to each other on a listener of their own
    tells_controller: bool = True  # the controller's metrics can be read
    offsets_partitions: int = 5
    backlog: int = 50
    host_metrics: bool = False
    headroom: float = 0.0  # > 0: load that a broker can take over the mean one; the nearer, the slower it answers
    busy_threads: bool = False  # handlers are idle for what the load leaves of their time
    return_s: float = 0.0  # clients come back to a started broker over so long a time, in twenty parts; 0: at once
    skew: dict[int, float] = field(default_factory=dict)
    configs: dict[str, str] = field(default_factory=dict)
    events: list[tuple[float, Event]] = field(default_factory=list)
    failing: set[tuple[int, int]] = field(default_factory=set)
    skipped: set[int] = field(default_factory=set)  # sweeps that never happened
    truth: set[Label] = field(default_factory=set)  # what must be found
    allowed: set[Label] = field(default_factory=set)  # what may be found as well, because it is so
    open: set[Label] = field(default_factory=set)  # what brokers cannot tell from a fault: may be found, suggestively
    story: list[str] = field(default_factory=list)  # what happens, in words

    @property
    def line(self) -> tuple[int, int]:
        """Release line, e.g. (3, 3)."""
        major, minor = self.release.split(".")[:2]
        return int(major), int(minor)

    def since(self, release: str) -> bool:
        """Whether this release has what came with that one, e.g. "2.5"."""
        major, minor = (int(part) for part in release.split(".")[:2])
        return self.line >= (major, minor)

    def at(self, number: int) -> float:
        """Time of a sweep, s since epoch; sweep 0 is the last one of the day before."""
        return DAY - self.every_s / 3 + number * self.every_s
