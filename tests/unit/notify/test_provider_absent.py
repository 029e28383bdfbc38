"""A provider that is not there, or cannot be imported: a sentence with what to install, and no other channel's cost."""

import importlib.metadata
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import yaml

from kafka_fleet.cli.main import main
from kafka_fleet.notify.delivery import notify_channels
from support.builders.channels import SECRET, cluster, connections, told
from support.builders.cli_fleets import GOOD, Plain
from support.builders.mailed_days import DAY
from support.servers.channel_server import ChannelServer

CHANNELS = [{"via": via, "connection": "there"} for via in ("slack", "pagerduty", "webhook")]
JIRA = {"via": "jira", "connection": "there", "jira": {"project": "OPS"}}
SENTENCE = (
    "via {via} takes the package apache-airflow-providers-{package}, which is not installed: "
    "pip install 'kafka-fleet-health[{via}]'"
)


def absent(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """As if these providers were not installed."""
    plain = importlib.metadata.distribution

    def distribution(name: str) -> importlib.metadata.Distribution:
        if name.removeprefix("apache-airflow-providers-") in packages:
            raise PackageNotFoundError(name)
        return plain(name)

    monkeypatch.setattr("kafka_fleet.config.channel_providers.distribution", distribution)


def test_a_channel_without_its_provider_says_what_to_install_and_costs_no_other(
    home: Path, other_end: ChannelServer, monkeypatch
) -> None:
    fields = {"password": f"{other_end.url}/{SECRET}"}
    with monkeypatch.context() as patch:
        absent(patch, "slack", "atlassian-jira")
        found = notify_channels(home, DAY, cluster(*CHANNELS, JIRA), connections(other_end))
        assert [one.state for one in found] == ["failed", "sent", "sent", "failed"]
        assert found[0].sentence == SENTENCE.format(via="slack", package="slack")
        assert found[3].sentence == SENTENCE.format(via="jira", package="atlassian-jira")
    assert told(home, other_end, via="slack", fields=fields).state == "sent", "as new, once it is installed"
    assert "Sent again" not in str(other_end.requests[-1].body)


def test_a_provider_that_cannot_be_imported_is_a_sentence(home: Path, other_end, monkeypatch) -> None:
    for module in ("send_slack", "send_pagerduty", "send_http"):
        monkeypatch.delitem(sys.modules, f"kafka_fleet.notify.{module}", raising=False)
    for library in ("slack_sdk.webhook", "airflow.providers.atlassian.jira.hooks.jira"):
        monkeypatch.setitem(sys.modules, library, None)
    found = notify_channels(home, DAY, cluster(*CHANNELS, JIRA), connections(other_end))
    assert [one.state for one in found] == ["failed", "sent", "sent", "failed"]
    assert found[0].sentence.startswith("via slack: its provider cannot be imported: import of slack_sdk.webhook")
    assert found[3].sentence.startswith("via jira: its provider cannot be imported: ")


def test_check_says_it_before_a_channel_is_told(tmp_path: Path, monkeypatch, capsys) -> None:
    absent(monkeypatch, "slack", "pagerduty", "http")
    monkeypatch.setenv("AIRFLOW_CONN_THERE", '{"password": "canary", "host": "https://hooks.example.org"}')
    path = tmp_path / "fleet.yaml"
    entries = [{**GOOD, "notify": [*CHANNELS, CHANNELS[0], JIRA]}, {**GOOD, "id": "other"}]
    path.write_text(yaml.dump({"version": 1, "clusters": entries}, Dumper=Plain))
    assert main(["check", "--fleet", str(path)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:4] == [
        f"cluster {GOOD['id']}: notify.via: {SENTENCE.format(via='slack', package='slack')}",
        f"cluster {GOOD['id']}: notify.via: {SENTENCE.format(via='pagerduty', package='pagerduty')}",
        f"cluster {GOOD['id']}: notify.via: via webhook takes the package apache-airflow-providers-http, which is not "
        "installed: pip install apache-airflow-providers-http",
    ]
    assert main(["check", "--connections", "--fleet", str(path)]) == 2
