"""A broker that was killed is told by its own log, from the line to the letter; so is one that closed its logs."""

import html
from pathlib import Path

import pytest
import yaml

from support.live.commands import fleet_command
from support.live.log_lines import PARTITIONS, RELEASES, killed, stopped
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("log-lines"), pytest.mark.sampled("log-lines")]


@pytest.mark.parametrize("name", RELEASES)
def test_the_script_counts_what_a_killed_broker_logged_at_its_next_start(measured: Measured, name: str) -> None:
    found = {row["mark"]: row for row in measured.facts("log_marks", cluster=killed(name))}
    assert {"unclean_start", "recovered_segment"} <= set(found)
    assert "clean_start" not in found
    assert found["recovered_segment"]["line_count"] >= PARTITIONS
    if name == "391":  # 2.8 does not say of how many logs
        assert found["unclean_start"]["numbers"] >= PARTITIONS
    reads = measured.facts("log_reads", cluster=killed(name))
    assert {(row["log"], row["failed_reads"]) for row in reads} == {("broker", 0), ("cleaner", 0)}


@pytest.mark.parametrize("name", RELEASES)
def test_a_kill_that_no_counter_tells_of_is_conclusive_by_the_log(measured: Measured, name: str) -> None:
    rows = [one for one in measured.findings(killed(name)) if one["signature"] == "unclean_restart"]
    own = next(one for one in rows if one["advisory"] is None)
    assert (own["cause"], own["strength"], own["subjects"]) == ("killed", "conclusive", ["broker 1"])
    line = next(one for one in own["evidence"] if one["metric"] == "segments that the start read again")
    assert line["value"] >= PARTITIONS
    assert line["mbean"] == "log line: Recovering unflushed segment"
    (restart,) = measured.facts("restarts", cluster=killed(name))
    assert f"{restart['process_start']:%Y-%m-%dT%H:%M:%SZ}" <= line["from"] <= line["to"]


def test_a_kill_does_not_prove_that_producers_were_forgotten(measured: Measured) -> None:
    finding = measured.finding(killed("282"), "KAFKA-12964")
    assert (finding["verdict"], finding["strength"]) == ("exposed", "suggestive")


@pytest.mark.parametrize("name", RELEASES)
def test_a_stop_that_no_counter_tells_of_is_clean_by_the_log(measured: Measured, name: str) -> None:
    rows = measured.facts("log_marks", cluster=stopped(name))
    found = {row["mark"] for row in rows if row["from_sweep"] is not None}  # the kill was before the first sweep
    assert "clean_start" in found
    assert not found & {"unclean_start", "recovered_segment"}
    state = measured.state(stopped(name), "unclean_restart")
    assert (state["state"], state["missing"]) == ("quiet", [])


def test_the_letter_names_the_line_and_its_time_and_no_file_has_its_text(measured: Measured, tmp_path: Path) -> None:
    cluster = killed("391")
    entry = {
        "id": cluster, "environment": "production", "owners": ["oncall@example.org"],
        "bootstrap_servers": ["127.0.0.1:1"], "jolokia": {"brokers": {1: "http://127.0.0.1:1/"}},
    }  # fmt: skip
    (tmp_path / "fleet.yaml").write_text(yaml.safe_dump({"version": 1, "clusters": [entry]}))
    day = measured.days[cluster]
    done = fleet_command("report", "--fleet", str(tmp_path / "fleet.yaml"), "--home", str(measured.home), "--date", day)
    assert done.returncode == 0, done.stderr
    (line,) = [
        one
        for row in measured.findings(cluster)
        if row["signature"] == "unclean_restart" and row["advisory"] is None
        for one in row["evidence"]
        if one["mbean"].startswith("log line: Recovering logs")
    ]
    letters = list((measured.home / f"reports/ds={day}").glob(f"**/{cluster}*.html"))
    assert letters
    shown = html.unescape("".join(path.read_text() for path in letters))
    assert "log line: Recovering logs since no clean shutdown file was found" in shown
    assert line["from"][11:19] in shown
    raw = b"".join(path.read_bytes() for path in (measured.home / "raw/log_marks").glob("**/*.parquet"))
    assert b"LogLoader" not in raw
