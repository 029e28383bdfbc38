"""In goes a topic's name with its numbers or its replica assignment; out comes the topic, ready to be written to."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from kafka.admin import KafkaAdminClient

from fleet_demo.artifacts import release_tuple
from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.node import jvm
from fleet_demo.processes import LOOPBACK


def create_topic(
    cluster: Cluster,
    topic: str,
    partitions: int = 1,
    replication_factor: int | None = None,
    replica_assignment: Mapping[int, list[int]] | None = None,
    config: Mapping[str, object] | None = None,
) -> None:
    """Create a topic and wait until every partition has a leader.

    Args:
        cluster, topic: where, and its name.
        partitions, replication_factor: the numbers; the factor is 2 when there are two brokers and none is given.
        replica_assignment: instead of both, {partition: [leader, follower, ...]}, partitions numbered from 0.
        config: topic configuration.

    Raises:
        kafka.errors.KafkaError: what the broker answered.
        ClusterError: what the release's own tool answered.
    """
    settings = {key: str(value) for key, value in (config or {}).items()}
    wanted: dict[str, object] = {"configs": settings}
    if replica_assignment is None:
        factor = replication_factor or min(2, len(cluster.broker_ids))
        wanted |= {"num_partitions": partitions, "replication_factor": factor}
    elif release_tuple(cluster.release) >= (2, 4, 0):
        wanted["assignments"] = dict(replica_assignment)
    else:  # the Python client refuses assignments to these brokers, although their protocol has them
        _create_with_tool(cluster, topic, replica_assignment, settings)
        wanted = {}
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        if wanted:
            admin.create_topics({topic: wanted}, wait_for_metadata=True)
        else:
            admin.wait_for_topics([topic])
    finally:
        admin.close()


def _create_with_tool(
    cluster: Cluster, topic: str, replica_assignment: Mapping[int, list[int]], settings: Mapping[str, str]
) -> None:
    if cluster.zookeeper is None:
        raise ClusterError(f"{cluster.name}: a broker before 2.4 needs ZooKeeper")
    order = [replica_assignment[partition] for partition in sorted(replica_assignment)]
    replicas = ",".join(":".join(str(broker) for broker in brokers) for brokers in order)
    command = [*jvm(cluster.jars, None, ["-Xmx64m"], "WARN"), "kafka.admin.TopicCommand", "--create", "--topic", topic]
    command += ["--zookeeper", f"{LOOPBACK}:{cluster.zookeeper.port}", "--replica-assignment", replicas]
    for key, value in settings.items():
        command += ["--config", f"{key}={value}"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if run.returncode != 0:
        words = (run.stdout + run.stderr).strip()
        raise ClusterError(f"{cluster.name}: topic {topic} could not be created:\n{words}")
