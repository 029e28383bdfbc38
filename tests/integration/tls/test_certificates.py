"""Certificates of 5, 20 and 400 days on a load balancer, a broker's listener and an agent: what is found of them."""

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.config.credentials import Connection
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.store.raw.manifests import read_rows
from support.inspection.canaries import hits
from support.live.commands import fleet_command
from support.servers.byte_server import listener
from support.servers.certificates import Authority
from support.servers.jolokia_simulator import Agent, agent
from support.servers.wire_broker import Broker, running

pytestmark = pytest.mark.timeout(600)
KEY = "-----BEGIN PRIVATE KEY-----"
DAYS = {"balancer": 20, "listener": 5, "agent": 400}


class Place(NamedTuple):
    """Addresses of the three servers, and the file that trusts them."""

    addresses: dict[str, str]
    ca: Path


@contextmanager
def secured(broker: Broker, files: tuple[Path, Path]) -> Iterator[str]:
    """A TLS listener that hands its connections to the broker."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    with listener(lambda made: broker.serve(context.wrap_socket(made, server_side=True))) as server:
        yield server


@contextmanager
def servers(folder: Path) -> Iterator[Place]:
    """A broker whose listener is reached by a load balancer, and its agent."""
    authority = Authority(folder / "authority", "Fleet CA")
    files = {name: authority.issue(name, "127.0.0.1", days=days) for name, days in DAYS.items()}
    both = folder / "agent.pem"
    both.write_bytes(b"".join(one.read_bytes() for one in files["agent"]))
    with ExitStack() as stack:
        _plain, broker = stack.enter_context(running({}))
        addresses = {name: stack.enter_context(secured(broker, files[name])) for name in ("balancer", "listener")}
        broker.port = int(addresses["listener"].rpartition(":")[2])
        addresses["agent"] = stack.enter_context(agent(Agent(), both)).url.split("/")[2]
        yield Place(addresses, authority.ca)


def swept(place: Place, home: Path, ca: Path, name: str) -> list[dict[str, Any]]:
    """Rows of one sweep of the cluster through the load balancer."""
    entry = {
        "id": name, "environment": "production", "owners": ["a@example.org"],
        "bootstrap_servers": [place.addresses["balancer"]], "kafka_connection": "kafka",
        "jolokia": {"brokers": {7: f"https://{place.addresses['agent']}/jolokia"}, "connection": "jolokia"},
        "looks": {"brokers": 0},
    }  # fmt: skip
    fleet = parse_fleet({"version": 1, "clusters": [entry]}, "fleet.yaml")
    assert fleet.errors == []
    known = {
        "kafka": Connection(None, None, {"security.protocol": "SSL", "ssl.ca.location": str(ca)}),
        "jolokia": Connection(None, None, {"ca_file": str(ca)}),
    }
    manifest = sweep_cluster(fleet.clusters[0], home, known.__getitem__).manifest
    assert manifest is not None
    return read_rows(home, [manifest], "certificates")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Place, dict[str, list[dict[str, Any]]]]:
    folder = tmp_path_factory.mktemp("certificates")
    other = Authority(folder / "other", "somebody")
    with servers(folder) as place:
        found = {"trusted": swept(place, folder / "home", place.ca, "trusted")}
        found["untrusted"] = swept(place, folder / "home", other.ca, "untrusted")
    found["gone"] = swept(place, folder / "home", place.ca, "gone")
    return folder, place, found


def by_address(story: Any, cluster: str) -> dict[str, dict[str, Any]]:
    """Rows by server."""
    _folder, place, found = story
    names = {address: name for name, address in place.addresses.items()}
    return {names[row["address"]]: row for row in found[cluster]}


def test_each_address_has_its_own_days(story: Any) -> None:
    rows = by_address(story, "trusted")
    assert set(rows) == set(DAYS)
    for name, row in rows.items():
        assert (row["verified"], row["subject"], row["issuer"]) == (True, name, "Fleet CA")
        left = row["not_after"] - datetime.now(UTC)
        assert timedelta(days=DAYS[name] - 0.1) < left < timedelta(days=DAYS[name])
    assert {name: (row["service"], row["broker"]) for name, row in rows.items()} == {
        "balancer": ("listener", None),
        "listener": ("listener", 7),
        "agent": ("agent", 7),
    }


def test_a_certificate_that_is_not_trusted_is_noted_and_nothing_was_asked_over_it(story: Any) -> None:
    rows = by_address(story, "untrusted")
    assert set(rows) == {"balancer", "agent"}, "no broker is known"
    assert {(row["verified"], row["detail"]) for row in rows.values()} == {
        (False, "its certificate is not signed by a CA that is trusted here")
    }
    assert all(row["not_after"] is not None for row in rows.values())


def test_what_is_not_there_says_so(story: Any) -> None:
    rows = by_address(story, "gone")
    assert {(row["not_after"], row["detail"]) for row in rows.values()} == {
        (None, "no TLS handshake with it in this sweep")
    }


def test_no_key_is_stored(story: Any) -> None:
    folder, _place, _found = story
    assert KEY in (folder / "agent.pem").read_text()
    assert hits((KEY, "PRIVATE KEY"), [folder / "home"], {}) == []


@pytest.mark.sampled("certificates")
def test_the_finding_names_what_expires_and_what_was_not_read(story: Any) -> None:
    folder, place, found = story
    home, ds = folder / "home", f"{found['trusted'][0]['read_at']:%Y-%m-%d}"
    for verb in ("analyze", "findings"):
        more = ("--format", "json") if verb == "findings" else ()
        done = fleet_command(verb, "--home", str(home), "--date", ds, *more)
        assert done.returncode == 0, done.stderr[-2000:]
    own = {one["cluster"]: one for one in yaml.safe_load(done.stdout) if one["advisory"] == "OPS-CERTIFICATE-EXPIRES"}
    one = own["trusted"]
    assert one["verdict"] == "exposed"
    expected = ["broker 7", f"listener {place.addresses['listener']}", f"listener {place.addresses['balancer']}"]
    assert one["subjects"] == expected
    values = {line["where"]: (round(line["value"]), line["threshold"]) for line in one["evidence"]}
    assert values == {
        expected[1]: (5, 7),
        expected[2]: (20, 30),
        f"agent {place.addresses['agent']}": (400, 30),
    }
    assert own["untrusted"]["verdict"] == "exposed"
    assert own["gone"]["verdict"] == "unknown"
    assert f"agent {place.addresses['agent']} was not read: no TLS handshake" in " ".join(own["gone"]["missing"])
