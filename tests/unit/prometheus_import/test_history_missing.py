"""What the recorded exporters could have lacked: it is missing, failed or no sweep, and no 0 where it is not known."""

from pathlib import Path
from typing import Any

import pytest

from support.homes.history_runs import hide, named, run, series, served  # noqa: F401
from support.servers.recorded_prometheus import STEP_S, Recorded, payments


def test_no_event_is_0_and_what_is_not_exported_is_missing(server: Recorded, tmp_path: Path) -> None:
    server.change = named("delayedfetchmetrics", lambda _one: None)
    rows = run(server, tmp_path / "none")[1]("broker_metrics")
    assert {row["expired_consumer_fetches"] for row in rows} == {0}
    server.change = hide("delayedfetchmetrics")
    result = run(server, tmp_path / "hidden")[1]
    assert {row["expired_consumer_fetches"] for row in result("broker_metrics")} == {None}
    assert all(any("DelayedFetchMetrics" in name for name in row["missing"]) for row in result("brokers"))


@pytest.mark.parametrize("word", ["requests_total", "brokertopicmetrics_bytesout"])
def test_expiries_are_missing_where_what_they_are_compared_with_is(server: Recorded, tmp_path: Path, word: str) -> None:
    server.change = hide(word)
    rows = run(server, tmp_path)[1]("broker_metrics")
    assert {row["expired_consumer_fetches"] for row in rows if row["broker"] == 1} == {None}
    assert None not in {row["expired_consumer_fetches"] for row in rows if row["broker"] == 2}  # other names


def test_traffic_that_is_summed_up_over_topics_alone_is_not_enough(server: Recorded, tmp_path: Path) -> None:
    server.change = series(lambda one: None if "topic" in one["metric"] and "partition" not in one["metric"] else one)
    result = run(server, tmp_path)[1]
    busy = [row for row in result("broker_metrics") if row["messages_in"] > 0]
    assert len(busy) > 2
    assert {row["expired_consumer_fetches"] for row in busy} == {None}


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("log_logendoffset", "the pace of partitions"),
        ("partition_replicascount", "it marks the leader"),
    ],
)
def test_a_broker_without_what_cannot_be_missed_is_failed(
    server: Recorded, tmp_path: Path, word: str, said: str
) -> None:
    server.change = hide(word)
    result, rows = run(server, tmp_path)
    failed = [row for row in rows("brokers") if row["broker"] == 1]
    assert {(row["outcome"], row["kind"], row["read_at"]) for row in failed} == {("failed", "not_exported", None)}
    assert any(said in sentence and sentence.startswith("broker 1: ") for sentence in result.said)
    assert [row for row in rows("broker_metrics") if row["broker"] == 1] == []


def test_without_the_start_of_the_processes_nothing_is_landed(server: Recorded, tmp_path: Path) -> None:
    server.change = hide("process_start_time")
    result, rows = run(server, tmp_path)
    assert (result.landed, rows("sweeps")) == (0, [])
    assert [sentence for sentence in result.said if "a restart could not be told" in sentence]


def test_a_broker_that_could_not_be_scraped_is_failed(server: Recorded, tmp_path: Path) -> None:
    def down(one: dict[str, Any]) -> dict[str, Any]:
        gone = one["metric"].get("broker_id") == "2"
        return {**one, "values": [[at, "0" if gone else value] for at, value in one["values"]]}

    server.change = series(lambda one: down(one) if one["metric"]["__name__"] == "up" else one)
    result, rows = run(server, tmp_path)
    assert result.landed == server.sweeps
    found = [(row["outcome"], row["kind"]) for row in rows("brokers") if row["broker"] == 2]
    assert found == [("failed", "unreachable")] * server.sweeps


def test_without_any_scrape_there_is_no_sweep(server: Recorded, tmp_path: Path) -> None:
    server.change = series(lambda one: None if one["metric"]["__name__"] == "up" else one)
    result, rows = run(server, tmp_path)
    assert (result.landed, result.empty, rows("sweeps")) == (0, 86_400 // STEP_S, [])


def test_a_declared_broker_that_prometheus_does_not_know_is_failed(server: Recorded, tmp_path: Path) -> None:
    three = {number: f"http://127.0.0.1:{number}/jolokia" for number in (1, 2, 3)}
    _result, rows = run(server, tmp_path, cluster=payments(jolokia={"brokers": three}))
    found = {(row["outcome"], row["kind"]) for row in rows("brokers") if row["broker"] == 3}
    assert found == {("failed", "no_samples")}
