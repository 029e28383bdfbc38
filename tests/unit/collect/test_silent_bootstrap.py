"""A bootstrap server that takes connections and answers nobody: others of the list are asked by themselves."""

import socket
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import errors

from kafka_fleet.collect.admin import bootstrap

CLIENT = object()


@pytest.fixture
def listening() -> Iterator[list[str]]:
    """Two addresses where something listens."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        yield [f"127.0.0.1:{line.getsockname()[1]}" for line in (one, other)]


def answering(monkeypatch: pytest.MonkeyPatch, good: list[str]) -> list[tuple[list[str], int]]:
    """Let the library connect to these servers alone, and never to a list; what it was asked for, and for how long."""
    asked: list[tuple[list[str], int]] = []
    clock = [0.0]  # each attempt takes all of the time that it is given
    monkeypatch.setattr(bootstrap, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def connect(servers: list[str], settings: Any, deadline_s: float, certificates: Any, **more: int) -> object:
        asked.append((servers, more["bootstrap_timeout_ms"]))
        clock[0] += more["bootstrap_timeout_ms"] / 1000
        if len(servers) > 1 or servers[0] not in good:
            raise errors.KafkaTimeoutError()
        return CLIENT

    monkeypatch.setattr(bootstrap.guarded_sockets, "admin_client", connect)
    return asked


def test_the_second_server_is_asked_by_itself(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    asked = answering(monkeypatch, listening[1:])
    assert bootstrap.connected_client(listening, {}, 60.0) is CLIENT
    assert asked == [(listening, 15_000), (listening[:1], 5_000), (listening[1:], 5_000)]


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


def test_a_single_server_is_asked_once(monkeypatch: pytest.MonkeyPatch, listening: list[str]) -> None:
    asked = answering(monkeypatch, [])
    with pytest.raises(errors.KafkaTimeoutError):
        bootstrap.connected_client(listening[:1], {}, 60.0)
    assert asked == [(listening[:1], 15_000)]
