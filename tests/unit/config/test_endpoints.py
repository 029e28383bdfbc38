"""Addresses that are never contacted, in every spelling, and URLs that are none."""

import ipaddress
import socket

import pytest

from kafka_fleet.base.addresses import forbidden, resolve, server_problem, url_problem

LINK_LOCAL = [
    "169.254.169.254",
    "2852039166",
    "0xA9FEA9FE",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "0xa9.254.0xa9fe",
    "169.16689662",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::169.254.169.254]",
    "[2002:a9fe:a9fe::]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[64:ff9b:1:7:8:9:169.254.169.254]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[64:ff9b:1:a9:fe:a9fe::]",
    "[64:ff9b:1::a9:fea9:fe00:0]",
    "[::ffff:0:169.254.169.254]",
    "[::ffff:0:a9fe:a9fe]",
]
OTHERS = [
    "0.0.0.0",  # noqa: S104 - refused, not bound
    "0",
    "[::]",
    "224.0.0.1",
    "[ff02::1]",
    "255.255.255.255",
    "240.0.0.1",
    "[fd00:ec2::254]",
    "[fd00:ec2::23]",
    "[fd20:ce::254]",
    "[fd00:42::42]",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "0xa83f8110",
    "[64:ff9b::168.63.129.16]",
    "[64:ff9b:1::168.63.129.16]",
    "[64:ff9b:1:a83f:81:1000::]",
    "[::ffff:0:168.63.129.16]",
    "[::ffff:0:224.0.0.1]",
]


@pytest.mark.fault(15)
@pytest.mark.parametrize("host", LINK_LOCAL)
def test_link_local_is_refused_in_every_spelling(host):
    assert "link-local" in url_problem(f"http://{host}:8778/jolokia")
    assert "link-local" in server_problem(f"{host.replace('%25', '%')}:9092")


@pytest.mark.fault(15)
@pytest.mark.parametrize("host", OTHERS)
def test_addresses_of_no_broker_are_refused(host):
    assert "refused" in url_problem(f"http://{host}/jolokia")
    assert "refused" in server_problem(f"{host}:9092")


@pytest.mark.fault(15)
@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "localhost", "[::1]", "10.0.0.1", "192.168.1.7", "[fd12::1]", "broker-1.example.org"),
        *("b_1", "168.63.129.17", "[fd00:ec3::254]", "[fd20:ce::253]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::10.0.0.1]"),
        *("[64:ff9b:1:a00:0:100::]", "[64:ff9b:1:e000::10.0.0.1]", "[::ffff:0:10.0.0.1]"),
    ],
)
def test_loopback_and_private_networks_are_allowed(host):
    assert url_problem(f"http://{host}:8778/jolokia") is None
    assert url_problem(f"https://{host}/") is None
    assert server_problem(f"{host}:9092") is None


@pytest.mark.fault(15)
@pytest.mark.parametrize(
    ("url", "about"),
    [
        ("file:///etc/passwd", "http://"),
        ("ftp://h/", "http://"),
        ("//h/jolokia", "http://"),
        ("h:8778/jolokia", "http://"),
        ("http:/h/x", "host"),
        ("http://", "host"),
        ("http:///x", "host"),
        ("http://u:p@h/", "connection"),
        ("http://u@h/", "connection"),
        ("http://@h/", "connection"),
        ("http://u:p/w@h/", "connection"),
        ("http://h/?a=b", "query"),
        ("http://h/?", "query"),
        ("http://h/#", "query"),
        ("http://h:0/", "port"),
        ("http://h:65536/", "port"),
        ("http://h:" + "9" * 5000 + "/", "port"),
        ("http://h:x/", "port"),
        ("http://[::1/", "brackets"),
        ("http://h\\@evil/", "backslashes"),
        ("http://h/\r\nX: y", "white space"),
        ("http://h /", "white space"),
        ("http://h/\x00", "control"),
        ("http://a..b/", "host name"),
        ("http://-h/", "host name"),
        ("http://169%2e254.169.254/", "host name"),
        ("http://" + "h" * 300 + "/", "host name"),
        ("http://hé/", "host name"),
        ("http://\uff11\uff12\uff17.0.0.1/", "host name"),
        ("http://h/../x", "path"),
        ("http://h/a/%2E%2e/x", "path"),
    ],
)
def test_bad_urls_are_told_what_is_wrong(url, about):
    assert about in url_problem(url)


@pytest.mark.parametrize(
    "server",
    [
        "h",
        "h:",
        "h:0",
        "h:65536",
        ":9092",
        "h:9092/x",
        "h:x",
        "::1:9092",
        "[h]:9092",
        "h:٣",
        "h h:9092",
        "h:" + "9" * 5000,
    ],
)
def test_bad_servers(server):
    assert server_problem(server)


def test_a_name_with_several_addresses_keeps_the_allowed_ones(monkeypatch):
    found = ["169.254.169.254", "10.0.0.1", "10.0.0.1", "fe80::1%eth0", "10.0.0.2"]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: [(2, 1, 6, "", (one, 1)) for one in found])
    assert list(map(str, resolve("h", 1))) == ["10.0.0.1", "10.0.0.2"]
    found[:] = ["169.254.169.254", "::ffff:169.254.0.1"]
    with pytest.raises(PermissionError, match="link-local"):
        resolve("h", 1)


def test_forbidden_says_why_and_lets_public_addresses_pass():
    assert forbidden(ipaddress.ip_address("2001:db8::1")) is None
    assert forbidden(ipaddress.ip_address("8.8.8.8")) is None
    assert "multicast" in forbidden(ipaddress.ip_address("224.0.0.1"))
