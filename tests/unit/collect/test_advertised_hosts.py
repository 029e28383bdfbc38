"""Hosts that a cluster advertises, and names that change their address: no connection goes to a forbidden one."""

import socket
import struct
from collections.abc import Iterator

import pytest
from kafka.net import KafkaNetSocket

from kafka_fleet.collect import sweep
from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from kafka_fleet.collect.admin.guarded_sockets import CheckedSocket, Forbidden
from support.builders.swept_clusters import LIMITS, RESOLVER, cluster
from support.servers.byte_server import listener
from support.servers.wire_broker import exactly

METADATA_SERVICE = "169.254.169.254"
APIS = ((3, 0, 1), (18, 0, 0))  # Metadata, ApiVersions: key, lowest and highest version


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def advertising(made: socket.socket) -> None:
    """A broker that calls itself by an address where clouds hand out credentials."""
    broker = struct.pack(">i", 7) + text(METADATA_SERVICE) + struct.pack(">ih", 80, -1)
    metadata = struct.pack(">i", 1) + broker + struct.pack(">ii", 7, 0)  # controller 7, no topics
    while True:
        frame = exactly(made, struct.unpack(">i", exactly(made, 4))[0])
        key, version, correlation = struct.unpack(">hhi", frame[:8])
        if key == 18:
            versions = b"".join(struct.pack(">hhh", *one) for one in APIS)
            body = struct.pack(">hi", 35 if version else 0, len(APIS)) + versions
        else:
            body = metadata
        made.sendall(struct.pack(">ii", len(body) + 4, correlation) + body)


@pytest.fixture
def contacted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every address that the Kafka library begins a connection to."""
    found: list[str] = []
    connect = KafkaNetSocket.connect_ex

    def seen(self: KafkaNetSocket, made: socket.socket, address: tuple[str, int]) -> int:
        found.append(address[0])
        return connect(self, made, address)

    monkeypatch.setattr(KafkaNetSocket, "connect_ex", seen)
    return found


@pytest.mark.fault(14, 15)
def test_an_advertised_broker_at_a_metadata_address_is_never_contacted(contacted):
    with listener(advertising) as server:
        found = sweep_admin([server], {}, 2.0)
    assert (found.outcome, found.tables.get("brokers")) == ("failed", None)
    assert "brokers: forbidden: link-local addresses (169.254.0.0/16, fe80::/10) are refused" in found.detail
    assert set(contacted) == {"127.0.0.1"}


@pytest.mark.fault(16)
def test_a_bootstrap_name_that_is_another_address_a_moment_later_is_not_contacted(contacted, monkeypatch):
    answers = iter(["127.0.0.1"])

    def rebinding(*_given: object, **_more: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers, METADATA_SERVICE), 9092))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    found = sweep_admin(["rebinding.example.org:9092"], {}, 0.5)
    assert (found.outcome, contacted) == ("failed", [])


@pytest.mark.parametrize(
    "literal",
    [
        METADATA_SERVICE,
        "fe80::1",
        "fd00:ec2::254",
        "::ffff:169.254.169.254",
        "224.0.0.1",
        "168.63.129.16",
        "64:ff9b:1::a9fe:a9fe",
    ],
)
def test_forbidden_addresses_are_left_out_and_others_stay(literal):
    with pytest.raises(Forbidden, match="refused"):
        CheckedSocket("checked://").dns_lookup(literal, 9092)
    allowed = CheckedSocket("checked://").dns_lookup("127.0.0.1", 9092)
    assert [one[4] for one in allowed] == [("127.0.0.1", 9092)]


@pytest.mark.fault(14, 15, 16)
@pytest.mark.parametrize("host", [METADATA_SERVICE, "2852039166", "metadata.example.org", "fd00:ec2::254", "evil/x?y@"])
def test_the_agent_of_an_advertised_host_is_checked_as_a_declared_one(tmp_path, monkeypatch, host):
    real = socket.getaddrinfo

    def resolved(name: str, *given: object, **more: object) -> list[object]:
        return real(METADATA_SERVICE if name == "metadata.example.org" else name, *given, **more)

    broker = {"broker": 7, "host": host, "port": 9092, "rack": None}
    listed = AdminSweep("ok", None, [], "an-id", 7, {"brokers": [broker]})
    monkeypatch.setattr(sweep, "sweep_admin", lambda *_given: listed)
    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(socket.socket, "connect", lambda *_given: pytest.fail("a connection was begun"))
    found = sweep.sweep_cluster(cluster({"url_template": "http://{host}:8778/jolokia"}), tmp_path, RESOLVER, LIMITS)
    assert [(number, outcome, kind) for number, outcome, kind, _detail in found.brokers] == [(7, "failed", "forbidden")]
