"""Three loads on one cluster whose broker 1 answers late: takes a home, gives sweeps of each under an id of its own.

Broker 1 is late because its only follower is: broker 3 fetches with `replica.fetch.min.bytes` out of reach, so that
acks=all at broker 1 waits for the end of that fetch. Nothing is stopped or overloaded, and no replica leaves its ISR.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from kafka import KafkaProducer

from fleet_demo.cluster import Cluster
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from live.scenarios import avoid_midnight, sweep

STICKY, CURED, KEYED = "skew323", "skew332", "keyed323"  # two releases of one client; and records with a hot key
NAMES = (STICKY, CURED, KEYED)
LATE = {3: {"replica.fetch.min.bytes": 50_000_000, "replica.fetch.wait.max.ms": 300}}
LEADERS = {p: [(1, 3), (2, 1), (3, 2)][p % 3] for p in range(9)}  # three partitions each; broker 3 follows broker 1
RECORDS_PER_S, RECORD_BYTES = 1000, 200
SENDING = {"linger.ms": 0, "acks": "all", "max.in.flight.requests.per.connection": 1}
WINDOWS, EVERY_S = 3, 7.0
SPARE = 1  # of the sticky client's: a busy machine now and then holds up the timely brokers for seconds


def _sweeps(cluster: Cluster, home: Path, name: str, windows: int) -> None:
    time.sleep(2.5)  # a Java client needs that long to start: what is measured is its sending
    for left in range(windows, -1, -1):
        sweep(cluster, home, name)
        time.sleep(EVERY_S if left else 0)


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


def run(home: Path) -> None:
    """Start the cluster, run the three loads one after the other, stop it; about 100 s."""
    avoid_midnight(160)
    with Cluster(STICKY, "3.3.2", brokers=3, racks=(), broker_configs=LATE) as cluster:
        for topic in (STICKY, CURED, KEYED, "trickle"):
            create_topic(cluster, topic, replica_assignment={p: list(brokers) for p, brokers in LEADERS.items()})
        for name, release in ((STICKY, "3.2.3"), (CURED, "3.3.2")):
            with Producer(cluster, name, RECORDS_PER_S, RECORD_BYTES, SENDING, release) as client:
                _sweeps(cluster, home, name, WINDOWS + SPARE if name == STICKY else WINDOWS)
                assert client.running, client.log.read_text(errors="replace")
                client.stop(0)
        # an affected client is connected, but what is uneven is not its topic
        with Producer(cluster, "trickle", 2, RECORD_BYTES, SENDING, "3.2.3"), _hot_key(cluster, KEYED):
            _sweeps(cluster, home, KEYED, WINDOWS)
