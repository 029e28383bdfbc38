"""`python -m benchmarks.hostile_neighbour`: what a cluster of hostile brokers costs its neighbours in one process.

A healthy cluster is swept alone, beside sweeps of a healthy one of BROKERS brokers, and beside sweeps of one whose
BROKERS brokers flood whoever asks them. Printed are CPU seconds of the process per sweep of the large cluster, what that
says of its brokers, and how long the neighbour takes.
"""

import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.measure import gate, machine
from jolokia_simulator import Agent, agent
from kafka_fleet.collect.results import SweepResult
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.collect.transport import Limits
from kafka_fleet.credentials import local_credentials
from kafka_fleet.inventory import Cluster, parse_fleet
from wire_broker import running

BROKERS = 16
ALONE = 15  # sweeps of the healthy cluster
BESIDE_S = 15.0  # at least so long sweeps of the large cluster follow each other
LIMITS = Limits(deadline_s=15.0)
MOST_CPU_S, MOST_RATIO = 3.0, 1.5
HEALTHY = "none: healthy brokers"

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
FLOODS: dict[str, tuple[bytes, bytes]] = {
    "chunks of a byte": (CHUNKED, b"1\r\n \r\n" * 10_000),
    "100 Continue without end": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 4_000),
    "segments of a byte": (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
}


def flood(name: str) -> None:
    """Be the large cluster's brokers, a process of their own: print the port, then serve until killed."""
    if name == HEALTHY:
        with agent(Agent({"orders": 20})) as one:
            print(urlsplit(one.url).port, flush=True)
            threading.Event().wait()
    head, piece = FLOODS[name]

    def serve(made: socket.socket) -> None:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            made.recv(65536)
            made.sendall(head)
            while True:
                made.sendall(piece)
        except OSError:
            made.close()

    with socket.create_server(("127.0.0.1", 0), backlog=200) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


class Found(NamedTuple):
    """Of one kind of flood: seconds of the neighbour's sweeps, of the large cluster's, and CPU seconds of these."""

    alone: list[float]
    beside: list[float]
    large: list[float]
    cpu: list[float]
    said: str


def _cluster(name: str, server: str, brokers: dict[int, str]) -> Cluster:
    entry = {"id": name, "environment": "development", "owners": ["nobody@example.org"], "bootstrap_servers": [server]}
    (one,) = parse_fleet({"version": 1, "clusters": [{**entry, "jolokia": {"brokers": brokers}}]}, "fleet").clusters
    return one


def measure(name: str, home: Path) -> Found:
    """Sweep both clusters, the healthy one with and without the other beside it."""
    command = [sys.executable, "-m", "benchmarks.hostile_neighbour", name]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as far,
        running({}) as (server, _broker),
        agent(Agent({"orders": 20})) as one,
    ):
        try:
            port = int(far.stdout.readline()) if far.stdout else 0
            healthy = _cluster("healthy", server, {7: one.url})
            hostile = _cluster("hostile", server, {b: f"http://127.0.0.1:{port}/{b}" for b in range(1, BROKERS + 1)})

            def swept(cluster: Cluster) -> tuple[float, float, SweepResult]:
                begun, cpu = time.monotonic(), time.process_time()
                result = sweep_cluster(cluster, home, local_credentials({}), LIMITS)
                return time.monotonic() - begun, time.process_time() - cpu, result

            alone = [swept(healthy) for _ in range(ALONE)]
            own = statistics.median(cpu for _wall, cpu, _result in alone)
            beside: list[float] = []
            over = threading.Event()
            neighbour = threading.Thread(target=_again, args=(lambda: beside.append(swept(healthy)[0]), over))
            neighbour.start()
            ends, walls, cpus, said = time.monotonic() + BESIDE_S, [], [], ""
            while time.monotonic() < ends:
                before = len(beside)
                wall, cpu, result = swept(hostile)
                walls.append(wall)
                cpus.append(cpu - own * (len(beside) - before))
                said = f"{result.brokers[0][1]}({result.brokers[0][2]}): {result.brokers[0][3]}"
            over.set()
            neighbour.join()
        finally:
            far.kill()
    return Found([wall for wall, _cpu, _result in alone], beside, walls, cpus, said)


def _again(run: Callable[[], None], over: threading.Event) -> None:
    while not over.is_set():
        run()


def main() -> int:
    """Every kind of flood; 1 when a gate is missed."""
    print(f"{BROKERS} brokers beside a healthy cluster of one, in a process; {machine()}")
    held, healthy = True, 0.0
    for name in (HEALTHY, *FLOODS):
        with tempfile.TemporaryDirectory() as home:
            found = measure(name, Path(home))
        alone, beside, cpu = (statistics.median(one) for one in (found.alone, found.beside, found.cpu))
        healthy = healthy or beside
        print(
            f"flood: {name}\n  {found.said}\n  {len(found.large)} sweeps of {statistics.median(found.large):.2f} s and "
            f"{cpu:.2f} CPU s; neighbour {alone:.3f} s alone, {beside:.3f} s beside ({len(found.beside)} sweeps)"
        )
        if name != HEALTHY:
            held &= gate("CPU seconds per sweep", cpu, MOST_CPU_S, " s")
            held &= gate("neighbour beside it, to beside healthy brokers", beside / healthy, MOST_RATIO)
    return 0 if held else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        flood(sys.argv[1])
    sys.exit(main())
