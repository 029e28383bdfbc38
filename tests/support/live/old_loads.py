"""Coordinators that keep old offsets of a log that has the newer ones, at 0.11.0.0: takes a home, lands sweeps.

"older11000"  broker 1 is restarted and loads its groups of an offsets log that is longer than its load buffer: they get
              what the first buffers had, and read again (KAFKA-5600)
"newest11001" the same steps at 0.11.0.1, which has the fix: every group goes on where it was

Two brokers coordinate half of the groups each; the other's are what the restarted one's are compared with. Members are
replaced once before, as by a deployment: what a group commits after that is what the broker forgets. The buffer is
small, since it takes 5 MiB of commits otherwise. Entries have a threshold of seconds: sweeps are seconds apart.
"""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from kafka import KafkaConsumer, errors

from fleet_demo.cluster import Cluster
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.scenarios import avoid_midnight, await_that, spaced

OLDER, NEWEST = "older11000", "newest11001"
RELEASES = {OLDER: "0.11.0.0", NEWEST: "0.11.0.1"}
TOPIC, OFFSETS = "orders", "__consumer_offsets"
RESTARTED, EACH = 1, 7  # groups of each coordinator
RECORDS_PER_S, AT_ONCE, PAUSE_S = 30, 20, 0.4  # a reader takes up to 50 records a second
BUFFER = 4_000  # bytes, of 5 MiB
CONFIG = {"offsets.load.buffer.size": BUFFER, "offsets.topic.num.partitions": 2}
THRESHOLDS = {"offset_rewind": {"min_stale_s": 8}}
BEFORE, AFTER, EVERY_S = 5, 3, 4.0


def coordinated(partition: int, many: int = EACH) -> list[str]:
    """Names of so many groups that lie in one of two partitions of the offsets log."""
    names = (f"reader-{number}" for number in range(1000))
    found = [name for name in names if abs(_java_hash(name)) % 2 == partition]
    return found[:many]


def _java_hash(text: str) -> int:
    number = 0
    for one in text:
        number = (number * 31 + ord(one)) & 0xFFFFFFFF
    return number - (1 << 32) if number >= 1 << 31 else number


class Reader:
    """A member that is alone in its group: reads some records, commits them, and rests, until it is closed.

    read_again: records that it was given although it had committed them.
    """

    def __init__(self, cluster: Cluster, group: str, past: int = 0) -> None:
        self._consumer = KafkaConsumer(
            TOPIC, bootstrap_servers=cluster.bootstrap_servers, group_id=group, client_id=group,
            auto_offset_reset="earliest", enable_auto_commit=False, max_poll_records=AT_ONCE,
            session_timeout_ms=10_000, heartbeat_interval_ms=1_000,
        )  # fmt: skip
        self.past, self.read_again, self.commits = past, 0, 0
        self._over = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        reached = self.past
        while not self._over.wait(PAUSE_S):
            for record in [one for found in self._consumer.poll(500).values() for one in found]:
                self.read_again += record.offset < self.past
                reached = record.offset + 1
            with suppress(errors.KafkaError):  # its coordinator is away, or does not know it: it joins again
                if self._consumer.assignment():
                    self._consumer.commit(timeout_ms=2_000)
                    self.past, self.commits = max(self.past, reached), self.commits + 1
        with suppress(errors.KafkaError):
            self._consumer.close(autocommit=False, timeout_ms=2_000)

    def close(self) -> None:
        """It leaves its group. Raises ClusterError where its thread does not end."""
        self._over.set()
        await_that("a reader ends", lambda: not self._thread.is_alive(), 30)


@contextmanager
def reading(cluster: Cluster, past: dict[str, int]) -> Iterator[dict[str, Reader]]:
    """A reader for each group, which goes on where the one before it was."""
    readers = {group: Reader(cluster, group, offset) for group, offset in past.items()}
    try:
        await_that("every group commits", lambda: all(one.commits for one in readers.values()), 90)
        yield readers
    finally:
        with ThreadPoolExecutor(len(readers)) as pool:
            for one in [pool.submit(one.close) for one in readers.values()]:
                one.result()


def sweep(cluster: Cluster, home: Path) -> None:
    """One sweep under the cluster's own name."""
    scenarios.sweep(cluster, home, thresholds=THRESHOLDS)


def read_again(home: Path, name: str) -> dict[str, int]:
    """By group, how many records it was given after the restart although it had committed them."""
    found: dict[str, int] = json.loads((home / f"{name}.json").read_text())
    return found


def _one(home: Path, name: str) -> None:
    with Cluster(name, RELEASES[name], brokers=2, racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        other = 3 - RESTARTED
        create_topic(cluster, TOPIC, replica_assignment={0: [other]})
        of_groups = {"cleanup.policy": "compact", "compression.type": "producer"}
        create_topic(cluster, OFFSETS, replica_assignment={0: [RESTARTED], 1: [other]}, config=of_groups)
        groups = dict.fromkeys([*coordinated(0), *coordinated(1)], 0)
        with Producer(cluster, TOPIC, RECORDS_PER_S, properties={"batch.size": 500}):
            with reading(cluster, groups) as readers:
                time.sleep(4)
            groups = {group: one.past for group, one in readers.items()}
            with reading(cluster, groups) as readers:
                spaced(BEFORE, EVERY_S, lambda: sweep(cluster, home))
                cluster.stop_broker(RESTARTED)
                cluster.start_broker(RESTARTED)
                begun, were = (
                    {key: getattr(one, name) for key, one in readers.items()} for name in ("commits", "past")
                )
                await_that("they commit again", lambda: all(one.commits > begun[key] for key, one in readers.items()))
                spaced(AFTER, EVERY_S, lambda: sweep(cluster, home))
                await_that("they have caught up", lambda: all(one.past > were[key] for key, one in readers.items()))
        again = {group: one.read_again for group, one in readers.items()}
        (home / f"{name}.json").write_text(json.dumps(again))


def run(home: Path, names: tuple[str, ...] = (OLDER, NEWEST)) -> None:
    """One after the other, two brokers each; some 100 s each. Raises ClusterError where a step does not come about."""
    for name in names:
        avoid_midnight(200)
        _one(home, name)


def older(home: Path) -> None:
    """The affected release alone."""
    run(home, (OLDER,))
