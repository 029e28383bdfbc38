"""`kafka-fleet check` names connections that are not defined here; with --connections they are errors."""

import json
from pathlib import Path

import pytest
import yaml

from kafka_fleet.cli.main import main
from support.builders.cli_fleets import GOOD, Plain


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("orders", "connection orders: neither AIRFLOW_CONN_ORDERS nor the file of KAFKA_FLEET_SECRETS has it"),
        ("AIRFLOW_CONN_KAFKA_ORDERS", "has it; write the id, kafka_orders, without AIRFLOW_CONN_"),
    ],
)
def test_connections_that_are_not_defined_are_named(tmp_path: Path, monkeypatch, capsys, name, sentence):
    monkeypatch.delenv("KAFKA_FLEET_SECRETS", raising=False)
    path = tmp_path / "fleet.yaml"
    entry = {**GOOD, "kafka_connection": name, "jolokia": {**GOOD["jolokia"], "connection": "agents"}}
    entry["client_metrics"] = {"prometheus": "https://prometheus.example.org", "connection": "pushed"}
    path.write_text(yaml.dump({"version": 1, "clusters": [entry]}, Dumper=Plain))
    plain = ["check", "--fleet", str(path)]

    assert main(plain) == 0
    out, err = capsys.readouterr()
    assert sentence in out
    assert "jolokia.connection: connection agents: neither AIRFLOW_CONN_AGENTS" in out
    assert "client_metrics.connection: connection pushed: neither AIRFLOW_CONN_PUSHED" in out
    assert err == ""

    assert main([*plain, "--connections"]) == 2
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 3
    assert sentence in err.splitlines()[0]

    for one in (name, "agents", "pushed"):
        monkeypatch.setenv(f"AIRFLOW_CONN_{one.upper()}", '{"login": "me", "password": "canary"}')
    assert main([*plain, "--connections"]) == 0
    assert capsys.readouterr() == (f"{path}: 1 valid cluster, 0 errors\n", "")


def test_a_certificate_that_is_no_file_is_named_without_its_path(tmp_path: Path, monkeypatch, capsys):
    path = tmp_path / "fleet.yaml"
    path.write_text(yaml.dump({"version": 1, "clusters": [{**GOOD, "kafka_connection": "orders"}]}, Dumper=Plain))
    monkeypatch.setenv("AIRFLOW_CONN_ORDERS", '{"extra": {"ssl.ca.location": "/nowhere/canary.pem"}}')
    assert main(["check", "--connections", "--fleet", str(path)]) == 2
    _out, err = capsys.readouterr()
    assert "ssl.ca.location must be the path of a file that is there" in err
    assert "canary" not in err


def test_a_channel_that_could_not_be_told_is_an_error_with_channel_field_and_connection(
    tmp_path: Path, monkeypatch, capsys
):
    jira = {"via": "jira", "connection": "issues", "jira": {"project": "OPS"}}
    fields = {
        "chat": {"password": "http://hooks.example.org/canary"},
        "pager": {"host": "https://events.eu.pagerduty.com"},
        "issues": {"password": "canary"},
        "team": {},
        "hook": {"host": "http://hooks.example.org", "password": "canary"},
        "good": {"host": "https://hooks.example.org", "password": "canary"},
    }
    kinds = {"slack": "chat", "pagerduty": "pager", "teams": "team", "webhook": "hook"}
    channels = [{"via": via, "connection": name} for via, name in kinds.items()]
    channels += [jira, {"via": "webhook", "connection": "good"}, {"via": "slack", "connection": "absent"}]
    path = tmp_path / "fleet.yaml"
    path.write_text(yaml.dump({"version": 1, "clusters": [{**GOOD, "notify": channels}]}, Dumper=Plain))
    for name, values in fields.items():
        monkeypatch.setenv(f"AIRFLOW_CONN_{name.upper()}", json.dumps(values))
    assert main(["check", "--connections", "--fleet", str(path)]) == 2
    _out, err = capsys.readouterr()
    begin, address = f"cluster {GOOD['id']}: notify.connection of ", "must be an address that begins with https://"
    assert [line.removeprefix(begin).partition(" password an API")[0] for line in err.splitlines()] == [
        f"slack:chat: connection chat: its password {address}",
        "pagerduty:pager: connection pager: its password must be the routing key",
        f"teams:team: connection team: its password {address}",
        f"webhook:hook: connection hook: its host {address}",
        "jira:issues:OPS: connection issues: it must have Jira's address as host, and as",
        "slack:absent: connection absent: neither AIRFLOW_CONN_ABSENT nor the file of KAFKA_FLEET_SECRETS has it",
    ]
    assert "canary" not in err
    assert "example.org" not in err
