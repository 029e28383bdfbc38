"""Partitions added under `latest`, and offsets set back: takes a home, leaves sweeps of one 3.9.1 broker in it.

The same cluster is swept under two names: `offsets391`, of whose groups the owner says nothing, and `declared391`,
whose fleet entry declares that the group of the late reader resets to latest. What really was skipped is counted by
the late reader itself, which prints every record that it reads, and left in the home. Two groups that are no readers
are members all the time (`foreign`): they cost the others nothing.
"""

import json
import time
from pathlib import Path

from kafka import TopicPartition, errors
from kafka.admin import KafkaAdminClient
from kafka.structs import OffsetAndMetadata

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from support.live import foreign
from support.live.scenarios import avoid_midnight, await_that, sweep

NAME, DECLARED = "offsets391", "declared391"
LATE, EARLY, TOPIC = "billing-late", "audit-early", "orders"
RECORDS_PER_S = 200
CONSUMERS_LEARN_S = 35  # metadata.max.age.ms of the consumers; the producer's is one second
CLIENT_CONFIGS = {"groups": {"billing-*": {"auto.offset.reset": "latest"}}}
Offsets = dict[int, int]


def truth(home: Path) -> dict[str, int]:
    """What really happened: `skipped` records of the late reader, `reset_to`: where the early group was set back to."""
    found: dict[str, int] = json.loads((home / "offsets.json").read_text())
    return found


def _sweep(cluster: Cluster, home: Path) -> None:
    sweep(cluster, home, NAME)
    sweep(cluster, home, DECLARED, client_configs=CLIENT_CONFIGS)


def _committed(admin: KafkaAdminClient, group: str) -> Offsets:
    try:
        found = admin.list_group_offsets({group: None})[group]
    except (errors.CoordinatorNotAvailableError, errors.CoordinatorLoadInProgressError, errors.NotCoordinatorError):
        return {}  # the offsets topic is still being made
    return {place.partition: one.offset for place, one in found.items() if one.offset >= 0}


def _state(admin: KafkaAdminClient, group: str) -> str:
    return str(admin.describe_groups([group])[group]["group_state"])


def run(home: Path) -> None:
    """One broker, one producer, two readers: some 100 s."""
    avoid_midnight(200)
    with Cluster(NAME, "3.9.1", brokers=1) as cluster:
        create_topic(cluster, TOPIC, partitions=2)
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="live-offsets")
        age = {"metadata.max.age.ms": CONSUMERS_LEARN_S * 1000}
        try:
            with (
                Consumer(cluster, TOPIC, group=LATE, properties={"auto.offset.reset": "latest", **age}) as late,
                Consumer(cluster, TOPIC, group=EARLY, properties={"auto.offset.reset": "earliest", **age}) as early,
            ):
                # at the end of an empty log latest skips nothing, so all that is ever skipped comes from the growth
                await_that("the first commits", lambda: all(len(_committed(admin, g)) == 2 for g in (LATE, EARLY)))
                foreign.join_all(cluster)
                # ten records a batch: with one each, requests would cost more than all else
                writer = {"metadata.max.age.ms": 1000, "batch.size": 1100, "linger.ms": 50}
                with Producer(cluster, TOPIC, RECORDS_PER_S, properties=writer):
                    await_that("records", lambda: all(0 not in _committed(admin, g).values() for g in (LATE, EARLY)))
                    _sweep(cluster, home)
                    # once the late reader has found one more partition, it will not look for others for a while: time
                    # for a sweep that finds records where it has not begun
                    admin.create_partitions({TOPIC: 3})
                    await_that("a look at the topic", lambda: len(_committed(admin, LATE)) == 3)
                    admin.create_partitions({TOPIC: 4})
                    time.sleep(6)
                    _sweep(cluster, home)
                    await_that("growth", lambda: all(len(_committed(admin, g)) == 4 for g in (LATE, EARLY)))
                    _sweep(cluster, home)
                time.sleep(1)
                late.stop()
                early.stop()
                read = {LATE: late.records_read, EARLY: early.records_read}
            await_that("an empty group", lambda: _state(admin, EARLY) == "Empty")
            passed = {group: sum(_committed(admin, group).values()) for group in (LATE, EARLY)}
            _sweep(cluster, home)
            back = {TopicPartition(TOPIC, p): OffsetAndMetadata(10, "", -1) for p in _committed(admin, EARLY)}
            admin.alter_group_offsets(EARLY, back)
            _sweep(cluster, home)
        finally:
            admin.close()
    assert read[EARLY] == passed[EARLY], "the early reader has read every record up to its offsets"
    (home / "offsets.json").write_text(
        json.dumps({"skipped": passed[LATE] - read[LATE], "rewound": passed[EARLY] - 10 * len(back)})
    )
