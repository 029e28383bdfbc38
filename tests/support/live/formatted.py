"""Clusters whose storage is formatted with further options: takes options for each node, formats one by one."""

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.node import Node, jvm
from fleet_demo.processes import end, spawn, tail

FORMAT_S = 120.0


class FormattedCluster(Cluster):
    """A cluster whose nodes are formatted with what `format_options` says."""

    def format_options(self, node: Node) -> list[str]:
        """Options of `kafka-storage.sh format` beside the cluster's id and the node's settings."""
        raise NotImplementedError

    def _format_storage(self) -> None:
        for node in self.nodes.values():
            tool = ["kafka.tools.StorageTool", "format", "--cluster-id", self.cluster_id, *self.format_options(node)]
            process = spawn([*jvm(self.jars, None), *tool, "--config", str(node.config)], node.log)
            try:
                if process.wait(FORMAT_S) != 0:
                    raise ClusterError(f"storage of node {node.id} cannot be formatted:\n{tail(node.log)}")
            finally:
                end(process, 0.0)
