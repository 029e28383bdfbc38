"""Answers in very small pieces: refused when counted, never timed; what real agents and proxies send is taken."""

import gzip
import json
import re
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from kafka_fleet.collect.admin.guarded_sockets import PacedSocket
from kafka_fleet.collect.connections import pacing
from kafka_fleet.collect.connections.pacing import BYTES_PER_READ, PACE_S, READS, SHORT, SHORT_READS, Pace
from kafka_fleet.config.credentials import Credentials
from support.builders.broker_sweeps import failed, sweep
from support.servers.jolokia_simulator import Agent, agent, self_signed

pytestmark = pytest.mark.fault(69)

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
Wire = Callable[[BaseHTTPRequestHandler], None]


def flood(head: bytes, piece: bytes) -> Wire:
    """The same piece again and again, until the collector has hung up."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        while True:
            handler.wfile.write(piece * 1000)

    return send


PACKED = CHUNKED + b"Content-Encoding: gzip\r\n\r\na\r\n" + gzip.compress(b"", mtime=0)[:10] + b"\r\n"
FLOODS = {
    "chunks of a byte": flood(CHUNKED + b"\r\n", b"1\r\n \r\n"),
    "chunks that unpack to nothing": flood(PACKED, b"5\r\n\x00\x00\x00\xff\xff\r\n"),
    "100 Continue": flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue with headers": flood(b"", b"HTTP/1.1 100 Continue\r\nX-Slow: down\r\n\r\n"),
}


@pytest.mark.parametrize("name", FLOODS)
def test_an_answer_is_given_up_after_a_number_of_reads(name):
    with agent(Agent()) as one:
        one.wire = FLOODS[name]
        told = failed(one, "protocol").detail
        assert len(one.seen) == 2, "each bulk is asked for once: a second try would be as long"
    found = re.fullmatch(r"the answer comes in very small pieces: ([0-9,]+) bytes in ([0-9,]+)", told)
    size, reads = (int(number.replace(",", "")) for number in found.groups())
    assert reads == READS + size // BYTES_PER_READ + 1


@pytest.mark.parametrize(("size", "tls"), [(1024, False), (1448, False), (1448, True), (65536, False)])
def test_chunks_as_agents_and_proxies_send_them_are_an_answer(tmp_path, size, tls):
    pem = self_signed(tmp_path) if tls else None

    def chunked(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps([one.answer(entry) for entry in one.seen[-1][2]]).encode()
        handler.wfile.write(CHUNKED + b"\r\n")
        for start in range(0, len(body), size):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(body[start : start + size]), body[start : start + size]))
        handler.wfile.write(b"0\r\n\r\n")

    with agent(Agent({"orders": 3000}), pem) as one:
        one.wire = chunked
        found = sweep(one, credentials=Credentials(ca_file=str(tmp_path / "cert.pem") if tls else None))
    assert (found.outcome, found.detail) == ("ok", None)
    assert found.bytes > 1_000_000


class Clock:
    """In place of the module `time`: what is slept passes at once, and nothing else takes time."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_short_reads_come_at_a_bounded_pace(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    pace = Pace()
    for _ in range(20 * SHORT_READS):
        pace.took(SHORT)
    assert clock.now == 1000.0, "large ones as fast as they come"
    for _ in range(20 * SHORT_READS):
        pace.took(1)
    assert clock.now == pytest.approx(1000.0 + 20 * PACE_S)
    clock.now += 60.0
    for _ in range(SHORT_READS):
        pace.took(1)
    assert clock.now == pytest.approx(1060.0 + 20 * PACE_S), "who has waited for the far side has waited"


def test_a_broker_that_sends_byte_by_byte_is_read_at_that_pace_too(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pacing, "time", clock)
    with socket.create_server(("127.0.0.1", 0)) as server, PacedSocket() as made:
        made.connect(server.getsockname())
        far, _address = server.accept()
        with far:
            far.sendall(b"x" * 3 * SHORT_READS)
            for _ in range(3 * SHORT_READS):
                assert made.recv(1) == b"x"
    assert clock.now == pytest.approx(1000.0 + 3 * PACE_S)
