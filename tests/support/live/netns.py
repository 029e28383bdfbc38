"""A storm that the kernel counts: takes a home, runs broker, node_exporter and collector in a network namespace.

"netns312"  a broker at 3.1.2, whose backlog is fixed at 50, under a tcp_max_syn_backlog of 64: SYN cookies are sent
"netns411"  the same at 4.1.1 with socket.listen.backlog.size=1000: all fit

Two namespaces joined by a veth pair for each: in one the broker, its node_exporter and the collector, in the other 400
connections that lose the broker and come back together. Nothing outside of the two changes. Where that cannot be done,
`outcome` says why in one sentence, and the live tests show it.

python -m support.live.netns HOME EXPORTER CLIENTS NAME      the part that runs inside the server's namespace
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

NAME, FITS, CONNECTIONS = "netns312", "netns411", 400
RELEASES: dict[str, tuple[str, dict[str, object]]] = {
    NAME: ("3.1.2", {}),
    FITS: ("4.1.1", {"socket.listen.backlog.size": 1000}),
}
EXPORTER_PORT = 9100
RAN = "ran"


def outcome(home: Path, name: str = NAME) -> str:
    """What became of this part of the live run: "ran", or why it did not."""
    return (home / f"{name}.txt").read_text()


def run(home: Path, name: str = NAME) -> None:
    """Make the namespaces, run the storm between them, remove them; the outcome is left in the home."""
    between(home, name, "support.live.netns", 1, name)


def between(home: Path, name: str, module: str, clients: int, *own: str) -> None:
    """Run a module in the server's namespace, given home, node_exporter, so many clients' namespaces, and its own."""
    server, *others = (f"fleet-{os.getpid()}-{name}-{side}" for side in range(clients + 1))
    program: Path | str = ""
    try:
        reason = _unable(server, others)
        if reason is None and isinstance(program := exporter(), str):
            reason = program
        if reason is None:
            inside = ["ip", "netns", "exec", server, sys.executable, "-m", module, str(home), str(program)]
            inside += [*others, *own]
            found = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            done = subprocess.run(inside, capture_output=True, text=True, check=False, timeout=900, env=found)
            assert done.returncode == 0, f"the storm between namespaces failed:\n{done.stdout}{done.stderr}"
    finally:
        for side in (server, *others) if shutil.which("ip") else ():
            subprocess.run(["ip", "netns", "del", side], capture_output=True, check=False)
    (home / f"{name}.txt").write_text(reason or RAN)
    if reason:
        print(f"live: the storm with real SYN cookies did not run: {reason}", flush=True)


def _unable(server: str, clients: list[str]) -> str | None:
    """Make all namespaces and join them; the reason when anything that this needs is not there."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need the program ip (iproute2)"
    for side in (server, *clients):
        if fault := said(["ip", "netns", "add", side], 20):
            return f"no network namespace can be made here: {fault}"
    faults = (_joined(server, client, link) for link, client in enumerate(clients))
    fault = next((one for one in faults if one), None)
    return fault and f"the network namespaces cannot be joined: {fault}"


def address(link: int, side: int) -> str:
    """Of a link between the server (side 1) and a client (side 2), of the range kept for tests between networks."""
    return f"198.18.{link}.{side}"


def _joined(server: str, client: str, link: int) -> str | None:
    """Join two namespaces by a veth pair with addresses, and make the server's queue small; why not, if it fails."""
    name = f"veth{link}"
    steps = [["ip", "link", "add", name, "netns", server, "type", "veth", "peer", "name", name, "netns", client]]
    for number, side in ((1, server), (2, client)):
        steps += [
            ["ip", "-n", side, "addr", "add", f"{address(link, number)}/30", "dev", name],
            ["ip", "-n", side, "link", "set", name, "up"],
            ["ip", "-n", side, "link", "set", "lo", "up"],
        ]
    settings = "echo 64 > /proc/sys/net/ipv4/tcp_max_syn_backlog && echo 1 > /proc/sys/net/ipv4/tcp_syncookies"
    steps.append(["ip", "netns", "exec", server, "sh", "-c", settings])
    return next((fault for step in steps if (fault := said(step, 20))), None)


def everywhere(cluster: Cluster) -> None:
    """Let the broker listen on all addresses of its namespace."""
    node = cluster.nodes[1]
    listeners = f"PLAINTEXT://0.0.0.0:{node.port},CONTROLLER://127.0.0.1:{node.controller_port}"
    node.config.write_text(f"{node.config.read_text()}listeners={listeners}\n")  # the later of two lines holds


def storm(home: Path, program: Path, clients: str, name: str) -> None:
    """Inside the server's namespace: broker, exporter, a crowd in the other namespace, sweeps around a restart."""
    release, config = RELEASES[name]
    cluster = Cluster(name, release, brokers=1, broker_config=config)
    node = cluster.nodes[1]
    everywhere(cluster)
    with cluster:
        watcher = spawn(command(program, EXPORTER_PORT), cluster.workdir / "exporter.log")
        url = f"http://127.0.0.1:{EXPORTER_PORT}/metrics"
        try:
            with crowd(
                cluster.workdir, address(0, 1), node.port, CONNECTIONS, ["ip", "netns", "exec", clients]
            ) as held:
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
    storm(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
