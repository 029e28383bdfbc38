"""A storm with real SYN cookies: takes a home, runs broker, node_exporter and collector in a network namespace.

Two namespaces joined by a veth pair: in one a broker at 3.1.2 (backlog 50, tcp_max_syn_backlog 64), its node_exporter
and the collector, in the other 400 connections that lose the broker and come back together. Nothing outside of the two
changes. Where that cannot be done, `outcome` says why in one sentence, and the live tests show it.

python -m support.live.netns HOME CLIENTS EXPORTER      the part that runs inside the server's namespace
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.processes import end, spawn
from support.live.crowds import crowd
from support.live.exporter import command, exporter
from support.live.packages import said
from support.live.scenarios import sweep

NAME, RELEASE, CONNECTIONS = "netns312", "3.1.2", 400
SERVER, CLIENT, EXPORTER_PORT = "198.18.0.1", "198.18.0.2", 9100  # of the range kept for tests between networks
RAN = "ran"


def outcome(home: Path) -> str:
    """What became of this part of the live run: "ran", or why it did not."""
    return (home / "netns.txt").read_text()


def run(home: Path) -> None:
    """Make the namespaces, run the storm between them, remove them; the outcome is left in the home."""
    server, client = (f"fleet-{os.getpid()}-{side}" for side in ("server", "client"))
    program: Path | str = ""
    try:
        reason = _unable(server, client)
        if reason is None and isinstance(program := exporter(), str):
            reason = program
        if reason is None:
            inside = [
                "ip",
                "netns",
                "exec",
                server,
                sys.executable,
                "-m",
                "support.live.netns",
                str(home),
                client,
                str(program),
            ]
            found = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            done = subprocess.run(inside, capture_output=True, text=True, check=False, timeout=900, env=found)
            assert done.returncode == 0, f"the storm between namespaces failed:\n{done.stdout}{done.stderr}"
    finally:
        for side in (server, client) if shutil.which("ip") else ():
            subprocess.run(["ip", "netns", "del", side], capture_output=True, check=False)
    (home / "netns.txt").write_text(reason or RAN)
    if reason:
        print(f"live: the storm with real SYN cookies did not run: {reason}", flush=True)


def _unable(server: str, client: str) -> str | None:
    """Make both namespaces and join them; the reason when anything that this needs is not there."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need the program ip (iproute2)"
    for side in (server, client):
        if fault := said(["ip", "netns", "add", side], 20):
            return f"no network namespace can be made here: {fault}"
    fault = _joined(server, client)
    return fault and f"the network namespaces cannot be joined: {fault}"


def _joined(server: str, client: str) -> str | None:
    """Join two namespaces by a veth pair with addresses, and make the server's queue small; why not, if it fails."""
    pair = ["veth0", "netns", server, "type", "veth", "peer", "name", "veth0", "netns", client]
    steps = [["ip", "link", "add", *pair]]
    for side, address in ((server, SERVER), (client, CLIENT)):
        steps += [
            ["ip", "-n", side, "addr", "add", f"{address}/30", "dev", "veth0"],
            ["ip", "-n", side, "link", "set", "veth0", "up"],
            ["ip", "-n", side, "link", "set", "lo", "up"],
        ]
    settings = "echo 64 > /proc/sys/net/ipv4/tcp_max_syn_backlog && echo 1 > /proc/sys/net/ipv4/tcp_syncookies"
    steps.append(["ip", "netns", "exec", server, "sh", "-c", settings])
    return next((fault for step in steps if (fault := said(step, 20))), None)


def storm(home: Path, clients: str, program: Path) -> None:
    """Inside the server's namespace: broker, exporter, a crowd in the other namespace, sweeps around a restart."""
    cluster = Cluster(NAME, RELEASE, brokers=1)
    node = cluster.nodes[1]
    listeners = f"PLAINTEXT://0.0.0.0:{node.port},CONTROLLER://127.0.0.1:{node.controller_port}"
    node.config.write_text(f"{node.config.read_text()}listeners={listeners}\n")  # the later of two lines holds
    with cluster:
        watcher = spawn(command(program, EXPORTER_PORT), cluster.workdir / "exporter.log")
        url = f"http://127.0.0.1:{EXPORTER_PORT}/metrics"
        try:
            with crowd(cluster.workdir, SERVER, node.port, CONNECTIONS, ["ip", "netns", "exec", clients]) as held:
                for restart in (False, True):
                    if restart:
                        cluster.stop_broker(1)
                        cluster.start_broker(1)
                        held.wait()
                    for _ in range(3):
                        sweep(cluster, home, node_exporter={1: url})
                        time.sleep(2)
        finally:
            end(watcher, 0)


if __name__ == "__main__":
    storm(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
