"""Every login that the program can hold, in use at once in a real Airflow: takes its home, gives what came of a sweep.

The connections are in a secrets backend, Airflow's own that reads a file; the file is gone before anything is searched.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from aiosmtpd.smtp import AuthResult
from fastapi.testclient import TestClient

from kafka_fleet.page.app import make_app
from kafka_fleet.store.bucket import open_home
from support.airflow_runs.airflow_home import AirflowHome
from support.servers.jolokia_simulator import Agent, agent, answer
from support.servers.kafka_login import kafka_login
from support.servers.s3_server import BUCKET, KEY, s3_server

LOGIN = "collector"
ENTRY = "{environment: development, owners: [a@example.org], bootstrap_servers: ['127.0.0.1:9']}"
BROKEN = {"id": "broken", "environment": "nowhere"}
# by what it opens; the last is of connections that every task of every run could read
HELD = {
    "agent": 'canary-e4c1/of+the "agent"',
    "broker": 'canary-5b02/of+the "broker"',
    "bucket": 'canary-91fe/of+the "bucket"',
    "mail": 'canary-3d7a/of+the "mail server"',
    "environment": 'canary-07fa/of+the "environment"',
}


class Collected(NamedTuple):
    """A run of fleet_collect: its states, what it printed, its bucket's files, and each login as it arrived."""

    states: dict[tuple[str, str | None], str]
    printed: str
    home: Path
    agents: set[str | None]
    brokers: list[tuple[str, str]]
    hosts: list[str | None]
    refused: int


class MailUsers:
    """Who logged in to the mail server, as its authenticator."""

    def __init__(self) -> None:
        self.seen: set[tuple[bytes, bytes]] = set()

    def __call__(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        self.seen.add((data.login, data.password))
        return AuthResult(success=data.password == HELD["mail"].encode(), handled=False)


def with_logins(airflow: AirflowHome, events: Path, *clusters: str) -> None:
    """Give the mail server a login, every task connections to read, and Spark a log of events."""
    smtp = json.loads(airflow.environment["AIRFLOW_CONN_SMTP_DEFAULT"])
    airflow.environment["AIRFLOW_CONN_SMTP_DEFAULT"] = json.dumps({**smtp, "login": LOGIN, "password": HELD["mail"]})
    held = {"conn_type": "http", "login": LOGIN, "password": HELD["environment"]}
    held["extra"] = {"sasl.password": HELD["environment"]}
    for cluster in clusters:
        airflow.environment |= {
            f"AIRFLOW_CONN_{name}_{cluster.upper()}": json.dumps(held) for name in ("KAFKA", "JOLOKIA")
        }
    events.mkdir()
    log = {"enabled": "true", "dir": events.as_uri(), "compress": "false", "rolling.enabled": "false"}
    airflow.environment["SPARK_SUBMIT_OPTS"] += "".join(f" -Dspark.eventLog.{name}={one}" for name, one in log.items())


def collected(airflow: AirflowHome, day: str) -> Collected:
    """Run fleet_collect into a bucket: one cluster that answers, one that is dead, one entry that is none."""
    vault, fleet, environment = airflow.home.parent / "vault.json", airflow.fleet_file.read_bytes(), airflow.environment
    copy = airflow.home.parent / "bucket"
    with agent(Agent()) as broker, agent(Agent()) as host, kafka_login() as kafka, s3_server() as bucket:
        host.wire = lambda handler: answer(handler, b"node_netstat_TcpExt_ListenDrops 5\n")
        alive = {"jolokia": {"brokers": {1: broker.url}, "connection": "jolokia_alive"}, "id": "alive"}
        alive |= {
            "bootstrap_servers": [kafka.address],
            "kafka_connection": "kafka_alive",
            "node_exporter": {1: host.url},
        }
        dead = {"id": "dead", "jolokia": {"brokers": {1: "http://127.0.0.1:9/jolokia"}}}
        entries = [{**yaml.safe_load(ENTRY), **one} for one in (dead, alive)]
        airflow.fleet_file.write_text(yaml.safe_dump({"version": 1, "clusters": [*entries, BROKEN]}))
        sasl = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
        s3 = {"endpoint_url": bucket.url, "region_name": "eu-central-1"}
        vault.write_text(
            json.dumps(
                {
                    "jolokia_alive": {"conn_type": "http", "login": LOGIN, "password": HELD["agent"]},
                    "kafka_alive": {"conn_type": "kafka", "login": LOGIN, "password": HELD["broker"], "extra": sasl},
                    "kafka_fleet_home": {"conn_type": "aws", "login": KEY, "password": HELD["bucket"], "extra": s3},
                }
            )
        )
        airflow.environment = environment | {
            "AIRFLOW__SECRETS__BACKEND": "airflow.secrets.local_filesystem.LocalFilesystemBackend",
            "AIRFLOW__SECRETS__BACKEND_KWARGS": json.dumps({"connections_file_path": str(vault)}),
            "KAFKA_FLEET_HOME": f"s3a://{BUCKET}/kafka/home",
        }
        try:
            states, printed = airflow.dag_test("fleet_collect", day)
        finally:
            airflow.environment = environment
            vault.unlink()
        airflow.fleet_file.write_bytes(fleet)
        refused = bucket.refused
        with pytest.MonkeyPatch.context() as patch:
            for name, value in bucket.variables("any").items():
                patch.setenv(name, value)
            found: Any = open_home(f"s3a://{BUCKET}/kafka/home")
            found.fs.get(found.path, str(copy), recursive=True)
        agents = {headers.get("Authorization") for _path, headers, *_more in broker.seen}
        hosts = [headers.get("Authorization") for _path, headers, *_more in host.seen]
    return Collected(states, printed, copy, agents, kafka.logins, hosts, refused)


def page_answers(home: Path, fleet_file: Path, day: str, *clusters: str) -> dict[str, str]:
    """What every address of the page answers to one who may see it, headers included."""
    web = TestClient(make_app(lambda: home, [], lambda: fleet_file))
    paths = ["/", f"/?day={day}", "/page.css", "/nowhere", "/clusters/nowhere", f"/letters/{day}/nowhere"]
    paths += [path for one in clusters for path in (f"/clusters/{one}", f"/letters/{day}/{one}")]
    answers = {path: web.get(path) for path in paths}
    assert {path for path, one in answers.items() if one.status_code != 200} == {
        path for path in paths if "nowhere" in path
    }
    return {path: f"{one.headers}\n{one.text}" for path, one in answers.items()}
