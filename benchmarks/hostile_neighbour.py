"""`python -m benchmarks.hostile_neighbour`: what a cluster of hostile brokers costs its neighbours in one process.

A healthy cluster is swept alone, beside sweeps of a healthy one of BROKERS brokers, and beside sweeps of one whose
BROKERS brokers flood whoever asks them. Printed are CPU seconds of the process per sweep of the large cluster, what
that says of its brokers, and how long the neighbour takes.
"""

import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks.measure import gate, machine
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.collect.sweep_result import SweepResult
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import Cluster, parse_fleet
from support.servers.jolokia_simulator import Agent, agent
from support.servers.wire_broker import running

BROKERS = 16
ROUNDS = 5
LIMITS = Limits(deadline_s=10.0)
MOST_CPU_S, MOST_RATIO = 3.0, 2.0
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
    """Sweeps beside one kind of large cluster: the neighbour's seconds, its own seconds and CPU seconds."""

    neighbour: list[float]
    large: list[float]
    cpu: list[float]
    said: list[str]


def _cluster(name: str, server: str, brokers: dict[int, str]) -> Cluster:
    entry = {"id": name, "environment": "development", "owners": ["nobody@example.org"], "bootstrap_servers": [server]}
    (one,) = parse_fleet({"version": 1, "clusters": [{**entry, "jolokia": {"brokers": brokers}}]}, "fleet").clusters
    return one


@contextmanager
def _large(name: str, server: str) -> Iterator[Cluster]:
    """A cluster of BROKERS brokers of that kind, in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.hostile_neighbour", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as far:
        try:
            port = int(far.stdout.readline()) if far.stdout else 0
            yield _cluster("large", server, {b: f"http://127.0.0.1:{port}/{b}" for b in range(1, BROKERS + 1)})
        finally:
            far.kill()


def _swept(cluster: Cluster, home: Path) -> tuple[float, SweepResult]:
    begun = time.monotonic()
    result = sweep_cluster(cluster, home, local_credentials({}), LIMITS)
    return time.monotonic() - begun, result


def _beside(neighbour: Cluster, large: Cluster, home: Path, own: float, found: Found) -> None:
    """One sweep of the large cluster, the neighbour's following each other meanwhile. own: CPU seconds of one."""
    over, taken = threading.Event(), list[float]()

    def again() -> None:
        while not over.is_set():
            taken.append(_swept(neighbour, home)[0])

    thread, cpu = threading.Thread(target=again), time.process_time()
    thread.start()
    wall, result = _swept(large, home)
    over.set()
    thread.join()
    found.neighbour.extend(taken)
    found.large.append(wall)
    found.cpu.append(time.process_time() - cpu - own * len(taken))
    found.said.append(f"{result.brokers[0][1]}({result.brokers[0][2]}): {result.brokers[0][3]}")


def main() -> int:
    """Every kind of large cluster in turn, so that what else runs here hits all alike; 1 when a gate is missed."""
    print(f"{BROKERS} brokers beside a healthy cluster of one, in a process; {machine()}")
    found = {name: Found([], [], [], []) for name in (HEALTHY, *FLOODS)}
    alone, cpus = list[float](), list[float]()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server, _broker = stack.enter_context(running({}))
        one = stack.enter_context(agent(Agent({"orders": 20})))
        neighbour = _cluster("neighbour", server, {7: one.url})
        large = {name: stack.enter_context(_large(name, server)) for name in found}
        for _ in range(ROUNDS):
            for name in found:
                cpu = time.process_time()
                alone.append(_swept(neighbour, home)[0])
                cpus.append(time.process_time() - cpu)
                _beside(neighbour, large[name], home, statistics.median(cpus), found[name])
    beside = {name: statistics.median(one.neighbour) for name, one in found.items()}
    print(f"neighbour alone: {statistics.median(alone):.3f} s, {statistics.median(cpus):.3f} CPU s")
    held = True
    for name, one_kind in found.items():
        wall, cpu = statistics.median(one_kind.large), statistics.median(one_kind.cpu)
        print(
            f"flood: {name}\n  {one_kind.said[-1]}\n  {wall:.2f} s and {cpu:.2f} CPU s; beside it {beside[name]:.3f} s"
        )
        if name != HEALTHY:
            held &= gate("CPU seconds per sweep", cpu, MOST_CPU_S, " s")
            held &= gate("neighbour beside it, to beside healthy brokers", beside[name] / beside[HEALTHY], MOST_RATIO)
    return 0 if held else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        flood(sys.argv[1])
    sys.exit(main())
