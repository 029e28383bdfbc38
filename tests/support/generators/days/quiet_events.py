"""Named healthy days, second part: what operators, clients and disks do. See quiet.py."""

from bisect import bisect_left

from support.generators.days.cluster import EVERY_S, Sim
from support.generators.days.quiet import clients, finished, group, steady
from support.generators.days.state import Steps
from support.generators.days.traffic import Commit, Produce, every, produce, read

CLIENTS = 2_400


def come_back(sim: Sim, broker: int, start: float, seconds: float, version: str, n: int) -> None:
    """Connections that return to a broker one by one, each when its client next needs it."""
    for t in sorted(start + sim.rng.uniform(0, seconds) for _ in range(n)):
        sim.connect(broker, t, "apache-kafka-java", version)


def a_clean_roll() -> list[Sim]:
    """Three brokers are restarted one after the other, in a clean way. Each holds 2,400 connections, which come back
    within five minutes, eight a second: an acceptor takes thousands. On releases with a backlog of 50 and with more."""
    found = []
    for release, kraft in (("2.8.2", False), ("3.9.1", True), ("4.1.1", True)):
        sim = Sim(f"days-clean-roll-{release.replace('.', '')}", release, kraft, sweeps=9)
        sim.topic("orders", 6)
        for broker, stop in ((1, 1_900.0), (2, 3_100.0), (3, 4_300.0)):
            sim.restart(broker, stop, stop + 70)
        sim.built()
        clients(sim, release, CLIENTS)
        for broker in sim.brokers:
            up = sim.away[broker][0][1]
            come_back(sim, broker, up, 300, release, CLIENTS - 10)
            sim.connect(broker, up, "unknown", "unknown", 2)
        produce(sim, steady(sim, "orders", 3))
        group(sim, "billing", "orders", 1)
        found.append(finished(sim))
    return found


def a_neighbour_stops() -> list[Sim]:
    """Broker 3 is stopped in a clean way and down for an hour; 3,340 clients of its partitions connect to broker 1
    within ten minutes, five and a half a second."""
    sim = Sim("days-neighbour-stops", "3.9.1", sweeps=9)
    sim.topic("orders", 90)
    sim.restart(3, 1_803.0, 4_900.0)
    sim.built()
    clients(sim, "3.9.1", 500)
    come_back(sim, 1, 1_805.0, 594, "3.9.1", 3_340)
    come_back(sim, 2, 1_805.0, 594, "3.9.1", 900)
    produce(sim, steady(sim, "orders", 3))
    group(sim, "billing", "orders", 1)
    return [finished(sim)]


def slow_tls_clients() -> list[Sim]:
    """900 clients come back on TLS over nine minutes; the acceptor waited for 1.2 ms in all. The host's own counters of
    the listen queue, on one of the clusters, do not move."""
    found = []
    for hosts in (False, True):
        sim = Sim(f"days-tls-clients-{'host' if hosts else 'nohost'}", "3.9.1", sweeps=6, hosts=hosts,
                  config={"listeners": "SSL://:9092", "security.inter.broker.protocol": "SSL",
                          "listener.security.protocol.map": "SSL:SSL,CONTROLLER:SSL"})  # fmt: skip
        sim.topic("orders", 6)
        sim.restart(2, 1_900.0, 1_960.0)
        sim.built()
        for broker in sim.brokers:
            sim.connect(broker, -5_000.0, "apache-kafka-java", "3.9.1", 900, "SSL")
        for t in sorted(1_960 + sim.rng.uniform(0, 540) for _ in range(900)):
            sim.connect(2, t, "apache-kafka-java", "3.9.1", 1, "SSL")
        sim.count(2, 1_990.0, ("a", "SSL", "blocked_ns"), 1_200_000)
        produce(sim, steady(sim, "orders", 3))
        group(sim, "billing", "orders", 1)
        found.append(finished(sim))
    return found


