"""Traffic of a simulated cluster: takes writers and readers, works through their requests one by one."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from support.generators.days.cluster import EVERY_S, OFFSET_PARTITIONS, OFFSETS, Key, Log, Sim

WAIT_S = 0.5  # fetch.max.wait.ms
MOST_BYTES = 1_048_576  # max.partition.fetch.bytes: a reader that is behind takes so much at a time
BATCH_BYTES = 61  # of a batch without its records
REFRESH_S = 300.0  # metadata.max.age.ms: a reader in a rack asks the leader again where to read


class Produce(NamedTuple):
    """One batch. In a transaction it is readable to some only when `commits` of that transaction says so."""

    t: float
    key: Key
    records: int = 1
    size: int = 100  # bytes per record
    producer: int | None = None
    txn: str | None = None


class Commit(NamedTuple):
    """The end of a transaction: a marker in every partition that it wrote to."""

    t: float
    txn: str


def every(
    sim: Sim, per_s: float, start: float = 0.0, until: float | None = None, jitter: float = 0.2
) -> Iterator[float]:
    """Moments of one busy client: a steady pace with some jitter."""
    t = start + sim.rng.uniform(0, 1 / per_s)
    while t < (sim.end if until is None else until):
        yield t
        t += sim.rng.uniform(1 - jitter, 1 + jitter) / per_s


def by_chance(sim: Sim, per_s: float, start: float = 0.0) -> Iterator[float]:
    """Moments of many clients that know nothing of each other."""
    t = start + sim.rng.expovariate(per_s)
    while t < sim.end:
        yield t
        t += sim.rng.expovariate(per_s)


def produce(sim: Sim, events: Iterable[Produce | Commit]) -> None:
    """Append all, in the order of time; each leader serves one request after the other."""
    opened: dict[str, list[tuple[Log, int, int]]] = defaultdict(list)
    for event in sorted(events, key=lambda one: one.t):
        if isinstance(event, Commit):
            for log in dict.fromkeys(log for log, _records, _bytes in opened[event.txn]):
                leader = log.leader.at(event.t)
                if leader is None:
                    continue
                end, high = log.append(event.t + 0.002, 1), event.t + 0.002 + _replicated(sim, log, event.t)
                log.ready.append((high, 0, BATCH_BYTES + 17, end))
                mine = [(records, size) for one, records, size in opened[event.txn] if one is log]
                many, size = sum(one for one, _size in mine), sum(size for _many, size in mine)
                log.stable.append((high, many, size + BATCH_BYTES + 17, end))
            del opened[event.txn]
            continue
        log, t = sim.logs[event.key], event.t
        leader = log.leader.at(t)
        if leader is None or not sim.up(leader, t):
            continue
        begun = max(t, sim.busy[leader])
        fixed, per_byte = sim.cost[leader]
        size = BATCH_BYTES + event.records * event.size
        done = begun + sim.rng.uniform(0.7, 1.5) * (fixed + per_byte * size)
        sim.busy[leader] = done
        end, remote = log.append(done, event.records), _replicated(sim, log, done)
        for counter, n in (("messages_in", event.records), ("bytes_in", size), ("produce_batches", 1)):
            sim.count(leader, done, ("b", counter), n)
            sim.count(leader, done, ("t", event.key[0], counter), n)
        sim.count(leader, done, ("r", "Produce"))
        sim.count(leader, done, ("e", "Produce", "NONE"))
        _timed(sim, leader, "Produce", done, begun - t, done - begun, remote)
        if event.producer is not None:
            known = sim.writers[event.key, event.producer]
            known.append((done, known[-1][1] + event.records if known else event.records))
        log.ready.append((done + remote, event.records, size, end))
        if event.txn is None:
            log.stable.append(log.ready[-1])
        else:
            opened[event.txn].append((log, event.records, size))


def _replicated(sim: Sim, log: Log, t: float) -> float:
    """How long the in-sync followers take: their fetches wait at the leader, and are answered at once."""
    return 0.0 if len(log.isr.at(t)) < 2 else 0.0015 + sim.rng.expovariate(1 / 0.0015)


def _timed(sim: Sim, broker: int, request: str, t: float, queue: float, local: float, remote: float) -> None:
    """Kafka keeps a sample of some minutes for quantiles, and sums for ever."""
    if t % EVERY_S > EVERY_S - 300:
        sim.samples[broker, request].append((t, queue, local, remote))
    for phase, seconds in (("RequestQueueTimeMs", queue), ("LocalTimeMs", local), ("RemoteTimeMs", remote)):
        if seconds:
            sim.count(broker, t, ("m", request, phase), round(1e6 * seconds))


def served_by(sim: Sim, log: Log, t: float, rack: int | None) -> int | None:
    """The broker that a reader reads from: the one in its rack if it is in the set, else the leader."""
    if rack is not None and rack in log.isr.at(t) and sim.up(rack, t) and rack in log.replicas.at(t):
        return rack
    leader = log.leader.at(t)
    return leader if leader is not None and sim.up(leader, t) else None


def read(sim: Sim, group: str | None, client: str, keys: Sequence[Key], rack: int | None = None,
         committed: bool = False, since: float = -1.0, until: float | None = None, commit_s: float = 5.0,
         begin: dict[Key, int] | None = None, most: int = MOST_BYTES, busy_s: float = 0.004) -> None:  # fmt: skip
    """One consumer: a fetch open at each broker that serves it something, one after the other, for ever.

    begin: offsets below which it reads nothing. most: bytes that it takes at a time. busy_s: how long it works, at
    most, before it asks again. With a group it commits its positions every commit_s.
    """
    until = sim.end if until is None else until
    passed: dict[Key, list[tuple[float, int]]] = {}
    for key in keys:
        log = sim.logs[key]
        at = (begin or {}).get(key, log.end_at(max(since, log.born if log.born > 0 else since)))
        passed[key] = [(max(since, log.born), at)]
    for broker in sim.brokers:
        arrivals: list[tuple[float, int, int, Key, int]] = []
        changes = {since, until}
        for key in keys:
            log = sim.logs[key]
            late = 0.003 if rack is not None else 0.0
            for when, records, size, end in log.stable if committed else log.ready:
                if since - 600 <= when < until and end > passed[key][0][1] \
                        and served_by(sim, log, max(when, since), rack) == broker:  # fmt: skip
                    follows = log.leader.at(when) != broker
                    arrivals.append((when + (late if follows else 0.0), records, size, key, end))
            changes |= {t for t in (*log.leader.times, *log.isr.times, log.born) if since < t < until}
        changes |= {t for away in sim.away.values() for pair in away for t in pair if since < t < until}
        arrivals.sort()
        for a, b in _served(sim, keys, broker, rack, sorted(changes)):
            _fetches(sim, broker, arrivals, a, b, len(keys), passed, keys[0][0], most, busy_s)
        if rack is not None:  # at the leader: answered at once, with the name of the other broker
            leads = any(sim.logs[key].leader.at(since) == broker for key in keys)
            for t in every(sim, 1 / REFRESH_S, since, until) if leads and broker != rack else ():
                answered(sim, broker, t, 0.0, 1, keys[0][0], ())
    if group is None:
        return
    sim.groups[group].append((client, list(keys), since, until))
    coordinator = sim.logs[OFFSETS, offsets_partition(group)]
    for t in every(sim, 1 / commit_s, max(since, 0.0) if since >= 0 else -4.0, until, 0.01):
        told = 0
        for key, positions in passed.items():
            place = bisect_right(positions, (t, 1 << 62)) - 1
            if place >= 0:
                sim.commits[group, key].append((t, positions[place][1]))
                told += 1
        leader = coordinator.leader.at(t)
        if told and leader is not None and sim.up(leader, t):
            sim.count(leader, t, ("b", "offset_commits"), told)
            coordinator.append(t, told)
            sim.count(leader, t, ("t", OFFSETS, "messages_in"), told)
            sim.count(leader, t, ("b", "messages_in"), told)
            sim.count(leader, t, ("t", OFFSETS, "bytes_in"), BATCH_BYTES + 90 * told)
            sim.count(leader, t, ("b", "bytes_in"), BATCH_BYTES + 90 * told)


def offsets_partition(group: str) -> int:
    """Where a group's commits go: Java's hash of its name."""
    number = 0
    for letter in group:
        number = (31 * number + ord(letter)) & 0xFFFFFFFF
    return abs(number - (1 << 32) if number >> 31 else number) % OFFSET_PARTITIONS


def _served(
    sim: Sim, keys: Sequence[Key], broker: int, rack: int | None, changes: list[float]
) -> list[tuple[float, float]]:
    """Stretches in which a broker serves some of the partitions."""
    found: list[tuple[float, float]] = []
    for a, b in pairwise(changes):
        if any(sim.logs[key].born <= a and served_by(sim, sim.logs[key], a, rack) == broker for key in keys):
            if found and found[-1][1] == a:
                found[-1] = found[-1][0], b
            else:
                found.append((a, b))
    return found


def _fetches(sim: Sim, broker: int, arrivals: list[tuple[float, int, int, Key, int]], a: float, b: float, reads: int,
             passed: dict[Key, list[tuple[float, int]]], topic: str, most: int, busy_s: float) -> None:  # fmt: skip
    """Fetches of one reader at one broker. What is there is taken at once, else the fetch waits."""
    place, t, n = bisect_left(arrivals, (a - 600,)), a, len(arrivals)
    uniform = sim.rng.uniform
    while t < b:
        ready = arrivals[place][0] if place < n else float("inf")
        if ready > t + WAIT_S:
            at, taken, waited = t + WAIT_S, [], WAIT_S
            sim.count(broker, at, ("b", "expired_consumer_fetches"))
        else:
            at = max(t, ready)
            first, room, waited = place, most, at - t
            while place < n and arrivals[place][0] <= at and room > 0:
                room -= arrivals[place][2]
                place += 1
            taken = arrivals[first:place]
        answered(sim, broker, at, waited, reads, topic, taken)
        for _when, _records, _size, key, end in taken:
            if end > passed[key][-1][1]:
                passed[key].append((at, end))
        t = at + uniform(busy_s / 5, busy_s)


def answered(sim: Sim, broker: int, at: float, waited: float, reads: int, topic: str,
              taken: Sequence[tuple[float, int, int, Key, int]]) -> None:  # fmt: skip
    many = reads * (2 if waited else 1)
    sim.count(broker, at, ("r", "FetchConsumer"))
    sim.count(broker, at, ("e", "Fetch", "NONE"))
    sim.count(broker, at, ("b", "fetch_reads"), many)
    sim.count(broker, at, ("t", topic, "fetch_reads"), many)
    if size := sum(one[2] for one in taken):
        sim.count(broker, at, ("b", "bytes_out"), size)
        sim.count(broker, at, ("t", topic, "bytes_out"), size)
    _timed(sim, broker, "FetchConsumer", at, 0.0, 0.0004, waited)
