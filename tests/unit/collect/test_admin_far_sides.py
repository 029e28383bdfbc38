"""The admin layer against servers that are no Kafka: silent, garbled, oversize, refused, unknown or forbidden."""

import os
import socket
import struct
import time
from threading import Event

import pytest
from kafka import errors

from kafka_fleet.collect.admin import bounded_client
from kafka_fleet.collect.admin import client as admin
from kafka_fleet.collect.admin.client import sweep_admin
from kafka_fleet.collect.admin.faults import sentence
from support.servers.byte_server import listener


def silent(made: socket.socket) -> None:
    while made.recv(4096):
        pass  # takes what is asked and never answers


def garbage(made: socket.socket) -> None:
    while asked := made.recv(4096):
        made.sendall(struct.pack(">i", 104) + asked[8:12] + os.urandom(100))


def oversize(made: socket.socket) -> None:
    made.recv(4096)
    made.sendall(struct.pack(">i", 2**31 - 1) + b"x" * 1_000_000)


@pytest.mark.parametrize(
    "serve",
    [
        silent,
        lambda made: made.sendall(b"HTTP/1.1 400 canary\r\n\r\n"),
        garbage,
        oversize,
        lambda made: None,
    ],
    ids=["silent", "http", "garbage", "oversize", "closes"],
)
def test_what_does_not_speak_kafka_is_a_failure_within_the_deadline(serve):
    with listener(serve) as server:
        started = time.monotonic()
        found = sweep_admin([server], {}, 1.0)
        assert time.monotonic() - started < 3
    assert (found.outcome, found.tables, found.missing) == ("failed", {}, ["every admin table"])
    assert "does not answer as Kafka" in found.detail
    assert "canary" not in found.detail


def test_refused_unknown_and_forbidden_servers():
    login = {"sasl_plain_username": "canary-login", "sasl_plain_password": "canary-password"}
    settings = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN", **login}
    found = sweep_admin(["127.0.0.1:1", "nowhere.invalid:9092"], settings, 0.5)
    assert "127.0.0.1:1: connection refused; nowhere.invalid:9092 does not resolve" in found.detail
    assert "canary" not in repr(found)


def test_a_server_whose_name_is_link_local_is_not_contacted(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: [(2, 1, 6, "", ("169.254.169.254", 80))])
    monkeypatch.setattr(bounded_client, "KafkaAdminClient", lambda **k: pytest.fail("a connection was begun"))
    assert sweep_admin(["innocent.example.org:9092"], {}, 1.0).detail.startswith(
        "forbidden: innocent.example.org: link-local"
    )


def test_of_a_long_list_of_servers_the_first_ten_are_tried_and_the_sentence_says_so(monkeypatch):
    asked: list[str] = []
    real = socket.getaddrinfo

    def resolved(name: str, *given: object, **more: object) -> object:
        asked.append(name)
        return real("127.0.0.1", *given, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    found = sweep_admin([f"b{number}.example.org:1" for number in range(20_000)], {}, 0.3)
    assert found.detail.startswith("KafkaTimeoutError: b0.example.org:1: connection refused; b1.example.org:1: ")
    assert found.detail.endswith("; the first 10 of 20,000 bootstrap servers were tried")
    assert set(asked) == {"127.0.0.1", *(f"b{number}.example.org" for number in range(10))}


@pytest.mark.fault(5)
def test_names_that_never_resolve_are_not_waited_for(monkeypatch):
    """They are asked side by side; a name that does resolve is refused in the meantime."""
    over = Event()

    def hanging(name: str, *_given: object, **_more: object) -> object:
        if name == "metadata.example.org":
            return [(2, 1, 6, "", ("169.254.169.254", 80))]
        over.wait(20)
        raise socket.gaierror("no answer")

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    monkeypatch.setattr(admin, "RESOLVE_S", 0.5)
    monkeypatch.setattr(bounded_client, "KafkaAdminClient", lambda **k: pytest.fail("a connection was begun"))
    started = time.monotonic()
    servers = [*(f"b{number}.example.org:9092" for number in range(9)), "metadata.example.org:9092"]
    found = sweep_admin(servers, {}, 9.0)
    over.set()
    assert time.monotonic() - started < 3
    assert found.detail.startswith("forbidden: metadata.example.org: link-local")


def test_no_error_of_the_library_is_told_in_its_own_words():
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.KafkaError)]
    assert len(kinds) > 140
    for kind in [*kinds, errors.for_code(12_345), socket.gaierror, ConnectionResetError, UnicodeDecodeError]:
        made = kind("utf-8", b"canary", 0, 1, "canary") if kind is UnicodeDecodeError else kind("canary\r\n")
        said = sentence(made)
        assert said.startswith(f"{kind.__name__}: ")
        assert said.isprintable()
        assert "canary" not in said
        assert len(said) < 160
    assert sentence(errors.for_code(12_345)("x")).endswith("answers UNKNOWN (error code 12345)")
