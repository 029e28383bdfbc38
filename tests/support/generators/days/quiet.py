"""Named healthy days, first part: readers and writers of production. Each gives the sweeps of one or more clusters.

A day is a function without arguments that gives simulated clusters. Its docstring says what happens, and why nothing of
it may be told for sure.
"""

from collections.abc import Iterator, Sequence

from support.generators.days.cluster import EVERY_S, Key, Sim
from support.generators.days.replication import replicate
from support.generators.days.state import Steps
from support.generators.days.traffic import Commit, Produce, by_chance, every, produce, read

RACKS = (1, 2, 3)


def steady(
    sim: Sim, topic: str, per_s: float, records: int = 3, size: int = 100, keys: Sequence[Key] = ()
) -> Iterator[Produce]:
    """Batches of one keyless producer after another, each to a partition of its own choice."""
    keys = keys or sim.keys(topic)
    for t in every(sim, per_s):
        yield Produce(t, sim.rng.choice(keys), records, size)


def group(sim: Sim, name: str, topic: str, members: int = 3, racks: bool = False, committed: bool = False) -> None:
    """A group that shares out a topic's partitions; with racks, members sit in all of them in turn."""
    keys = sim.keys(topic)
    for i in range(members):
        rack = RACKS[i % 3] if racks else None
        read(sim, name, f"{name}-{i}", keys[i::members], rack, committed)


def clients(sim: Sim, version: str, n: int = 40, software: str = "apache-kafka-java") -> None:
    """Connections to every broker, made some time before the first sweep, and those that brokers hold."""
    for broker in sim.brokers:
        sim.connect(broker, -5_000.0, software, version, n)
        sim.connect(broker, -60_000.0, "unknown", "unknown", len(sim.brokers) - 1)
        if not sim.kraft:
            sim.connect(broker, -60_000.0, "apache-kafka-java", sim.release, 1)
        for k in range(sim.sweeps + 1):  # each sweep's own
            t = sim.read_at(broker, k)
            sim.connect(broker, t, "kafka-python", "3.0.12", 1, to=t + 1)


def finished(sim: Sim) -> Sim:
    """The followers' fetches."""
    replicate(sim)
    return sim


def a_moments_leadership() -> list[Sim]:
    """3.2.3 with a rack-aware selector and no client.rack anywhere. Broker 2 leads `events` for three minutes between
    two sweeps while broker 1 restarts, and a job drains its backlog there; fourteen readers without a group wait for
    topics that broker 2 leads. What broker 2 sent it sent as the leader."""
    sim = Sim("days-moments-leadership", "3.2.3", kraft=False, racks=True)
    sim.topic("events", 1)
    sim.topic("_schemas", 3, {"cleanup.policy": "compact"})
    sim.topic("orders", 3)
    sim.restart(1, 1_900.0, 2_010.0, elected_back=2_080.0)
    sim.built()
    clients(sim, "3.2.3")
    produce(sim, [Produce(1_320 + i * 0.006, ("events", 0), 50, 200) for i in range(76_000)])
    produce(sim, steady(sim, "orders", 6))
    read(
        sim, "etl", "etl-0", [("events", 0)], since=1_905.0, until=2_075.0, begin={("events", 0): 1_000_000}, most=9_000
    )
    group(sim, "billing", "orders")
    for i in range(14):
        read(sim, None, f"idle-{i}", [("_schemas", 1)])
    return [finished(sim)]


def idle_readers_beside_follower_reads() -> list[Sim]:
    """3.9.1: three members read `orders`, which broker 2 follows and never leads, in the rack of broker 2 and promptly,
    beside seven idle readers there that have no group. All expiries are legal."""
    sim = Sim("days-idle-readers", "3.9.1", racks=True, sweeps=3)
    sim.topic("orders", 3)
    sim.topic("trickle", 3)
    sim.topic("_schemas", 3, {"cleanup.policy": "compact"})
    moved = sim.logs["orders", 1]
    moved.leader, moved.replicas = Steps(3), Steps([3, 2, 1])
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, [*steady(sim, "orders", 180, 1, 500), *steady(sim, "trickle", 2)])
    for i, key in enumerate(sim.keys("orders")):
        read(sim, "billing", f"billing-{i}", [key], rack=2, busy_s=0.04)
    for i in range(7):
        read(sim, None, f"idle-{i}", [("_schemas", 1)])
    return [finished(sim)]


