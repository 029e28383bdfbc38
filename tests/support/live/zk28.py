"""Stops of brokers on a ZooKeeper cluster of 2.8.2: takes a home, gives sweeps of each stop under an id of its own.

A follower is killed and stays away for half a minute, and comes back; another broker is stopped in a controlled way and
comes back; at last the controller is. An idempotent producer writes all the time.
"""

import time
from itertools import count
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from support.live.scenarios import avoid_midnight, sweep

DEAD, KILLED, ROLLED, CONTROLLER = "dead282", "killed282", "rolled282", "controller282"
NAMES = (DEAD, KILLED, ROLLED, CONTROLLER)
RECORDS_PER_S = 50
REPLICAS = {p: [1 + p % 3, 1 + (p + 1) % 3, 1 + (p + 2) % 3] for p in range(6)}  # each broker leads two of the six
SETTINGS = {"zookeeper.session.timeout.ms": 6000, "default.replication.factor": 3}
AWAY_SWEEPS, AWAY_EVERY_S = 4, 11.0  # half a minute and more: a dead broker is told from one that starts again
ACTIVE = "kafka.controller:type=KafkaController,name=ActiveControllerCount"


def controller(cluster: Cluster) -> int:
    """The active controller. Raises ClusterError when no broker says that it is the one."""
    for broker in cluster.broker_ids:
        if cluster.jolokia(broker, ACTIVE, "Value") == 1:
            return broker
    raise ClusterError(f"{cluster.name}: no active controller")


def victims(cluster: Cluster) -> tuple[int, int, int]:
    """The broker that is killed, the one that is stopped in a controlled way, and the controller."""
    active = controller(cluster)
    killed, rolled = [broker for broker in cluster.broker_ids if broker != active]
    return killed, rolled, active


def _await(cluster: Cluster, home: Path, broker: int, back: bool) -> None:
    """Sweep under an id that nobody reads until the metadata lists the broker no more, or again and in every set."""
    for attempt in count():
        tables = sweep(cluster, home, "waiting282").admin.tables
        listed = broker in {row["broker"] for row in tables.get("brokers", [])}
        whole = all(broker in row["isr"] for row in tables.get("topics", []) if broker in row["replicas"])
        if tables.get("topics") and (listed and whole if back else not listed):
            return
        if attempt == 40:
            raise ClusterError(f"{cluster.name}: broker {broker} is {'not ' if back else ''}there after 40 sweeps")
        time.sleep(0.5)


def _each(cluster: Cluster, home: Path, *names: str) -> None:
    for name in names:
        sweep(cluster, home, name)


def run(home: Path) -> None:
    """Start the cluster, stop its brokers one after the other, stop it; about 110 s."""
    avoid_midnight(180)
    with Cluster(DEAD, "2.8.2", brokers=3, racks=(), mode="zookeeper", broker_config=SETTINGS) as cluster:
        create_topic(cluster, "orders", replica_assignment=REPLICAS)
        killed, rolled, active = victims(cluster)
        # small batches: no partition for long, and all of them between two sweeps
        sending = {"acks": "all", "enable.idempotence": "true", "batch.size": 500, "linger.ms": 40}
        with Producer(cluster, "orders", RECORDS_PER_S, properties=sending) as client:
            time.sleep(2)
            for _ in range(3):  # the ids have to have written between the sweeps
                time.sleep(4)
                _each(cluster, home, DEAD, KILLED)
            cluster.kill_broker(killed)
            _await(cluster, home, killed, back=False)
            for left in range(AWAY_SWEEPS - 1, -1, -1):
                sweep(cluster, home, DEAD)
                time.sleep(AWAY_EVERY_S if left else 0)
            cluster.start_broker(killed)
            _await(cluster, home, killed, back=True)
            _each(cluster, home, KILLED, ROLLED)
            cluster.stop_broker(rolled)
            cluster.start_broker(rolled)
            _await(cluster, home, rolled, back=True)
            _each(cluster, home, KILLED, ROLLED, CONTROLLER)
            cluster.stop_broker(active)
            cluster.start_broker(active)
            _await(cluster, home, active, back=True)
            _each(cluster, home, CONTROLLER)
            assert client.running, client.log.read_text(errors="replace")
            client.stop(0)
