"""Clusters whose readers' fetches are timed: takes a home, lands their sweeps; a killed broker, killed collectors.

One function is one scenario: what runs at the same time.
"""

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from fleet_demo.cluster import Cluster
from support.live import guarded, history, old_clients, prometheus
from support.live.scenarios import avoid_midnight, running, sweep

FETCHES, FIXED = ["follower331"], ["follower332"]
RELEASES = ["follower411", "idle331"]
LOOK_ALIKES = ["crowd331", "slow331", "mixed331"]
OLD = ["redirect282", "ancient111"]
SWEEPS, EVERY_S = 7, 9.0
KILLS = 4  # of collectors, at as many moments after their first file


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


def killed_collectors(cluster: Cluster, home: Path) -> None:
    """Collectors that die at random moments of their work, and one that does not."""
    fleet_file = home / "killed.yaml"
    entry = {**cluster.fleet_entry(id="interrupted"), "jolokia": {"brokers": cluster.jolokia_urls}}
    fleet_file.write_text(yaml.safe_dump({"version": 1, "clusters": [entry]}))
    program = str(Path(sys.executable).with_name("kafka-fleet"))
    command = [program, "collect", "--fleet", str(fleet_file), "--home", str(home)]
    for later in [0.02 * kill for kill in range(KILLS)]:
        before = {path.name for path in (home / "raw").glob("*/ds=*/interrupted.*")}
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 30
            while process.poll() is None and time.monotonic() < deadline:
                if {path.name for path in (home / "raw").glob("*/ds=*/interrupted.*")} != before:
                    break
                time.sleep(0.002)
            time.sleep(later)
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def followed(home: Path) -> None:
    """Follower reads on the last affected release; killed collectors."""
    with running(FETCHES, home, SWEEPS, EVERY_S) as clusters:
        killed_collectors(clusters["follower331"], home)


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
