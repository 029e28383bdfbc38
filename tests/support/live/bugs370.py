"""Two bugs of 3.7.0 in what nodes do with metadata, on real brokers: takes a home, lands sweeps.

"unwritable370"  metadata.version is of 3.6 and a partition was reassigned: no snapshot can be written (KAFKA-16583)
"gone370"        topics are deleted before their directories are assigned, which is tried for ever (KAFKA-17190)
"""

from pathlib import Path

from kafka import TopicPartition
from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.node import Node
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.quorum import THRESHOLDS

UNWRITABLE, GONE, RELEASE = "unwritable370", "gone370", "3.7.0"
SWEEPS, EVERY_S, TOPICS = 3, 3.0, 4
ERRORS = "kafka.controller:type=KafkaController,name=MetadataErrorCount"
QUEUE = "org.apache.kafka.server:type=AssignmentsManager,name=QueuedReplicaToDirAssignments"
SNAPSHOTS = {"metadata.log.max.record.bytes.between.snapshots": 1}


class OldMetadata(Cluster):
    """A cluster that was upgraded from 3.6, and whose upgrade is not finalized."""

    def _format_options(self, _node: Node) -> list[str]:
        return ["--release-version", "3.6"]


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    scenarios.spaced(SWEEPS, EVERY_S, lambda: scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS))


def unwritable(home: Path) -> None:
    """Add a replica to a partition, and wait until a snapshot fails."""
    with OldMetadata("metadata370", RELEASE, broker_config=SNAPSHOTS) as cluster:
        create_topic(cluster, "orders", replica_assignment={0: [1]})
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
        try:
            told = admin.alter_partition_reassignments({TopicPartition("orders", 0): [1, 2]})
        finally:
            admin.close()
        if any(told.values()):
            raise ClusterError(f"the partition is not reassigned: {told}")
        scenarios.await_that("a metadata error", lambda: cluster.jolokia(1, ERRORS, "Value") > 0)
        _sweeps(cluster, home, UNWRITABLE)


def gone(home: Path) -> None:
    """Create topics and delete them at once, on a broker with two directories."""
    folder = home / GONE
    dirs = ",".join(str(folder / "broker-1" / name) for name in ("data", "more"))
    with Cluster(
        "directories370", RELEASE, brokers=1, racks=(), broker_config={"log.dirs": dirs}, workdir=folder
    ) as cluster:
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
        try:
            for number in range(TOPICS):
                name = f"short-{number}"
                admin.create_topics({name: {"num_partitions": 1, "replication_factor": 1}}, wait_for_metadata=False)
                admin.delete_topics([name])
        finally:
            admin.close()
        scenarios.await_that("assignments wait", lambda: cluster.jolokia(1, QUEUE, "Value") > 0)
        _sweeps(cluster, home, GONE)


def run(home: Path) -> None:
    """One after the other. Raises ClusterError when a fault does not come about."""
    scenarios.avoid_midnight(180)
    unwritable(home)
    gone(home)
