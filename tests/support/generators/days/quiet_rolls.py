"""Named healthy days, third part: rolls, migrations and clocks, of brokers and of controllers. See quiet.py."""

from support.generators.days.cluster import EVERY_S, NOBODY, OFFSETS, Sim
from support.generators.days.groups import JAVA
from support.generators.days.quiet import clients, finished, group, steady
from support.generators.days.quiet_events import come_back
from support.generators.days.state import Steps
from support.generators.days.traffic import produce, read

CROWD = 10_000
CONTROLLERS = [3000, 3001, 3002]
QUORUM = {
    "controller.quorum.voters": "3000@c1:9093,3001@c2:9093,3002@c3:9093",
    "controller.listener.names": "CONTROLLER",
}


def by_own_controllers(sim: Sim) -> Sim:
    """The quorum is one of nodes that are no brokers, and that nobody sweeps."""
    sim.controller, sim.state.quorum.controllers = Steps(NOBODY), list(CONTROLLERS)
    sim.state.quorum.leader = Steps(CONTROLLERS[0])
    sim.config |= QUORUM
    return sim


def a_large_roll() -> list[Sim]:
    """Each of three brokers holds 10,000 connections. They are restarted one after the other, in a clean way, and the
    clients are back within six minutes, 28 a second; the acceptor takes one after the other."""
    sim = Sim("days-large-roll", "3.9.1", sweeps=8)
    sim.topic("orders", 6)
    for broker, stop in ((1, 1_250.0), (2, 2_450.0), (3, 3_650.0)):
        sim.restart(broker, stop, stop + 95)
    sim.built()
    clients(sim, "3.9.1", CROWD)
    for broker in sim.brokers:
        up = sim.away[broker][0][1]
        come_back(sim, broker, up, 360, "3.9.1", CROWD - 20)
        sim.connect(broker, up, "unknown", "unknown", 2)
    produce(sim, steady(sim, "orders", 3))
    group(sim, "billing", "orders", 1)
    return [finished(sim)]


def controllers_rolled() -> list[Sim]:
    """Three controllers are restarted one after the other, twice on one day: new heap settings, and back again. The
    active one resigns, another is elected, and one voter takes five minutes to come back."""
    sim = by_own_controllers(Sim("days-controllers-rolled", "3.9.1", sweeps=9))
    sim.topic("orders", 6)
    quorum = sim.state.quorum
    for node, stop, back in ((3001, 1_100.0, 1_220.0), (3002, 1_780.0, 2_110.0), (3000, 2_300.0, 2_350.0),
                             (3002, 3_100.0, 3_150.0), (3000, 3_580.0, 3_625.0), (3001, 4_150.0, 4_190.0)):  # fmt: skip
        quorum.away[node].append((stop, back))
        if quorum.leader and quorum.leader.at(stop) == node:
            quorum.epoch.set(stop, quorum.epoch.at(stop) + 2)
            quorum.leader.set(stop, 3001 if node == 3000 else 3002)
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, steady(sim, "orders", 4))
    group(sim, "billing", "orders", 2)
    return [finished(sim)]


def a_roll_in_step_with_sweeps() -> list[Sim]:
    """Six brokers, rolled by a pipeline every ten minutes, so that each sweep finds another one away. A topic of one
    replica has no leader at one of them."""
    sim = by_own_controllers(Sim("days-roll-in-step", "3.9.1", brokers=6, sweeps=9))
    sim.topic("orders", 12)
    sim.topic("scratch", 2, {"min.insync.replicas": "1"}, replicas=1)
    for n, broker in enumerate(sim.brokers):
        stop = EVERY_S * (n + 2) - 55
        lonely = [log for log in sim.logs.values() if log.replicas.at(0) == [broker]]
        kept = {log.topic: sim.logs.pop((log.topic, log.number)) for log in lonely}
        sim.restart(broker, stop, stop + 150, caught_up_s=20)
        for log in kept.values():
            sim.logs[log.topic, log.number] = log
            log.leader.set(stop, None)
            log.leader.set(stop + 150, broker)
    sim.built()
    clients(sim, "3.9.1", 120)
    for broker in sim.brokers:
        come_back(sim, broker, sim.away[broker][0][1], 240, "3.9.1", 110)
    produce(sim, steady(sim, "orders", 6))
    group(sim, "billing", "orders", 3)
    return [finished(sim)]


def moved_to_kraft() -> list[Sim]:
    """3.9.1 is moved from ZooKeeper to KRaft. The brokers are restarted with the migration switched on; the quorum's
    leader becomes the controller and writes to ZooKeeper as well, so that none of the brokers is active any more; an
    hour later they are restarted without ZooKeeper."""
    sim = Sim("days-moved-to-kraft", "3.9.1", kraft=False, sweeps=12)
    sim.topic("orders", 6)
    state = sim.state
    state.quorum.controllers, state.quorum.leader = list(CONTROLLERS), Steps(CONTROLLERS[0])
    migrating = QUORUM | {"zookeeper.metadata.migration.enable": "true"}
    for broker in sim.brokers:
        state.configs[broker], state.kraft[broker] = Steps({}), Steps(False)
        stop = 500.0 + 300 * broker
        sim.restart(broker, stop, stop + 60)
        state.configs[broker].set(stop + 60, migrating)
    sim.controller.set(1_700.0, NOBODY)
    for broker in sim.brokers:
        stop = 5_000.0 + 300 * broker
        sim.restart(broker, stop, stop + 60)
        state.configs[broker].set(stop + 60, QUORUM)
        state.kraft[broker].set(stop + 60, True)
    sim.built()
    clients(sim, "3.9.1", 60)
    for broker in sim.brokers:
        for _stop, up in sim.away[broker]:
            come_back(sim, broker, up, 200, "3.9.1", 55)
    produce(sim, steady(sim, "orders", 3))
    group(sim, "billing", "orders", 1)
    return [finished(sim)]


