"""Named healthy days, fifth part: loads, disks and long work of brokers. See quiet.py."""

from support.generators.days.cluster import EVERY_S, OFFSET_PARTITIONS, OFFSETS, Sim
from support.generators.days.quiet import clients, finished, group, steady
from support.generators.days.quiet_events import come_back
from support.generators.days.quiet_rolls import by_own_controllers
from support.generators.days.state import Open, Steps
from support.generators.days.traffic import Commit, Produce, answered, every, produce, read

MB = 1_000_000


def a_load_test() -> list[Sim]:
    """A load test of twenty minutes: 200 producers connect within seconds and write ten times of what is usual. Leaders
    are busy for most of the time, requests wait for handlers, latencies are what the load makes of them."""
    sim = Sim("days-load-test", "3.9.1", sweeps=8)
    sim.topic("orders", 6)
    sim.topic("load", 6)
    sim.built()
    clients(sim, "3.9.1")
    sim.cost = dict.fromkeys(sim.brokers, (0.004, 1.2e-7))
    begin, end = 1_750.0, 2_950.0
    for broker in sim.brokers:
        for n in range(200):
            sim.connect(broker, begin + 0.02 * n, "apache-kafka-java", "3.9.1", to=end + 0.01 * n)
        for t, share in ((begin, 0.22), (end, 0.96)):
            sim.state.handlers[broker].set(t, share)
            sim.state.network[broker].set(t, share + 0.02)
    events = list(steady(sim, "orders", 5))
    events += [Produce(t, sim.rng.choice(sim.keys("load")), 50, 900) for t in every(sim, 75, begin + 4, end, 0.6)]
    produce(sim, events)
    group(sim, "billing", "orders", 2)
    group(sim, "sink", "load", 3)
    return [finished(sim)]


def a_nightly_batch() -> list[Sim]:
    """A batch that rewrites a table takes all that the handlers have, for four to five minutes, four times a night. In
    between they rest. Of a cluster with ZooKeeper, and of one with controllers of its own."""
    found = []
    for release, kraft in (("2.8.2", False), ("3.9.1", True)):
        sim = Sim(f"days-nightly-{release.replace('.', '')}", release, kraft, sweeps=8)
        sim = by_own_controllers(sim) if kraft else sim
        sim.topic("orders", 6)
        sim.topic("table", 6)
        sim.built()
        clients(sim, release)
        sim.cost = dict.fromkeys(sim.brokers, (0.003, 2.4e-7))
        events = list(steady(sim, "orders", 4))
        for begin, seconds in ((930.0, 290.0), (1_650.0, 260.0), (2_340.0, 300.0), (3_100.0, 270.0)):
            for broker in sim.brokers:
                for t, share in ((begin, 0.004), (begin + seconds, 0.96)):
                    sim.state.handlers[broker].set(t, share)
            keys = sim.keys("table")
            events += [Produce(t, sim.rng.choice(keys), 100, 1_000) for t in every(sim, 110, begin, begin + seconds)]
        produce(sim, events)
        group(sim, "billing", "orders", 2)
        found.append(finished(sim))
    return found