def checkpoints() -> list[Sim]:
    """Flink writes in transactions that it commits once a minute; readers of what is committed wait for them. The log
    end grows all the time, and fetches expire at leaders (3.3.1) and at followers (3.3.2, which has the fix)."""
    found = []
    for release, racks in (("3.3.1", False), ("3.3.2", True)):
        sim = Sim(f"days-checkpoints-{release.replace('.', '')}", release, racks=True)
        sim.topic("sink", 6)
        sim.built()
        clients(sim, release)
        events: list[Produce | Commit] = []
        for task in range(3):
            keys = sim.keys("sink")[task::3]
            for t in every(sim, 6):
                events.append(Produce(t, sim.rng.choice(keys), 4, 150, task, f"{task}-{int(t // 60)}"))
            events += [Commit(60.0 * (n + 1) + 0.05 * task, f"{task}-{n}") for n in range(int(sim.end // 60))]
        produce(sim, events)
        group(sim, "report", "sink", 3, racks, committed=True)
        group(sim, "audit", "sink", 2, racks, committed=True)
        found.append(finished(sim))
    return found


def agents_together() -> list[Sim]:
    """Telegraf agents on 300 hosts publish at :00, :10, :20 … within some tens of milliseconds. Between, every fetch
    expires: the mean rate says that this cannot be."""
    found = []
    for release, racks in (("3.3.1", False), ("3.3.2", True)):
        sim = Sim(f"days-agents-{release.replace('.', '')}", release, racks=True)
        sim.topic("metrics", 6)
        sim.built()
        clients(sim, release)
        keys = sim.keys("metrics")
        flushes = [10.0 * n + sim.rng.uniform(0, 0.08) for n in range(int(sim.end // 10)) for _ in range(50)]
        produce(sim, [Produce(t, sim.rng.choice(keys), 12, 180) for t in flushes])
        group(sim, "store", "metrics", 6, racks)
        found.append(finished(sim))
    return found


def batch_job() -> list[Sim]:
    """A job that writes for four seconds of each minute, and for ten of each twenty."""
    found = []
    for release, racks, length, period in (("3.3.1", False, 4, 60), ("3.3.2", True, 10, 20)):
        sim = Sim(f"days-batch-{period}-{release.replace('.', '')}", release, racks=True)
        sim.topic("orders", 6)
        sim.built()
        clients(sim, release)
        produce(sim, (one for one in steady(sim, "orders", 30, 5) if one.t % period < length))
        group(sim, "billing", "orders", 3, racks)
        found.append(finished(sim))
    return found


def streams_exactly_once() -> list[Sim]:
    """Kafka Streams with exactly-once: input, a repartition topic whose records are deleted as soon as they were read,
    a changelog that is compacted and that no one reads, output; a commit each 100 ms in bursts of work."""
    sim = Sim("days-streams", "3.3.1", racks=True)
    for topic, config in (("in", {}), ("app-rekey-repartition", {"retention.ms": "-1"}), ("out", {}),
                          ("app-store-changelog", {"cleanup.policy": "compact"})):  # fmt: skip
        sim.topic(topic, 3, config)
    sim.built()
    clients(sim, "3.3.1")
    produce(sim, steady(sim, "in", 3, 5))
    events: list[Produce | Commit] = []
    for n, t in enumerate(every(sim, 3, jitter=0.9)):
        for topic in ("app-rekey-repartition", "app-store-changelog", "out"):
            events.append(Produce(t + 0.01, (topic, n % 3), 2, 120, 1, f"s-{n}"))
        events.append(Commit(t + 0.1, f"s-{n}"))
    produce(sim, events)
    for topic in ("in", "app-rekey-repartition"):
        group(sim, "app", topic, 1, committed=True)
    group(sim, "sink", "out", 3, committed=True)
    for key in sim.keys("app-rekey-repartition"):  # DeleteRecords every 30 s
        log = sim.logs[key]
        for n in range(int(sim.end // 30)):
            log.start.set(30.0 * n, log.end_at(30.0 * n - 2))
    return [finished(sim)]


def registry_and_connect() -> list[Sim]:
    """Schema Registry and two Connect clusters: readers without a group on four compacted topics that hardly anyone
    writes to, beside a busy topic that is read from followers on a release with the fix, and from leaders on one
    without."""
    found = []
    for release, racks in (("3.3.2", True), ("3.2.3", False)):
        sim = Sim(f"days-registry-{release.replace('.', '')}", release, racks=True, sweeps=4)
        sim.topic("orders", 6)
        internal = ("_schemas", "connect-configs", "connect-offsets", "connect-status")
        for topic in internal:
            sim.topic(topic, 1 if topic in ("_schemas", "connect-configs") else 3, {"cleanup.policy": "compact"})
        sim.built()
        clients(sim, release)
        produce(sim, steady(sim, "orders", 8))
        produce(sim, (one for topic in internal for one in steady(sim, topic, 1 / 45, 1)))
        group(sim, "billing", "orders", 3, racks)
        for worker in range(3):
            for topic in internal:
                read(sim, None, f"worker-{worker}", sim.keys(topic))
        found.append(finished(sim))
    return found


def hot_tenant() -> list[Sim]:
    """One tenant of a keyed topic has nine tenths of its records, from a moment on; the leader of its partition
    slows down with the load, and no other topic on it gets more."""
    sim = Sim("days-hot-tenant", "3.2.3", sweeps=7)
    sim.topic("events", 6)
    sim.topic("orders", 6)
    sim.built()
    clients(sim, "3.2.3")
    sim.cost = dict.fromkeys(sim.brokers, (0.0004, 1.8e-6))
    events = [Produce(t, sim.rng.choice(sim.keys("events")), 4, 200) for t in every(sim, 6)]
    events += [Produce(t, ("events", 1), 80, 400) for t in every(sim, 12, start=2 * EVERY_S)]
    produce(sim, [*events, *steady(sim, "orders", 5)])
    group(sim, "billing", "orders", 2)
    group(sim, "etl", "events")
    return [finished(sim)]


def keyed_on_a_busy_leader() -> list[Sim]:
    """Partitions 0 and 3, both led by broker 1, get five times the records of the others, by their keys; broker 1
    answers Produce later than the others because of it. A 3.2.3 client is connected that would feed a slow broker
    more."""
    sim = Sim("days-keyed-busy-leader", "3.9.1")
    sim.topic("events", 6)
    sim.built()
    clients(sim, "3.2.3", 5)
    clients(sim, "3.9.1")
    sim.cost = dict.fromkeys(sim.brokers, (0.0004, 1.6e-6))
    shares = [(0, 5.0), (1, 1.0), (2, 1.0), (3, 5.1), (4, 0.98), (5, 1.02)]
    produce(sim, [Produce(t, ("events", p), 60, 400) for p, share in shares for t in by_chance(sim, 2 * share)])
    group(sim, "etl", "events", 3)
    return [finished(sim)]
