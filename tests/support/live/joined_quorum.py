"""A dynamic quorum (KIP-853) of 4.2.0 whose controllers join by themselves: takes a home, lands sweeps.

"joined420"  two of three controllers are not declared: what the leader says of them and a template lead to their agents
"rolled420"  then each controller is restarted in an orderly way, with a sweep while it is away and one after it

Controllers that join have loopback addresses of their own, since a template tells agents apart by their hosts.
"""

import time
from pathlib import Path
from typing import Any

from fleet_demo.cluster import CONTROLLER_ID, Cluster
from fleet_demo.node import Node, broker_properties
from support.live import scenarios
from support.live.quorum import THRESHOLDS

JOINED, ROLLED, RELEASE = "joined420", "rolled420", "4.2.0"
HOSTS = {101: "127.0.0.2", 102: "127.0.0.3"}
SWEEPS = 2


class JoinedQuorum(Cluster):
    """A broker and the first controller, which forms the quorum alone, and controllers that find it and join."""

    def __init__(self, name: str) -> None:
        super().__init__(name, RELEASE, brokers=1, racks=(), controllers="dedicated")
        first = self.nodes[CONTROLLER_ID]
        for number, host in HOSTS.items():
            node = Node(number, ("controller",), None, host=host)
            node.folder = self.workdir / node.label
            node.folder.mkdir()
            node.port, node.controller_port, node.jolokia_port = 0, first.controller_port, first.jolokia_port
            self.nodes[number] = node
        for node in self.nodes.values():
            properties = broker_properties(node, list(self.nodes.values()), None)
            del properties["controller.quorum.voters"]
            properties |= {
                "controller.quorum.bootstrap.servers": f"{first.host}:{first.controller_port}",
                "controller.quorum.auto.join.enable": node.id in HOSTS,
            }
            node.config.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))

    def _format_options(self, node: Node) -> list[str]:
        """The first controller forms a quorum of its own."""
        return ["--standalone" if node.id == CONTROLLER_ID else "--no-initial-controllers"]

    def entry(self) -> dict[str, Any]:
        """What the fleet file says of agents: nothing of the controllers that join."""
        first = self.nodes[CONTROLLER_ID]
        return {
            "brokers": self.jolokia_urls,
            "controllers": {CONTROLLER_ID: first.jolokia_url},
            "url_template": f"http://{{host}}:{first.jolokia_port}/jolokia",
        }


def sweep(cluster: JoinedQuorum, home: Path, name: str) -> set[int]:
    """One sweep under an id: the voters that the leader named."""
    done = scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS, jolokia=cluster.entry())
    return {row["replica"] for row in done.admin.tables.get("quorum_replicas", []) if row["is_voter"]}


def run(home: Path) -> None:
    """Wait until both have joined, sweep, and roll. Raises ClusterError when one does not join."""
    scenarios.avoid_midnight(300)
    with JoinedQuorum("quorum420") as cluster:
        scenarios.await_that("both controllers joined", lambda: set(HOSTS) <= sweep(cluster, home, "waiting420"))
        for _ in range(SWEEPS):
            sweep(cluster, home, JOINED)
            time.sleep(2)
        sweep(cluster, home, ROLLED)
        for number in (101, 102, CONTROLLER_ID):
            cluster.stop_broker(number)
            time.sleep(THRESHOLDS["quorum_health"]["max_silent_s"])
            sweep(cluster, home, ROLLED)
            cluster.start_broker(number)
            time.sleep(5)  # it fetches again a moment after it has started
            sweep(cluster, home, ROLLED)
