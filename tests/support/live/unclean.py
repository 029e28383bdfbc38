"""An unclean election on a ZooKeeper cluster of 2.8.2: takes a home, leaves sweeps under `unclean282` in it.

The follower of a topic is killed and misses what is written from then on. Then its leader is killed too, and the
follower comes back: it is elected, since the topic allows that, and what it missed is gone. The controller stands by.
"""

import time
from collections.abc import Callable
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from support.live.scenarios import avoid_midnight, await_that, sweep
from support.live.zk28 import SETTINGS, victims

NAME, TOPIC, GROUP = "unclean282", "payments", "ledger"
PARTITIONS, RECORDS_PER_S = 3, 60
ALLOWED = {"unclean.leader.election.enable": "true"}
Row = dict[str, object]


def until(cluster: Cluster, home: Path, topic: str, what: str, so: Callable[[Row], bool]) -> None:
    """Sweep until every partition of the topic is so. Raises ClusterError when it is not after 40 sweeps."""
    for _ in range(40):
        rows = [row for row in sweep(cluster, home).admin.tables.get("topics", []) if row["topic"] == topic]
        if rows and all(so(row) for row in rows):
            return
        time.sleep(1)
    raise ClusterError(f"{cluster.name}: {what} did not come")


def leads(cluster: Cluster, broker: int, topic: str, partitions: int) -> bool:
    """Whether the broker leads all of a topic, asked without a sweep: one within an election would divide it in two."""
    bean = "kafka.cluster:type=Partition,name=InSyncReplicasCount,topic={},partition={}"
    try:
        return all(cluster.jolokia(broker, bean.format(topic, one), "Value") > 0 for one in range(partitions))
    except LookupError:
        return False


def run(home: Path) -> None:
    """Three brokers, one producer, one reader: some 90 s."""
    avoid_midnight(200)
    with Cluster(NAME, "2.8.2", brokers=3, racks=(), mode="zookeeper", broker_config=SETTINGS) as cluster:
        follower, leader, _controller = victims(cluster)
        create_topic(
            cluster, TOPIC, replica_assignment={p: [leader, follower] for p in range(PARTITIONS)}, config=ALLOWED
        )
        sending = {"acks": "1", "batch.size": 500}  # small: no partition for long
        with Consumer(cluster, TOPIC, group=GROUP) as reader:
            with Producer(cluster, TOPIC, RECORDS_PER_S, properties=sending) as writer:
                for _ in range(2):
                    time.sleep(6)
                    sweep(cluster, home)
                cluster.kill_broker(follower)
                until(cluster, home, TOPIC, "an in-sync set without the follower", lambda row: row["isr"] == [leader])
                time.sleep(10)
                assert writer.running, writer.log.read_text(errors="replace")
            time.sleep(6)  # the reader commits every 5 s
            assert reader.running, reader.log.read_text(errors="replace")
            sweep(cluster, home)
            cluster.kill_broker(leader)
            cluster.start_broker(follower)
            await_that("the follower leads", lambda: leads(cluster, follower, TOPIC, PARTITIONS))
        for _ in range(2):
            time.sleep(3)
            sweep(cluster, home)