def a_dead_fetcher() -> list[Sim]:
    """A topic with twelve records an hour. The fetcher of broker 3 is dead, so its copy stands still, and a few records
    are no lag. Something is wrong, but no set is frozen."""
    sim = Sim("days-dead-fetcher", "2.8.2", kraft=False, sweeps=8)
    sim.topic("audit", 3)
    sim.topic("orders", 6)
    sim.built()
    clients(sim, "2.8.2")
    log = sim.logs["audit", 0]
    died = 1_000.0
    log.stuck[3] = died, log.first
    log.isr.set(died + 200, [1, 2])
    sim.count(1, died + 200, ("b", "isr_shrinks"))
    for name, value in (("fetcher_dead_threads", 1), ("fetcher_failed_partitions", 1)):
        sim.gauges[3][name] = Steps(0)
        sim.gauges[3][name].set(died, value)
    produce(sim, [Produce(t, ("audit", 0), 1, 300) for t in every(sim, 12 / 3600, start=died, jitter=0.5)])
    produce(sim, steady(sim, "orders", 4))
    group(sim, "billing", "orders", 1)
    return [finished(sim)]


def transactional_growth() -> list[Sim]:
    """The output of a Streams application, two records and a marker per transaction, grows from six to twelve
    partitions. One group reads it, its reset policy is earliest, and it reads everything."""
    sim = Sim("days-transactional-growth", "3.9.1", sweeps=8)
    sim.topic("out", 6)
    grown = 2 * EVERY_S + 250
    sim.topic("out", 12, born=grown, from_partition=6)
    sim.built()
    clients(sim, "3.9.1")
    events: list[Produce | Commit] = []
    for n, t in enumerate(every(sim, 10, jitter=0.5)):
        p = n % (12 if t > grown + 2 else 6)
        events += [Produce(t, ("out", p), 2, 250, 1, f"t-{n}"), Commit(t + 0.1, f"t-{n}")]
    produce(sim, events)
    learnt = grown + 260  # metadata.max.age.ms is five minutes
    old, new = [("out", p) for p in range(6)], [("out", p) for p in range(6, 12)]
    read(sim, "report", "report-0", old, committed=True)
    read(sim, "report", "report-0", new, committed=True, since=learnt, begin=dict.fromkeys(new, 0))
    return [finished(sim)]


def growth_at_once_seen() -> list[Sim]:
    """The owner of a group with reset latest has set metadata.max.age.ms to 30 s in readers and writers, and stops
    writing to new partitions before the readers have them: none is skipped."""
    declared = {"client_configs": {"groups": {"billing*": {"auto.offset.reset": "latest"}}}}
    sim = Sim("days-growth-at-once", "3.9.1", sweeps=8, declared=declared)
    sim.topic("orders", 6)
    grown = 2 * EVERY_S + 250
    sim.topic("orders", 9, born=grown, from_partition=6)
    sim.built()
    clients(sim, "3.9.1")
    events = [Produce(t, ("orders", sim.rng.randrange(9 if t > grown + 35 else 6)), 3, 120) for t in every(sim, 12)]
    produce(sim, events)
    new = [("orders", p) for p in range(6, 9)]
    read(sim, "billing", "billing-0", [("orders", p) for p in range(6)])
    read(sim, "billing", "billing-0", new, since=grown + 28, begin=dict.fromkeys(new, 0))
    return [finished(sim)]


