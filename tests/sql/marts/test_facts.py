"""Facts of real sweeps: equal to a second computation in plain Python, and never negative or huge after a mishap."""

import html
import json
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pyarrow.parquet as pq
import pytest

from fleet_spark.cluster_report import DISCARDED
from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.advisories import load_advisories
from support.builders.documents import render_letter
from support.homes.recorded import recording
from support.oracles.facts_oracle import ELSEWHERE, Oracle
from support.spark_runs.analysed import Analysed, analysed

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
PROCESS, NO_TIME, CLOCK_SET = "process_changed", "no_time", "clock_set"
RAN_BACK, WENT_BACK = "counter_ran_back", "log_went_back"
CLOCKS = "OPS-CLOCK-SKEW"
COUNTS = ("consumer_fetches", "expired_consumer_fetches", "messages_in", "bytes_in", "bytes_out")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def day() -> Analysed:
    return analysed()


@pytest.fixture(scope="module")
def oracle(day: Analysed) -> Oracle:
    return Oracle(day.home, day.ds)


def test_every_fact_table_names_its_cluster(day: Analysed) -> None:
    """Else nobody could find out whose rows make a query fail that reads it."""
    folders = sorted(day.home.glob(f"facts/*/ds={day.ds}/{day.generation}"))
    assert {one.parent.parent.name for one in folders} == set(fact_queries(sql_dir()))
    assert [one for one in folders if "cluster" not in pq.read_schema(next(one.glob("*.parquet"))).names] == []


def comparable(rows: list[Row]) -> list[str]:
    """Rows as sorted text; a float is its shortest exact decimal, so equal text is equal to the last bit."""
    return sorted(json.dumps(row, sort_keys=True, default=datetime.isoformat) for row in rows)


def verdicts(day: Analysed, cluster: str) -> set[tuple[object, ...]]:
    """All but what is said of the clocks themselves."""
    names = ("advisory", "signature", "cause", "strength", "verdict")
    return {tuple(one[name] for name in names) for one in day.findings(cluster) if one["advisory"] != CLOCKS}


def clocks(day: Analysed, cluster: str) -> tuple[str, list[str], dict[str, float]]:
    """Verdict, who is named, and by how many seconds each clock is said to be off."""
    found = day.finding(cluster, CLOCKS)
    return found["verdict"], found["subjects"], {line["where"]: line["value"] for line in found["evidence"]}


@pytest.mark.fault(59)
@pytest.mark.parametrize("table", ["broker_intervals", "broker_counters", "partition_rates", "topic_counters"])
def test_facts_equal_a_second_computation(day: Analysed, oracle: Oracle, table: str) -> None:
    stored, expected = day.facts(table), list(getattr(oracle, table)())
    assert len(stored) > 100
    assert set(stored[0]) == set(expected[0]) | ELSEWHERE.get(table, set())
    assert comparable([{name: row[name] for name in expected[0]} for row in stored]) == comparable(expected)


def test_both_ways_to_the_log_ends_before_are_taken(day: Analysed) -> None:
    rows = [row for row in day.facts("broker_intervals") if row["kind"] == "sweeps"]
    assert {row["laid_beside"] for row in rows} == {True, False}
    assert {row["laid_beside"] for row in rows if row["cluster"] == "damaged"} == {True, False}


@pytest.mark.fault(30, 31, 32, 34, 35, 36)
@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("follower331", {}),
        ("reset", {(2, RAN_BACK): 1}),
        ("restart", {(2, PROCESS): 1}),
        ("log-end-back", {(1, WENT_BACK): 1}),
        ("recreated", {(1, WENT_BACK): 1}),
        ("no-time", {(2, NO_TIME): 1}),
        ("clock-back", {(2, NO_TIME): 1}),
        ("clock-set-forward", {(1, CLOCK_SET): 1, (2, CLOCK_SET): 1}),
        ("clock-set-back", {(1, CLOCK_SET): 1, (2, CLOCK_SET): 1}),
        ("broker-ahead", {(2, PROCESS): 1}),
        ("broker-behind", {(2, PROCESS): 1}),
        ("single-old", {}),
        ("broker-missing", {}),
        ("halved", {}),
        ("midnight", {}),
    ],
)
def test_what_was_not_used_is_counted(day: Analysed, cluster: str, expected: dict[tuple[int, str], int]) -> None:
    rows = day.facts("discarded_intervals", cluster=cluster)
    assert {(row["broker"], row["reason"]): row["intervals"] for row in rows} == expected


@pytest.mark.fault(30, 31, 32)
@pytest.mark.parametrize(("cluster", "reason"), [("restart", PROCESS), ("reset", RAN_BACK), ("recreated", WENT_BACK)])
def test_the_letter_says_what_was_not_used_and_why(day: Analysed, cluster: str, reason: str) -> None:
    said = f"1 interval between sweeps not used for deltas: {DISCARDED[reason]}."
    advisories = load_advisories()
    for name, times in ((cluster, 1), ("follower331", 0)):
        letter = render_letter(day.dossier(name), day.findings(name), advisories)
        assert " ".join(letter.text.split()).count(said) == times
        assert html.unescape(letter.html).count(said) == times


