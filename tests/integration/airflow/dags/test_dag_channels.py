"""Runs of fleet_health that tell channels: once, by Airflow's connections, and a bad one costs no letter."""

import json
from collections.abc import Iterator

import pytest
import yaml

from support.airflow_runs.dag_runs import ARCHIVE, GONE, PAYMENTS, Runs
from support.servers.channel_server import ChannelServer, channel_server
from support.servers.jira_server import Jira, jira_server

SECRET = "s3cret-canary"


@pytest.fixture
def other_end(run: Runs, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChannelServer]:
    """The channels of archive-eu; the second one's connection is not there until a test sets it."""
    content = yaml.safe_load(run.fleet_file.read_text())
    for entry in content["clusters"]:
        if entry["id"] == "archive-eu":
            entry["notify"] = [{"via": "webhook", "connection": "hook", "at_least": "exposed"}]
            entry["notify"] += [{"via": "pagerduty", "connection": "pager", "at_least": "exposed"}]
    run.fleet_file.write_text(yaml.safe_dump(content))
    with channel_server() as server:
        for name, kind in (("HOOK", "http"), ("PAGER", "pagerduty_events")):
            there = {"conn_type": kind, "host": server.url, "password": SECRET}
            monkeypatch.setenv(f"AIRFLOW_CONN_{name}", json.dumps(there))
        yield server


@pytest.mark.sampled("dag-channels")
def test_channels_are_told_once_of_two_runs_and_by_none_that_mails_nobody(run: Runs, other_end: ChannelServer) -> None:
    run.land()
    never = run(notify="never")
    assert (never.tasks[("mail", "archive-eu")], other_end.requests) == ("skipped", [])
    first, second = run(), run()
    assert {seen.tasks[("mail", "archive-eu")] for seen in (first, second)} == {"success"}
    assert sorted(second.mailed) == [ARCHIVE, GONE, PAYMENTS]
    hook, pager = (one.body for one in other_end.requests)
    assert [one["finding"] for one in hook["events"]] == ["KAFKA-14334"]
    assert (pager["dedup_key"], pager["routing_key"]) == (hook["events"][0]["fingerprint"], SECRET)
    assert SECRET not in never.log + first.log + second.log


@pytest.mark.sampled("dag-channels")
def test_a_channel_that_is_not_there_makes_its_task_red_and_costs_no_letter(
    run: Runs, other_end: ChannelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AIRFLOW_CONN_PAGER")
    other_end.status = lambda number: 503 if number == 1 else 200
    run.land()
    seen = run()
    assert seen.tasks[("mail", "archive-eu")] == "failed"
    assert seen.tasks[("mail", "payments-eu")] == "success"
    assert seen.tries[("mail", "archive-eu")] == 2, "the webhook is tried again; what is missing is not"
    assert "connection pager: Airflow has none of that name" in seen.log
    assert sorted(seen.mailed) == [ARCHIVE, GONE, PAYMENTS], "each letter once"
    assert len(other_end.requests) == 2


@pytest.fixture
def jira(run: Runs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Jira]:
    """The only channel of archive-eu: a Jira, by a connection of Airflow."""
    content = yaml.safe_load(run.fleet_file.read_text())
    for entry in content["clusters"]:
        if entry["id"] == "archive-eu":
            issue = {"project": "OPS", "issue_type": "Bug", "labels": ["kafka"]}
            entry["notify"] = [{"via": "jira", "connection": "tracker", "at_least": "exposed", "jira": issue}]
    run.fleet_file.write_text(yaml.safe_dump(content))
    with jira_server(token=SECRET) as server:
        login = {"conn_type": "jira", "host": server.url, "login": server.login, "password": SECRET}
        monkeypatch.setenv("AIRFLOW_CONN_TRACKER", json.dumps(login))
        yield server


@pytest.mark.sampled("dag-jira")
def test_a_jira_that_does_not_answer_is_asked_again_and_two_runs_open_one_issue(run: Runs, jira: Jira) -> None:
    jira.answer = lambda number, method, path: 503 if number == 1 else None
    run.land()
    first, second = run(), run()
    assert [seen.tasks[("mail", "archive-eu")] for seen in (first, second)] == ["success", "success"]
    assert first.tries[("mail", "archive-eu")] == 2, "the first try met a Jira that is not there"
    (issue,) = jira.issues
    assert (issue.fields["project"], issue.fields["issuetype"]) == ({"key": "OPS"}, {"name": "Bug"})
    assert "(KAFKA-14334)" in issue.fields["summary"]
    assert {"kafka", "kafka-fleet-health"} < set(issue.fields["labels"])
    assert issue.comments == []
    assert sorted(second.mailed) == [ARCHIVE, GONE, PAYMENTS], "each letter once"
    assert SECRET not in first.log + second.log


@pytest.mark.sampled("dag-jira")
def test_a_jira_that_refuses_the_login_makes_its_task_red_and_opens_nothing(run: Runs, jira: Jira) -> None:
    jira.token = "another"
    run.land()
    seen = run()
    assert seen.tasks[("mail", "archive-eu")] == "failed"
    assert seen.tasks[("mail", "payments-eu")] == "success"
    assert "401" in seen.log
    assert (jira.issues, SECRET in seen.log) == ([], False)
    assert sorted(seen.mailed) == [ARCHIVE, GONE, PAYMENTS], "each letter once"
