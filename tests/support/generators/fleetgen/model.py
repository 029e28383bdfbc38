"""A small model of a Kafka cluster: takes a Spec, moves its logs, groups, connections and counters through time.

Every figure of a sweep follows from this one state, so that rows agree: what producers write is what leaders count,
what followers fetch and what groups read, and every counter of a broker starts at 0 with its process.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from support.generators.fleetgen import noise
from support.generators.fleetgen.connections import churn, join
from support.generators.fleetgen.consumers import consume
from support.generators.fleetgen.draws import arrivals, poisson, split, whole
from support.generators.fleetgen.shape import DAY, Event, Spec, Topic
from support.generators.fleetgen.state import OFFSETS, RESERVOIR_S, WAIT_S, Broker, Key, Log, OpenTransaction, Reader


class Model:
    """The cluster in motion. `now` is s since epoch; advance() moves it and applies the spec's events on the way."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.rng = Random(spec.seed)  # noqa: S311
        self.now = spec.at(0) - 3600.0
        self.factor = 1.0 + 9.0 * self.rng.random()  # production scatters more than a recorded load
        self.recorded = self.rng.choice(noise.LOADED)  # whose latencies this cluster has
        self.brokers = {b: self._broker(b) for b in spec.brokers}
        self.controller = spec.brokers[0]
        self.epoch = 1  # of the quorum of controllers
        self.uncompacted: tuple[float, float, float] | None = None  # since when, bytes of each offsets log then, by s
        self.silent_voters: set[int] = set()  # those that do not fetch although their process runs
        self.logs: dict[Key, Log] = {}
        self.readers: dict[tuple[str, Key], Reader] = {}
        self.transactions: dict[str, OpenTransaction] = {}  # those that a fault leaves open, by topic
        self.batches: dict[Key, float] = {}  # batches/s of the last step
        self._events = sorted(((DAY + at, n, event) for n, (at, event) in enumerate(spec.events)), key=lambda e: e[:2])
        offsets = Topic(OFFSETS, spec.offsets_partitions, min(3, len(spec.brokers)), 0.0)
        for topic in [*spec.topics, offsets]:
            self.create(topic, self._age(topic))
        for group in spec.groups:
            for log in [one for one in self.logs.values() if one.topic.name in group.topics]:
                self.readers[group.name, log.key] = Reader(log.end, None if group.anonymous else log.end)
        for broker in self.brokers.values():
            join(self, broker)
        jobs = {
            one.name: {key: reader.position for (name, key), reader in self.readers.items() if name == one.name}
            for one in spec.groups if one.every_s
        }  # fmt: skip
        self._run(spec.at(0) - self.now)
        for (name, key), reader in self.readers.items():  # a job has an hour to read in its first run of the day, too
            if name in jobs:
                reader.position = reader.committed = jobs[name][key]

    # -- construction

    def _broker(self, number: int) -> Broker:
        days = 86_400 * self.rng.uniform(3, 60)
        made = Broker(number, self.now - days, self.rng.choice(noise.startup_seconds()) * self.rng.uniform(1, 3))
        made.speed = math.exp(self.rng.gauss(0, 0.15))
        made.producer_ids = self.rng.randint(5, 80)
        made.host["boot"] = int(made.started - 86_400)
        return made

    def _age(self, topic: Topic) -> float:
        """Seconds for which a topic has been written to."""
        return 86_400 * self.rng.uniform(1, 30) if topic.rate > 0 or topic.name == OFFSETS else 0.0

    def create(self, topic: Topic, age: float = 0.0, numbers: list[int] | None = None) -> None:
        """Place partitions: leaders in turn, followers shifted, as Kafka's own assignment does."""
        live, rng = self.spec.brokers, self.rng
        first, shift = rng.randrange(len(live)), rng.randrange(max(1, len(live) - 1))
        made = f"{rng.getrandbits(128):032x}"
        for number in range(topic.partitions) if numbers is None else numbers:
            replicas = [live[(first + number) % len(live)]]
            for other in range(topic.rf - 1):
                step = 1 + (shift + other) % max(1, len(live) - 1)
                replicas.append(live[(first + number + step) % len(live)])
            rate = topic.rate / topic.partitions if topic.name != OFFSETS else 1.0
            end = whole(rng, rate * age)
            start = max(0, end - whole(rng, rate * min(age, topic.retention_s)))
            if topic.rate == 0 and topic.name != OFFSETS and rng.random() < 0.5:
                end = start = rng.randrange(100_000)  # idle, and retention has removed what there was
            old = next((log for key, log in self.logs.items() if key[0] == topic.name), None)
            identity = old.topic_id if old and numbers is not None else made
            self.logs[topic.name, number] = Log(
                topic, number, replicas, replicas[0], list(replicas), end, start, identity
            )

    # -- time

    def advance(self, until: float) -> None:
        """Run to a moment; events that fall before it happen on the way."""
        while self._events and self._events[0][0] <= until:
            at, _n, event = self._events.pop(0)
            self._run(max(at, self.now) - self.now)
            event(self)
        self._run(until - self.now)

    def later(self, seconds: float, event: Event) -> None:
        """Let something happen after so many seconds."""
        self._events.append((self.now + seconds, len(self._events) + 10_000, event))
        self._events.sort(key=lambda one: one[:2])

    def _run(self, seconds: float) -> None:
        if seconds <= 0:
            return
        self.now += seconds
        for broker in self.brokers.values():
            broker.waits = [one for one in broker.waits if one[0] > self.now - RESERVOIR_S]
            if broker.up:
                churn(self, broker, seconds)
        self._produce(seconds)
        for group in self.spec.groups:
            consume(self, group, seconds)
        self._replicate(seconds)
        self._work()

    def by_topic(self) -> Iterator[tuple[Topic, list[Log]]]:
        """Topics with their partitions in order."""
        found: dict[str, list[Log]] = defaultdict(list)
        for log in self.logs.values():
            found[log.topic.name].append(log)
        for logs in found.values():
            yield logs[0].topic, logs

    def _produce(self, seconds: float) -> None:
        rng, self.batches = self.rng, {}
        for topic, logs in self.by_topic():
            if topic.name == OFFSETS:
                continue
            day = 1 + topic.amplitude * math.sin(2 * math.pi * (self.now - DAY - topic.phase) / 86_400)
            jitter = math.exp(rng.gauss(0, noise.rate_jitter() * self.factor))
            mean = topic.rate * day * jitter * seconds
            total = whole(rng, topic.rate * seconds) if topic.steady else poisson(rng, mean)
            weights = topic.weights or [1.0] * len(logs)
            # a producer stays with a partition for `stay` records: what is drawn evenly are the stays
            stays = split(rng, max(1, round(total / topic.stay)), weights) if total else [0] * len(logs)
            scale = total / max(1, sum(stays))
            for log, many in zip(logs, stays, strict=True):
                self.append(log, whole(rng, many * scale), seconds)
                if many and topic.commit_every_s:  # a marker per transaction, which no meter counts
                    log.end += whole(rng, seconds * topic.producers / topic.commit_every_s)

    def append(self, log: Log, records: int, seconds: float) -> None:
        """Records that arrive on a partition within so many seconds; without a leader they wait at the producer."""
        log.rate = records / seconds
        broker = self.brokers.get(log.leader) if log.leader is not None else None
        if broker is None or not broker.serves or records <= 0:
            return
        log.end += records
        batches = max(1, whole(self.rng, records / log.topic.batch))
        self.batches[log.key] = batches / seconds
        counts = {
            "messages_in": records,
            "bytes_in": whole(self.rng, records * log.topic.size),
            "produce_batches": batches,
        }
        broker.counters.update(counts)
        broker.by_topic[log.topic.name].update(counts)
        broker.requests["Produce"] += batches
        broker.errors["Produce", "NONE"] += batches

    def used(self, broker: Broker) -> float:
        """Share of what a broker can take that it is given, at most 0.9; 0 where load makes nothing slower."""
        if not self.spec.headroom:
            return 0.0
        mean = sum(one.rate / one.batch for one in self.spec.topics) / len(self.spec.brokers)
        given = sum(self.batches.get(key, 0.0) for key, log in self.logs.items() if log.leader == broker.id)
        return min(0.9, given / (self.spec.headroom * mean)) if mean else 0.0

    def _work(self) -> None:
        """Handlers are idle for what the load leaves of their time."""
        for broker in self.brokers.values() if self.spec.busy_threads else ():
            broker.handlers.become(0.97 * (1 - self.used(broker)), self.now - broker.started)

    def _replicate(self, seconds: float) -> None:
        """Followers fetch per pair of brokers; a fetch that waits counts an expiry at the leader."""
        pairs: dict[tuple[int, int], float] = defaultdict(float)
        for log in self.logs.values():
            if log.leader is None or not self.brokers[log.leader].serves:
                continue
            for follower in log.replicas:
                if follower != log.leader and self.brokers[follower].up:
                    pairs[log.leader, follower] += self.batches.get(log.key, 0.0)
                    many = whole(self.rng, log.rate * seconds * log.topic.size)
                    self.brokers[log.leader].counters["replication_bytes_out"] += many
                    self.brokers[follower].counters["replication_bytes_in"] += many
        for (leader, follower), per_s in pairs.items():
            if leader != follower:
                fetches, expired = arrivals(per_s, WAIT_S)
                broker = self.brokers[leader]
                broker.requests["FetchFollower"] += whole(self.rng, fetches * seconds)
                broker.counters["expired_follower_fetches"] += whole(self.rng, expired * seconds)
                broker.errors["Fetch", "NONE"] += whole(self.rng, fetches * seconds)
