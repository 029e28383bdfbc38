"""A bootstrap server that takes connections and answers nobody: others of the list are asked by themselves."""

import gc
import os
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import errors

from kafka_fleet.collect.admin import bootstrap
from kafka_fleet.collect.admin.client import sweep_admin
from support.servers.wire_broker import running

CLIENT = SimpleNamespace(config={}, _manager=SimpleNamespace(config={}))


@pytest.fixture
def listening() -> Iterator[list[str]]:
    """Two addresses where something listens."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        yield [f"127.0.0.1:{line.getsockname()[1]}" for line in (one, other)]


def answering(
    monkeypatch: pytest.MonkeyPatch, good: list[str], answers: list[int] | None = None
) -> list[tuple[list[str], int]]:
    """Let the library connect to these servers alone, and never to a list; what it was asked for, and for how long.

    answers: takes the time in ms for each of their answers.
    """
    asked: list[tuple[list[str], int]] = []
    answers = [] if answers is None else answers
    clock = [0.0]  # each attempt takes all of the time that it is given
    monkeypatch.setattr(bootstrap, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def connect(servers: list[str], settings: Any, deadline_s: float, certificates: Any, **more: int) -> object:
        asked.append((servers, more["bootstrap_timeout_ms"]))
        answers.append(more["request_timeout_ms"])
        clock[0] += more["bootstrap_timeout_ms"] / 1000
        if len(servers) > 1 or servers[0] not in good:
            raise errors.KafkaTimeoutError()
        return CLIENT

    monkeypatch.setattr(bootstrap.bounded_client, "admin_client", connect)
    return asked


def test_the_second_server_is_asked_by_itself(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    asked = answering(monkeypatch, listening[1:])
    assert bootstrap.connected_client(listening, {}, 60.0) is CLIENT
    assert asked == [(listening, 15_000), (listening[:1], 7_500), (listening[1:], 7_500)]


def test_servers_where_nothing_listens_cost_no_time(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as line:
        closed = f"127.0.0.1:{line.getsockname()[1]}"
    asked = answering(monkeypatch, listening)
    assert bootstrap.connected_client([closed, listening[0]], {}, 60.0) is CLIENT
    assert [servers for servers, _wait in asked] == [[closed, listening[0]], [listening[0]]]


def test_all_of_it_takes_no_longer_than_its_deadline(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    asked = answering(monkeypatch, [])
    with pytest.raises(errors.KafkaTimeoutError):
        bootstrap.connected_client(listening, {}, 8.0)
    assert [wait for _servers, wait in asked] == [4000, 2000, 2000]


@pytest.mark.parametrize(("deadline_s", "first_ms"), [(60.0, 7500), (10.0, 5000), (6.0, 3000)])
def test_an_answer_of_a_list_has_half_of_the_time_and_five_seconds_where_there_are(
    monkeypatch: pytest.MonkeyPatch, listening: list[str], deadline_s: float, first_ms: int
) -> None:
    answers: list[int] = []
    asked = answering(monkeypatch, [], answers)
    with pytest.raises(errors.KafkaTimeoutError):
        bootstrap.connected_client(listening, {}, deadline_s)
    assert answers == [first_ms, *(wait for _server, wait in asked[1:])]


def test_a_single_server_is_asked_once(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    asked = answering(monkeypatch, [])
    with pytest.raises(errors.KafkaTimeoutError):
        bootstrap.connected_client(listening[:1], {}, 60.0)
    assert asked == [(listening[:1], 15_000)]


def test_once_it_is_connected_an_answer_may_take_its_time(
    monkeypatch: pytest.MonkeyPatch, listening: list[str]
) -> None:
    answering(monkeypatch, listening[1:])
    client = bootstrap.connected_client(listening, {}, 60.0)
    assert client.config == client._manager.config == {"request_timeout_ms": 15_000}


def test_of_two_servers_one_that_answers_nothing_does_not_have_all_of_the_time(listening: list[str]) -> None:
    """Through the library, with its clock."""
    with running({}) as (server, broker):
        began = time.monotonic()
        client = bootstrap.connected_client([listening[0], server], {}, 4.0)
        assert time.monotonic() - began < 4.0 + 2.0
        assert [one.port for one in client._manager.cluster.brokers()] == [broker.port]
        client.close()


def io_threads() -> int:
    return sum(one.name.startswith("kafka-io") for one in threading.enumerate())


def test_a_server_that_never_ends_its_tls_handshake_is_given_up(
    monkeypatch: pytest.MonkeyPatch, listening: list[str]
) -> None:
    """The kernel takes the connection; nobody reads what comes. The library by itself waits without end."""
    monkeypatch.setattr(bootstrap, "FIRST_S", 0.5)
    gc.collect()
    before, files = io_threads(), len(os.listdir("/proc/self/fd"))
    began = time.monotonic()
    assert bootstrap.turned_down(listening[:1], {"security_protocol": "SSL"}) is None
    with pytest.raises(errors.KafkaTimeoutError):
        bootstrap.connected_client(listening[:1], {"security_protocol": "SSL"}, 1.0)
    assert time.monotonic() - began < 5
    gc.collect()
    assert io_threads() == before
    assert len(os.listdir("/proc/self/fd")) <= files


def test_a_sweep_of_such_a_server_says_so_and_ends(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    monkeypatch.setattr(bootstrap, "FIRST_S", 0.5)
    began = time.monotonic()
    found = sweep_admin(listening[:1], {"security_protocol": "SSL"}, 2.0)
    assert time.monotonic() - began < 6
    assert (found.outcome, found.missing) == ("failed", ["every admin table"])
    assert found.detail is not None
    assert "accepts connections and does not answer as Kafka" in found.detail
