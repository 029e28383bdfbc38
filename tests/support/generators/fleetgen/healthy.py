"""Healthy clusters: takes a seed, gives the Spec of a cluster-day on which nothing is wrong and much happens."""

from random import Random

from support.generators.fleetgen import events
from support.generators.fleetgen.shape import Clients, Group, Label, Spec, Topic
from support.generators.fleetgen.shapes import widen

RELEASES = ("1.1.1", "2.0.1", "2.4.1", "2.8.2", "3.1.2", "3.2.3", "3.3.1", "3.3.2", "3.4.1", "3.9.1", "4.1.1", "4.4.0")
LIBRARIES = (
    ("apache-kafka-java", "2.4.1"), ("apache-kafka-java", "2.8.2"), ("apache-kafka-java", "3.2.3"),
    ("apache-kafka-java", "3.3.2"), ("apache-kafka-java", "3.9.1"), ("apache-kafka-java", "4.1.1"),
    ("librdkafka", "2.3.0"), ("sarama", "1.38.1"), ("unknown", "unknown"),
)  # fmt: skip
OLD_CLIENT = ("apache-kafka-java", "2.0.1")  # does not retry unless told to
MOVING: set[Label] = {("isr_stagnation", "catching_up"), ("isr_stagnation", "reassignment")}


def healthy(seed: int, cluster: str | None = None, sweeps: int = 24, every_s: float = 900.0) -> Spec:
    """A cluster of 3 to 12 brokers and 3 to 40 topics with daily cycles, idle topics, and what operators do."""
    rng = Random(seed)  # noqa: S311
    release = rng.choice(RELEASES)
    line = tuple(int(part) for part in release.split(".")[:2])
    kraft = line >= (4, 0) or (line >= (3, 3) and rng.random() < 0.6)
    brokers = list(range(1, 1 + rng.choice((3, 3, 3, 4, 5, 6, 6, 9, 12))))
    topics = [_topic(rng, number, len(brokers)) for number in range(rng.choice((3, 3, 4, 4, 5, 5, 6, 8, 12, 40)))]
    groups = [_group(rng, number, topics) for number in range(rng.randint(1, 8))]
    clients = [
        Clients(*library, rng.choice((1, 3, 5, 10, 20, 60, 150)))
        for library in rng.sample(LIBRARIES, rng.randint(2, 5))
    ]
    spec = Spec(
        cluster or f"clean-{seed:05d}", seed, release, kraft, brokers, topics, groups, clients, sweeps, every_s,
        racks=rng.random() < 0.4, own_listener=rng.random() < 0.3, tells_controller=rng.random() < 0.7,
        backlog=rng.choice((50, 50, 500)), host_metrics=rng.random() < 0.3,
    )  # fmt: skip
    day_s = sweeps * every_s
    spec.events += [(hour * 3600.0 + rng.uniform(0, 3000), events.retention) for hour in range(int(day_s // 3600))]
    _happenings(rng, spec, day_s)
    widen(seed, spec)
    return spec


def _topic(rng: Random, number: int, brokers: int) -> Topic:
    """Idle, slow, middling or busy; keyless, or keyed with mild differences between keys."""
    rate = rng.choice(
        (0.0, rng.uniform(0.02, 2), rng.uniform(0.02, 2), rng.uniform(2, 50), rng.uniform(2, 50), rng.uniform(50, 1500))
    )
    partitions = rng.choice((1, 1, 1, 2, 3, 3, 4, 6, 12, 24))
    topic = Topic(f"topic-{number}", partitions, min(brokers, rng.choice((2, 3, 3, 3))), rate)
    topic.batch = rng.choice((1.0, 1.07, 5.0, 40.0)) if rate > 1 else 1.0
    topic.size = rng.choice((170.0, 170.0, 600.0, 4000.0))
    topic.retention_s = rng.choice((86_400.0, 3 * 86_400.0, 7 * 86_400.0))
    topic.amplitude, topic.phase = rng.uniform(0, 0.7), rng.uniform(0, 86_400)
    topic.producers = rng.randint(1, 6)
    choice = rng.random()
    if choice < 0.3:
        spread = rng.uniform(0.02, 0.25)
        topic.weights = [rng.lognormvariate(0, spread) for _ in range(partitions)]
    elif choice < 0.6:
        topic.stay = max(topic.batch, 16_384 / topic.size)  # 3.3+: batch.size bytes before it moves on
    else:
        topic.stay = topic.batch  # older sticky and round-robin partitioners: a batch
    return topic


def _group(rng: Random, number: int, topics: list[Topic]) -> Group:
    names = [one.name for one in rng.sample(topics, min(len(topics), rng.choice((1, 1, 1, 2, 3))))]
    partitions = sum(one.partitions for one in topics if one.name in names)
    group = Group(f"group-{number}", names, min(partitions, rng.randint(1, 6)))
    group.every_s = 3600.0 if rng.random() < 0.15 else 0.0
    return group


def _happenings(rng: Random, spec: Spec, day_s: float) -> None:
    def some_time(until: float = 0.8) -> float:
        return rng.uniform(0.05, until) * day_s

    moves = False
    if rng.random() < 0.15:
        apart, down = rng.uniform(400, 900), rng.uniform(10, 120)
        spec.events.append((rng.uniform(0.05, 0.2) * day_s, events.rolling_restart(apart, down)))
        spec.allowed |= MOVING
        spec.return_s = rng.uniform(120, 300)  # with the leaders, which come back within five minutes
        spec.story.append("rolling restart")
        moves = True
    if rng.random() < 0.1 and len(spec.brokers) > 3:
        name = rng.choice(spec.topics).name
        spec.events.append((some_time(0.6), events.reassign(name, rng.uniform(600, 4000))))
        spec.allowed |= MOVING
        spec.story.append("reassignment")
        moves = True
    if rng.random() < 0.3:
        spec.events.append((some_time(), events.deploy(rng.randrange(len(spec.clients)), rng.uniform(60, 1200))))
        spec.story.append("deploy")
    if rng.random() < 0.05 and spec.since("2.8"):
        spec.events.append((some_time(), events.recreate(rng.choice(spec.topics).name)))
        spec.story.append("topic created anew")
    if rng.random() < 0.05:
        spec.events.append((some_time(), events.new_group(Group("newcomer", [rng.choice(spec.topics).name]))))
        spec.story.append("new group from the start")
        spec.open.add(("partition_growth", "first_start"))  # a fast reader's first commit is as high as a skipper's
    if rng.random() < 0.05:
        spec.events.append((some_time(), events.grow(rng.choice(spec.topics).name, 3)))
        spec.story.append("partitions added, read from the start")
        spec.open.add(("partition_growth", "growth"))
    if rng.random() < 0.1:
        gone, first = rng.choice(spec.brokers), rng.randrange(2, spec.sweeps - 1)
        spec.failing |= {(gone, first), (gone, first + 1)}
        spec.story.append("agent silent for two sweeps")
    if rng.random() < 0.05:
        spec.skipped.add(rng.randrange(2, spec.sweeps - 1))
        spec.story.append("a sweep left out")
    if rng.random() < 0.2:
        spec.skew = {broker: rng.uniform(-5, 5) for broker in spec.brokers}
        spec.story.append("clocks differ")
    if moves and any(one.software == "unknown" for one in spec.clients):
        spec.open.add(("retriable_errors", "election"))  # they may be as old as those that do not retry
    if not moves and rng.random() < 0.15:
        spec.clients.append(Clients(*OLD_CLIENT, rng.randint(1, 10)))
        spec.story.append("clients that do not retry")
