"""The HTTP transport under a broker's sweep, against everything that a network, a proxy or a hostile agent can do."""

import logging
import socket
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.config.credentials import Credentials
from support.builders.broker_sweeps import LIMITS, SHORT, failed, sweep
from support.servers.hostile_answers import bomb, cut, endless, packed, trickle
from support.servers.jolokia_simulator import Agent, agent, answer, self_signed


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


@pytest.mark.fault(5)
def test_accepts_and_never_answers(broker):
    ends = []

    def silent(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(9)
        ends.append(handler.connection.recv(1))  # returns when the collector closes its socket

    broker.wire = silent
    failed(broker, "timeout", SHORT)
    wait_for(lambda: len(ends) == len(broker.seen))
    assert set(ends) == {b""}


def wait_for(done: Any) -> None:
    end = time.monotonic() + 5
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.fault(6)
@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n[",
        b"HTTP/1.1 200 OK\r\n\r\n[",
    ],
    ids=["header", "body", "body without a length"],
)
def test_a_byte_now_and_then_ends_at_the_deadline(broker, start):
    broker.wire = lambda handler: trickle(handler, start)
    failed(broker, "timeout", SHORT)


@pytest.mark.fault(6)
def test_a_slow_answer_over_tls_ends_at_the_deadline(tmp_path):
    pem = self_signed(tmp_path)
    with agent(Agent(), pem) as one:
        one.wire = lambda handler: trickle(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ")
        started = time.monotonic()
        found = sweep(one, SHORT, Credentials("canary-user", "canary", str(tmp_path / "cert.pem")))
        assert found.kind == "timeout"
        assert time.monotonic() - started < 3


def bomb_on_redirect(handler: BaseHTTPRequestHandler) -> None:
    answer(handler, packed(), 302, Content_Encoding="gzip", Location="http://127.0.0.1:1/")


def endless_redirect(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        handler.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")


def most_memory(begin: bool = False) -> int:
    """KiB that this process had in memory at most, since it was last told to begin again: earlier tests had more."""
    if begin:
        Path("/proc/self/clear_refs").write_text("5")
    (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmHWM:"))
    return int(line.split()[1])


def test_the_most_memory_is_seen_though_there_was_more_before():
    def fill(size: int) -> None:
        assert len(b"x" * size) == size

    fill(300_000_000)
    before = most_memory(begin=True)
    fill(100_000_000)
    assert 90_000 < most_memory() - before < 110_000


@pytest.mark.parametrize(
    ("wire", "kind"),
    [
        pytest.param(endless, "too_large", marks=pytest.mark.fault(7)),
        pytest.param(endless_redirect, "redirect", marks=pytest.mark.fault(7)),
        pytest.param(bomb, "too_large", marks=pytest.mark.fault(8)),
        pytest.param(bomb_on_redirect, "redirect", marks=pytest.mark.fault(8)),
    ],
)
def test_memory_is_bounded_whatever_is_sent(broker, wire, kind):
    broker.wire = wire
    packed()
    before = most_memory(begin=True)
    failed(broker, kind, LIMITS)
    assert most_memory() - before < 50_000


@pytest.mark.fault(9, 10)
@pytest.mark.parametrize(
    "wire",
    [
        cut(b'[{"value":{"kafka', None),
        cut(b'[{"value":{"kafka', 500),
        cut(b'[{"value":{"kafka', 5),
        lambda handler: handler.connection.close(),
        lambda handler: handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"),
        lambda handler: answer(handler, b"\x1f\x8bnot gzip", Content_Encoding="gzip"),
    ],
    ids=["mid-json", "length too large", "length too small", "closed", "reset", "broken gzip"],
)
def test_an_answer_that_breaks_off_is_tried_once_more_and_stores_nothing(broker, wire):
    broker.wire = wire
    failed(broker, "cut_off")
    assert len(broker.seen) == 4  # two bulk reads, two tries each


@pytest.mark.fault(9)
def test_a_second_try_that_works_leaves_no_trace(broker):
    def once(handler: BaseHTTPRequestHandler) -> None:
        broker.wire = None
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n[{")

    broker.wire = once
    assert sweep(broker).outcome == "ok"
    assert len(broker.seen) == 3


@pytest.mark.fault(11)
def test_a_login_page(broker):
    page = b"<html>canary-password</html>" * 1000
    broker.wire = lambda handler: answer(handler, page, Content_Type="text/html")
    failed(broker, "not_json")


@pytest.mark.fault(12)
@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_are_sent_once(broker, status, caplog):
    caplog.set_level(logging.DEBUG)
    broker.wire = lambda handler: answer(handler, b"canary-password", status)
    assert failed(broker, "auth").detail == f"HTTP {status}: the login or the client certificate is refused"
    assert len(broker.seen) == 1
    sent = broker.seen[0][1]["Authorization"]
    assert sent.startswith("Basic ")
    assert caplog.records, "urllib3 logs what it does"
    assert not [secret for secret in ("canary", sent.removeprefix("Basic ")) if secret in caplog.text]


def test_credentials_outside_latin_1_are_sent_as_utf_8(broker):
    assert sweep(broker, credentials=Credentials("bob", "пароль")).outcome == "ok"
    assert broker.seen[0][1]["Authorization"] == "Basic Ym9iOtC/0LDRgNC+0LvRjA=="