@pytest.mark.fault(31, 32, 35)
def test_no_usable_interval_is_negative_or_more_than_the_counter_ever_showed(day: Analysed, oracle: Oracle) -> None:
    most: Counter[tuple[str, str]] = Counter()
    for row in oracle.raw["broker_metrics"]:
        for name in set(COUNTS) & set(row):
            most[row["cluster"], name] = max(most[row["cluster"], name], row[name] or 0)
    for row in day.facts("broker_counters", ran_back=False):
        assert row["seconds"] > 0
        for name in COUNTS:
            assert row[name] is None or row[name] >= 0
        for name in set(COUNTS) - {"consumer_fetches"}:
            assert row[name] is None or row[name] <= most[row["cluster"], name]
    for row in day.facts("partition_rates", went_back=False):
        assert 0 <= row["records"] <= row["log_end_offset"]
        assert row["records"] / row["seconds"] < 1000  # no load here writes more than 100 records/s


@pytest.mark.fault(30)
def test_a_restart_gives_an_interval_from_the_process_start(day: Analysed) -> None:
    spans = day.facts("broker_intervals", cluster="restart", broker=2)
    third = recording("follower331")[3].at
    starts = [span for span in spans if span["kind"] == "start" and span["to_sweep"] == third]
    assert len(starts) == 1
    assert 0 < starts[0]["seconds"] < 60
    assert [span["same_process"] for span in spans if span["kind"] == "sweeps" and span["to_sweep"] == third] == [False]
    counted = day.facts("broker_counters", cluster="restart", broker=2, kind="start")
    assert third in {row["to_sweep"] for row in counted}


@pytest.mark.fault(35)
@pytest.mark.parametrize(("cluster", "seconds"), [("clock-set-forward", -600), ("clock-set-back", 10)])
def test_a_collector_clock_that_was_set_changes_no_rate_and_no_verdict(
    day: Analysed, cluster: str, seconds: float
) -> None:
    def rates(name: str) -> set[tuple[object, ...]]:
        rows = day.facts("partition_rates", cluster=name)
        return {(r["broker"], r["topic"], r["partition"], r["records"], round(r["seconds"], 3)) for r in rows}

    assert rates(cluster) < rates("follower331")
    assert verdicts(day, cluster) == verdicts(day, "follower331")
    verdict, subjects, off = clocks(day, cluster)
    assert (verdict, sorted(subjects)) == ("exposed", ["broker 1", "broker 2"])
    assert off == {name: pytest.approx(seconds, abs=2) for name in ("broker 1", "broker 2")}


@pytest.mark.fault(35)
@pytest.mark.parametrize(("cluster", "seconds"), [("broker-ahead", 600), ("broker-behind", -600)])
def test_a_broker_clock_that_is_off_is_a_finding_and_changes_no_other(
    day: Analysed, cluster: str, seconds: float
) -> None:
    def spans(name: str) -> dict[tuple[object, ...], float]:
        rows = day.facts("broker_counters", cluster=name)
        return {(r["broker"], r["kind"], r["to_sweep"], r["bytes_out"]): r["seconds"] for r in rows}

    found, expected = spans(cluster), spans("restart")
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(seconds, abs=1) for key, seconds in expected.items())  # whole seconds
    assert verdicts(day, cluster) == verdicts(day, "restart")
    assert clocks(day, "restart")[:2] == ("not_affected", [])
    verdict, subjects, off = clocks(day, cluster)
    assert (verdict, subjects) == ("exposed", ["broker 2"])
    assert off == {"broker 2": pytest.approx(seconds, abs=2)}


@pytest.mark.fault(30)
def test_log_ends_are_compared_across_a_restart(day: Analysed) -> None:
    assert len(day.facts("partition_rates", cluster="restart")) == len(day.facts("partition_rates", cluster="shuffled"))


def test_the_last_sweep_of_the_day_before_opens_the_first_interval(day: Analysed) -> None:
    spans = day.facts("broker_counters", cluster="midnight", broker=2)
    sweeps = [one.at for one in recording("follower331")]
    assert len(spans) == 2  # sweeps 2 -> 3 and 3 -> 4; what ended before midnight belongs to that day
    assert all(span["kind"] == "sweeps" for span in spans)
    assert min(span["from_sweep"] for span in spans).date() < max(span["to_sweep"] for span in spans).date()
    length = max(span["to_sweep"] for span in spans) - min(span["from_sweep"] for span in spans)
    assert length == sweeps[4] - sweeps[2]
    assert day.facts("cluster_days", cluster="midnight")[0]["sweep_count"] == 2


def test_half_of_the_sweeps_lost_loses_no_counts(day: Analysed) -> None:
    for name in COUNTS:
        whole, half = (
            sum(row[name] or 0 for row in day.facts("broker_counters", cluster=cluster, kind="sweeps"))
            for cluster in ("follower331", "halved")
        )
        assert whole == half
    assert len(day.facts("broker_counters", cluster="halved", kind="sweeps")) == 4
    assert max(row["seconds"] for row in day.facts("broker_counters", cluster="halved", kind="sweeps")) > 20


def test_no_interval_is_lost_or_counted_twice(day: Analysed) -> None:
    spans = day.facts("broker_intervals", cluster="follower331", broker=2, kind="sweeps")
    ordered = sorted(spans, key=lambda span: span["to_sweep"])
    assert [span["from_at"] for span in ordered[1:]] == [span["to_at"] for span in ordered[:-1]]
    covered = sum((span["to_at"] - span["from_at"] for span in ordered), timedelta())
    assert covered == ordered[-1]["to_at"] - ordered[0]["from_at"]
