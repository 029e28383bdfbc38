"""Channels from a task: Airflow's connections, the run's plan, and an outcome that joins that of the letter."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet_airflow import mailing
from fleet_airflow.mailing import Outcome, mail_one
from fleet_airflow.notifying import notify_one
from support.builders.channels import SECRET
from support.builders.mailed_days import CLUSTER, DAY, confirmed, write
from support.servers.channel_server import ChannelServer, channel_server
from support.servers.jira_server import jira_server

PLAN = {"ds": DAY, "generation": "g0001", "clusters": [CLUSTER]}


@pytest.fixture
def other_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path / "home", [confirmed()])
    entry = {"id": CLUSTER, "environment": "production", "owners": ["a@example.org"], "bootstrap_servers": ["k:9092"]}
    channels = [{"via": "webhook", "connection": "there"}, {"via": "slack", "connection": "absent"}]
    path = tmp_path / "fleet.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "clusters": [{**entry, "notify": channels}]}))
    monkeypatch.setenv("KAFKA_FLEET_FILE", str(path))
    monkeypatch.setenv("KAFKA_FLEET_HOME", str(tmp_path / "home"))
    with channel_server() as server:
        there = {"conn_type": "http", "schema": "http", "host": "127.0.0.1", "port": server.port, "password": SECRET}
        monkeypatch.setenv("AIRFLOW_CONN_THERE", json.dumps(there))
        yield server


def test_channels_are_told_by_airflows_connections(other_end: ChannelServer, caplog) -> None:
    first = notify_one(CLUSTER, PLAN, "")
    assert [one.state for one in first] == ["sent", "failed"]
    assert first[1].sentence == f"{CLUSTER}: slack:absent connection absent: Airflow has none of that name"
    assert [one.state for one in notify_one(CLUSTER, PLAN, "")] == ["skipped", "failed"]
    (request,) = other_end.requests
    assert request.headers["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in caplog.text


def test_connections_of_the_providers_own_types_do(tmp_path: Path, other_end: ChannelServer, monkeypatch) -> None:
    channels = [{"via": via, "connection": f"by_{via}"} for via in ("webhook", "teams", "slack", "pagerduty")]
    channels.append({"via": "jira", "connection": "by_jira", "jira": {"project": "OPS"}})
    path = tmp_path / "fleet.yaml"
    fleet = yaml.safe_load(path.read_text())
    fleet["clusters"][0]["notify"] = channels
    path.write_text(yaml.safe_dump(fleet))
    place = f"127.0.0.1:{other_end.port}"
    with jira_server(token=SECRET) as jira:
        forms: dict[str, dict[str, Any]] = {  # as the forms of Airflow's connections fill them
            "webhook": {"conn_type": "http", "schema": "http", "host": place, "login": "u", "password": SECRET,
                        "extra": {"X-Team": "kafka", "srv_lookup": None}},
            "teams": {"conn_type": "http", "schema": "http", "host": f"{place}/teams"},
            "slack": {"conn_type": "slackwebhook", "schema": "http", "host": f"{place}/services", "password": SECRET,
                      "extra": {"timeout": 7, "proxy": None}},
            "pagerduty": {"conn_type": "pagerduty_events", "password": SECRET, "host": other_end.url},
            "jira": {"conn_type": "jira", "host": jira.url, "login": jira.login, "password": SECRET,
                     "extra": {"verify": True}},
        }  # fmt: skip
        for via, form in forms.items():
            monkeypatch.setenv(f"AIRFLOW_CONN_BY_{via.upper()}", json.dumps(form))
        found = notify_one(CLUSTER, PLAN, "")
        assert [one.state for one in found] == ["sent"] * 5, found
        assert len(jira.issues) == 1
    assert [one.path for one in other_end.requests] == ["/", "/teams", f"/services/{SECRET}", "/v2/enqueue"]
    assert other_end.requests[0].headers["X-Team"] == "kafka"
    assert "Authorization" not in other_end.requests[1].headers


@pytest.mark.parametrize(
    ("cluster", "why_not", "found"),
    [
        (CLUSTER, "not mailed: notify is never", [Outcome("skipped", "not mailed: notify is never")]),
        ("unknown", "", []),
    ],
)
def test_a_run_that_mails_nobody_tells_no_channel(other_end, cluster: str, why_not: str, found: list[Outcome]) -> None:
    assert notify_one(cluster, PLAN, why_not) == found
    assert notify_one(CLUSTER, {**PLAN, "clusters": []}, "") == []
    assert other_end.requests == []


def test_a_channel_that_fails_is_a_sentence_where_the_day_has_no_letter(other_end: ChannelServer) -> None:
    (found,) = notify_one(CLUSTER, {**PLAN, "ds": "2020-01-01"}, "")
    assert found.state == "failed"
    assert "2020-01-01" in found.sentence


@pytest.mark.parametrize(
    ("letter", "others", "state", "said"),
    [
        ("sent", [], "sent", "a letter"),
        ("sent", ["skipped"], "sent", "a letter"),
        ("skipped", ["sent"], "sent", "channel 0"),
        ("sent", ["sent", "failed"], "failed", "channel 1"),
        ("failed", ["later"], "later", "channel 0"),
        ("failed", ["failed"], "failed", "a letter; channel 0"),
    ],
)
def test_a_clusters_task_is_as_red_as_its_worst(
    monkeypatch, letter: str, others: list[str], state: str, said: str
) -> None:
    def told(*_words: Any) -> Outcome:
        return Outcome(letter, "a letter")

    found = [Outcome(one, f"channel {number}") for number, one in enumerate(others)]
    monkeypatch.setattr(mailing, "_told", told)
    monkeypatch.setattr(mailing, "_why_not", lambda *_words: "")
    monkeypatch.setattr(mailing, "notify_one", lambda *_words: found)
    assert mail_one(CLUSTER, ["a@example.org"], PLAN) == Outcome(state, said)
