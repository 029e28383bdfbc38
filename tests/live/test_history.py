"""An imported day beside the collected one of the same brokers: the same symptom and counters, nothing invented."""

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest

from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.live.history import DAYS, NAME, OF, STEP_S
from support.live.measured import Measured
from support.live.prometheus import EVERY_S

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("history"), pytest.mark.sampled("history")]
COUNTERS = (
    "expired_consumer_fetches",
    "expired_follower_fetches",
    "messages_in",
    "bytes_in",
    "bytes_out",
    "isr_shrinks",
)
BUG = "KAFKA-14334"
READING = timedelta(seconds=EVERY_S)  # a scrape's time is that of its begin, and it may take its time-out


def said(measured: Measured) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((measured.home / "history/said.json").read_text())
    return found


def counted(text: str) -> dict[str, int]:
    """What the line of a cluster counts."""
    line = next(one for one in text.splitlines() if one.startswith(f"{NAME}: "))
    found = re.findall(r"(\d+) (sweeps imported|were there|without samples|not answered)", line)
    return {name: int(number) for number, name in found}


def test_the_import_is_done_and_a_second_one_adds_only_what_came_since(measured: Measured) -> None:
    first, again = said(measured)["first"], said(measured)["again"]
    assert [(one["code"], one["err"]) for one in (first, again)] == [(0, "")] * 2
    one, other = counted(first["out"]), counted(again["out"])
    assert one["sweeps imported"] >= 6
    assert (one["were there"], one["not answered"], other["not answered"]) == (0, 0, 0)
    assert other["were there"] == one["sweeps imported"]
    assert len(measured.raw("sweeps", NAME)) == one["sweeps imported"] + other["sweeps imported"]


def test_what_was_imported_says_so_and_what_was_collected_does_not(measured: Measured) -> None:
    for row in measured.raw("sweeps", NAME):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+ \(\d+\.\d+\.\S+\)", row["imported_from"])
        assert (row["admin_outcome"], row["admin_missing"]) == ("failed", ["every admin table"])
    assert {row["imported_from"] for row in measured.raw("sweeps", OF)} == {None}
    for table in ("topics", "broker_configs", "groups", "group_offsets", "hosts", "producers"):
        assert measured.raw(table, NAME) == []


def test_the_symptom_is_that_of_the_collected_day(measured: Measured) -> None:
    collected, imported = measured.state(OF, "fetch_latency"), measured.state(NAME, "fetch_latency")
    assert (collected["state"], imported["state"]) == ("detected", "detected")
    (one,), (other,) = collected["detections"], imported["detections"]
    assert (other["cause"], other["strength"]) == (one["cause"], "suggestive") == ("follower", "suggestive")
    assert {"broker 2", "topic orders"} == set(other["subjects"]) <= set(one["subjects"])
    shares = [next(line["value"] for line in found["evidence"] if "/" in line["metric"]) for found in (one, other)]
    assert shares[1] == pytest.approx(shares[0], abs=0.15)  # of windows that do not begin and end together
    assert any("consumer groups could not be read" in text for text in imported["missing"])


def test_the_release_is_told_where_the_exporter_shows_it(measured: Measured) -> None:
    releases = {row["broker"]: row["release"] for row in measured.raw("broker_metrics", NAME)}
    assert releases == {1: "3.3.1", 2: None}  # broker 2's exporter has no rules
    finding = measured.finding(NAME, BUG)
    assert (finding["verdict"], finding["exposure"]) == ("unknown", "unknown")
    assert "the release of broker 2 was not read" in finding["missing"]
    symptom = next(one for one in measured.findings(NAME) if one["advisory"] is None)
    assert (symptom["signature"], symptom["cause"]) == ("fetch_latency", "follower")


@pytest.mark.parametrize("signature", ["isr_stagnation", "offset_rewind", "partition_growth", "partition_skew"])
def test_what_prometheus_cannot_tell_is_not_evaluated(measured: Measured, signature: str) -> None:
    state = measured.state(NAME, signature)
    assert (state["state"], state["detections"]) == ("not_evaluated", [])
    assert state["missing"]


def ends(measured: Measured, cluster: str, table: str, *keys: str) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in sorted(measured.raw(table, cluster), key=lambda row: row["read_at"]):
        found.setdefault(tuple(row[key] for key in ("broker", *keys)), []).append(row)
    return found


def test_counters_lie_between_those_that_jolokia_read_before_and_after(measured: Measured) -> None:
    compared = 0
    tables = {"broker_metrics": ((), COUNTERS), "partitions": (("topic", "partition"), ("log_end_offset",)),
              "requests": (("request", "version"), ("requests",)), "listeners": (("listener", "network_processor"),
              ("connections_created",)), "request_times": (("request", "phase"), ("observations",))}  # fmt: skip
    for table, (keys, columns) in tables.items():
        collected, imported = (ends(measured, cluster, table, *keys) for cluster in (OF, NAME))
        assert imported.keys() <= collected.keys()
        for key, rows in imported.items():
            for row in rows:
                before = [one for one in collected[key] if one["read_at"] <= row["read_at"] - READING]
                after = [one for one in collected[key] if one["read_at"] >= row["read_at"] + READING]
                for column in columns:
                    value = row[column]
                    if value is None:  # Kafka registers some MBeans with their first event, until then Jolokia says 0
                        assert {one[column] for one in before} <= {None, 0}, (table, key, column, row["read_at"])
                        continue
                    assert all(one[column] is None or one[column] <= value for one in before)
                    assert all(one[column] >= value for one in after if one[column] is not None)
                    compared += 1
    assert compared > 200


def test_a_scrape_is_the_read_time_and_belongs_to_one_sweep(measured: Measured) -> None:
    rows = [row for row in measured.raw("brokers", NAME) if row["read_at"] is not None]
    assert all(row["sweep_at"] <= row["read_at"] < row["sweep_at"] + timedelta(seconds=STEP_S) for row in rows)
    assert len({(row["broker"], row["read_at"]) for row in rows}) == len(rows)
    starts = [{row["broker"]: row["jvm_start_ms"] for row in measured.raw("broker_metrics", c)} for c in (OF, NAME)]
    assert starts[0] == starts[1]  # to the ms, so that an imported and a collected sweep are of one process


def test_a_day_before_the_installation_has_the_samples_of_that_day(measured: Measured) -> None:
    home, past = measured.home / "history/home", said(measured)["past"]
    assert (past["code"], past["err"]) == (0, "")
    day = date.fromisoformat(past["day"])
    whole, damaged = manifests(home, day)
    assert (len(whole) >= 5, damaged) == (True, [])
    then = {(r["read_at"], r["broker"], r["topic"], r["partition"]): r for r in read_rows(home, whole, "partitions")}
    for row in measured.raw("partitions", NAME):
        at = (row["read_at"] - timedelta(days=DAYS), row["broker"], row["topic"], row["partition"])
        if at in then:  # the past day has the last minute
            assert (then[at]["log_end_offset"], then[at]["replicas_count"]) == (
                row["log_end_offset"],
                row["replicas_count"],
            )
    assert sum(1 for at, *_rest in then if at.date() == day) == len(then) > 20
