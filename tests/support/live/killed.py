"""Collectors that are killed while they sweep a real cluster: takes it and a home, leaves what they landed."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml

from fleet_demo.cluster import Cluster
from support.live.scenarios import avoid_midnight

NAME = "interrupted"
KILLS = 4  # at as many moments after their first file


def run(home: Path) -> None:
    """Two brokers, collectors that die at random moments of their work, and one that does not; about 30 s."""
    avoid_midnight(90)
    with Cluster(NAME, "3.9.1") as cluster:
        _killed_collectors(cluster, home)


def _killed_collectors(cluster: Cluster, home: Path) -> None:
    fleet_file = home / "killed.yaml"
    entry = {**cluster.fleet_entry(id=NAME), "jolokia": {"brokers": cluster.jolokia_urls}}
    fleet_file.write_text(yaml.safe_dump({"version": 1, "clusters": [entry]}))
    program = str(Path(sys.executable).with_name("kafka-fleet"))
    command = [program, "collect", "--fleet", str(fleet_file), "--home", str(home)]
    for later in [0.02 * kill for kill in range(KILLS)]:
        before = {path.name for path in (home / "raw").glob(f"*/ds=*/{NAME}.*")}
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 30
            while process.poll() is None and time.monotonic() < deadline:
                if {path.name for path in (home / "raw").glob(f"*/ds=*/{NAME}.*")} != before:
                    break
                time.sleep(0.002)
            time.sleep(later)
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
