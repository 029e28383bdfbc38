"""Named healthy days, fourth part: groups, topics and clients that come and go. See quiet.py."""

from itertools import pairwise

from support.generators.days.cluster import Sim
from support.generators.days.groups import JAVA, Member, attend, rebalanced
from support.generators.days.quiet import clients, finished, group, steady
from support.generators.days.state import Steps
from support.generators.days.traffic import Produce, every, produce, read

PODS = 300


def three_hundred_consumers_deployed() -> list[Sim]:
    """A group of 300 pods is deployed anew, pod after pod, for 40 minutes. Each departure and each arrival makes all of
    them join again, so that sweep after sweep finds the group preparing a rebalance; it completes one every 16 s."""
    sim = Sim("days-deploy-of-300", "3.9.1", sweeps=9)
    sim.topic("events", PODS)
    sim.built()
    clients(sim, "3.9.1", 2 * PODS)
    produce(sim, steady(sim, "events", 20))
    keys, begin, apart = sim.keys("events"), 1_205.0, 8.0
    old = [Member(f"app-{n}", f"10.2.0.{n % 250}", keys[n::PODS], until=begin + apart * n) for n in range(PODS)]
    new = [Member(f"app-{n}", f"10.3.{n // 200}.{n % 200}", keys[n::PODS], begin + apart * n + 5) for n in range(PODS)]
    attend(sim, "app", [*old, *new], 120.0)
    busy = sim.state.groups["app"] = Steps("Stable")
    for n in range(PODS):
        busy.set(begin + apart * n, "PreparingRebalance")
        busy.set(begin + apart * n + 7.2, "CompletingRebalance" if n % 2 else "PreparingRebalance")
        rebalanced(sim, "app", begin + apart * n + 7.9, n % 2)
    busy.set(begin + apart * PODS, "Stable")
    return [finished(sim)]


