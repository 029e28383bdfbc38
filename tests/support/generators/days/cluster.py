"""One simulated cluster: takes its topics, processes and events, keeps every counter as the sum of its events.

Time is in seconds after sweep 0, which is five minutes before the day begins. Nothing here knows a rule of the project:
brokers do what Kafka's source does (a fetch is answered at once or when something readable arrives or after its wait;
an append is readable when all in-sync replicas have it, or when its transaction ends), and sweeps read them off.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from support.generators.days.state import State, Steps

DAY = 1_795_132_800.0  # 2026-11-20T00:00:00Z, s since epoch
T0 = DAY - 300.0
EVERY_S = 600.0
OLD_S = 3 * 86_400.0  # age of a process at sweep 0
LIKE_S = 1_200.0  # what a process counted before sweep 0 is what it counts from then to this moment, again and again
PROCESSORS = 3
NOBODY = 0  # of the brokers is the controller: it is a node of its own
OFFSETS, OFFSET_PARTITIONS = "__consumer_offsets", 5
Key = tuple[str, int]
Counter = tuple[str, ...]


class Log:
    """One partition. `ready` and `stable`: (when, records, bytes, end offset) as they become readable, the latter to
    readers of what is committed."""

    def __init__(self, topic: str, number: int, replicas: Sequence[int], first: int) -> None:
        self.topic, self.number = topic, number
        self.replicas: Steps[list[int]] = Steps(list(replicas))
        self.leader: Steps[int | None] = Steps(replicas[0])
        self.isr: Steps[list[int]] = Steps(sorted(replicas))
        self.born = float("-inf")
        self.start: Steps[int] = Steps(max(0, first - 400_000))
        self.id = Steps(f"id-{topic}")
        self.times: list[float] = []
        self.ends: list[int] = []
        self.first = self.end = first
        self.ready: list[tuple[float, int, int, int]] = []
        self.stable: list[tuple[float, int, int, int]] = []
        self.stuck: dict[int, tuple[float, int]] = {}  # replica whose copy stands still: since when, at which end
        self.emptied: dict[int, tuple[float, int]] = {}  # replica on a new disk: since when, and where its log begins

    def end_at(self, t: float) -> int:
        place = bisect_right(self.times, t)
        return self.ends[place - 1] if place else self.first

    def append(self, t: float, offsets: int) -> int:
        self.end += offsets
        self.times.append(t)
        self.ends.append(self.end)
        return self.end


class Sim:
    """A cluster. Topics, leaders and restarts are told first, then traffic, then the rows are taken."""

    def __init__(self, name: str, release: str, kraft: bool = True, racks: bool = False, brokers: int = 3,
                 sweeps: int = 6, config: dict[str, str] | None = None, declared: dict[str, Any] | None = None,
                 hosts: bool = False) -> None:  # fmt: skip
        self.name, self.release, self.kraft, self.racks, self.hosts = name, release, kraft, racks, hosts
        self.config, self.declared = config or {}, declared or {}
        self.brokers = list(range(1, brokers + 1))
        self.sweeps, self.end = sweeps, sweeps * EVERY_S + 5
        self.rng = Random(name)  # noqa: S311
        self.starts = {b: [-OLD_S - 700.0 * b] for b in self.brokers}
        self.away: dict[int, list[tuple[float, float]]] = {b: [] for b in self.brokers}
        self.startup_s = dict.fromkeys(self.brokers, 4.5)
        self.controller = Steps(self.brokers[-1])
        self.state = State()
        self.logs: dict[Key, Log] = {}
        self.settings: dict[str, dict[str, str]] = {}
        self.sums: dict[int, dict[Counter, list[int]]] = {b: {} for b in self.brokers}
        self.samples: dict[tuple[int, str], list[tuple[float, float, float, float]]] = defaultdict(list)
        self.sockets: dict[int, list[tuple[float, str, int, str, str, int]]] = defaultdict(list)
        self.groups: dict[str, list[tuple[str, list[Key], float, float]]] = defaultdict(list)
        self.commits: dict[tuple[str, Key], list[tuple[float, int]]] = defaultdict(list)
        self.gauges: dict[int, dict[str, Steps[Any]]] = defaultdict(dict)  # columns of broker_metrics that differ
        self.writers: dict[tuple[Key, int], list[tuple[float, int]]] = defaultdict(list)  # id -> (when, sequence)
        self.forgets: list[tuple[int, float, int]] = []  # broker, since when, producer id that it does not know
        self.reassigned: list[tuple[float, float, Key]] = []
        self.busy = dict.fromkeys(self.brokers, 0.0)
        self.cost = dict.fromkeys(self.brokers, (0.0006, 2e-8))  # s per Produce request, and per byte
        self._bounds: dict[int, list[float]] = {}
        self.topic(OFFSETS, OFFSET_PARTITIONS, {"cleanup.policy": "compact"}, first=40_000)

    def topic(self, name: str, partitions: int, config: dict[str, str] | None = None, first: int = 1_000_000,
              born: float | None = None, from_partition: int = 0, replicas: int = 3) -> None:  # fmt: skip
        """A topic, or from `from_partition` on more partitions of it; brokers lead in turn."""
        for p in range(from_partition, partitions):
            turn = [self.brokers[(p + i) % len(self.brokers)] for i in range(min(replicas, len(self.brokers)))]
            log = self.logs[name, p] = Log(name, p, turn, 0 if born is not None else first)
            log.born = float("-inf") if born is None else born
        self.settings.setdefault(name, config or {})

    def keys(self, topic: str, at: float = float("inf")) -> list[Key]:
        return [key for key, log in self.logs.items() if key[0] == topic and log.born <= at]

    def up(self, broker: int, t: float) -> bool:
        return not any(stop <= t < up for stop, up in self.away[broker])

    def restart(self, broker: int, stop: float, up: float, elected_back: float | None = None,
                caught_up_s: float = 8.0) -> None:  # fmt: skip
        """A clean stop: leaders move away before it, sets shrink, grow again, and leaders come back at the next check.

        The controller counts the controlled shutdown, where it has such a counter.
        """
        self.away[broker].append((stop, up))
        self.starts[broker].append(up - self.startup_s[broker])
        for log in self.logs.values():
            if broker not in log.replicas.at(stop):
                continue
            stay = [b for b in log.isr.at(stop) if b != broker]
            stay = stay or [next(b for b in log.replicas.at(stop) if b != broker)]  # an eligible leader replica
            if log.leader.at(stop) == broker:
                log.leader.set(stop, next(b for b in log.replicas.at(stop) if b in stay))
            leader = log.leader.at(stop)
            assert leader is not None
            log.isr.set(stop, stay)
            self.count(leader, stop + 0.1, ("b", "isr_shrinks"))
            back = up + caught_up_s + self.rng.uniform(0, 3)
            log.isr.set(back, sorted([*stay, broker]))
            self.count(leader, back, ("b", "isr_expands"))
            if log.replicas.at(stop)[0] == broker:
                log.leader.set(elected_back or up + 240, broker)
        active = self.controller.at(stop)
        if active == broker:
            self.controller.set(stop, next(b for b in self.brokers if b != broker))
            if not self.state.quorum.controllers:
                self.state.quorum.epoch.set(stop, self.state.quorum.epoch.at(stop) + 1)
        if (active := self.controller.at(stop)) != NOBODY:
            self.count(active, stop, ("c", "controlled_shutdowns"))
            self.count(active, stop, ("c", "leader_elections"))

    def read_at(self, broker: int, sweep: int) -> float:
        return sweep * EVERY_S + 0.1 + 0.15 * broker

    def bounds(self, broker: int) -> list[float]:
        """Where counts are cut: at the reads of sweeps, and where a process begins."""
        if broker not in self._bounds:
            reads = [self.read_at(broker, k) for k in range(self.sweeps + 1)]
            ends = [*self.starts[broker][1:], *self.state.dropped.values()]
            self._bounds[broker] = sorted([*reads, *ends])
        return self._bounds[broker]

    def count(self, broker: int, t: float, counter: Counter, n: int = 1) -> None:
        """n more of a counter of a broker at a moment."""
        self._pending.append((broker, t, counter, n)) if self.building else self._count(broker, t, counter, n)

    building = True  # until all restarts are told, what is counted waits

    @property
    def _pending(self) -> list[tuple[int, float, Counter, int]]:
        return self.__dict__.setdefault("_kept", [])  # type: ignore[no-any-return]

    def built(self) -> None:
        """No more restarts come."""
        self.building = False
        for one in self._pending:
            self._count(*one)

    def _count(self, broker: int, t: float, counter: Counter, n: int) -> None:
        bounds = self.bounds(broker)
        sums = self.sums[broker].get(counter)
        if sums is None:
            sums = self.sums[broker][counter] = [0] * (len(bounds) + 1)
        sums[bisect_right(bounds, t)] += n

    def started(self, broker: int, t: float) -> float:
        """When the process that runs at a moment began."""
        return max(one for one in self.starts[broker] if one <= t)

    def value(self, broker: int, counter: Counter, sweep: int) -> int:
        """A counter as a sweep reads it: since the process began, or since the topic was created anew."""
        sums = self.sums[broker].get(counter)
        if sums is None:
            return 0
        bounds, read = self.bounds(broker), self.read_at(broker, sweep)
        upto, began = bisect_right(bounds, read - 1e-9) + 1, self.started(broker, read)
        dropped = self.state.dropped.get(counter[1], read) if counter[0] == "t" else read
        began = max(began, dropped) if dropped < read else began
        if began > 0:
            return sum(sums[bisect_right(bounds, began): upto])  # fmt: skip
        like = sum(sums[1: bisect_right(bounds, LIKE_S)])  # fmt: skip
        return round(like * OLD_S / LIKE_S) + sum(sums[:upto])

    def connect(self, broker: int, t: float, software: str, version: str, n: int = 1, listener: str = "PLAINTEXT",
                to: float = float("inf")) -> None:  # fmt: skip
        """Connections that are made at a moment and closed at another; the end of the process ends them uncounted."""
        for _ in range(n):
            processor = self.rng.randrange(PROCESSORS)
            self.sockets[broker].append((t, listener, processor, software, version, 1))
            self.count(broker, t, ("l", listener, str(processor), "connections_created"))
            if to < self.end:
                self.sockets[broker].append((to, listener, processor, software, version, -1))
                self.count(broker, to, ("l", listener, str(processor), "connections_closed"))


def when(t: float) -> datetime:
    return datetime.fromtimestamp(T0 + t, UTC)


def since(sim: Sim, release: str) -> bool:
    def line(text: str) -> tuple[int, int]:
        major, minor = text.split(".")[:2]
        return int(major), int(minor)

    return line(sim.release) >= line(release)
