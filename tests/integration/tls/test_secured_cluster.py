"""TLS, SASL and client certificates to a real broker and its agent, by connections of the environment and a file."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.clusters.secured_cluster import HOST, RELEASE, SECRETS, Secured, secured_cluster
from support.inspection.canaries import hits

pytestmark = pytest.mark.timeout(900)  # about 15 s on two idle cores, once the jars of the release are there
WRONG = "canary-b0d1-wrong"
LOGIN_REFUSED = "it speaks Kafka and refuses the login (mechanism, user or password)"
AGENT_REFUSED = "the login or the client certificate is refused"
UNTRUSTED = "its certificate is not signed by a CA that is trusted here"
OTHER_NAME = "its certificate is not for this host name"
WANTS_ONE = "it wants a client certificate, and one that it trusts"
NO_FIT = "the client's certificate, its key and the key's password do not fit together"
GOOD = ("scram", "plain", "mutual")
FAULTS = {  # cluster: what Kafka's part says, outcome and sentence of the agent's
    "password": (LOGIN_REFUSED, "auth", f"HTTP 401: {AGENT_REFUSED}"),
    "plain-password": (LOGIN_REFUSED, "auth", f"HTTP 401: {AGENT_REFUSED}"),
    "mechanism": (LOGIN_REFUSED, None, None),
    "ca": (UNTRUSTED, "tls", UNTRUSTED),
    "host": (OTHER_NAME, "tls", OTHER_NAME),
    "certificate": (WANTS_ONE, "auth", f"HTTP 403: {AGENT_REFUSED}"),
    "key": (NO_FIT, None, None),
}


class Story(NamedTuple):
    """Where it was, each cluster's sweep and brokers as they are stored, and everything that was printed.

    certificates: by cluster and service.
    """

    folder: Path
    sweeps: Mapping[str, dict[str, Any]]
    brokers: Mapping[str, dict[str, Any]]
    certificates: Mapping[tuple[str, str], dict[str, Any]]
    printed: str
    codes: tuple[int, int]


def connections(there: Secured) -> dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Per cluster: its block, its connection to Kafka and the one to its agent."""
    good = there.agent()
    no_key = there.certificate()
    no_key["extra"]["ssl.key.password"] = WRONG
    wrong = there.agent(WRONG)
    return {
        "scram": (there.entry("scram", there.sasl), there.scram(), good),
        "plain": (there.entry("plain", there.sasl), there.scram(mechanism="PLAIN"), good),
        "mutual": (there.entry("mutual", there.mutual), there.certificate(), good),
        "password": (there.entry("password", there.sasl), there.scram(WRONG), wrong),
        "plain-password": (there.entry("plain-password", there.sasl), there.scram(WRONG, mechanism="PLAIN"), wrong),
        "mechanism": (there.entry("mechanism", there.sasl), there.scram(mechanism="SCRAM-SHA-256"), good),
        "ca": (there.entry("ca", there.sasl), there.scram(ca=there.other_ca), there.agent(ca=there.other_ca)),
        "host": (there.entry("host", there.sasl, "127.0.0.1"), there.scram(), good),
        "certificate": (
            there.entry("certificate", there.mutual), there.certificate(present=False), there.agent(present=False)
        ),
        "key": (there.entry("key", there.mutual), no_key, good),
    }  # fmt: skip


