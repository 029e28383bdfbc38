"""A Kafka Streams application whose replicas get warm, on a healthy cluster of 4.1.1: takes a home, lands sweeps.

"warming411"  one instance has counted the records of every key; then a second one is added, with exactly-once (v2). Its
              replicas of the state have to catch up before tasks move to it, one at a time (KIP-441): the leader of the
              group asks for a rebalance every probing.rebalance.interval.ms, which has no member that came or went

Real probes are ten minutes apart, these one minute, which is the least that Streams takes. The entry's threshold of
rebalances is as many times that of the signature; its others are of seconds, since sweeps are seconds apart.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

from kafka import KafkaProducer

from fleet_demo.cluster import Cluster
from fleet_demo.load import Client
from fleet_demo.node import jvm
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.further_jars import STREAMS, class_path, compiled
from support.live.scenarios import avoid_midnight, await_that, beside, spaced

NAME, RELEASE, TOPIC, GROUP = "warming411", "4.1.1", "orders", "enrich"
SOURCE = Path(__file__).with_name("streams") / "WarmUps.java"
RESULT = f"{NAME}.json"  # in the home: what the instances logged
PARTITIONS, KEYS, BEFORE, RECORDS_PER_S = 4, 2_000, 12_000, 100
PROBING_S, EVERY_S, SCALE = 60, 10.0, 10
SETTLED = "Finished stable assignment"
LOGGED = {"probes": "to try for a more balanced assignment", "settled": SETTLED}  # by the leader of the group
THRESHOLDS = {
    "rebalance_storm": {
        "max_rebalances_per_hour": 30 * SCALE, "min_stuck_s": 30, "min_unsure_s": 60, "min_unsynced_s": 60,
        "min_busy_s": 120,
    },
    "hanging_transaction": {"min_silent_s": 60},
    "isr_stagnation": {"min_frozen_s": 60},
    "coordinator_down": {"min_lasting_s": 30, "min_failed_s": 30},
    "availability": {"min_s": 10, "min_steady_s": 30},
    "handler_saturation": {"warm_up_s": 0, "min_busy_s": 60, "min_stuck_s": 60},
}  # fmt: skip
SETTINGS = {
    "application.id": GROUP, "processing.guarantee": "exactly_once_v2", "num.stream.threads": 1,
    "num.standby.replicas": 0, "max.warmup.replicas": 1, "acceptable.recovery.lag": 500,
    "probing.rebalance.interval.ms": PROBING_S * 1000, "replication.factor": 2, "commit.interval.ms": 500,
}  # fmt: skip


class Instance(Client):
    """One process of the application, with a state folder of its own."""

    def __init__(self, cluster: Cluster, number: int, path: str) -> None:
        super().__init__(cluster, f"instance-{number}")
        config = self.write_config({
            "bootstrap.servers": cluster.bootstrap, "client.id": f"{GROUP}-{number}",
            "state.dir": self.folder / "state", **SETTINGS,
        })  # fmt: skip
        self.start([*jvm(cluster.jars, None, ["-Xmx128m"]), "-cp", path, "WarmUps", config, TOPIC])

    def logged(self, words: str) -> int:
        """How many lines of its log have these words."""
        return self.out.read_text(errors="replace").count(words) + self.log.read_text(errors="replace").count(words)


@contextmanager
def ordered(cluster: Cluster) -> Iterator[None]:
    """BEFORE records at once, then so many a second for the length of the block."""
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, client_id="orders", linger_ms=20)

    numbers = count()

    def send(records: int) -> None:
        for number in islice(numbers, records):
            producer.send(TOPIC, value=b"order", key=f"customer-{number % KEYS}".encode())

    send(BEFORE)
    producer.flush(60)
    try:
        with beside(lambda: send(RECORDS_PER_S // 10), 0.1):
            yield
    finally:
        producer.close(timeout=10)


def _sweep(cluster: Cluster, home: Path) -> None:
    scenarios.sweep(cluster, home, thresholds=THRESHOLDS)


def run(home: Path) -> None:
    """One instance, then two, until tasks are spread over both; four minutes. Raises ClusterError where they do not."""
    avoid_midnight(420)
    with Cluster(NAME, RELEASE, racks=()) as cluster:
        path = compiled(SOURCE, class_path(RELEASE, STREAMS), cluster.workdir / "classes")
        create_topic(cluster, TOPIC, partitions=PARTITIONS)
        with ordered(cluster), Instance(cluster, 1, path) as first:
            await_that("the first instance runs", lambda: first.logged("state RUNNING") > 0)
            time.sleep(EVERY_S)
            spaced(3, EVERY_S, lambda: _sweep(cluster, home))
            with Instance(cluster, 2, path) as second:
                both = (first, second)
                until = time.monotonic() + 5 * PROBING_S
                while sum(one.logged(SETTLED) for one in both) < 2 and time.monotonic() < until:
                    _sweep(cluster, home)
                    time.sleep(EVERY_S)
                spaced(2, EVERY_S, lambda: _sweep(cluster, home))
                found = {name: sum(one.logged(words) for one in both) for name, words in LOGGED.items()}
                (home / RESULT).write_text(json.dumps(found))
