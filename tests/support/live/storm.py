"""Reconnect storms over the restart of a broker: takes a home, lands sweeps before, right after and later.

storm312    3.1.2, whose backlog is fixed at 50: 300 connections lose broker 2 and come back together. Its one network
            thread takes 20 of them from the acceptor at a time, which has to wait, however busy the machine is
storm411    4.1.1 with socket.listen.backlog.size=1000: the same 300 fit
netns312    400 connections between two network namespaces, with the kernel's own counters; netns411 its twin that has
            the fix and a raised backlog; see netns.py
"""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fleet_demo.cluster import Cluster
from support.live import netns
from support.live.crowds import crowd
from support.live.scenarios import avoid_midnight, sweep

CONNECTIONS = 300
STORMS: dict[str, tuple[str, dict[str, object]]] = {
    "storm312": ("3.1.2", {"num.network.threads": 1}),
    "storm411": ("4.1.1", {"socket.listen.backlog.size": 1000}),
}


def storm(name: str, home: Path) -> None:
    """One cluster, its crowd, the restart and six sweeps.

    The first comes after the crowd, whose arrival would be a storm of its own so soon after the broker's start.
    """
    release, config = STORMS[name]
    with (
        Cluster(name, release, broker_config=config) as cluster,
        crowd(cluster.workdir, "127.0.0.1", cluster.nodes[2].port, CONNECTIONS) as held,
    ):
        for _ in range(3):
            sweep(cluster, home)
            time.sleep(3)
        cluster.stop_broker(2)
        cluster.start_broker(2)
        held.wait()
        for _ in range(3):
            sweep(cluster, home)
            time.sleep(3)


def run(home: Path) -> None:
    """The storm that the backlog does not hold. Raises ArtifactError or ClusterError when the cluster does not run."""
    avoid_midnight(150)
    storm("storm312", home)


def others(home: Path) -> None:
    """The one that fits, and those that the kernel counts, at once. Raises as run()."""
    avoid_midnight(150)
    with ThreadPoolExecutor(3) as pool:
        counted = [pool.submit(netns.run, home, name) for name in netns.RELEASES]
        for one in [pool.submit(storm, "storm411", home), *counted]:
            one.result()
