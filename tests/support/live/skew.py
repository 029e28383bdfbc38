"""Three loads on a cluster whose broker 1 becomes late and recovers: takes a home, gives sweeps of each under an id.

Broker 1 is late while broker 3 follows it: that one fetches with `replica.fetch.min.bytes` out of reach, so acks=all at
broker 1 waits for the end of that fetch. Otherwise broker 2 follows it. So its slowness begins and ends with a
reassignment of followers, within what is measured; nothing is stopped or overloaded, and its leaders stay.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from kafka import KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from kafka_fleet.collect.sweep_result import SweepResult
from kafka_fleet.store.raw.manifests import read_rows
from support.live.scenarios import avoid_midnight, sweep

STICKY, CURED, KEYED = "skew323", "skew332", "keyed323"  # two releases of one client; and records with a hot key
NAMES = (STICKY, CURED, KEYED)
LATE = {3: {"replica.fetch.min.bytes": 50_000_000, "replica.fetch.wait.max.ms": 300}}
LEADERS = {p: [(1, 2), (2, 1), (3, 2)][p % 3] for p in range(9)}  # three partitions each; nobody waits for broker 3
RECORDS_PER_S, RECORD_BYTES = 400, 200
BALLAST_PER_S = 1600  # before: so broker 1 bears more while it is in time than while it is late
SENDING = {"linger.ms": 0, "acks": "all", "max.in.flight.requests.per.connection": 1}
BEFORE, LATE_FOR, AFTER, EVERY_S = 2, 3, 2, 6.0  # windows
NEAR = 2  # windows on either side of a reassignment that are near enough for the signature to compare them
TURNS = 2  # beginnings and ends of slowness that the signature asks for
MOST_CYCLES = 6  # of late and in time: a busy machine now and then holds up the timely brokers for seconds
SLOW_MS, SLOW_RATIO = 1.5, 1.6  # more than the fastest takes: held up by the machine, as the signature's thresholds say


def _times(home: Path, swept: SweepResult) -> dict[int, tuple[int, float]]:
    """Produce requests of each broker since its start, and the ms they took."""
    assert swept.manifest is not None, swept.summary()
    rows = read_rows(home, [swept.manifest], "request_times")
    times = [row for row in rows if (row["request"], row["phase"]) == ("Produce", "TotalTimeMs")]
    return {row["broker"]: (row["observations"], row["observations"] * row["mean_ms"]) for row in times}


def _windows(cluster: Cluster, home: Path, name: str, windows: int, late: bool = False) -> list[bool]:
    """Sweep the windows; say of each whether every broker that is not made late was as fast as another."""
    before, undisturbed = _times(home, sweep(cluster, home, name)), []
    for _ in range(windows):
        time.sleep(EVERY_S)
        now = _times(home, sweep(cluster, home, name))
        means = [(now[b][1] - before[b][1]) / max(1, now[b][0] - before[b][0]) for b in ((2, 3) if late else (1, 2, 3))]
        undisturbed.append(max(means) < max(min(means) * SLOW_RATIO, min(means) + SLOW_MS))
        before = now
    return undisturbed


def _follow(cluster: Cluster, topic: str, follower: int) -> None:
    """Let another broker follow broker 1's partitions of the topic, and wait until it does; TimeoutError after 60 s."""
    wanted = {TopicPartition(topic, p): [1, follower] for p, brokers in LEADERS.items() if brokers[0] == 1}
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="followers")
    try:
        answers = admin.alter_partition_reassignments(wanted)
        assert not any(answers.values()), answers
        deadline = time.monotonic() + 60
        while admin.list_partition_reassignments():
            if time.monotonic() > deadline:
                raise TimeoutError(f"broker {follower} does not catch up with {topic}")
            time.sleep(0.2)
    finally:
        admin.close()


def _day(cluster: Cluster, home: Path, name: str, turns: int = 0) -> None:
    """Sweeps while broker 1 bears more and is in time, is in time, is late, and is in time again.

    It becomes late again until the machine left the other brokers alone around so many turns.
    """
    time.sleep(2.5)  # a Java client needs that long to start: what is measured is its sending
    with Producer(cluster, "ballast", BALLAST_PER_S, RECORD_BYTES, {"acks": "all", "linger.ms": 20}):
        time.sleep(2.5)
        _windows(cluster, home, name, 1)
    timely, seen = _windows(cluster, home, name, BEFORE), 0
    for _ in range(MOST_CYCLES):
        _follow(cluster, name, 3)
        late = _windows(cluster, home, name, LATE_FOR, late=True)
        _follow(cluster, name, 2)
        again = _windows(cluster, home, name, AFTER)
        for before, after in ((timely, late), (late, again)):
            seen += any(before[-NEAR:]) and any(after[:NEAR])
        if seen >= turns:
            return
        timely = again


@contextmanager
def _hot_key(cluster: Cluster, topic: str) -> Iterator[None]:
    """Half of the records carry one key, the others one of many, whatever the leaders are."""
    done = threading.Event()
    sender = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks="all", linger_ms=5, batch_size=65_536)

    def send() -> None:
        numbers = count()
        while not done.wait(0.05):
            for number in (next(numbers) for _ in range(RECORDS_PER_S // 20)):
                key = b"key-%d" % number if number % 2 else b"hot"
                sender.send(topic, key=key, value=bytes(RECORD_BYTES))

    thread = threading.Thread(target=send, name="hot-key")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        sender.close(timeout=5)


@contextmanager
def _running(name: str, *topics: str) -> Iterator[Cluster]:
    avoid_midnight(300)
    with Cluster(name, "3.3.2", brokers=3, racks=(), broker_configs=LATE) as cluster:
        for topic in (*topics, "ballast"):
            create_topic(cluster, topic, replica_assignment={p: list(brokers) for p, brokers in LEADERS.items()})
        yield cluster


def _keyless(cluster: Cluster, home: Path, name: str, release: str, turns: int) -> None:
    with Producer(cluster, name, RECORDS_PER_S, RECORD_BYTES, SENDING, release) as client:
        _day(cluster, home, name, turns)
        assert client.running, client.log.read_text(errors="replace")
        client.stop(0)


def run(home: Path) -> None:
    """Records without keys of an affected client; about 60 s."""
    with _running(STICKY, STICKY) as cluster:
        _keyless(cluster, home, STICKY, "3.2.3", TURNS)


def look_alikes(home: Path) -> None:
    """The same of a client with the fix, then a hot key; about 110 s."""
    with _running(CURED, CURED, KEYED, "trickle") as cluster:
        _keyless(cluster, home, CURED, "3.3.2", 0)
        # an affected client is connected, but what is uneven is not its topic
        with Producer(cluster, "trickle", 2, RECORD_BYTES, SENDING, "3.2.3"), _hot_key(cluster, KEYED):
            _day(cluster, home, KEYED)