def a_wiped_disk() -> list[Sim]:
    """2.8.2: broker 3 is stopped in a clean way and comes back with an empty volume. A producer that wrote for eight
    minutes to a repartition topic which is purged since is known to the other replicas, in memory, and cannot be
    rebuilt from records that are gone."""
    sim = Sim("days-wiped-disk", "2.8.2", kraft=False, sweeps=8)
    sim.topic("app-repartition", 3, {"retention.ms": "1800000"})
    sim.topic("orders", 6)
    stop, up = 2 * EVERY_S + 250, 2 * EVERY_S + 500
    sim.startup_s[3] = 200.0  # the volume is slow at first
    sim.controller = Steps(1)
    sim.restart(3, stop, up, caught_up_s=240)
    sim.built()
    clients(sim, "2.8.2")
    for producer, until in ((1, 500.0), (2, sim.end)):
        written = ((p, t) for p in range(3) for t in every(sim, 0.5, until=until))
        produce(sim, [Produce(t, ("app-repartition", p), 2, 100, producer) for p, t in written])
    produce(sim, steady(sim, "orders", 4))
    group(sim, "billing", "orders", 1)
    read(sim, "app", "app-0", sim.keys("app-repartition"))
    for key in sim.keys("app-repartition"):
        log = sim.logs[key]
        for n in range(1, int(sim.end // 60)):
            log.start.set(60.0 * n, log.end_at(60.0 * n - 20))
        log.emptied[3] = up, log.start.at(up)
    sim.forgets.append((3, up, 1))
    return [finished(sim)]


def rebalanced_all_day() -> list[Sim]:
    """Cruise Control moves a replica or a leader every few minutes, all day; followers that are added catch up in a
    minute or two, and what moved away is removed."""
    sim = Sim("days-rebalanced", "2.8.2", kraft=False, brokers=4, sweeps=9)
    sim.topic("orders", 12)
    moves = [(300.0 + 240 * n, ("orders", n % 12)) for n in range(20)]
    for t, key in moves:
        log = sim.logs[key]
        old = log.replicas.at(t)
        added = next(b for b in sim.brokers if b not in old)
        caught = t + sim.rng.uniform(50, 140)
        log.replicas.set(t, [*old, added])
        log.isr.set(caught, sorted([*log.isr.at(t), added]))
        final = [added, *old[1:]] if key[1] % 2 else [old[0], added, *old[2:]]
        log.replicas.set(caught + 1, final)
        log.isr.set(caught + 1, sorted(final))
        leader = log.leader.at(caught)
        assert leader is not None
        sim.count(leader, caught, ("b", "isr_expands"))
        log.leader.set(caught + 1, final[0])
        sim.reassigned.append((t, caught + 1, key))
    sim.built()
    clients(sim, "2.8.2", 60)
    produce(sim, steady(sim, "orders", 8))
    group(sim, "billing", "orders", 2)
    return [finished(sim)]


def mirrored() -> list[Sim]:
    """The target of MirrorMaker 2: it writes offsets of groups that read nothing here, translated from checkpoints that
    are coarse, so that they stand still, jump, and now and then step back; topics appear, grow and have commits at
    once."""
    sim = Sim("days-mirrored", "3.9.1", sweeps=8)
    sim.topic("src.orders", 6)
    sim.topic("src.new", 3, born=2 * EVERY_S + 200)
    sim.topic("src.orders", 8, born=3 * EVERY_S + 200, from_partition=6)
    sim.built()
    clients(sim, "3.9.1")
    late = 2 * EVERY_S + 201
    events = list(steady(sim, "src.orders", 6, 4, keys=[("src.orders", p) for p in range(6)]))
    events += [Produce(t, ("src.new", sim.rng.randrange(3)), 50, 200) for t in every(sim, 10, start=late)]
    grown = every(sim, 5, start=late + EVERY_S)
    events += [Produce(t, ("src.orders", 6 + sim.rng.randrange(2)), 4, 200) for t in grown]
    produce(sim, events)
    for name in ("billing", "audit"):
        sim.groups[name] = []
        for key in sim.keys("src.orders") + sim.keys("src.new"):
            log, behind = sim.logs[key], 0.0
            for t in every(sim, 1 / 60, max(0.0, log.born + 30), jitter=0.05):
                behind = sim.rng.choice((20.0, 60.0, 60.0, 100.0))
                if place := bisect_left(log.times, t - behind):
                    sim.commits[name, key].append((t, log.ends[place - 1]))
    return [finished(sim)]


def elected_without_the_set() -> list[Sim]:
    """4.1.1 with eligible leader replicas: two followers fall out of the set and come back as its leader restarts, so
    that one is elected which was not in the set that the sweep saw. A tail that was acknowledged by the leader alone is
    gone, as acks=1 allows; nothing that was committed is."""
    sim = Sim("days-eligible-leaders", "4.1.1", sweeps=8)
    sim.topic("metrics", 3, first=500_000)
    sim.topic("orders", 6)
    log = sim.logs["metrics", 0]
    short, lost, back = 2 * EVERY_S - 30, 2 * EVERY_S + 200, 2 * EVERY_S + 290
    log.isr.set(short, [1])
    sim.restart(1, lost, back)
    sim.built()
    clients(sim, "4.1.1", 60)
    come_back(sim, 1, back, 240, "4.1.1", 60)
    produce(sim, [Produce(t, ("metrics", 0), 1, 100) for t in every(sim, 1.4, until=2 * EVERY_S - 1)])
    produce(sim, [Produce(t, ("metrics", p), 2, 100) for p in (1, 2) for t in every(sim, 2)])
    produce(sim, steady(sim, "orders", 4))
    group(sim, "billing", "orders", 1)
    log.isr.set(back + 60, [1, 2, 3])
    log.times.append(lost)  # and nobody writes to this partition again
    log.ends.append(log.end_at(short))
    return [finished(sim)]
