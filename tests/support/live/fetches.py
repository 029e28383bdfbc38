"""Clusters whose readers' fetches are timed: takes a home, lands their sweeps; a killed broker.

One function is one scenario: what runs at the same time.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fleet_demo.cluster import Cluster
from support.live import guarded, history, old_clients, prometheus
from support.live.scenarios import avoid_midnight, running, sweep

FETCHES, FIXED = ["follower331"], ["follower332"]
RELEASES = ["follower411", "idle331"]
LOOK_ALIKES = ["crowd331", "slow331", "mixed331"]
OLD = ["redirect282", "ancient111"]
SWEEPS, EVERY_S = 7, 9.0


def restarts(cluster: Cluster, home: Path) -> None:
    """Broker 2 is killed between two sweeps and comes back; "halfdead" is what is seen of the cluster meanwhile.

    The last sweep without it comes when its session has ended, and the next process some seconds later.
    """
    avoid_midnight(120)
    for _ in range(2):
        sweep(cluster, home, "restarted")
        time.sleep(3)
    cluster.kill_broker(2)
    for _ in range(2):
        sweep(cluster, home, "halfdead")
        time.sleep(1)
    for _ in range(30):
        listed = [row["broker"] for row in sweep(cluster, home, "fenced411").admin.tables.get("brokers", [])]
        if listed == [1]:
            break
        time.sleep(1)
    sweep(cluster, home, "restarted")
    time.sleep(8)
    cluster.start_broker(2)
    for _ in range(2):
        sweep(cluster, home, "restarted")
        time.sleep(3)


def followed(home: Path) -> None:
    """Follower reads on the last affected release."""
    with running(FETCHES, home, SWEEPS, EVERY_S):
        pass


def fixed(home: Path) -> None:
    """The same reads on the release with the fix."""
    with running(FIXED, home, SWEEPS, EVERY_S):
        pass


def releases(home: Path) -> None:
    """Follower reads on 4.1.1, whose broker is killed at last, and an idle cluster.

    Meanwhile the idle cluster's agent is asked with its policy and without.
    """
    with running(RELEASES, home, SWEEPS, EVERY_S) as clusters, ThreadPoolExecutor(1) as aside:
        asked = aside.submit(guarded.prove, clusters["idle331"], home)
        restarts(clusters["follower411"], home)
        asked.result()
        old_clients.told(clusters["follower411"], home)


def scraped(home: Path) -> None:
    """Follower reads that a Prometheus scrapes meanwhile; its history is imported."""
    options, ports = prometheus.agents(home / "history")
    with (
        prometheus.server(home / "history", ports) as url,
        running([history.OF], home, SWEEPS, EVERY_S, agents={history.OF: options}) as clusters,
    ):
        history.imported(home, url, clusters[history.OF])


def look_alikes(home: Path) -> None:
    """Look-alikes and mixed leadership."""
    with running(LOOK_ALIKES, home, SWEEPS, EVERY_S):
        pass


def old_releases(home: Path) -> None:
    """Redirects, and a broker of 1.1.1."""
    with running(OLD, home, SWEEPS, EVERY_S):
        pass
