"""Runs of fleet_health that tell channels: once, by Airflow's connections, and a bad one costs no letter."""

import json
from collections.abc import Iterator

import pytest
import yaml

from support.airflow_runs.dag_runs import ARCHIVE, GONE, PAYMENTS, Runs
from support.servers.channel_server import ChannelServer, channel_server

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
        there = {"conn_type": "http", "host": server.url, "password": SECRET}
        monkeypatch.setenv("AIRFLOW_CONN_HOOK", json.dumps(there))
        monkeypatch.setenv("AIRFLOW_CONN_PAGER", json.dumps(there))
        yield server


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