def a_broker_decommissioned() -> list[Sim]:
    """Broker 4 is emptied replica by replica, stopped in a clean way, and unregistered an hour later: until then the
    controller counts it as fenced."""
    sim = Sim("days-decommissioned", "3.9.1", brokers=4, sweeps=10)
    sim.controller = Steps(1)
    sim.topic("orders", 12)
    moved = [log for log in sim.logs.values() if 4 in log.replicas.at(0)]
    for n, log in enumerate(moved):
        t, old = 400.0 + 110 * n, log.replicas.at(0)
        added = next(b for b in sim.brokers if b not in old) if log.topic != OFFSETS or len(old) < 4 else 1
        caught, final = t + sim.rng.uniform(30, 100), [added if b == 4 else b for b in old]
        log.replicas.set(t, [*old, added])
        log.isr.set(caught, sorted([*old, added]))
        log.replicas.set(caught + 1, final)
        log.isr.set(caught + 1, sorted(final))
        log.leader.set(caught + 1, final[0])
        sim.count(log.leader.at(t) or 1, caught, ("b", "isr_expands"))
        sim.reassigned.append((t, caught + 1, (log.topic, log.number)))
    sim.away[4].append((2_750.0, float("inf")))
    sim.state.unregistered[4] = 4_300.0
    sim.built()
    clients(sim, "3.9.1", 60)
    produce(sim, steady(sim, "orders", 8))
    group(sim, "billing", "orders", 2)
    return [finished(sim)]


def created_this_morning() -> list[Sim]:
    """The cluster did not exist when the day began. Its topics are created, the offsets log comes with the first group,
    and one group begins at the latest offsets, one at the earliest."""
    sim = Sim("days-created-this-morning", "4.1.1", sweeps=9)
    begun = {broker: 1_500.0 + 20 * broker for broker in sim.brokers}
    sim.starts, sim.state.first_sweep = {broker: [t] for broker, t in begun.items()}, 3
    for broker, t in begun.items():
        sim.away[broker].append((float("-inf"), t + 6))
    for log in sim.logs.values():
        log.born, log.first, log.end = 2_500.0, 0, 0
        log.start = Steps(0)
    sim.topic("orders", 6, born=2_300.0)
    sim.built()
    for broker in sim.brokers:
        sim.connect(broker, 1_600.0, "unknown", "unknown", 2)
        come_back(sim, broker, 2_310.0, 500, "4.1.1", 40)
        for k in range(3, sim.sweeps + 1):
            t = sim.read_at(broker, k)
            sim.connect(broker, t, "kafka-python", "3.0.12", 1, to=t + 1)
    produce(sim, (one for one in steady(sim, "orders", 6) if one.t > 2_400))
    keys = sim.keys("orders")
    read(sim, "billing", "billing-0", keys, since=2_520.0, begin=dict.fromkeys(keys, 0))
    read(sim, "audit", "audit-0", keys, since=3_300.0)
    return [finished(sim)]


def clocks_step() -> list[Sim]:
    """NTP steps clocks. Of one cluster broker 2 was restarted 90 s ahead and is set back; broker 3, the active
    controller, jumps 65 s ahead for half an hour, and for a moment takes its followers for late. Of the other cluster
    the collector's clock jumps ahead by 75 s, back, and 45 s behind."""
    sim = Sim("days-clocks-brokers", "3.9.1", sweeps=10)
    sim.topic("orders", 6)
    sim.restart(2, 1_000.0, 1_060.0)
    for t, ahead in ((900.0, 90.0), (1_500.0, 0.0)):
        sim.state.clocks[2].set(t, ahead)
    for t, ahead in ((2_500.0, 65.0), (4_300.0, 0.0)):
        sim.state.clocks[3].set(t, ahead)
    sim.count(3, 2_501.0, ("b", "isr_shrinks"), 2)
    sim.count(3, 2_503.0, ("b", "isr_expands"), 2)
    other = Sim("days-clocks-collector", "2.8.2", kraft=False, sweeps=10)
    other.topic("orders", 6)
    for t, ahead in ((2 * EVERY_S - 9, 75.0), (5 * EVERY_S - 9, 0.0), (7 * EVERY_S - 9, -45.0), (9 * EVERY_S - 9, 0.0)):
        other.state.collector.set(t, ahead)
    other.restart(1, 2_900.0, 2_960.0)
    for one in (sim, other):
        one.built()
        clients(one, one.release, 40)
        for broker in one.brokers:
            for _stop, up in one.away[broker]:
                one.connect(broker, up + 5, JAVA, one.release, 38)
        produce(one, steady(one, "orders", 6))
        group(one, "billing", "orders", 2)
    return [finished(sim), finished(other)]
