"""Certificates as bytes of the far side: names, ends and nonsense, and which address each is of."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from kafka_fleet.collect.certificate_rows import NOT_REACHED, certificate_rows
from kafka_fleet.collect.connections.certificates import Certificates, Shown, address, shown_to_anyone, told

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
LISTED = {1: {"host": "Broker-1.example.org", "port": 9092}, 2: {"host": "broker-2.example.org", "port": 9092}}
URLS = {1: "https://broker-1.example.org:8778/jolokia", 2: "http://broker-2.example.org:8778/jolokia", 3: None}


def made(common: str | None = "orders", host: str | None = None, days: int = 20) -> bytes:
    """A certificate that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    kind = NameOID.ORGANIZATION_NAME if common is None else NameOID.COMMON_NAME
    name = x509.Name([x509.NameAttribute(kind, common or "somebody")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(NOW - timedelta(days=1)).not_valid_after(NOW + timedelta(days=days))
    if host:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


@pytest.mark.parametrize(
    ("der", "subject", "issuer"),
    [
        (made("orders"), "orders", "orders"),
        (made(None, "orders.example.org"), "orders.example.org", None),
        (made(None), None, None),
        (made("<script>{{7*7}}</script>"), "<script>{{7*7}}</script>", "<script>{{7*7}}</script>"),
    ],
    ids=["common name", "host", "nameless", "hostile"],
)
def test_names_and_end_are_told(der: bytes, subject: str | None, issuer: str | None) -> None:
    row = told(Shown(NOW, der, None))
    assert (row["subject"], row["issuer"], row["verified"], row["detail"]) == (subject, issuer, True, None)
    assert row["not_after"] == NOW + timedelta(days=20)


def test_a_thousand_years_are_ten() -> None:
    assert told(Shown(NOW, made(days=365_000), None))["not_after"] == NOW + timedelta(days=3650)


@pytest.mark.parametrize(
    "der", [b"", b"\x30\x03\x02\x01\x00", made()[:-40], b"\xff" * 4000], ids=["none", "other", "cut", "noise"]
)
def test_what_is_no_certificate_says_so(der: bytes) -> None:
    row = told(Shown(NOW, der, None))
    assert row["detail"] == "its certificate cannot be read"
    assert "not_after" not in row


def test_every_address_has_a_row_that_was_asked_or_was_to_be() -> None:
    kafka, agents = Certificates(), Certificates()
    kafka.tls = True
    kafka.accepted("broker-1.example.org.", 9092, made())
    kafka.accepted("kafka.example.org", 443, made("balancer"))
    rows = {
        (row["service"], row["address"]): row
        for row in certificate_rows(kafka, agents, LISTED, ["kafka.example.org:443"], URLS)
    }
    assert {key: (row["broker"], row["tls"], row.get("subject"), row.get("detail")) for key, row in rows.items()} == {
        ("listener", "broker-1.example.org:9092"): (1, True, "orders", None),
        ("listener", "kafka.example.org:443"): (None, True, "balancer", None),
        ("listener", "broker-2.example.org:9092"): (2, True, None, NOT_REACHED),
        ("agent", "broker-1.example.org:8778"): (1, True, None, NOT_REACHED),
        ("agent", "broker-2.example.org:8778"): (2, False, None, None),
    }


@pytest.mark.parametrize(("tls", "expected"), [(True, NOT_REACHED), (None, NOT_REACHED), (False, None)])
def test_where_nobody_is_reached_the_first_server_says_so(tls: bool | None, expected: str | None) -> None:
    kafka = Certificates()
    kafka.tls = tls
    rows = certificate_rows(kafka, Certificates(), {}, ["a.example.org:9092", "b.example.org:9092"], {})
    assert [(row["address"], row["detail"]) for row in rows] == ([("a.example.org:9092", expected)] if expected else [])


def test_a_certificate_stays_when_a_later_handshake_fails_before_it() -> None:
    kafka, der = Certificates(), made()
    kafka.accepted("::1", 9092, der)
    kafka.accepted("[::1]", 9092, None)
    found = kafka.of("::1", 9092)
    assert found is not None
    assert (address("::1", 9092), found.der) == ("[::1]:9092", der)


def test_a_server_that_is_gone_shows_none() -> None:
    assert shown_to_anyone("127.0.0.1", 1, "localhost") is None