def compaction_from_the_start() -> list[Sim]:
    """A table of a million offsets gets cleanup.policy=compact after years of delete, so that each of its logs is dirty
    as a whole: one pass after the other takes 25 minutes and fills the map of keys, for three hours. Few records remain
    between offset 0 and the end, and a group that reads the table from its start is through in seconds."""
    sim = Sim("days-compaction", "3.9.1", sweeps=20)
    sim.topic("table", 6, {"cleanup.policy": "compact"})
    sim.topic("orders", 6)
    for n, log in enumerate(log for log in sim.logs.values() if log.topic == "table"):
        log.start = Steps(0)
        sim.state.sizes["table", n] = [(float("-inf"), 9_000 * MB), (900.0 + 1_500 * (n + 1), 40 * MB)]
    sim.built()
    clients(sim, "3.9.1")
    for broker in sim.brokers:
        begun = 900.0 + 20 * broker
        columns = ("cleaner_max_dirty_percent", "cleaner_max_buffer_percent", "cleaner_max_clean_seconds",
                   "cleaner_idle_ms", "cleaner_recopy_percent")  # fmt: skip
        gauges = {name: sim.gauges[broker].setdefault(name, Steps(value))
                  for name, value in zip(columns, (12.0, 3.0, 1.2, 4_000, 60.0), strict=True)}  # fmt: skip
        for n in range(6):
            at = begun + 1_500 * n
            gauges["cleaner_max_dirty_percent"].set(at, 100.0 if n < 5 else 18.0)
            if n:
                gauges["cleaner_max_buffer_percent"].set(at, 88.0 + n)
                gauges["cleaner_max_clean_seconds"].set(at, 1_480.0 + n)
                gauges["cleaner_recopy_percent"].set(at, 0.5)
            for k in range(14):
                gauges["cleaner_idle_ms"].set(at + 100 * k, 100_000 * k + 50_000)
        gauges["cleaner_max_dirty_percent"].set(begun + 9_000, 18.0)
        gauges["cleaner_idle_ms"].set(begun + 9_000, 6_000)
    produce(sim, [*steady(sim, "table", 2), *steady(sim, "orders", 3)])
    group(sim, "billing", "orders", 1)
    keys = sim.keys("table")
    read(sim, "rebuild", "rebuild-0", keys, since=10_000.0, begin=dict.fromkeys(keys, 0))
    for key in keys:  # what is left of the log is 40 MB
        leader = sim.logs[key].leader.at(10_001.0)
        assert leader is not None
        answered(sim, leader, 10_001.0, 0.0, 1, "table", [(10_001.0, 5_000, 40 * MB, key, sim.logs[key].first)])
    return [finished(sim)]


def tiered_storage() -> list[Sim]:
    """3.9.1 with tiered storage: a month of records in the remote tier, an hour of them on disks. The log start is that
    of the remote tier and moves with its retention. A group reads the month from its start; each of its fetches waits
    for the remote tier, for some 200 ms."""
    sim = Sim("days-tiered", "3.9.1", sweeps=9, config={"remote.log.storage.system.enable": "true"})
    tiered = {"remote.storage.enable": "true", "retention.ms": "2592000000", "local.retention.ms": "3600000"}
    sim.topic("history", 6, tiered, first=80_000_000)
    sim.topic("orders", 6)
    for log in (one for one in sim.logs.values() if one.topic == "history"):
        log.start = Steps(0)
        for n in range(9):
            log.start.set(EVERY_S * n + 90, 40_000 * (n + 1))
        sim.state.sizes["history", log.number] = [(EVERY_S * n - 1e6, (900 + 40 * (n % 3)) * MB) for n in range(2_000)]
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, [*steady(sim, "history", 20, 40, 300), *steady(sim, "orders", 3)])
    group(sim, "billing", "orders", 1)
    group(sim, "live", "history", 2)
    sim.groups["replay"].append(("replay-0", sim.keys("history"), 1_300.0, float("inf")))
    at = dict.fromkeys(sim.keys("history"), 120_000)
    for t in every(sim, 4, 1_300.0):
        key = sim.rng.choice(list(at))
        at[key] += 3_400
        sim.commits["replay", key].append((t, at[key]))
        leader = sim.logs[key].leader.at(t)
        assert leader is not None
        answered(sim, leader, t, sim.rng.uniform(0.08, 0.4), 1, "history", [(t, 3_400, MB, key, at[key])])
    return [finished(sim)]


def a_long_transaction() -> list[Sim]:
    """A job with checkpoints of 45 minutes and a timeout of an hour writes all the time in one transaction, and another
    one for twelve minutes within the usual timeout. Readers of what is committed wait for both, as is meant."""
    sim = Sim("days-long-transaction", "3.9.1", sweeps=9, config={"transaction.max.timeout.ms": "3600000"})
    sim.topic("sink", 6)
    sim.topic("orders", 6)
    sim.built()
    clients(sim, "3.9.1")
    events: list[Produce | Commit] = []
    for producer, begin, end, keys in (
        (1, 900.0, 3_620.0, sim.keys("sink")[:3]),
        (2, 1_500.0, 2_220.0, sim.keys("sink")[3:]),
    ):
        for topic, p in keys:
            opened = Open(topic, p, producer, begin, end, 3_600.0 if producer == 1 else 900.0)
            sim.state.transactions.append(opened)
        events += [
            Produce(t, sim.rng.choice(keys), 5, 200, producer, f"w-{producer}") for t in every(sim, 2, begin, end - 1)
        ]
        events.append(Commit(end, f"w-{producer}"))
    produce(sim, events)
    produce(sim, steady(sim, "orders", 4))
    group(sim, "report", "sink", 2, committed=True)
    group(sim, "billing", "orders", 1)
    return [finished(sim)]


