"""The demo's fleet: starts its clusters and loads, gives the fleet file that names them and one that nobody answers at.

payments-eu   3.3.1, a consumer reads from the follower   has KAFKA-14334
orders-eu     3.3.2, the same load                        has the fix
archive-eu    3.3.1, idle, when memory allows             is exposed to it
lost-eu       nothing listens there                       cannot be measured
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from fleet_demo.cluster import Cluster
from fleet_demo.load import Consumer, Producer
from fleet_demo.processes import LOOPBACK, free_port
from fleet_demo.topics import create_topic

SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
IDLE_NEEDS_MB = 4500  # what Airflow and Spark take beside the two loaded clusters, and the idle one itself
RECORDS_PER_S = 10


def available_mb() -> int:
    """Memory that can be had without swapping, MB (MemAvailable of /proc/meminfo)."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    found = next(line for line in lines if line.startswith("MemAvailable:"))
    return int(found.split()[1]) // 1024


class Fleet:
    """Two loaded clusters, an idle one where it fits, and one that is named and not there."""

    def __init__(self, work: Path, say: Callable[[str], None]) -> None:
        self._say = say
        self.loaded = [
            Cluster("payments-eu", "3.3.1", broker_config=SELECTOR, workdir=work / "kafka" / "payments-eu"),
            Cluster("orders-eu", "3.3.2", broker_config=SELECTOR, workdir=work / "kafka" / "orders-eu"),
        ]
        self.clusters = list(self.loaded)
        if available_mb() >= IDLE_NEEDS_MB:
            workdir = work / "kafka" / "archive-eu"
            self.clusters.append(Cluster("archive-eu", "3.3.1", broker_config=SELECTOR, workdir=workdir))
        else:
            say("too little memory for the idle cluster; it is left out")
        self._loads: list[Producer | Consumer] = []
        self._topics = False

    def __enter__(self) -> "Fleet":
        names = ", ".join(f"{cluster.name} ({cluster.release})" for cluster in self.clusters)
        self._say(f"starting real brokers: {names}, two each")
        try:
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda cluster: cluster.start(), self.clusters))
        except BaseException:
            self.stop()
            raise
        self._say("all brokers serve")
        return self

    def __exit__(self, _t: type[BaseException] | None, _v: BaseException | None, _tb: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop loads and clusters, all of them even if one resists."""
        self.unload()
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda cluster: cluster.stop(), self.clusters))

    def load(self) -> None:
        """A producer on the leader and a consumer in the follower's rack, the same on both loaded clusters."""
        for cluster in self.loaded:
            if not self._topics:
                create_topic(cluster, "orders", replica_assignment={0: [1, 2]})
            self._loads.append(Producer(cluster, "orders", RECORDS_PER_S))
            self._loads.append(Consumer(cluster, "orders", group="billing", rack="b"))
        self._topics = True

    def unload(self) -> None:
        """Stop the clients."""
        for client in self._loads:
            client.stop()
        self._loads.clear()

    def write(self, path: Path) -> None:
        """The fleet file."""
        entries: list[dict[str, Any]] = [
            {**cluster.fleet_entry(), "owners": [f"{cluster.name}@owners.example.org"]} for cluster in self.clusters
        ]
        nobody = free_port()
        entries.append(
            {
                "id": "lost-eu",
                "environment": "development",
                "owners": ["lost-eu@owners.example.org"],
                "bootstrap_servers": [f"{LOOPBACK}:{nobody}"],
                "jolokia": {"brokers": {1: f"http://{LOOPBACK}:{nobody}/jolokia"}},
            }
        )
        path.write_text(yaml.safe_dump({"version": 1, "clusters": entries}, sort_keys=False), encoding="utf-8")
