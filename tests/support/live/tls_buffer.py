"""KAFKA-13559 made to happen on a TLS listener of 3.3.2, gone at 3.4.0: takes a home, leaves sweeps and times.

A client sends two Produce requests in one TLS record. The network thread decrypts both and serves the first; the second
lies in the TLS layer while the connection is muted, and wakes nobody. At 3.3.2 the thread sleeps out its poll time,
300 ms, before it looks there. What the client measures of the second answer is left in the home, and so is what the
same client measures with the two in a TLS record each, the second one sent once the first is answered.
"""

import json
import socket
import ssl
import statistics
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from kafka.record.default_records import DefaultRecordBatchBuilder

from fleet_demo.cluster import Cluster
from fleet_demo.processes import LOOPBACK, free_port
from fleet_demo.topics import create_topic
from support.live.scenarios import side_by_side, sweep_of
from support.servers.byte_server import exactly
from support.servers.certificates import Authority

WAITS, PROMPT = "buffered332", "prompt340"
RELEASES = {WAITS: "3.3.2", PROMPT: "3.4.0"}
TOPIC, ROUNDS, SWEEPS = "orders", 20, 3
Times = dict[str, float]


def times(home: Path, name: str) -> Times:
    """Median ms to the second answer: `together` in one TLS record, `apart` in two, one after the other."""
    found: Times = json.loads((home / f"{name}.json").read_text())
    return found


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def _produce(number: int) -> bytes:
    """A Produce request, version 3, of one record."""
    batch = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, 16384)
    batch.append(0, int(time.time() * 1000), None, b"record", [])
    records = bytes(batch.build())
    header = struct.pack(">hhi", 0, 3, number) + _text("billing")
    place = struct.pack(">iii", 1, 0, len(records)) + records
    body = struct.pack(">hhi", -1, -1, 10_000) + struct.pack(">i", 1) + _text(TOPIC) + place
    return struct.pack(">i", len(header) + len(body)) + header + body


@contextmanager
def _connected(port: int, ca: Path) -> Iterator[ssl.SSLSocket]:
    context = ssl.create_default_context(cafile=str(ca))
    with socket.create_connection((LOOPBACK, port), 30) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(line, server_hostname=LOOPBACK) as secured:
            yield secured


def _answer(line: ssl.SSLSocket) -> int:
    (size,) = struct.unpack(">i", exactly(line, 4))
    (number,) = struct.unpack(">i", exactly(line, size)[:4])
    return int(number)


def _round(line: ssl.SSLSocket, numbers: Iterator[int], together: bool) -> float:
    """Two requests; ms from the first answer, or from the second request, to the second answer."""
    first, second = next(numbers), next(numbers)
    line.sendall(_produce(first) + (_produce(second) if together else b""))
    assert _answer(line) == first
    begin = time.monotonic()
    if not together:
        line.sendall(_produce(second))
    assert _answer(line) == second
    return 1000 * (time.monotonic() - begin)


def _listeners(cluster: Cluster, authority: Authority, port: int) -> str:
    node = cluster.nodes[1]
    certificate, key = authority.issue("broker", LOOPBACK)
    both = authority.folder / "broker-keystore.pem"
    both.write_text(key.read_text() + certificate.read_text())
    plain, secured = f"PLAINTEXT://{LOOPBACK}:{node.port}", f"SSL://{LOOPBACK}:{port}"
    settings = {
        "listeners": f"{plain},CONTROLLER://{LOOPBACK}:{node.controller_port},{secured}",
        "advertised.listeners": f"{plain},{secured}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL",
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": both,
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _one(home: Path, name: str) -> None:
    cluster, port = Cluster(name, RELEASES[name], brokers=1), free_port()
    authority = Authority(cluster.workdir / "authority", "fleet")
    with cluster.nodes[1].config.open("a") as config:
        config.write(_listeners(cluster, authority, port))  # the last of two lines for one key holds
    with cluster:
        create_topic(cluster, TOPIC, 1, 1)
        measured: dict[str, list[float]] = {"apart": [], "together": []}
        with _connected(port, authority.ca) as line:
            numbers = count()
            _round(line, numbers, together=False)  # a broker's first request is a slow one
            for _ in range(SWEEPS):
                for kind, found in measured.items():
                    found += [_round(line, numbers, kind == "together") for _ in range(ROUNDS)]
                sweep_of(cluster, home, id=name, environment="production")
    medians = {kind: statistics.median(found) for kind, found in measured.items()}
    (home / f"{name}.json").write_text(json.dumps(medians))


def run(home: Path) -> None:
    """Both releases side by side; some 40 s. Raises ClusterError where a broker does not start."""
    side_by_side(home, RELEASES, _one)
