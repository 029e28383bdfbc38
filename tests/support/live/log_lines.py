"""Brokers that are killed and stopped while the script for hosts counts their logs: takes a home, leaves sweeps.

One broker each of 3.9.1 (KRaft) and 2.8.2 (ZooKeeper), its own controller, so that no counter tells how it ended.
A real node_exporter serves what the script wrote. Killed and started again under one id, then stopped under another.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Producer
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from support.live.exporter import exporter
from support.live.scenarios import avoid_midnight, await_that, sweep

RELEASES: Mapping[str, str] = {"391": "3.9.1", "282": "2.8.2"}
SETTINGS: Mapping[str, Mapping[str, object]] = {"kraft": {}, "zookeeper": {"zookeeper.session.timeout.ms": 6000}}
PARTITIONS = 5
SCRIPT = Path(__file__).resolve().parents[3] / "plugins/kafka_fleet/collect/log_marks"


def killed(name: str) -> str:
    """Cluster id of the sweeps around the kill."""
    return f"marked{name}"


def stopped(name: str) -> str:
    """Cluster id of the sweeps around the controlled shutdown."""
    return f"closed{name}"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A node_exporter whose textfile collector reads a folder; its URL. Raises ClusterError where there is none."""
    program, port = exporter(), free_port()
    if isinstance(program, str):
        raise ClusterError(program)
    options = ["disable-defaults", "textfile", f"textfile.directory={folder}"]
    command = [str(program), f"--web.listen-address=127.0.0.1:{port}", *(f"--collector.{one}" for one in options)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            time.sleep(1)
            yield f"http://127.0.0.1:{port}/metrics"
        finally:
            process.terminate()


def count_lines(cluster: Cluster, folder: Path, broker: int = 1) -> None:
    """Run the script as a timer does, on what the broker has printed. Raises ClusterError where it fails."""
    log = str(cluster.log_paths[broker])
    files = ["--state", str(folder / "state.json"), "--output", str(folder / "kafka.prom")]
    command = [
        sys.executable,
        "-m",
        "kafka_log_marks",
        "--log",
        log,
        "--cleaner-log",
        log,
        "--broker",
        str(broker),
        *files,
    ]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SCRIPT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    if done.returncode:
        raise ClusterError(done.stderr)


def _two_ends(name: str, home: Path) -> None:
    mode = "kraft" if name == "391" else "zookeeper"
    folder = home / f"textfile{name}"
    folder.mkdir()
    with (
        Cluster(f"logs{name}", RELEASES[name], brokers=1, racks=(), mode=mode, broker_config=SETTINGS[mode]) as cluster,
        served(folder) as url,
    ):
        declared = {"log_marks": {"textfile": {"brokers": {1: url}}}}
        create_topic(cluster, "orders", replica_assignment={p: [1] for p in range(PARTITIONS)})
        count_lines(cluster, folder)
        for end, one in ((cluster.kill_broker, killed(name)), (cluster.stop_broker, stopped(name))):
            with Producer(cluster, "orders", 20):
                time.sleep(3)
            for _ in range(2):
                sweep(cluster, home, one, **declared)
            end(1)
            time.sleep(8 if mode == "zookeeper" else 0)  # until its session with ZooKeeper is over
            cluster.start_broker(1)
            await_that("a broker that is back", lambda: sweep(cluster, home, f"waiting{name}").outcomes["ok"] > 0)
            count_lines(cluster, folder)
            for _ in range(2):
                sweep(cluster, home, one, **declared)
                time.sleep(1)


def run(home: Path) -> None:
    """Both clusters, one after the other; about two minutes."""
    avoid_midnight(240)
    for name in RELEASES:
        _two_ends(name, home)
