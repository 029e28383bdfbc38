"""Import of a recorded day: what a real Prometheus had becomes sweeps, once, and what it had not stays missing."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kafka_fleet.collect.connections.prometheus import Prometheus
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.importer import Source, import_days
from kafka_fleet.prometheus_import.targets import ClusterTargets
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.landing import land
from support.homes.history_runs import CHOICE, LIMITS, STEP, named, run, served  # noqa: F401
from support.servers.recorded_prometheus import STEP_S, Form, Recorded, payments


def test_a_day_becomes_sweeps_of_both_brokers(server: Recorded, tmp_path: Path) -> None:
    result, rows = run(server, tmp_path)
    assert (result.landed, result.there, result.failed, list(result.said)) == (server.sweeps, 0, 0, [])
    assert result.empty == 86_400 / STEP_S - server.sweeps
    sweeps = rows("sweeps")
    assert [row["imported_from"] for row in sweeps] == ["recorded"] * server.sweeps
    assert {row["sweep_at"].date() for row in sweeps} == {server.day}
    brokers = rows("brokers")
    for row in brokers:  # NaN is unusable here as it is over Jolokia
        whole = row["broker"] == 2 and row["unusable"] == 0
        assert (row["outcome"], row["kind"]) == ("ok" if whole else "partial", None)
    assert "client_software" in brokers[0]["detail"]
    assert {row["broker"]: row["release"] for row in rows("broker_metrics")} == {1: "3.3.1", 2: None}
    for table in (
        "partitions",
        "requests",
        "request_times",
        "request_errors",
        "broker_topics",
        "listeners",
        "log_dirs",
    ):
        assert {row["broker"] for row in rows(table)} == {1, 2}, table
    assert rows("client_software") == []  # one of two brokers would be half a sum
    assert "kafka.server:type=group-coordinator-metrics" in brokers[0]["missing"]


def test_values_are_the_samples_of_one_scrape(server: Recorded, tmp_path: Path) -> None:
    _result, rows = run(server, tmp_path)
    samples = {}
    for answer in server.answers.values():
        data = json.loads(answer)["data"]
        for one in data["result"] if isinstance(data, dict) and "result" in data else ():
            labels = one["metric"]
            if labels["__name__"] == "kafka_log_log_logendoffset":
                for at, value in one["values"]:
                    samples[labels["topic"], int(labels["partition"]), round(at * 1000)] = float(value)
    ours = [row for row in rows("partitions") if row["broker"] == 1]
    assert len(ours) == len(samples) > 12
    for row in ours:
        assert row["log_end_offset"] == samples[row["topic"], row["partition"], row["read_at"].timestamp() * 1000]
    assert {row["read_at"] for row in ours} == {row["read_at"] for row in rows("brokers") if row["broker"] == 1}
    later = [row for row in ours if row["previous_log_end_offset"] is not None]
    assert len(later) > 4
    assert all(row["log_end_offset"] >= row["previous_log_end_offset"] for row in later)


def test_a_second_import_adds_nothing_and_asks_for_nothing(server: Recorded, tmp_path: Path) -> None:
    run(server, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again, _rows = run(server, tmp_path)
    assert (again.landed, again.there) == (0, server.sweeps)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_window_that_was_collected_is_left_alone(server: Recorded, tmp_path: Path) -> None:
    first = run(server, tmp_path / "other")[1]("sweeps")[0]["sweep_at"]
    land(tmp_path, "payments-eu", first + timedelta(seconds=11), {"sweeps": [{"admin_outcome": "ok"}]})
    result, rows = run(server, tmp_path)
    assert (result.landed, result.there) == (server.sweeps - 1, 1)
    assert [row["imported_from"] for row in rows("sweeps")] == [None, *["recorded"] * (server.sweeps - 1)]


def test_a_restart_shows_as_another_start_of_the_process(server: Recorded, tmp_path: Path) -> None:
    plain = {row["jvm_start_ms"] for row in run(server, tmp_path / "plain")[1]("broker_metrics") if row["broker"] == 2}
    assert len(plain) == 1
    cut = sorted(row["read_at"] for row in run(server, tmp_path / "plain")[1]("broker_metrics"))[4].timestamp()

    def later(one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "values": [[at, value if at < cut else str(cut - 5)] for at, value in one["values"]]}

    server.change = named("process_start_time", later)
    starts = [row["jvm_start_ms"] for row in run(server, tmp_path)[1]("broker_metrics") if row["broker"] == 2]
    assert len(set(starts)) == 2
    assert starts[-1] == round((cut - 5) * 1000)


def test_a_window_that_was_not_answered_is_filled_by_the_next_import(server: Recorded, tmp_path: Path) -> None:
    scrapes = sorted(
        {form["time"] for path, form in _asked(server, tmp_path) if form.get("query", "").endswith("[1ms]")}
    )

    def failing(path: str, form: Form) -> int:
        return 503 if path == "/api/v1/query" and form["time"] == scrapes[2] else 200

    server.status = failing
    result, rows = run(server, tmp_path / "home")
    assert (result.landed, result.failed, len(rows("sweeps"))) == (server.sweeps - 1, 1, server.sweeps - 1)
    assert any("http: HTTP 503" in sentence for sentence in result.said)
    server.status = lambda path, form: 200
    result, rows = run(server, tmp_path / "home")
    assert (result.landed, result.there, len(rows("sweeps"))) == (1, server.sweeps - 1, server.sweeps)


def _asked(server: Recorded, tmp_path: Path) -> list[tuple[str, Form]]:
    run(server, tmp_path / "asked")
    return [(path, form) for path, form, _headers in server.asked]


def test_an_answer_that_is_not_complete_lands_nothing(server: Recorded, tmp_path: Path) -> None:
    def partial(path: str, form: Form, body: bytes) -> bytes:
        told = b'{"warnings":["a store did not answer"],' + body[1:]
        return told if form.get("query", "").endswith("[1ms]") else body

    server.change = partial
    result, rows = run(server, tmp_path)
    assert (result.landed, rows("sweeps")) == (0, [])
    assert any("its answer is not complete" in sentence for sentence in result.said)


def test_the_running_day_is_imported_up_to_now(server: Recorded, tmp_path: Path) -> None:
    server.day = datetime.now(UTC).date()
    result, _rows = run(server, tmp_path, step=timedelta(hours=12))
    assert result.there + result.empty + result.landed in (0, 1)


def test_a_day_whose_commits_cannot_be_read_is_left_alone_and_said(server: Recorded, tmp_path: Path) -> None:
    path = tmp_path / f"raw/joined/ds={server.day}/payments-eu.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"sweeps": [{}]}')
    whose = ClusterTargets(payments(), CHOICE)
    source = Source(Prometheus(server.url, Credentials(), LIMITS), "recorded", load_names())
    result = import_days(source, whose, tmp_path, [server.day], STEP, lambda _line: None)
    assert (result.landed, result.failed, server.asked) == (0, 1, [])
    assert list(result.said) == [
        f"{server.day}: what is committed of payments-eu on {server.day} cannot be read, so what is there is not known"
    ]


def test_sweeps_that_were_joined_count_as_there(server: Recorded, tmp_path: Path) -> None:
    run(server, tmp_path)
    compact(tmp_path, server.day.isoformat())
    for path in (tmp_path / "raw/manifests").rglob("*.json"):
        path.unlink()
    for path in tmp_path.glob(f"raw/*/ds={server.day}/payments-eu.2*.parquet"):
        path.unlink()
    again, _rows = run(server, tmp_path)
    assert (again.landed, again.there) == (1, server.sweeps - 1)  # the last one keeps its own manifest, which is gone
