"""`kafka-fleet notify`: a line for each channel; 1 where one is not told."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_fleet.cli.main import main
from support.builders.cli_fleets import Plain
from support.builders.mailed_days import CLUSTER, DAY, confirmed, write
from support.servers.channel_server import channel_server


def fleet_file(folder: Path, *channels: dict[str, Any]) -> str:
    entry = {"id": CLUSTER, "environment": "production", "owners": ["a@example.org"], "bootstrap_servers": ["k:9092"]}
    path = folder / "fleet.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "clusters": [{**entry, "notify": list(channels)}]}))
    return str(path)


def test_each_channel_has_a_line_and_a_second_run_tells_nobody(tmp_path: Path, monkeypatch, capsys) -> None:
    write(tmp_path / "home", [confirmed()])
    fleet = fleet_file(tmp_path, {"via": "webhook", "connection": "there"})
    command = ["notify", "--fleet", fleet, "--home", str(tmp_path / "home"), "--date", DAY]
    with channel_server() as server:
        monkeypatch.setenv("AIRFLOW_CONN_THERE", json.dumps({"conn_type": "http", "host": server.url}))
        assert main([*command, "--dry-run"]) == 0
        assert capsys.readouterr().out.startswith(f"{CLUSTER} {DAY}: webhook:there would be told: {CLUSTER}: ")
        assert main(command) == 0
        assert main(command) == 0
        assert len(server.requests) == 1
    assert "webhook:there has it already" in capsys.readouterr().out
    fleet_file(tmp_path, {"via": "slack", "connection": "absent"})
    assert main(command) == 1
    assert "neither AIRFLOW_CONN_ABSENT nor" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("channel", "sentence"),
    [
        ({"via": "fax", "connection": "a"}, "notify, entry 1, via: must be one of webhook, teams, slack, pagerduty"),
        ({"via": "slack", "connection": "a", "at_least": "unknown"}, "at_least: must be one of confirmed, look_alike"),
        ({"via": "slack"}, "connection: is required"),
        ({"via": "jira", "connection": "a"}, "notify, entry 1: via: jira goes with a section `jira`"),
        ({"via": "slack", "connection": "a", "jira": {"project": "OPS"}}, "and no other does"),
        ({"via": "jira", "connection": "a", "jira": {}}, "jira.project: is required"),
        ({"via": "jira", "connection": "a", "jira": {"project": 'A" OR "B'}}, "must be the key of a project"),
        ({"via": "jira", "connection": "a", "jira": {"project": "OPS", "labels": ["a b"]}}, "a label without spaces"),
        ({"via": "slack", "connection": "a", "url": "https://hooks.example.org"}, "unknown key"),
        ({"via": "slack", "connection": "https://hooks.example.org/T0"}, "must be a connection id"),
    ],
)
def test_a_mistake_in_the_fleet_file_is_a_sentence(
    tmp_path: Path, capsys, channel: dict[str, Any], sentence: str
) -> None:
    assert main(["check", "--fleet", fleet_file(tmp_path, channel)]) == 2
    said = "".join(capsys.readouterr())
    assert sentence in said
    assert "hooks.example.org" not in said


def test_a_test_goes_once_to_each_channel_that_is_meant_and_says_what_was_answered(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    channels = [{"via": "webhook", "connection": "there"}, {"via": "pagerduty", "connection": "pager"}]
    fleet = Path(fleet_file(tmp_path, *channels, {"via": "slack", "connection": "absent"}))
    content = yaml.safe_load(fleet.read_text())
    content["clusters"].append({**content["clusters"][0], "id": "orders", "notify": channels[:1]})
    fleet.write_text(yaml.dump(content, Dumper=Plain))
    command = ["notify", "--fleet", str(fleet), "--test"]
    with channel_server() as server:
        for name in ("THERE", "PAGER"):
            monkeypatch.setenv(f"AIRFLOW_CONN_{name}", json.dumps({"host": server.url, "password": "canary"}))
        for wanted in ("webhook:there", "there", "webhook"):
            assert main([*command, wanted]) == 0
            assert capsys.readouterr().out == f"{CLUSTER}: webhook:there: answered 202\n"
        assert len(server.requests) == 3
        assert main([*command, "webhook", "--cluster", "orders", "--test", "there"]) == 0
        assert capsys.readouterr().out == "orders: webhook:there: answered 202\n"
        assert main([*command, "all"]) == 1
        out, err = capsys.readouterr()
        assert out.splitlines() == [
            f"{CLUSTER}: webhook:there: answered 202",
            f"{CLUSTER}: pagerduty:pager: trigger: answered 202; resolve: answered 202",
            f"{CLUSTER}: slack:absent: connection absent: neither AIRFLOW_CONN_ABSENT nor the file of "
            "KAFKA_FLEET_SECRETS has it",
        ]
        assert len(server.requests) == 7
    assert "canary" not in out + err
    assert {path.name for path in tmp_path.iterdir()} == {"fleet.yaml"}, "no home, no outbox"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--test", "fax"], "no channel fax; there are: slack:a"),
        (["--test", "all", "--cluster", "orders"], "no valid cluster orders"),
        (["--test", "all", "--date", DAY], "--test takes no --date"),
        (["--test", "all", "--dry-run"], "--test takes no --dry-run"),
        ([], "notify takes --home and --date; --test CHANNEL takes neither"),
        (["--date", DAY], "notify takes --home; --test CHANNEL takes neither"),
    ],
)
def test_a_mistake_in_the_options_is_a_sentence(tmp_path: Path, capsys, options: list[str], sentence: str) -> None:
    fleet = fleet_file(tmp_path, {"via": "slack", "connection": "a"})
    assert main(["notify", "--fleet", fleet, *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_fleet_without_channels_has_none_to_test(tmp_path: Path, capsys) -> None:
    assert main(["notify", "--fleet", fleet_file(tmp_path), "--test", "all"]) == 2
    assert "no channel all; there are: none" in capsys.readouterr().err
