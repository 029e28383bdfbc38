"""A 1.1.1 producer without retries on a real 3.9.1 cluster that refuses its batches: takes a home, lands the sweeps.

"retrying"   a client of 3.9.1 meets a missing replica: the broker refuses the same batches, the client sends them again
"lossy"      a client of 1.1.1 meets the missing replica and then a move of the leaders: every refused batch is dropped
"declared"   the same cluster and moments under an entry whose owner declares that client
"""

import time
from pathlib import Path

from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Producer
from fleet_demo.topics import create_topic
from support.live.scenarios import avoid_midnight, sweep

LEADERS = {partition: [1, 2] if partition < 2 else [2, 1] for partition in range(12)}
RECORDS_PER_S = 100
PREFERRED = 0  # the election type of the protocol
SLOW = {"linger.ms": 0, "acks": "all"}
OLD = {"client_configs": {"producers": [{"software": "apache-kafka-java", "version": "<2.1", "retries": 0}]}}
CONFIG = {"auto.leader.rebalance.enable": "false"}


def sweep_both(cluster: Cluster, home: Path) -> None:
    """One sweep under each of the two entries of the old client's cluster."""
    sweep(cluster, home, "lossy")
    sweep(cluster, home, "declared", **OLD)


TAKEN = "kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=orders"
REFUSED = "kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,error={0}"
TOO_FEW, MOVED = REFUSED.format("NOT_ENOUGH_REPLICAS"), REFUSED.format("NOT_LEADER_OR_FOLLOWER")


def counted(cluster: Cluster, mbean: str) -> int:
    """Broker 1's counter; it has none of what has not happened yet."""
    try:
        return int(cluster.jolokia(1, mbean, "Count"))
    except LookupError:
        return 0


def await_growth(cluster: Cluster, mbean: str, by: int, since: int | None = None, seconds: float = 90) -> None:
    """Wait until the counter has grown by so much, from now or from a count. Raises ClusterError when it does not."""
    before, until = counted(cluster, mbean) if since is None else since, time.monotonic() + seconds
    while counted(cluster, mbean) < before + by:
        if time.monotonic() > until:
            raise ClusterError(f"{cluster.name}: {mbean} has not grown by {by} in {seconds:.0f} s")
        time.sleep(0.5)


def await_replicas(cluster: Cluster, seconds: float = 90) -> None:
    """Wait until broker 1 has every replica of what it leads in sync: only such a one can be elected."""
    until = time.monotonic() + seconds
    while cluster.jolokia(1, "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions", "Value"):
        if time.monotonic() > until:
            raise ClusterError(f"{cluster.name}: replicas are out of sync after {seconds:.0f} s")
        time.sleep(0.5)


def refuse_moved(cluster: Cluster, tries: int = 4) -> None:
    """Move leaders until batches were refused for it; where the client learns too soon, the broker starts anew."""
    moved = counted(cluster, MOVED)
    for left in reversed(range(tries)):
        await_replicas(cluster)
        move_leaders_back(cluster)
        try:
            return await_growth(cluster, MOVED, 2, since=moved, seconds=15)
        except ClusterError:
            if not left:
                raise
        cluster.stop_broker(2)
        cluster.start_broker(2)


def move_leaders_back(cluster: Cluster) -> None:
    """Let broker 2 lead its partitions again while producers still ask broker 1."""
    partitions = [partition for partition, replicas in LEADERS.items() if replicas[0] == 2]
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        admin.elect_leaders(PREFERRED, {"orders": partitions})
    finally:
        admin.close()


def run(home: Path) -> None:
    """Some 60 s of two brokers and one client at a time. Raises ClusterError when a broker does not start."""
    avoid_midnight(150)
    with Cluster("retries391", "3.9.1", broker_config=CONFIG) as cluster:
        create_topic(cluster, "orders", replica_assignment=LEADERS, config={"min.insync.replicas": 2})
        with Producer(cluster, "orders", RECORDS_PER_S, properties=SLOW):
            await_growth(cluster, TAKEN, RECORDS_PER_S)
            sweep(cluster, home, "retrying")
            cluster.stop_broker(2)
            await_growth(cluster, TOO_FEW, 5)
            sweep(cluster, home, "retrying")
        with Producer(cluster, "orders", RECORDS_PER_S, properties={**SLOW, "retries": 0}, release="1.1.1") as old:
            for _ in range(2):
                await_growth(cluster, TOO_FEW, 50)
                sweep_both(cluster, home)
            cluster.start_broker(2)
            await_growth(cluster, TAKEN, RECORDS_PER_S)
            sweep_both(cluster, home)
            refuse_moved(cluster)
            sweep_both(cluster, home)
            assert old.running, old.log.read_text()[-2000:]
