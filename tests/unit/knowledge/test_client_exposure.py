"""Exposure of clients by component: producers, consumers, Streams, Connect, and what only their owner can say."""

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.exposure_states import Exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Declared, GroupMember

ADVISORIES = load_advisories()
BROKERS = (BrokerFacts(1, "3.9.2", "a", True, {"listeners": "PLAINTEXT://:9092"}),)
STREAMS = GroupMember("app", "app-1a2b-StreamThread-1-consumer", "10.0.0.5", "streams")
WORKER = GroupMember("connect-cluster", "connect-1", "10.0.0.6", "connect")
PLAIN = GroupMember("billing", "billing-1", "10.0.0.7")


def java(*versions: str, listener: str = "EXTERNAL", software: str = "apache-kafka-java") -> tuple[ClientSoftware, ...]:
    return tuple(ClientSoftware(software, version, listener, 3.0) for version in versions)


UNNAMED = java("unknown", software="unknown")
OTHER = java("2.3.0", software="librdkafka")


def cluster(
    clients: tuple[ClientSoftware, ...] | None, members: tuple[GroupMember, ...] | None = (PLAIN,)
) -> ClusterFacts:
    return ClusterFacts(BROKERS, "KRaft", clients, members=members)


def producers(*entries: dict[str, str]) -> Declared:
    return Declared.from_fleet({"producers": list(entries)})


def judged(advisory: str, facts: ClusterFacts, declared: Declared | None = None) -> Exposure:
    return exposure(ADVISORIES[advisory], facts, declared)


@pytest.mark.parametrize(
    ("advisory", "clients", "expected"),
    [
        ("KAFKA-13794", java("2.8.0"), "exposed"),  # producers
        ("KAFKA-13794", java("2.2.2"), "not_exposed"),  # the set is sorted from 2.3 on
        ("KAFKA-13794", java("3.2.0"), "not_exposed"),
        ("KAFKA-16226", java("3.6.1", "3.9.2"), "exposed"),
        ("KAFKA-16226", java("3.6.0"), "not_exposed"),
        ("KAFKA-9965", java("3.9.1"), "exposed"),
        ("KAFKA-9965", java("3.9.2"), "not_exposed"),
        ("KAFKA-15106", java("3.5.1"), "exposed"),  # consumers
        ("KAFKA-15106", java("3.5.2"), "not_exposed"),
        ("KAFKA-14639", java("3.4.0"), "exposed"),
        ("KAFKA-14639", UNNAMED, "unknown"),
        ("KAFKA-13388", UNNAMED, "unknown"),  # any client, and one that names nothing is older than the fix
        ("KAFKA-13388", java("3.1.0-cp1"), "unknown"),
        ("KAFKA-13388", OTHER, "unknown"),
        ("KAFKA-13388", None, "unknown"),
        ("CVE-2025-27817", java("3.9.0"), "exposed"),  # clients and Connect
        ("CVE-2025-27817", java("3.0.2"), "not_exposed"),
        ("KAFKA-16086", java("3.7.0", "3.6.2", "3.8.0"), "not_exposed"),  # no published release has it
    ],
)
def test_clients_are_judged_by_the_release_they_name(
    advisory: str, clients: tuple[ClientSoftware, ...] | None, expected: str
) -> None:
    assert judged(advisory, cluster(clients)).state == expected


@pytest.mark.parametrize(
    ("clients", "members", "expected"),
    [
        (java("3.6.1"), (STREAMS,), "exposed"),  # whatever Streams runs on, it is in range
        (java("3.6.1", "3.5.0"), (STREAMS, PLAIN), "exposed"),
        (java("3.6.1", "3.9.2"), (STREAMS,), "unknown"),  # one of them is Streams
        (java("3.6.2"), (STREAMS,), "not_exposed"),
        (java("3.6.1"), (PLAIN,), "not_exposed"),  # Streams is always a member of a group
        (java("3.6.1"), (), "not_exposed"),
        (java("3.6.1"), None, "unknown"),
        (None, (STREAMS,), "unknown"),
        (None, (PLAIN,), "not_exposed"),
        (java("3.6.1") + UNNAMED, (STREAMS,), "unknown"),
    ],
)
def test_streams_is_seen_in_groups(
    clients: tuple[ClientSoftware, ...] | None, members: tuple[GroupMember, ...] | None, expected: str
) -> None:
    assert judged("KAFKA-16017", cluster(clients, members)).state == expected


@pytest.mark.parametrize(
    ("clients", "members", "expected"),
    [
        (java("3.3.2"), (WORKER,), "exposed"),
        (java("3.3.2", "3.9.2"), (WORKER,), "unknown"),
        (java("3.9.2"), (WORKER,), "not_exposed"),
        (java("3.3.2"), (PLAIN,), "unknown"),  # a stand-alone worker is in no group
    ],
)
def test_connect_may_be_in_no_group(
    clients: tuple[ClientSoftware, ...], members: tuple[GroupMember, ...], expected: str
) -> None:
    assert judged("CVE-2023-25194", cluster(clients, members)).state == expected


