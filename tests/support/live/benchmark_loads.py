"""A load as the OpenMessaging Benchmark makes it, on three healthy brokers of 4.1.1: takes a home, lands sweeps.

"benchmark411"  producers send at a fixed rate, with the batches, linger and acks of its driver (driver-kafka,
                kafka-throughput.yaml); consumers of two subscriptions commit what they polled, asynchronously. Then
                they stand still without a poll, as its workloads with a backlog have it (consumerBacklogSizeGB), and
                go on: each drains what has come meanwhile, once

The load is that of workloads/backlog-1-topic-16-partitions-1kb.yaml at rates that two cores hold.
"""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from kafka import KafkaConsumer, OffsetAndMetadata, TopicPartition, errors

from fleet_demo.cluster import Cluster
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.scenarios import avoid_midnight, await_that, spaced

NAME, RELEASE, TOPIC, PARTITIONS, RECORD_BYTES = "benchmark411", "4.1.1", "persistent-topic-0", 16, 1024
PRODUCERS, RECORDS_PER_S, SUBSCRIPTIONS, CONSUMERS = 4, 60, 2, 4  # consumers of each subscription
OF_PRODUCERS = {"acks": "all", "linger.ms": 1, "batch.size": 1_048_576}
BACKLOG_S, SWEEPS, EVERY_S = 30.0, 6, 5.0
RESULT = f"{NAME}.json"  # in the home: records of the backlog, and of what was read
THRESHOLDS = {
    "rebalance_storm": {"min_stuck_s": 10, "min_unsure_s": 20, "min_unsynced_s": 20, "min_busy_s": 30},
    "availability": {"min_s": 4, "min_steady_s": 10},
    "handler_saturation": {"warm_up_s": 0, "min_busy_s": 20, "min_stuck_s": 10},
    "isr_stagnation": {"min_frozen_s": 15},
}


class Readers:
    """Consumers that poll and commit, until they are closed; `paused` holds each up before its next poll."""

    def __init__(self, cluster: Cluster) -> None:
        self.paused, self._over = Event(), Event()
        self.read = [0] * (SUBSCRIPTIONS * CONSUMERS)
        self._threads = [Thread(target=self._work, args=(cluster, n), daemon=True) for n in range(len(self.read))]
        for thread in self._threads:
            thread.start()

    def _work(self, cluster: Cluster, number: int) -> None:
        consumer = KafkaConsumer(
            TOPIC, bootstrap_servers=cluster.bootstrap_servers, group_id=f"sub-{number % SUBSCRIPTIONS}",
            client_id=f"consumer-{number}", auto_offset_reset="earliest", enable_auto_commit=False,
            max_partition_fetch_bytes=10_485_760,
        )  # fmt: skip
        while not self._over.is_set():
            found = consumer.poll(100)
            ends = {at: OffsetAndMetadata(records[-1].offset + 1, "", -1) for at, records in found.items()}
            self.read[number] += sum(len(records) for records in found.values())
            while self.paused.is_set() and not self._over.is_set():
                time.sleep(0.1)
            if ends:
                consumer.commit_async(ends)
        with suppress(errors.KafkaError):
            consumer.close(autocommit=False, timeout_ms=2_000)

    def close(self) -> None:
        """They leave their groups."""
        self._over.set()
        for thread in self._threads:
            thread.join(20)


@contextmanager
def reading(cluster: Cluster) -> Iterator[Readers]:
    """All consumers of all subscriptions, for the length of the block."""
    readers = Readers(cluster)
    try:
        yield readers
    finally:
        readers.close()


def _behind(cluster: Cluster, readers: Readers) -> int:
    """Records that a subscription has not read, at most."""
    consumer = KafkaConsumer(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        written = sum(consumer.end_offsets([TopicPartition(TOPIC, number) for number in range(PARTITIONS)]).values())
    finally:
        consumer.close()
    return int(max(written - sum(readers.read[number::SUBSCRIPTIONS]) for number in range(SUBSCRIPTIONS)))


def run(home: Path) -> None:
    """Read, stand still, drain, read; two minutes. Raises ClusterError where the backlog is not drained."""
    avoid_midnight(300)

    def sweep() -> None:
        scenarios.sweep(cluster, home, thresholds=THRESHOLDS)

    safe = {"min.insync.replicas": 2, "offsets.topic.replication.factor": 3}
    with Cluster(NAME, RELEASE, brokers=3, racks=(), broker_config=safe) as cluster, ExitStack() as clients:
        create_topic(cluster, TOPIC, partitions=PARTITIONS, replication_factor=3)
        readers = clients.enter_context(reading(cluster))
        for _ in range(PRODUCERS):
            clients.enter_context(Producer(cluster, TOPIC, RECORDS_PER_S, RECORD_BYTES, OF_PRODUCERS))
        await_that("every consumer reads", lambda: all(readers.read))
        spaced(SWEEPS, EVERY_S, sweep)
        readers.paused.set()
        spaced(SWEEPS, BACKLOG_S / SWEEPS, sweep)
        backlog = _behind(cluster, readers)
        readers.paused.clear()
        sweep()
        await_that("the backlog is drained", lambda: _behind(cluster, readers) < PRODUCERS * RECORDS_PER_S)
        spaced(SWEEPS, EVERY_S, sweep)
        (home / RESULT).write_text(json.dumps({"backlog": backlog, "read": sum(readers.read)}))
