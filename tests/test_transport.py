"""The HTTP transport under a broker's sweep, against everything that a network, a proxy or a hostile agent can do."""

import resource
import socket
import time
import zlib
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from jolokia_simulator import Agent, agent, answer, self_signed
from kafka_fleet.collect.jolokia import sweep_broker
from kafka_fleet.collect.transport import Credentials
from test_jolokia import FAST, SECRET, failed, sweep


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


def test_refused_and_unknown_names():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/jolokia"
    assert sweep_broker(url, SECRET, FAST).kind == "unreachable"
    found = sweep_broker("http://broker.invalid:8778/jolokia", SECRET, FAST)
    assert (found.kind, found.detail) == ("dns", "the host name does not resolve")


def test_a_name_that_resolves_to_link_local_is_not_contacted(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: [(2, 1, 6, "", ("169.254.169.254", 80))])
    found = sweep_broker("http://innocent.example.org/jolokia", SECRET, FAST)
    assert found.kind == "forbidden"
    assert "link-local" in found.detail


def test_an_agent_that_listens_on_ipv4_only_is_reached_by_a_name_with_both(broker, monkeypatch):
    port = int(broker.url.rsplit(":", 1)[1].split("/")[0])
    both = [(10, 1, 6, "", ("::1", port, 0, 0)), (2, 1, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, p, *a, **k: both if host == "dual.test" else real(host, p, *a, **k)
    )
    assert sweep_broker(f"http://dual.test:{port}/jolokia", SECRET, FAST).outcome == "ok"


real = socket.getaddrinfo


def trickle(handler: BaseHTTPRequestHandler, start: bytes) -> None:
    handler.wfile.write(start)
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def test_accepts_and_never_answers(broker):
    broker.wire = lambda handler: time.sleep(4)
    failed(broker, "timeout")


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
    failed(broker, "timeout")


def test_a_slow_answer_over_tls_ends_at_the_deadline(tmp_path):
    pem = self_signed(tmp_path)
    with agent(Agent(), pem) as one:
        one.wire = lambda handler: trickle(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ")
        started = time.monotonic()
        found = sweep(one, credentials=Credentials("canary-user", "canary", str(tmp_path / "cert.pem")))
        assert found.kind == "timeout"
        assert time.monotonic() - started < 3


def test_tls_is_verified_and_never_downgraded(tmp_path):
    with agent(Agent(), self_signed(tmp_path)) as one:
        assert failed(one, "tls").detail == "its certificate is not signed by a CA that is trusted here"
        assert one.seen == []
        trusted = Credentials("canary-user", "canary", str(tmp_path / "cert.pem"))
        assert sweep(one, credentials=trusted).outcome == "ok"


def test_a_certificate_of_another_host_is_refused(tmp_path):
    with agent(Agent(), self_signed(tmp_path, "192.0.2.1")) as one:
        found = sweep(one, credentials=Credentials("u", "canary", str(tmp_path / "cert.pem")))
        assert (found.kind, one.seen) == ("tls", [])
        assert found.detail == "its certificate is not for this host name"


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
    while True:
        handler.wfile.write(piece)


def bomb(handler: BaseHTTPRequestHandler) -> None:
    packer = zlib.compressobj(1, wbits=31)  # 100 MB of blanks in 0.1 MB
    packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(100)) + packer.flush()
    answer(handler, packed, Content_Encoding="gzip")


def endless_redirect(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        handler.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")


@pytest.mark.parametrize(
    ("wire", "kind"), [(endless, "too_large"), (bomb, "too_large"), (endless_redirect, "redirect")]
)
def test_memory_is_bounded_whatever_is_sent(broker, wire, kind):
    broker.wire = wire
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    failed(broker, kind, FAST._replace(read_s=8.0, deadline_s=10.0))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB


def cut(text: bytes, announced: int | None) -> Any:
    length = b"" if announced is None else b"Content-Length: %d\r\n" % announced
    return lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + length + b"\r\n" + text)


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


def test_a_second_try_that_works_leaves_no_trace(broker):
    def once(handler: BaseHTTPRequestHandler) -> None:
        broker.wire = None
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n[{")

    broker.wire = once
    assert sweep(broker).outcome == "ok"
    assert len(broker.seen) == 3


def test_a_login_page(broker):
    page = b"<html>canary-password</html>" * 1000
    broker.wire = lambda handler: answer(handler, page, Content_Type="text/html")
    failed(broker, "not_json")


@pytest.mark.parametrize("status", [401, 403])
def test_refused_credentials_are_sent_once(broker, status):
    broker.wire = lambda handler: answer(handler, b"canary-password", status)
    assert failed(broker, "auth").detail == f"HTTP {status}: the login or the client certificate is refused"
    assert len(broker.seen) == 1
    assert broker.seen[0][1]["Authorization"].startswith("Basic ")


def test_credentials_outside_latin_1_are_sent_as_utf_8(broker):
    assert sweep(broker, credentials=Credentials("bob", "пароль")).outcome == "ok"
    assert broker.seen[0][1]["Authorization"] == "Basic Ym9iOtC/0LDRgNC+0LvRjA=="


@pytest.mark.parametrize("status", [404, 500, 503])
def test_http_errors(broker, status):
    broker.wire = lambda handler: answer(handler, b"<h1>canary</h1>", status, Retry_After="1")
    assert failed(broker, "http").detail == f"HTTP {status}"


def test_a_redirect_is_not_followed_and_no_credential_travels(broker):
    with agent(Agent()) as other:
        broker.wire = lambda handler: answer(handler, b"", 302, Location=other.url)
        failed(broker, "redirect")
        assert other.seen == []
    assert len(broker.seen) == 1


def test_proxies_of_the_environment_are_not_used(broker, monkeypatch):
    with agent(Agent()) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("no_proxy", "")
        assert sweep(broker).outcome == "ok"
        assert proxy.seen == []
