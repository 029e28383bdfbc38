"""State of a generated cluster: partitions, brokers with the counters of their processes, and where groups are."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from support.generators.fleetgen.shape import Topic

WAIT_S = 0.5  # fetch.max.wait.ms and replica.fetch.wait.max.ms
PROCESSORS = 3
RESERVOIR_S = 300.0  # what latency quantiles remember
OFFSETS = "__consumer_offsets"
Key = tuple[str, int]


@dataclass
class Log:
    """A partition: its replicas, the preferred leader first, and its offsets at the leader."""

    topic: Topic
    number: int
    replicas: list[int]
    leader: int | None
    isr: list[int]
    end: int
    start: int
    topic_id: str
    lag: dict[int, int] = field(default_factory=dict)  # records that a follower is behind
    frozen: set[int] = field(default_factory=set)  # followers that fetch and are never taken back
    adding: set[int] = field(default_factory=set)  # replicas being added by a reassignment
    rate: float = 0.0  # records/s just now

    @property
    def key(self) -> Key:
        """Topic and partition."""
        return self.topic.name, self.number


@dataclass
class Threads:
    """How much of their time threads are idle; before_s: idle seconds to add, since it was another share once."""

    idle: float
    before_s: float = 0.0

    def idle_ns(self, process_s: float) -> float:
        """Idle time of a process of this age."""
        return 1e9 * (self.idle * process_s + self.before_s)

    def become(self, idle: float, process_s: float) -> None:
        """Are idle for another share of the time from this age on."""
        self.before_s += (self.idle - idle) * process_s
        self.idle = idle


@dataclass
class Broker:
    """A broker and its process; every counter is since `started`."""

    id: int
    started: float
    startup_s: float
    up: bool = True
    stuck: bool = False  # its request handlers stand still, so that nobody is answered while it is up
    listed: bool = True  # by the cluster's metadata, while it is up
    speed: float = 1.0  # factor on its latencies
    slow_ms: float = 0.0  # mean delay of Produce, all of it in the slowest tenth
    queued_ms: float = 0.0  # mean wait of requests for a handler, besides the usual one
    handlers: "Threads" = field(default_factory=lambda: Threads(0.97))
    network: "Threads" = field(default_factory=lambda: Threads(0.98))
    counters: Counter[str] = field(default_factory=Counter)
    by_topic: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    requests: Counter[str] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    sockets: Counter[tuple[str, int, str, str]] = field(default_factory=Counter)
    sockets_made: Counter[tuple[str, int]] = field(default_factory=Counter)
    sockets_closed: Counter[tuple[str, int]] = field(default_factory=Counter)
    auth_failed: Counter[tuple[str, int]] = field(default_factory=Counter)
    host: Counter[str] = field(default_factory=Counter)
    timed: Counter[tuple[str, str]] = field(default_factory=Counter)  # request, phase -> observations in time_ms
    time_ms: Counter[tuple[str, str]] = field(default_factory=Counter)  # their sum; means are since process start
    waits: list[tuple[float, float, float]] = field(default_factory=list)  # when, batches/s that wake, fetches
    load_ms: float = 10.0  # longest load of a partition of the offsets log, recently
    producer_ids: int = 0
    recovering: int = 0
    gauges: dict[str, float] = field(default_factory=dict)  # columns of broker_metrics that show this instead

    @property
    def serves(self) -> bool:
        """Whether it answers requests."""
        return self.up and not self.stuck


@dataclass
class Reader:
    """Where a group is on one partition."""

    position: int
    committed: int | None


@dataclass(frozen=True)
class OpenTransaction:
    """A transaction that stays open on one partition. state: of it at its coordinator; holds: it has the partition."""

    state: str
    holds: bool
    timeout_s: float = 60.0
    start_offset: int = 7


def offsets_partition(group: str, partitions: int) -> int:
    """Partition of the offsets log that holds a group's commits: Kafka's hash of its name."""
    found = 0
    for letter in group:
        found = (31 * found + ord(letter)) & 0xFFFFFFFF
    signed = found - (1 << 32) if found >> 31 else found
    return (0 if signed == -(1 << 31) else abs(signed)) % partitions
