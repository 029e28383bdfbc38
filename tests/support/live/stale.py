"""Offsets loaded stale: a leader of __consumer_offsets that lacks commits, at 2.8.2, and one that has them all.

"stale282"  its follower is killed and misses commits; then its leader is killed, and the follower comes back
"whole282"  the same steps with a follower that was there all the time: it has every commit

The topic allows unclean elections, as an owner may have set it for __consumer_offsets. Readers that run on know where
they are; so the group's reader is stopped before its coordinator dies, and started again after the election, as in an
outage of several machines. It prints every record that it reads.
"""

import json
import time
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from support.live.scenarios import avoid_midnight, await_that, sweep
from support.live.unclean import ALLOWED, leads, until
from support.live.zk28 import SETTINGS, victims

STALE, WHOLE = "stale282", "whole282"
TOPIC, GROUP, OFFSETS = "payments", "ledger", "__consumer_offsets"
RECORDS_PER_S = 60
OF_GROUPS = {"cleanup.policy": "compact", "compression.type": "producer", **ALLOWED}
READING = {"auto.offset.reset": "earliest", "auto.commit.interval.ms": 1000, "session.timeout.ms": 30_000}
CONFIG = {**SETTINGS, "offsets.topic.num.partitions": 1}


def read_again(home: Path, name: str) -> int:
    """How many records the group read a second time."""
    found: int = json.loads((home / f"{name}.json").read_text())
    return found


def _one(home: Path, name: str) -> None:
    with Cluster(name, "2.8.2", brokers=3, racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        follower, leader, active = victims(cluster)
        create_topic(cluster, TOPIC, replica_assignment={0: [active]})
        create_topic(cluster, OFFSETS, replica_assignment={0: [leader, follower]}, config=OF_GROUPS)
        with Producer(cluster, TOPIC, RECORDS_PER_S, properties={"acks": "1", "batch.size": 500}):
            with Consumer(cluster, TOPIC, group=GROUP, properties=READING) as reader:
                await_that("records", lambda: reader.records_read > 0)
                for _ in range(2):
                    time.sleep(4)
                    sweep(cluster, home)
                if name == STALE:
                    cluster.kill_broker(follower)
                    until(
                        cluster,
                        home,
                        OFFSETS,
                        "an in-sync set without the follower",
                        lambda row: row["isr"] == [leader],
                    )
                time.sleep(8)
                assert reader.running, reader.log.read_text(errors="replace")
                sweep(cluster, home)
                reader.stop()
            first = reader.records_read
            cluster.kill_broker(leader)
            if name == STALE:
                cluster.start_broker(follower)
            await_that("the follower leads", lambda: leads(cluster, follower, OFFSETS, 1))
            time.sleep(3)
            sweep(cluster, home)
        with Consumer(cluster, TOPIC, group=GROUP, properties=READING) as reader:
            log_end = int(
                cluster.jolokia(active, f"kafka.log:type=Log,name=LogEndOffset,topic={TOPIC},partition=0", "Value")
            )
            await_that("the rest", lambda: first + reader.records_read >= log_end, 90)
            time.sleep(3)
            sweep(cluster, home)
            reader.stop()
        (home / f"{name}.json").write_text(json.dumps(first + reader.records_read - log_end))


def run(home: Path) -> None:
    """One after the other, three brokers each: some 150 s. Raises ClusterError where a step does not come about."""
    for name in (STALE, WHOLE):
        avoid_midnight(200)
        _one(home, name)
