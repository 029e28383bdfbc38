"""Coordinators of real brokers that load for ever, cannot be loaded or made, and logs of offsets that only grow."""

from typing import Any

import pytest

from kafka_fleet.knowledge.releases import apache_release
from support.live.coordinators import BUFFER, CALM, FAILED, LOADED, NOBODY, OFFSETS, STUCK, SWEEPS
from support.live.measured import Measured
from support.live.owned import LOADED as BESIDE
from support.live.owned import OWNED

pytestmark = pytest.mark.timeout(1800)
NAME = "coordinator_down"
TWICE = "loads that failed since a partition or task seemed to have two owners"
OF_CONSUMERS = "loads that failed since records of a consumer group came upon a group of another type"


def found(measured: Measured, cluster: str) -> list[tuple[str, str, list[str]]]:
    """Causes, strengths and subjects of what is detected."""
    state = measured.state(cluster, NAME)
    return [(one["cause"], one["strength"], one["subjects"]) for one in state["detections"]]


def figures(finding: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in finding["evidence"]}


@pytest.mark.scenario("coordinators")
def test_a_batch_beyond_the_load_buffer_keeps_a_coordinator_of_1_1_loading(measured: Measured) -> None:
    assert found(measured, STUCK) == [("loading", "conclusive", ["broker 1", f"topic {OFFSETS}"])]
    finding = measured.finding(STUCK, "KAFKA-7286")
    told = finding["verdict"], finding["cause"], finding["strength"]
    assert told == ("exposed", "loading", "suggestive"), "a load that takes long would look the same"
    (own,) = [one for one in measured.findings(STUCK) if one["advisory"] is None and one["signature"] == NAME]
    assert figures(own)["answers without a coordinator in that time"] >= SWEEPS
    (log,) = {row["size_bytes"] for row in measured.raw("partitions", STUCK) if row["topic"] == OFFSETS}
    assert log > BUFFER


@pytest.mark.scenario("coordinators-others")
@pytest.mark.sampled("coordinators-others")
def test_the_same_log_is_loaded_by_the_release_with_the_fix_after_a_restart(measured: Measured) -> None:
    state = measured.state(LOADED, NAME)
    assert (state["state"], state["detections"], state["missing"]) == ("quiet", [], [])
    assert measured.finding(LOADED, "KAFKA-7286")["verdict"] == "not_affected"


@pytest.mark.scenario("coordinators-others")
@pytest.mark.sampled("coordinators-others")
def test_a_topic_that_cannot_be_made_and_a_log_that_nobody_compacts(measured: Measured) -> None:
    assert sorted(found(measured, NOBODY)) == [
        ("growing", "conclusive", ["broker 1", f"topic {OFFSETS}"]),
        ("unavailable", "suggestive", ["broker 1", f"topic {OFFSETS}"]),
    ]
    assert measured.finding(NOBODY, "OPS-LOG-CLEANER")["verdict"] == "exposed", "which says why it grows"


@pytest.mark.scenario("coordinators-others")
@pytest.mark.sampled("coordinators-others")
def test_a_log_that_a_coordinator_of_4_0_cannot_load(measured: Measured) -> None:
    assert found(measured, FAILED) == [("failed", "conclusive", ["broker 1", f"topic {OFFSETS}"])]
    finding = measured.finding(FAILED, "KAFKA-21117")
    assert (finding["verdict"], finding["cause"]) == ("exposed", "failed"), "this log was written by a test"
    assert figures(finding)[OF_CONSUMERS] >= 1
    other = measured.finding(FAILED, "KAFKA-19862")
    assert (other["verdict"], other["cause"]) == ("exposed", None), "the exception is another one"
    assert {row["offsets_failed"] for row in measured.raw("broker_metrics", FAILED)} == {1}


@pytest.mark.scenario("coordinators-others")
@pytest.mark.sampled("coordinators-others")
def test_a_broker_of_4_0_that_was_restarted_is_quiet(measured: Measured) -> None:
    state = measured.state(CALM, NAME)
    assert (state["state"], state["detections"], state["missing"]) == ("quiet", [], [])
    assert {row["offsets_failed"] for row in measured.raw("broker_metrics", CALM)} == {0}


@pytest.mark.scenario("owned")
@pytest.mark.sampled("owned")
def test_a_load_beside_compaction_fails_at_4_1_1_and_its_log_line_confirms_it(measured: Measured) -> None:
    assert found(measured, OWNED) == [("failed", "conclusive", ["broker 2", f"topic {OFFSETS}"])]
    finding = measured.finding(OWNED, "KAFKA-19862")
    told = finding["verdict"], finding["cause"], finding["strength"], finding["release"]
    assert told == ("confirmed", "failed", "conclusive", "4.1.1")
    assert figures(finding)[TWICE] == 1
    (line,) = [one for one in finding["evidence"] if one["metric"] == TWICE]
    assert line["mbean"].startswith("log line: Failed to load metadata")
    assert apache_release(finding["upgrade_to"]) >= apache_release("4.1.2")
    other = measured.finding(OWNED, "KAFKA-21117")
    assert (other["verdict"], other["cause"]) == ("exposed", None), "its own line is another one"


@pytest.mark.scenario("owned")
@pytest.mark.sampled("owned")
def test_the_same_load_ends_well_at_4_2_0(measured: Measured) -> None:
    state = measured.state(BESIDE, NAME)
    assert (state["state"], state["detections"], state["missing"]) == ("quiet", [], [])
    assert measured.finding(BESIDE, "KAFKA-19862")["verdict"] == "not_affected"
    marks = {row["mark"] for row in measured.facts("log_marks", cluster=BESIDE)}
    assert not {one for one in marks if one.startswith("load_")}