def offsets_between_compactions() -> list[Sim]:
    """Groups that commit each record fill the offsets log: each of its partitions grows for two hours, from one segment
    to four, until more than half of it is dirty, and is compacted."""
    sim = Sim("days-offsets-log", "2.8.2", kraft=False, sweeps=24)
    sim.topic("orders", 6)
    sim.built()
    clients(sim, "2.8.2")
    for p in range(OFFSET_PARTITIONS):
        grown = [((600.0 * n) - 300, (110 + 21 * ((n + 3 * p) % 14)) * MB) for n in range(25)]
        sim.state.sizes[OFFSETS, p] = [(float("-inf"), grown[0][1]), *grown]
    for broker in sim.brokers:
        dirty = sim.gauges[broker]["cleaner_max_dirty_percent"] = Steps(20.0)
        for n in range(25):
            dirty.set(600.0 * n - 300, 12.0 + 2.8 * ((n + broker) % 14))
    produce(sim, steady(sim, "orders", 3))
    read(sim, "each-record", "each-record-0", sim.keys("orders"), commit_s=0.3)
    return [finished(sim)]


def coordinators_load_after_a_roll() -> list[Sim]:
    """After each restart of a roll the coordinator reads its offsets for a minute or two, and tells its clients so; a
    sweep finds it at that. Of the classic coordinator and of that of 4.x."""
    found = []
    for release, kraft in (("2.8.2", False), ("4.1.1", True)):
        sim = Sim(f"days-coordinators-{release.replace('.', '')}", release, kraft, sweeps=9)
        sim.topic("orders", 6)
        for broker in sim.brokers:
            up = 1_200.0 * broker - 40
            sim.restart(broker, up - 60, up, elected_back=up + 20)
        sim.built()
        clients(sim, release, 120)
        for broker in sim.brokers:
            up = sim.away[broker][0][1]
            come_back(sim, broker, up, 200, release, 110)
            loading = sim.gauges[broker]["offsets_loading"] = Steps(0.0 if kraft else None)
            for t, many in ((up + 20, 2.0), (up + 115, 0.0)) if kraft else ():
                loading.set(t, many)
            sim.gauges[broker]["offsets_load_ms_max"] = Steps(12.0)
            sim.gauges[broker]["offsets_load_ms_max"].set(up + 110, 93_000.0)
            for t in every(sim, 4, up + 20, up + 112):
                for request in ("JoinGroup", "OffsetCommit", "OffsetFetch"):
                    sim.count(broker, t, ("e", request, "COORDINATOR_LOAD_IN_PROGRESS"))
                sim.count(broker, t - 85, ("e", "OffsetCommit", "NOT_COORDINATOR"))
        produce(sim, steady(sim, "orders", 3))
        group(sim, "billing", "orders", 1)
        found.append(finished(sim))
    return found


def topics_made_by_a_pipeline() -> list[Sim]:
    """Tests of a pipeline create a topic of 40 partitions every ten minutes, as it happens just before each sweep, and
    records of 900 changes with it: at each sweep brokers have yet to apply some, and to assign directories."""
    sim = Sim("days-pipeline", "3.9.1", sweeps=9)
    sim.topic("orders", 6)
    for n in range(1, 9):
        sim.topic(f"test-{n}", 40, born=EVERY_S * n - 1.5)
        sim.state.quorum.bursts.append((EVERY_S * n - 1.5, 900))
    for broker in sim.brokers:
        behind = sim.state.quorum.behind[broker] = Steps(0)
        queued = sim.gauges[broker]["queued_directory_assignments"] = Steps(0)
        for n in range(1, 9):
            for t, more in ((EVERY_S * n - 1.5, True), (EVERY_S * n + 2, False)):
                behind.set(t, (250 + 100 * broker) * more)
                queued.set(t, 30 * broker * more)
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, steady(sim, "orders", 4))
    group(sim, "billing", "orders", 2)
    return [finished(sim)]