def collect(fleet: Path, home: Path, environment: Mapping[str, str], *names: str) -> subprocess.CompletedProcess[str]:
    command = [
        str(Path(sys.executable).with_name("kafka-fleet")),
        "collect",
        "--fleet",
        str(fleet),
        "--home",
        str(home),
    ]
    command += [word for name in names for word in ("--cluster", name)]
    found = {**os.environ, **environment}
    return subprocess.run(command, env=found, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("secured")
    fleet, secrets = folder / "fleet.yaml", folder / "secrets.yaml"
    with secured_cluster(folder / "there") as there:
        known = connections(there)
        fleet.write_text(
            yaml.safe_dump({"version": 1, "clusters": [entry for entry, _kafka, _agent in known.values()]})
        )
        held = {
            entry[field]: connection
            for block, kafka, agent in known.values()
            for entry, field, connection in (
                (block, "kafka_connection", kafka), (block["jolokia"], "connection", agent)
            )
        }  # fmt: skip
        secrets.write_text(yaml.safe_dump(json.loads(json.dumps(held))))  # the file takes no aliases
        variables = {f"AIRFLOW_CONN_{name.upper().replace('-', '_')}": json.dumps(held[name]) for name in held}
        by_variable = collect(fleet, folder / "home", variables)
        by_file = collect(fleet, folder / "by_file", {"KAFKA_FLEET_SECRETS": str(secrets)}, *GOOD)
    sweeps, brokers, certificates = {}, {}, {}
    for home, mark in ((folder / "home", ""), (folder / "by_file", " by file")):
        (day,) = (path.name.removeprefix("ds=") for path in (home / "raw/manifests").iterdir())
        landed = manifests(home, day)[0]
        sweeps |= {row["cluster"] + mark: row for row in read_rows(home, landed, "sweeps")}
        brokers |= {row["cluster"] + mark: row for row in read_rows(home, landed, "brokers")}
        certificates |= {
            (row["cluster"] + mark, row["service"]): row for row in read_rows(home, landed, "certificates")
        }
    printed = "".join((by_variable.stdout, by_variable.stderr, by_file.stdout, by_file.stderr))
    return Story(folder, sweeps, brokers, certificates, printed, (by_variable.returncode, by_file.returncode))


@pytest.mark.parametrize("name", [*GOOD, *(f"{name} by file" for name in GOOD)])
def test_everything_is_read_with_scram_plain_and_certificates(story, name):
    assert story.codes == (0, 0), story.printed
    assert (story.sweeps[name]["admin_outcome"], story.sweeps[name]["admin_missing"]) == ("ok", [])
    broker = story.brokers[name]
    assert (broker["outcome"], broker["host"], broker["unusable"]) == ("ok", HOST, 0)
    assert broker["jolokia_url"].startswith(f"https://{HOST}:")
    assert broker["values"] > 300


@pytest.mark.fault(12, 17)
@pytest.mark.parametrize("name", FAULTS)
def test_what_is_refused_is_one_sentence_in_the_coverage(story, name):
    admin, kind, agent = FAULTS[name]
    assert story.sweeps[name]["admin_outcome"] == "failed"
    said = story.sweeps[name]["admin_detail"]
    assert said.partition(": ")[2] == admin
    assert f"{name}: admin protocol failed: {said}" in story.printed
    broker = story.brokers[name]
    assert (broker["outcome"], broker["kind"], broker["detail"]) == ("failed" if kind else "ok", kind, agent)
    assert agent is None or agent in story.printed


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(("service", "subject"), [("listener", "broker"), ("agent", "agent")])
def test_the_certificates_of_listener_and_agent_are_noted(story, name, service, subject):
    found = story.certificates[name, service]
    assert (found["broker"], found["tls"], found["verified"], found["detail"]) == (1, True, True, None)
    assert (found["subject"], found["issuer"]) == (subject, "fleet")
    assert found["address"].startswith(f"{HOST}:")
    left = found["not_after"] - found["read_at"]
    assert timedelta(days=1, hours=23) < left <= timedelta(days=2)


@pytest.mark.parametrize(("name", "detail"), [("ca", UNTRUSTED), ("host", OTHER_NAME)])
@pytest.mark.parametrize(("service", "subject"), [("listener", "broker"), ("agent", "agent")])
def test_a_certificate_that_is_refused_is_noted_with_the_reason(story, name, detail, service, subject):
    found = story.certificates[name, service]
    assert (found["verified"], found["detail"], found["subject"]) == (False, detail, subject)
    assert found["not_after"] is not None


def test_a_certificate_that_was_never_shown_is_said_to_be_unread(story):
    found = story.certificates["key", "listener"]
    assert (found["not_after"], found["tls"]) == (None, True)
    assert found["detail"] == "no TLS handshake with it in this sweep"


@pytest.mark.fault(12)
def test_a_wrong_password_is_tried_once_in_a_sweep(story):
    log = (story.folder / "there/kafka/broker-1/server.log").read_text()
    refused = [line for line in log.splitlines() if "Failed authentication with" in line and "handshake" not in line]
    assert len(refused) == 3, "one for each of: password, plain-password, mechanism"


@pytest.mark.fault(56)
def test_no_secret_is_in_any_stored_file_or_line(story):
    homes = [story.folder / home for home in ("home", "by_file")]
    assert sum(path.is_file() for home in homes for path in home.rglob("*")) > 100
    for secret in (*SECRETS, WRONG):
        assert secret in (story.folder / "secrets.yaml").read_text(), "it was in use"
    assert hits((*SECRETS, WRONG), homes, {"printed": story.printed}) == []


def test_the_release_is_one_that_other_tests_fetch_too():
    assert f'"{RELEASE}"' in (Path(__file__).resolve().parents[2] / "live/test_collection.py").read_text()