@pytest.mark.parametrize(
    ("advisory", "clients", "words"),
    [
        ("KAFKA-10888", None, "software apache-kafka-java and its version under client_configs.producers"),
        ("KAFKA-13388", UNNAMED, "3 connections on EXTERNAL name no library"),
        ("KAFKA-15106", None, "brokers from 2.5 on name the release of consumers"),
        ("CVE-2023-25194", java("3.3.2"), "declare software kafka-connect and its version"),
        ("CVE-2023-25194", java("3.3.2"), "no member of a group shows itself as Connect"),
    ],
)
def test_what_cannot_be_seen_says_what_to_provide(
    advisory: str, clients: tuple[ClientSoftware, ...] | None, words: str
) -> None:
    found = judged(advisory, cluster(clients))
    assert found.state == "unknown"
    assert any(words in reason for reason in found.reasons), found.reasons
    assert all(reason and not reason.endswith(".") for reason in found.reasons)


@pytest.mark.parametrize(
    ("clients", "entry", "expected"),
    [
        (None, {"software": "apache-kafka-java", "version": "3.2.3"}, "exposed"),
        (UNNAMED, {"software": "apache-kafka-java", "version": "3.2.3"}, "exposed"),
        (java("7.2.0-acme"), {"software": "apache-kafka-java", "version": "3.2.3"}, "exposed"),
        (java("7.2.0-acme"), {"software": "apache-kafka-java", "version": "3.3.2"}, "not_exposed"),
        (java("7.2.0-acme"), {"software": "apache-kafka-java", "version": "3.3.2", "listener": "IN"}, "unknown"),
        (
            java("7.2.0-acme"),
            {"software": "apache-kafka-java", "version": "3.3.2", "listener": "EXTERNAL"},
            "not_exposed",
        ),
        (java("3.9.2"), {"software": "apache-kafka-java", "version": "3.2.3"}, "not_exposed"),  # none is connected
        (java("3.9.2"), {"software": "librdkafka", "version": "3.2.3"}, "not_exposed"),
        (None, {"software": "apache-kafka-java"}, "unknown"),
    ],
)
def test_declared_producers_count_where_brokers_cannot_tell(
    clients: tuple[ClientSoftware, ...] | None, entry: dict[str, str], expected: str
) -> None:
    assert judged("KAFKA-10888", cluster(clients), producers(entry)).state == expected


def test_declared_streams_and_connect_are_judged_by_their_release() -> None:
    facts = cluster(java("3.3.2", "3.9.2"), (STREAMS, WORKER))
    assert judged("KAFKA-16017", facts, producers({"software": "kafka-streams", "version": "3.6.1"})).state == "exposed"
    assert (
        judged("KAFKA-16017", facts, producers({"software": "kafka-streams", "version": "3.9"})).state == "not_exposed"
    )
    assert judged("KAFKA-16017", facts, producers({"software": "kafka-connect", "version": "3.6.1"})).state == "unknown"
    connect = producers({"software": "kafka-connect", "version": "3.3.2"})
    assert judged("CVE-2023-25194", facts, connect).state == "exposed"
    assert [str(fleet) for fleet in judged("CVE-2023-25194", facts, connect).fleets] == [
        "client kafka-connect 3.3.2 (declared)"
    ]


def test_fleets_are_named_the_largest_share_first() -> None:
    seen = (
        ClientSoftware("apache-kafka-java", "3.2.3", "INTERNAL", 40.0, 0.1),
        ClientSoftware("apache-kafka-java", "3.1.0", "EXTERNAL", 3.0, 0.75),
        ClientSoftware("apache-kafka-java", "3.9.1", "EXTERNAL", 1.0, 0.25),
    )
    found = judged("KAFKA-10888", cluster(seen))
    assert [str(fleet) for fleet in found.fleets] == [
        "client apache-kafka-java 3.1.0 on listener EXTERNAL",
        "client apache-kafka-java 3.2.3 on listener INTERNAL",
    ]
    assert (found.brokers, found.releases, found.client_releases) == ((), (), ("3.1.0", "3.2.3"))


def test_brokers_and_clients_are_kept_apart() -> None:
    both = judged("CVE-2026-33558", ClusterFacts((BrokerFacts(1, "3.9.1"),), "KRaft", java("3.2.3", "4.0.1")))
    assert (both.brokers, both.releases, both.client_releases) == ((1,), ("3.9.1",), ("3.2.3",))


@pytest.mark.parametrize(
    ("advisory", "release", "configs", "expected"),
    [
        ("KAFKA-14417", "3.3.1", {"inter.broker.protocol.version": "3.3-IV3"}, "exposed"),
        ("KAFKA-14417", "3.3.1", {"inter.broker.protocol.version": "2.8-IV1"}, "not_exposed"),
        ("KAFKA-14417", "2.8.2", {"inter.broker.protocol.version": "2.8-IV1"}, "not_exposed"),  # whatever the clients
        ("KAFKA-14417", "3.3.2", {"inter.broker.protocol.version": "3.3-IV3"}, "not_exposed"),
        ("CVE-2024-27309", "3.6.1", {"zookeeper.metadata.migration.enable": "true"}, "exposed"),
        ("CVE-2024-27309", "3.6.1", {"zookeeper.metadata.migration.enable": "false"}, "not_exposed"),
        ("CVE-2018-17196", "2.0.1", {"authorizer.class.name": ""}, "not_exposed"),
        ("CVE-2017-12610", "0.11.0.1", {"listeners": "SASL_SSL://:9093"}, "exposed"),
        ("CVE-2026-111073", "3.9.2", {}, "exposed"),
        ("CVE-2026-111073", "4.3.1", {}, "not_exposed"),
    ],
)
def test_brokers_and_controllers(advisory: str, release: str, configs: dict[str, str | None], expected: str) -> None:
    facts = ClusterFacts((BrokerFacts(1, release, "a", True, configs),), "ZooKeeper", java("3.1.0"))
    assert judged(advisory, facts).state == expected