def an_autoscaled_group() -> list[Sim]:
    """A group is scaled by its lag, out and in by one pod every four minutes, all day. It rebalances cooperatively:
    twice for each change, and whoever stays keeps what it has."""
    sim = Sim("days-autoscaled", "3.9.1", sweeps=12)
    sim.topic("jobs", 24)
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, steady(sim, "jobs", 8))
    keys = sim.keys("jobs")
    pods = [Member(f"worker-{n}", f"10.4.0.{n}", keys[n::8]) for n in range(8)]
    busy = sim.state.groups["workers"] = Steps("Stable")
    for n, t in enumerate(240.0 * (k + 1) for k in range(int(sim.end // 240) - 1)):
        if n % 2 == 0:
            pods.append(Member(f"worker-{8 + n}", f"10.4.1.{n}", [], t, t + 240))
        for late in (0.0, 4.0):
            busy.set(t + late, "PreparingRebalance")
            busy.set(t + late + 3, "Stable")
            rebalanced(sim, "workers", t + late + 3)
    attend(sim, "workers", pods)
    return [finished(sim)]


def static_members_restarted() -> list[Sim]:
    """Twelve members with a group.instance.id are restarted one by one, twice. Each is back within its session timeout;
    the coordinator gives it another id and makes no rebalance (GroupCoordinator.updateStaticMemberAndRebalance)."""
    sim = Sim("days-static-members", "3.9.1", sweeps=10)
    sim.topic("ledger", 12)
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, steady(sim, "ledger", 5))
    keys, found = sim.keys("ledger"), list[Member]()
    for n in range(12):
        moments = [float("-inf"), 700.0 + 150 * n, 3_000.0 + 140 * n, float("inf")]
        for since, until in pairwise(moments):
            found.append(Member("ledger", f"10.5.0.{n}", [keys[n]], since, until, f"ledger-{n}"))
    attend(sim, "ledger", found)
    return [finished(sim)]


def a_group_of_the_new_protocol() -> list[Sim]:
    """4.1.1 and a group of the consumer protocol (KIP-848). Pods are added every ten minutes while one member works on
    a batch for minutes before it gives partitions up: the group is reconciling meanwhile, and the others read on."""
    sim = Sim("days-new-protocol", "4.1.1", sweeps=10)
    sim.topic("flow", 12)
    sim.built()
    clients(sim, "4.1.1")
    produce(sim, steady(sim, "flow", 5))
    keys = sim.keys("flow")
    pods = [Member(f"flow-{n}", f"10.6.0.{n}", keys[n::4]) for n in range(4)]
    busy = sim.state.groups["flow"] = Steps("Stable")
    for n, t in enumerate((1_100.0, 1_720.0, 2_390.0, 2_880.0)):
        pods.append(Member(f"flow-{4 + n}", f"10.6.1.{n}", [], t))
        busy.set(t, "Assigning")
        busy.set(t + 1, "Reconciling")
        busy.set(t + sim.rng.uniform(90, 290), "Stable")
        rebalanced(sim, "flow", t + 1)
    attend(sim, "flow", pods)
    return [finished(sim)]


def connect_reconfigured() -> list[Sim]:
    """A Connect cluster whose connectors are changed by a pipeline every three minutes. Its workers rebalance each time
    and keep their ids; a worker that was lost is waited for, five minutes long (scheduled.rebalance.max.delay.ms)."""
    sim = Sim("days-connect", "3.9.1", sweeps=10)
    sim.topic("orders", 6)
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, steady(sim, "orders", 5))
    lost, back = 2_300.0, 2_650.0
    workers = [Member(f"connect-{n}", f"10.7.0.{n}", []) for n in range(5)]
    workers += [Member("connect-5", "10.7.0.5", [], until=lost), Member("connect-5", "10.7.1.5", [], back)]
    sim.state.protocols["connect-cluster"] = "connect"
    attend(sim, "connect-cluster", workers)
    for t in every(sim, 1 / 180, jitter=0.1):
        rebalanced(sim, "connect-cluster", t, 2)
    group(sim, "connect-sink", "orders", 3)
    return [finished(sim)]


def topics_created_anew() -> list[Sim]:
    """A topic is deleted and created anew under its name, before a backfill: its offsets begin at 0, and the
    coordinator drops what groups had committed on it (GroupCoordinator.handleDeletedPartitions). Of 2.4.1, where topics
    have no ids, and of 3.9.1. One group reads it from its start, the other one's job is paused until the evening."""
    found = []
    for release in ("2.4.1", "3.9.1"):
        sim = Sim(f"days-created-anew-{release.replace('.', '')}", release, kraft=release > "3", sweeps=9)
        sim.topic("prices", 3)
        sim.topic("orders", 6)
        gone, made = 2_150.0, 2_260.0
        sim.state.dropped["prices"] = gone
        sim.built()
        clients(sim, release)
        produce(sim, steady(sim, "orders", 4))
        keys = sim.keys("prices")
        produce(sim, (one for one in steady(sim, "prices", 6) if one.t < gone))
        read(sim, "pricing", "pricing-0", keys, until=gone)
        read(sim, "reports", "reports-0", keys, until=1_500.0)
        for log in (sim.logs[key] for key in keys):
            log.ready, log.stable, log.end = [], [], 0
            log.times.append(made)
            log.ends.append(0)
            log.start.set(made, 0)
            log.id.set(made, "id-prices-anew")
            for name in ("pricing", "reports"):
                sim.commits[name, (log.topic, log.number)].append((gone, -1))
        produce(sim, [Produce(t, sim.rng.choice(keys), 20, 100) for t in every(sim, 9, made + 5)])
        read(sim, "pricing", "pricing-0", keys, since=made + 8, begin=dict.fromkeys(keys, 0))
        found.append(finished(sim))
    return found


def quotas_all_day() -> list[Sim]:
    """Quotas bite all day. A listener takes 12 connections a second at most (max.connection.creation.rate): after a
    restart 3,000 clients come back at eleven, and the acceptor waits again and again. A reader is held to a rate below
    that of its topic, and falls behind for hours."""
    sim = Sim("days-quotas", "3.9.1", sweeps=10, config={"max.connection.creation.rate": "12"})
    sim.topic("clicks", 6)
    sim.restart(2, 1_250.0, 1_310.0)
    sim.built()
    clients(sim, "3.9.1", 3_000)
    for n in range(2_990):
        sim.connect(2, 1_310 + n / 11, JAVA, "3.9.1")
        if n % 4 == 0:
            sim.count(2, 1_310 + n / 11, ("a", "PLAINTEXT", "blocked_ns"), 70_000_000)
    produce(sim, steady(sim, "clicks", 40, 20, 200))
    for i, key in enumerate(sim.keys("clicks")):
        read(sim, "throttled", f"throttled-{i}", [key], most=20_000, busy_s=1.6)
        leader = sim.logs[key].leader.at(0.0)
        assert leader is not None
        for t in every(sim, 0.5):  # it fetches each two seconds, and is kept away for most of them
            sim.count(leader, t, ("m", "FetchConsumer", "ThrottleTimeMs"), 1_600_000)
    return [finished(sim)]


def health_checks() -> list[Sim]:
    """Load balancers open a connection to each broker every second and close it at once; so do probes of a mesh, and a
    scheduler whose short jobs each bring a client of their own."""
    sim = Sim("days-health-checks", "3.9.1", sweeps=6)
    sim.topic("orders", 6)
    sim.built()
    clients(sim, "3.9.1", 200)
    for broker in sim.brokers:
        for per_s, software in ((3.0, "unknown"), (1.0, "librdkafka")):
            for t in every(sim, per_s):
                sim.connect(broker, t, software, "2.3.0" if software == "librdkafka" else "unknown", to=t + 0.2)
    produce(sim, steady(sim, "orders", 5))
    group(sim, "billing", "orders", 2)
    jobs = [Member(f"job-{n}", f"10.8.0.{n % 200}", [], 30.0 * n, 30.0 * n + 12) for n in range(1, int(sim.end // 30))]
    attend(sim, "jobs", jobs)
    for one in jobs:
        rebalanced(sim, "jobs", one.since + 3, 1)
    return [finished(sim)]
