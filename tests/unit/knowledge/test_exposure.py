"""Exposure: advisories against facts of clusters, with what owners declare."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure, version_in
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Declared, Mode, config_text
from kafka_fleet.knowledge.predicates import ClientConfig, ListenerProtocol
from kafka_fleet.knowledge.releases import apache_release

ADVISORIES = load_advisories()
FOLDER = Path(__file__).parents[3] / "plugins" / "kafka_fleet" / "knowledge" / "issues"
SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
DEFAULTS: dict[str, str | None] = {"replica.selector.class": "", "listeners": "PLAINTEXT://:9092"}
HANDLER = {
    "sasl.server.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidator"
    "CallbackHandler"
}


def cluster(
    *texts: str | None, configs: Mapping[str, str | None] = DEFAULTS, mode: Mode | None = "KRaft", **more: object
) -> ClusterFacts:
    brokers = tuple(BrokerFacts(n, text, "a", n == 1, configs) for n, text in enumerate(texts, start=1))
    return ClusterFacts(brokers, mode, **more)  # type: ignore[arg-type]


def state(advisory: str, facts: ClusterFacts, declared: Declared | None = None) -> str:
    return exposure(ADVISORIES[advisory], facts, declared).state


@pytest.mark.parametrize(
    ("releases", "configs", "expected"),
    [
        (("3.3.1", "3.3.1"), SELECTOR, "exposed"),
        (("3.3.2", "3.3.2"), SELECTOR, "not_exposed"),
        (("3.3.2", "3.3.1"), SELECTOR, "exposed"),
        (("3.3.1", "3.3.1"), DEFAULTS, "not_exposed"),
        (("3.3.1",), {"replica.selector.class": None}, "unknown"),  # hidden
        (("3.3.1",), {}, "unknown"),  # nothing was read
        (("3.3.1",), {"listeners": "PLAINTEXT://:1"}, "not_exposed"),  # the broker has no such setting
        (("3.3.1-ccs",), SELECTOR, "unknown"),
        (("3.3.1-ccs",), DEFAULTS, "not_exposed"),
        ((None, "3.3.2"), SELECTOR, "unknown"),
        ((None, "3.3.1"), SELECTOR, "exposed"),
        (("2.3.1",), SELECTOR, "not_exposed"),
        ((), SELECTOR, "unknown"),
    ],
)
def test_exposure_to_14334(releases: tuple[str | None, ...], configs: dict[str, str | None], expected: str) -> None:
    assert state("KAFKA-14334", cluster(*releases, configs=configs)) == expected


def test_affected_brokers_are_named() -> None:
    found = exposure(ADVISORIES["KAFKA-14334"], cluster("3.3.2", "3.3.1", configs=SELECTOR))
    assert (found.brokers, found.releases) == ((2,), ("3.3.1",))
    unknown = exposure(ADVISORIES["KAFKA-14334"], cluster("3.3.1-ccs", configs=SELECTOR))
    assert unknown.reasons == ("broker 1 runs 3.3.1-ccs, an unknown build that cannot be compared",)


@pytest.mark.parametrize(
    ("groups", "known", "expected"),
    [
        ({}, None, "exposed"),
        ({"*": {"client.rack": "unset"}}, None, "not_exposed"),
        ({"*": {"client.rack": False}}, ("a", "b"), "not_exposed"),
        ({"billing-*": {"client.rack": "unset"}}, ("billing-1", "audit"), "exposed"),
        ({"billing-*": {"client.rack": "unset"}}, ("billing-1",), "not_exposed"),
        ({"*": {"client.rack": "unset"}, "billing-*": {"client.rack": "set"}}, None, "exposed"),
        ({"billing-*": {"auto.offset.reset": "latest"}, "*": {"client.rack": "unset"}}, None, "not_exposed"),
        ({"billing-*": {"auto.offset.reset": "latest"}}, None, "exposed"),
    ],
)
def test_what_the_owner_declares_decides(
    groups: dict[str, dict[str, str | bool]], known: tuple[str, ...] | None, expected: str
) -> None:
    facts = cluster("3.3.1", configs=SELECTOR, groups=known)
    assert state("KAFKA-14334", facts, Declared.from_fleet({"groups": groups})) == expected


def java(*versions: str, software: str = "apache-kafka-java") -> tuple[ClientSoftware, ...]:
    return tuple(ClientSoftware(software, version, "PLAINTEXT", 3) for version in versions)


@pytest.mark.parametrize(
    ("clients", "expected"),
    [
        (java("3.2.3"), "exposed"),
        (java("3.3.2"), "not_exposed"),
        (java("3.3.2", "2.8.0"), "exposed"),
        (java("7.2.0-acme"), "unknown"),
        (java("7.2.0-ccs"), "exposed"),  # Confluent Platform 7.2 is built on Apache 3.2
        (java("7.3.3-ccs"), "not_exposed"),  # and has all of Apache 3.3.2
        (java("2.3.0", software="librdkafka"), "unknown"),
        (java("unknown", software="unknown"), "unknown"),
        (java("3.9.1") + java("unknown", software="unknown"), "not_exposed"),  # unnamed Java clients are below 2.4
        (None, "unknown"),
        ((ClientSoftware("apache-kafka-java", "3.2.3", "PLAINTEXT", 0.0),), "unknown"),
    ],
)
def test_10888_is_judged_by_clients(clients: tuple[ClientSoftware, ...] | None, expected: str) -> None:
    assert state("KAFKA-10888", cluster("2.8.2", clients=clients)) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (">=2.4,<3.3", "exposed"),
        ("3.2.x", "exposed"),
        (">=3.4", "not_exposed"),
        ("<4.0", "unknown"),
        ("new", "unknown"),
    ],
)
def test_declared_producers_decide_where_brokers_cannot_tell(version: str, expected: str) -> None:
    declared = Declared.from_fleet(
        {"producers": [{"software": "apache-kafka-java", "version": version, "listener": None}]}
    )
    assert state("KAFKA-10888", cluster("2.3.1", clients=None), declared) == expected


def test_a_client_issue_may_need_a_broker_setting() -> None:
    assert state("KAFKA-14379", cluster("3.9.1", clients=java("3.2.3"), configs=DEFAULTS)) == "not_exposed"
    assert state("KAFKA-14379", cluster("3.9.1", clients=java("3.2.3"), configs=SELECTOR)) == "exposed"
    assert state("KAFKA-14379", cluster("3.9.1", clients=java("3.2.3"), configs={})) == "unknown"


@pytest.mark.parametrize(
    ("advisory", "release", "mode", "configs", "expected"),
    [
        ("KAFKA-14887", "3.3.2", "ZooKeeper", DEFAULTS, "exposed"),
        ("KAFKA-14887", "3.3.2", "KRaft", DEFAULTS, "not_exposed"),
        ("KAFKA-14887", "3.3.2", None, DEFAULTS, "unknown"),
        ("KAFKA-15489", "3.6.2", "ZooKeeper", DEFAULTS, "not_exposed"),
        ("KAFKA-12686", "2.8.2", "ZooKeeper", {"inter.broker.protocol.version": "2.6-IV0"}, "not_exposed"),
        ("KAFKA-12686", "2.8.2", "ZooKeeper", {"inter.broker.protocol.version": "2.8-IV1"}, "exposed"),
        ("KAFKA-12686", "2.8.2", "ZooKeeper", {"inter.broker.protocol.version": "2.7-IV1"}, "not_exposed"),
        ("KAFKA-12686", "2.8.2", "ZooKeeper", {"inter.broker.protocol.version": "2.7"}, "exposed"),
        ("KAFKA-13559", "3.3.2", "KRaft", DEFAULTS, "not_exposed"),
        ("KAFKA-13559", "3.3.2", "KRaft", {"listeners": "PLAINTEXT://:1,SASL_SSL://:2"}, "exposed"),
        ("CVE-2026-33557", "4.1.1", "KRaft", {"sasl.enabled.mechanisms": "SCRAM-SHA-512, OAUTHBEARER",
         "sasl.oauthbearer.jwt.validator.class": "x.DefaultJwtValidator", **HANDLER}, "exposed"),
        ("CVE-2026-33557", "4.1.1", "KRaft", {"sasl.enabled.mechanisms": "OAUTHBEARER", **HANDLER,
         "sasl.server.callback.handler.class": "io.strimzi.kafka.oauth.server.JaasServerOauthValidatorCallbackHandler"},
         "not_exposed"),
        ("CVE-2026-33557", "4.1.1", "KRaft", {"sasl.enabled.mechanisms": "OAUTHBEARER", **HANDLER,
         "listener.name.external.oauthbearer.sasl.server.callback.handler.class": None}, "unknown"),
        ("CVE-2026-110985", "4.2.1", "KRaft", {"sasl.enabled.mechanisms": "OAUTHBEARER", **HANDLER,
         "sasl.oauthbearer.jwks.endpoint.url": ""}, "exposed"),
        ("CVE-2026-110985", "4.3.1", "KRaft", {"sasl.enabled.mechanisms": "OAUTHBEARER", **HANDLER,
         "sasl.oauthbearer.jwks.endpoint.url": ""}, "not_exposed"),
        ("CVE-2026-110985", "4.2.1", "KRaft", {"sasl.enabled.mechanisms": "OAUTHBEARER", **HANDLER,
         "sasl.oauthbearer.jwks.endpoint.url": "",
         "listener.name.external.oauthbearer.sasl.oauthbearer.jwks.endpoint.url": None}, "unknown"),
        ("CVE-2026-110985", "4.2.1", "KRaft", {"sasl.enabled.mechanisms": "OAUTHBEARER",
         "sasl.server.callback.handler.class": "io.strimzi.kafka.oauth.server.JaasServerOauthValidatorCallbackHandler",
         "sasl.oauthbearer.jwks.endpoint.url": ""}, "not_exposed"),
        ("CVE-2026-33557", "4.1.1", "KRaft", {"sasl.enabled.mechanisms": "GSSAPI"}, "not_exposed"),
        ("CVE-2024-56128", "3.6.2", "KRaft", {"listeners": "OUT://:1", "sasl.enabled.mechanisms": "SCRAM-SHA-256",
         "listener.security.protocol.map": "OUT:SASL_PLAINTEXT,IN:PLAINTEXT"}, "exposed"),
    ],
)  # fmt: skip
def test_required_preconditions(
    advisory: str, release: str, mode: Mode | None, configs: dict[str, str | None], expected: str
) -> None:
    assert state(advisory, cluster(release, mode=mode, configs=configs)) == expected


def test_metadata_version_decides_16583() -> None:
    assert state("KAFKA-16583", cluster("3.7.0", metadata_version="3.6-IV2")) == "exposed"
    assert state("KAFKA-16583", cluster("3.7.0", metadata_version="3.7-IV4")) == "not_exposed"
    assert state("KAFKA-16583", cluster("3.7.0")) == "unknown"


def test_a_controller_issue_looks_at_controllers_only() -> None:
    brokers = (BrokerFacts(1, "3.6.2", "a"), BrokerFacts(100, "3.7.0", None, True, {}, is_broker=False))
    assert state("KAFKA-15489", ClusterFacts(brokers, "KRaft")) == "not_exposed"
    assert state("KAFKA-15489", ClusterFacts(brokers[:1], "KRaft")) == "unknown"
    assert state("KAFKA-15489", ClusterFacts(brokers[:1], "ZooKeeper")) == "not_exposed"


@pytest.mark.parametrize(
    ("spec", "text", "expected"),
    [("<2.1", "2.0.1", True), ("<2.1", "2.1.0", False), ("<=2.1", "2.1.1", True), (">2.1", "2.1.1", False),
     (">2.1", "2.2.0", True), ("2.8", "2.8.2", True), ("2.8.1", "2.8.2", False), (">=0.11.0.1", "0.11.0.0", False)],
)  # fmt: skip
def test_version_ranges_of_the_fleet_file(spec: str, text: str, expected: bool) -> None:
    assert version_in(spec, apache_release(text)) is expected


def test_a_custom_listener_name_without_mapping_is_not_readable() -> None:
    broker = BrokerFacts(1, "3.3.1", configs={"listeners": "EXTERNAL://:9092"})
    assert ListenerProtocol(listener_protocol=["SSL"]).ask(broker, ClusterFacts((broker,))).holds is None


def test_hidden_and_empty_settings_differ() -> None:
    assert (config_text(None, True), config_text(None, False), config_text("x", False)) == (None, "", "x")


def test_declared_numbers_and_words_compare() -> None:
    test = ClientConfig.model_validate({"client_config": "batch.size", "is": "at_most", "value": 0, "of": "producers"})
    assert test.ask_declared(Declared(producers=({"batch.size": 0},)), None).holds is True
    assert test.ask_declared(Declared(producers=({"batch.size": 16384},)), None).holds is False
    assert test.ask_declared(Declared(producers=({"batch.size": "big"},)), None).holds is None
