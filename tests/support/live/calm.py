"""A healthy cluster, and one that answers nowhere: takes a home, leaves their sweeps in it.

steady411   three brokers of 4.1.1 in three racks, two of three replicas have to be in sync, readers in each rack.
            Swept for longer than an in-sync set takes to count as frozen, so that every symptom can be looked for
away411     brokers that were never started: what is asked refuses the connection
"""

import time
from contextlib import ExitStack
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from support.live.scenarios import SELECTOR, avoid_midnight, sweep

STEADY, AWAY, RELEASE = "steady411", "away411", "4.1.1"
RACKS = ("a", "b", "c")
SAFE = {**SELECTOR, "min.insync.replicas": 2, "offsets.topic.replication.factor": 3}
RECORDS_PER_S = 50
SWEEPS, EVERY_S = 8, 50.0


def steady(home: Path) -> None:
    """Some seven minutes of producing and reading, in which nothing is stopped, moved or reset."""
    avoid_midnight(60 + SWEEPS * EVERY_S)
    with (
        Cluster(STEADY, RELEASE, brokers=3, racks=RACKS, controllers="dedicated", broker_config=SAFE) as cluster,
        ExitStack() as clients,
    ):
        create_topic(cluster, "orders", replica_assignment={0: [1, 2, 3], 1: [2, 3, 1], 2: [3, 1, 2]})
        readers = [
            clients.enter_context(Consumer(cluster, "orders", group=f"billing-{rack}", rack=rack)) for rack in RACKS
        ]
        writer = clients.enter_context(Producer(cluster, "orders", RECORDS_PER_S, properties={"acks": "all"}))
        for _ in range(SWEEPS):
            time.sleep(EVERY_S)
            sweep(cluster, home)
        assert writer.running, writer.log.read_text(errors="replace")
        assert all(reader.running for reader in readers)


def away(home: Path) -> None:
    """Three sweeps of addresses on which nothing listens."""
    avoid_midnight(120)
    cluster = Cluster(AWAY, RELEASE, brokers=3, racks=RACKS)
    try:
        for _ in range(3):
            assert not sweep(cluster, home).admin.tables
            time.sleep(2)
    finally:
        cluster.stop()
