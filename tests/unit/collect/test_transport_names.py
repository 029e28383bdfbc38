"""Where a connection goes and whom it trusts: names, addresses, redirects, proxies and certificates."""

import socket
from datetime import timedelta
from typing import Any

import pytest

from kafka_fleet.collect.jolokia.client import sweep_broker
from kafka_fleet.config.credentials import Credentials
from support.builders.broker_sweeps import LIMITS, SECRET, failed, sweep
from support.servers.certificates import Authority
from support.servers.jolokia_simulator import Agent, agent, answer, self_signed

real = socket.getaddrinfo


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


@pytest.fixture
def other():
    with agent(Agent()) as one:
        yield one


@pytest.mark.fault(1, 4)
def test_refused_and_unknown_names():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/jolokia"
    assert sweep_broker(url, SECRET, LIMITS).kind == "unreachable"
    found = sweep_broker("http://broker.invalid:8778/jolokia", SECRET, LIMITS)
    assert (found.kind, found.detail) == ("dns", "the host name does not resolve")


@pytest.mark.fault(16)
def test_a_name_that_resolves_to_link_local_is_not_contacted(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: [(2, 1, 6, "", ("169.254.169.254", 80))])
    found = sweep_broker("http://innocent.example.org/jolokia", SECRET, LIMITS)
    assert found.kind == "forbidden"
    assert "link-local" in found.detail


def test_an_agent_that_listens_on_ipv4_only_is_reached_by_a_name_with_both(broker, monkeypatch):
    port = int(broker.url.rsplit(":", 1)[1].split("/")[0])
    both = [(10, 1, 6, "", ("::1", port, 0, 0)), (2, 1, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, p, *a, **k: both if host == "dual.test" else real(host, p, *a, **k)
    )
    assert sweep_broker(f"http://dual.test:{port}/jolokia", SECRET, LIMITS).outcome == "ok"


@pytest.mark.fault(16)
def test_a_name_that_resolves_to_another_address_after_the_check_gains_nothing(broker, other, monkeypatch):
    """First this machine, then the metadata service: one look-up serves the check and the connection."""
    port = int(broker.url.rsplit(":", 1)[1].split("/")[0])
    looked_up = []

    def rebinding(host: str, *more: Any, **options: Any) -> Any:
        if host != "rebound.test":
            return real(host, *more, **options)
        looked_up.append(host)
        address = "127.0.0.1" if len(looked_up) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    url = f"http://rebound.test:{port}/jolokia"
    assert sweep_broker(url, SECRET, LIMITS).outcome == "ok"
    assert len(looked_up) == 1
    again = sweep_broker(url, SECRET, LIMITS)  # a new connection is a new look-up, and is checked as well
    assert (again.outcome, again.kind) == ("failed", "forbidden")
    assert len(broker.seen) == 2


@pytest.mark.fault(14)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("place", ["another port", "http://169.254.169.254/latest", "file:///etc/passwd", "/elsewhere"])
def test_a_redirect_is_not_followed_and_no_credential_travels(broker, other, status, place):
    location = other.url if place == "another port" else place
    broker.wire = lambda handler: answer(handler, b"", status, Location=location)
    assert failed(broker, "redirect").detail == f"HTTP {status}; redirects are not followed"
    assert (len(broker.seen), other.seen) == (1, [])


def test_proxies_of_the_environment_are_not_used(broker, monkeypatch):
    with agent(Agent()) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("no_proxy", "")
        assert sweep(broker).outcome == "ok"
        assert proxy.seen == []


@pytest.mark.fault(17)
def test_tls_is_verified_and_never_downgraded(tmp_path):
    with agent(Agent(), self_signed(tmp_path)) as one:
        assert failed(one, "tls").detail == "its certificate is not signed by a CA that is trusted here"
        assert one.seen == []
        trusted = Credentials("canary-user", "canary", str(tmp_path / "cert.pem"))
        assert sweep(one, credentials=trusted).outcome == "ok"


def test_certificates_of_the_environment_stand_in_for_no_ca_file(tmp_path, monkeypatch):
    """What the whole machine trusts is not what a connection is declared to trust, in either direction."""
    (tmp_path / "machine").mkdir()
    self_signed(tmp_path / "machine")
    with agent(Agent(), self_signed(tmp_path)) as one:
        own = Credentials("canary-user", "canary", str(tmp_path / "cert.pem"))
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            monkeypatch.setenv(name, str(tmp_path / "machine/cert.pem"))
        assert sweep(one, credentials=own).outcome == "ok"
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            monkeypatch.setenv(name, str(tmp_path / "cert.pem"))
        assert failed(one, "tls").detail == "its certificate is not signed by a CA that is trusted here"


@pytest.mark.fault(17)
def test_a_certificate_of_another_host_is_refused(tmp_path):
    with agent(Agent(), self_signed(tmp_path, "192.0.2.1")) as one:
        found = sweep(one, credentials=Credentials("u", "canary", str(tmp_path / "cert.pem")))
        assert (found.kind, one.seen) == ("tls", [])
        assert found.detail == "its certificate is not for this host name"


@pytest.mark.fault(17)
def test_a_certificate_that_has_expired_is_refused_though_its_authority_is_trusted(tmp_path):
    authority = Authority(tmp_path / "ca", "ours")
    long_ago = timedelta(days=9)
    files = [authority.issue(name, "localhost", back=back) for name, back in (("old", long_ago), ("new", timedelta()))]
    found = []
    for certificate, key in files:
        both = tmp_path / "agent.pem"
        both.write_bytes(certificate.read_bytes() + key.read_bytes())
        with agent(Agent(), both) as one:
            url = one.url.replace("127.0.0.1", "localhost")
            found.append(sweep_broker(url, Credentials("u", "canary", str(authority.ca)), LIMITS))
            assert bool(one.seen) == (found[-1].outcome == "ok")
    assert (found[0].outcome, found[0].kind, found[0].detail) == ("failed", "tls", "its certificate has expired")
    assert found[1].outcome == "ok"
