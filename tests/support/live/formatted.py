"""Storage that is formatted with further options: takes a cluster and the options of each node, formats one by one."""

from collections.abc import Callable

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.node import Node, jvm
from fleet_demo.processes import end, spawn, tail

FORMAT_S = 120.0


def format_each(cluster: Cluster, options: Callable[[Node], list[str]]) -> None:
    """Run `kafka-storage.sh format` for each node, with these options beside the cluster's id and the node's settings.

    Raises ClusterError with the end of the tool's log where it fails.
    """
    for node in cluster.nodes.values():
        tool = ["kafka.tools.StorageTool", "format", "--cluster-id", cluster.cluster_id, *options(node)]
        process = spawn([*jvm(cluster.jars, None), *tool, "--config", str(node.config)], node.log)
        try:
            if process.wait(FORMAT_S) != 0:
                raise ClusterError(f"storage of node {node.id} cannot be formatted:\n{tail(node.log)}")
        finally:
            end(process, 0.0)
