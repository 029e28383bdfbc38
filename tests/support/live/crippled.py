"""Connections that a SYN cookie leaves without window scaling: takes a home, runs broker and clients in namespaces.

Clients of one namespace have TCP timestamps off, as Windows has: 300 connections lose a broker at 3.1.2 (backlog 50)
and come back together. Those of another one, the look-alike, have window scaling turned off themselves: 20 of them.
Before each sweep the script for brokers' hosts counts the connections with ss, and node_exporter shows what it wrote.
Of the same cluster "flooded312" is told the kernel's log alone, as that script counts it, and no counter of the kernel.

python -m support.live.crippled HOME EXPORTER CLIENTS UNSCALED      the part inside the server's namespace
"""

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.processes import end, spawn
from kafka_fleet.collect.log_marks import kafka_log_marks
from support.live import netns
from support.live.crowds import crowd
from support.live.exporter import command
from support.live.scenarios import avoid_midnight, sweep

NAME, RELEASE, CONNECTIONS, UNSCALED = "crippled312", "3.1.2", 300, 20
FLOODED, KERNEL = "flooded312", "/dev/kmsg"
SCRIPTS = Path(kafka_log_marks.__file__).parents[1]


def peers(home: Path) -> list[str]:
    """What the script listed at the end: a port and a peer each."""
    found: list[str] = json.loads((home / f"{NAME}.json").read_text())
    return found


def _script(module: str, *arguments: object) -> str:
    """Run it as a broker's host does; what it printed."""
    words = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(words, cwd=SCRIPTS, check=True, capture_output=True, text=True, timeout=60).stdout


def unread(kernel: str = KERNEL) -> str:
    """Why the kernel's log cannot be read, as in a container without the right to; else nothing."""
    try:
        os.close(os.open(kernel, os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        return str(error)
    return ""


def _look(cluster: Cluster, home: Path, texts: Path, url: str, has_log: bool) -> None:
    """Run the scripts, then sweep: by the kernel's counters, and by its log where that can be read."""
    _script("kafka_log_marks.connections", "--port", cluster.nodes[1].port, "--output", texts / "connections.prom")
    sweep(cluster, home, NAME, node_exporter={1: url})
    if has_log:
        files = ("--state", cluster.workdir / "marks.json", "--output", texts / "marks.prom")
        _script("kafka_log_marks", "--kernel", KERNEL, *files)
        sweep(cluster, home, FLOODED, log_marks={"textfile": {"brokers": {1: url}}})


def _set(namespace: str, setting: str) -> None:
    line = f"echo 0 > /proc/sys/net/ipv4/{setting}"
    subprocess.run(["ip", "netns", "exec", namespace, "sh", "-c", line], check=True, timeout=20)


def storm(home: Path, program: Path, clients: str, unscaled: str) -> None:
    """Inside the server's namespace: three sweeps before and three after the restart of the broker."""
    _set(clients, "tcp_timestamps")
    _set(unscaled, "tcp_window_scaling")
    cluster = Cluster(NAME, RELEASE, brokers=1)
    netns.everywhere(cluster)
    port, texts, url = (
        cluster.nodes[1].port,
        cluster.workdir / "textfile",
        f"http://127.0.0.1:{netns.EXPORTER_PORT}/metrics",
    )
    with cluster, ExitStack() as held:
        texts.mkdir()
        watcher = spawn(command(program, netns.EXPORTER_PORT, texts), cluster.workdir / "exporter.log")
        held.callback(end, watcher, 0)
        crowds = []
        for link, (namespace, many) in enumerate(((clients, CONNECTIONS), (unscaled, UNSCALED))):
            folder = cluster.workdir / namespace
            folder.mkdir()
            prefix = ["ip", "netns", "exec", namespace]
            crowds.append(held.enter_context(crowd(folder, netns.address(link, 1), port, many, prefix)))
        for restart in (False, True):
            if restart:
                cluster.stop_broker(1)
                cluster.start_broker(1)
                for one in crowds:
                    one.wait()
            for _ in range(3):
                _look(cluster, home, texts, url, has_log=not unread())
                time.sleep(2)
        listed = _script("kafka_log_marks.connections", "--port", port, "--peers")
        (home / f"{NAME}.json").write_text(json.dumps(listed.splitlines()))


def run(home: Path) -> None:
    """Make the namespaces, run the storm between them, remove them; some 60 s."""
    avoid_midnight(150)
    netns.between(home, NAME, "support.live.crippled", 2)


if __name__ == "__main__":
    storm(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
