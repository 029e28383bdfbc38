"""The command line as a user meets it: exit codes, one sentence per mistake, never a traceback, never a secret."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafka_fleet.cli import commands
from kafka_fleet.cli import main as cli
from kafka_fleet.collect import sweep
from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.store import generations
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.builders.cli_fleets import GOOD, Plain
from support.builders.letter_rows import finding
from support.servers.jolokia_simulator import Agent, agent

ROOT = Path(__file__).resolve().parents[3]
DS = "2026-11-20"


@pytest.fixture(autouse=True)
def no_brokers(monkeypatch):
    """Nobody speaks Kafka in these tests; the real refusal takes 15 s and is proved in test_admin.py."""
    failed = AdminSweep("failed", "KafkaTimeoutError: nobody", ["every admin table"], None, None, {})
    monkeypatch.setattr(sweep, "sweep_admin", lambda *a: failed)


@pytest.fixture
def call(tmp_path, capfd):
    printed: list[str] = []

    def run(verb: str, *more: str, entries: list[Any] | None = None) -> tuple[int, str, list[str]]:
        path = tmp_path / "fleet.yaml"
        if entries is not None:
            path.write_text(yaml.dump({"version": 1, "clusters": entries}, Dumper=Plain))
        fleet = ["--fleet", str(path)] if verb in ("check", "collect", "report", "mail") else []
        home = ["--home", str(tmp_path / "home")] if verb != "check" else []
        try:
            code = cli.main([verb, *fleet, *home, *more])
        except SystemExit as error:  # argparse's own refusals
            code = int(error.code or 0)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        printed.append(out + err)
        return code, out, err.splitlines()

    run.printed = printed
    return run


@pytest.mark.fault(41)
def test_check_tells_every_error_of_every_cluster(call, tmp_path):
    broken = {
        **GOOD,
        "environment": "prod",
        "owners": [],
        "colour": 1,
        "thresholds": {"x": {}},
        "bootstrap_servers": ["h"],
    }
    code, out, err = call("check", entries=[GOOD, {**broken, "id": "second"}, {**GOOD, "id": "index"}])
    assert code == 2
    assert len(err) == 6
    assert all(re.match(rf"{tmp_path}/fleet.yaml, line \d+: cluster ", line) for line in err)
    assert [line.split(": ")[1] for line in err] == ["cluster second"] * 5 + ["cluster index"]
    assert "1 valid cluster, 6 errors" in out


def test_check_of_a_valid_file(call):
    assert call("check", entries=[GOOD])[0] == 0
    assert cli.main(["check", "--fleet", str(ROOT / "fleet.example.yaml")]) == 0


@pytest.mark.parametrize("text", ["clusters: [", "", "7", "a: b\na: c", None])
@pytest.mark.parametrize("verb", ["check", "collect", "report", "mail"])
def test_a_file_that_is_none_is_one_sentence(call, tmp_path, text, verb):
    if text is not None:
        (tmp_path / "fleet.yaml").write_text(text)
    more = () if verb in ("check", "collect") else ("--date", DS)
    code, out, err = call(verb, *more)
    assert (code, out, len(err)) == (2, "", 1)
    assert err[0].startswith(f"kafka-fleet: {tmp_path}/fleet.yaml")


@pytest.mark.fault(1, 39)
def test_one_dead_and_one_live_cluster_is_done(call, tmp_path):
    with agent(Agent()) as one:
        live = {**GOOD, "id": "live", "jolokia": {"brokers": {1: one.url}}}
        code, out, err = call("collect", entries=[GOOD, live, {**GOOD, "id": "bad", "owners": []}])
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[0][:4] == ["cluster", "broker", "read", "admin"]
    assert [line[:4] for line in lines[1:3]] == [
        ["payments-eu", "1", "failed(unreachable)", "failed"],
        ["live", "1", "ok", "failed"],
    ]
    assert [line[:4] for line in lines[3:5]] == [
        [f"{name}:", "admin", "protocol", "failed:"] for name in ("payments-eu", "live")
    ]
    assert lines[5][:3] == ["bad:", "not", "run:"]
    assert len(err) == 1
    (day,) = (tmp_path / "home/raw/manifests").iterdir()
    whole, _ = manifests(tmp_path / "home", day.name.removeprefix("ds="))
    assert {row["cluster"] for row in read_rows(tmp_path / "home", whole, "declarations")} == {"live", "payments-eu"}


def test_all_dead_is_a_failure_and_the_declaration_is_landed(call, tmp_path):
    code, _out, err = call("collect", entries=[GOOD, {**GOOD, "id": "other"}])
    assert (code, err) == (1, [])
    (day,) = (tmp_path / "home/raw/declarations").iterdir()
    assert len(list(day.iterdir())) == 2


def test_collect_of_named_clusters_only(call, tmp_path):
    with agent(Agent()) as one:
        live = {**GOOD, "id": "live", "jolokia": {"brokers": {1: one.url}}}
        assert call("collect", "--cluster", "live", entries=[GOOD, live])[0] == 0
    code, _out, err = call("collect", "--cluster", "../x")
    assert (code, err) == (2, ["kafka-fleet: no valid cluster ../x in the fleet file"])
    code, _out, err = call("collect", entries=[{**GOOD, "owners": []}])
    assert (code, len(err)) == (2, 2)
    assert err[1] == "kafka-fleet: the fleet file has no valid cluster"


@pytest.mark.fault(43)
def test_a_home_that_cannot_be_written_is_a_sentence(call, tmp_path):
    (tmp_path / "home").write_text("a file")
    code, _out, err = call("collect", entries=[GOOD])
    assert code == 1
    assert len(err) == 1
    assert "Not a directory" in err[0]


@pytest.mark.parametrize("verb", ["analyze", "findings", "report", "mail"])
@pytest.mark.parametrize("text", ["../x", "2026-13-01", "yesterday", "20261120", ""])
def test_a_date_that_is_none_is_a_sentence(call, verb, text):
    code, _out, err = call(verb, "--date", text, entries=[GOOD])
    assert code == 2
    assert f"{text!r} is no date; a day is written YYYY-MM-DD" in err[-1]


@pytest.mark.parametrize("verb", ["analyze", "findings", "report", "mail"])
def test_a_day_without_sweeps_or_findings_is_a_sentence(call, verb, tmp_path):
    code, _out, err = call(verb, "--date", DS, entries=[GOOD])
    assert code == 2
    assert len(err) == 1
    assert DS in err[0]
    assert not (tmp_path / "home").exists()


def test_an_unknown_signature_is_a_sentence(call):
    code, _out, err = call("analyze", "--date", DS, "--signature", "latency")
    assert code == 2
    assert re.search(r"there are: .*\bfetch_latency\b", err[0])


def judged(home: Path, content: str) -> None:
    folder = home / f"findings/ds={DS}/g0001"
    folder.mkdir(parents=True)
    (folder / "findings.json").write_text(content)
    generations.publish(folder.parent, "g0001")


def test_findings_as_json_and_as_a_table(call, tmp_path):
    row = finding("KAFKA-1", "confirmed", "a", upgrade_to="3.3.2", subjects=["topic заказы"])
    judged(tmp_path / "home", json.dumps([row, {**row, "verdict": "not_affected"}]))
    code, out, _err = call("findings", "--date", DS, "--format", "json")
    assert (code, json.loads(out)) == (0, [row, {**row, "verdict": "not_affected"}])
    code, out, _err = call("findings", "--date", DS)
    assert code == 0
    assert out.splitlines()[1].split() == ["a", "3.3.1", "KAFKA-1", "confirmed", "high", "3.3.2", "topic", "заказы"]
    assert out.splitlines()[-1] == "1 more are not_affected"


@pytest.mark.parametrize("damage", ["pointer", "findings"])
def test_damaged_findings_are_a_sentence(call, tmp_path, damage):
    judged(tmp_path / "home", "[" if damage == "findings" else "[]")
    if damage == "pointer":
        (tmp_path / f"home/findings/ds={DS}/_current.json").write_text("{")
    code, _out, err = call("findings", "--date", DS)
    assert code == 1
    assert len(err) == 1
    assert f"ds={DS}" in err[0]


def test_a_spark_that_fails_is_one_more_line_and_exit_1(call, tmp_path, monkeypatch):
    call("collect", entries=[GOOD])
    (day,) = (tmp_path / "home/raw/manifests").iterdir()
    monkeypatch.setattr(commands, "spark_application", lambda: tmp_path / "missing.py")
    code, _out, err = call("analyze", "--date", day.name.removeprefix("ds="))
    assert code == 1
    assert "spark-submit ended with" in err[-1]


@pytest.mark.fault(56)
def test_no_secret_of_a_connection_is_in_any_output(call, tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_J", '{"login": "canary-login", "password": "canary-password"}')
    with agent(Agent()) as one:
        one.entry = lambda mbean, given: {"status": 500, "error": "-Dpassword=canary-jmx"}
        call("collect", entries=[{**GOOD, "jolokia": {"brokers": {1: one.url}, "connection": "j"}}])
        assert "Authorization" in one.seen[0][1]
    landed = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "canary" not in "".join(call.printed)
    assert b"canary" not in landed


def test_the_module_runs_as_a_program():
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "plugins")}
    command = [sys.executable, "-m", "kafka_fleet.cli", "check", "--fleet", "missing.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    wanted = "kafka-fleet: missing.yaml: cannot be read: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", wanted)
