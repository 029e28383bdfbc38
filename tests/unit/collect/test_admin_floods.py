"""Brokers that send more than is asked for: answers above the limit, bytes without end, in plain text and in TLS."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kafka.errors import KafkaProtocolError
from kafka.protocol.parser import KafkaProtocol

from kafka_fleet.collect.admin import guarded_sockets
from kafka_fleet.collect.admin.client import sweep_admin
from support.servers.jolokia_simulator import self_signed

# a process of its own: it has to be faster than the one that reads
FLOOD = """
import socket, ssl, struct, sys, threading
announced, pem = int(sys.argv[1]), sys.argv[2:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if pem else None
if pem:
    context.load_cert_chain(*pem)

def send(made):
    try:
        with context.wrap_socket(made, server_side=True) if context else made as made:
            made.recv(4096)
            made.sendall(struct.pack(">i", announced))
            while True:
                made.sendall(piece)
    except OSError:
        pass

piece = b"x" * (1 << 20)
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=send, args=(server.accept()[0],), daemon=True).start()
"""


@contextmanager
def flood(announced: int, *pem: Path) -> Iterator[str]:
    """host:port of a server that announces an answer of so many bytes and sends without end."""
    command = [sys.executable, "-S", "-c", FLOOD, str(announced), *map(str, pem)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """How many bytes were read in a row before the library looked at them, and what it made of them."""
    found: list[tuple[int, str]] = []
    receive = KafkaProtocol.receive_bytes

    def seen(self: KafkaProtocol, data: bytes) -> object:
        try:
            made = receive(self, data)
        except KafkaProtocolError as error:
            found.append((len(data), type(error).__name__))
            raise
        found.append((len(data), "taken"))
        return made

    monkeypatch.setattr(KafkaProtocol, "receive_bytes", seen)
    return found


@pytest.mark.fault(5)
@pytest.mark.parametrize(
    ("tls", "announced", "kinds"),
    [
        (False, guarded_sockets.MOST_BYTES + 1, {"InvalidReceiveError"}),  # the library's own limit is 100 MB
        (False, 3_000_000, {"taken", "CorrelationIdError"}),
        (True, 3_000_000, {"taken", "CorrelationIdError"}),
    ],
    ids=["too large", "plain", "TLS"],
)
def test_a_flood_is_read_a_piece_at_a_time_and_ends_at_the_deadline(tmp_path, taken, tls, announced, kinds):
    pem = [self_signed(tmp_path)] if tls else []
    settings = {"security_protocol": "SSL", "ssl_cafile": str(tmp_path / "cert.pem")} if tls else {}
    with flood(announced, *pem) as server:
        started = time.monotonic()
        found = sweep_admin([server], settings, 0.5)
        assert time.monotonic() - started < 6
    assert (found.outcome, found.tables) == ("failed", {})
    assert "does not answer as Kafka" in found.detail
    assert {kind for _size, kind in taken} == kinds
    assert max(size for size, _kind in taken) <= guarded_sockets.AT_ONCE + 16 * 1024
