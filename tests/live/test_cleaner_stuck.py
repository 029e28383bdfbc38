"""Cleaners of real brokers that compact one log for ever at 2.1.0 and 2.5.0, and that do not at 2.8.2."""

from typing import Any

import pytest

from support.live.cleaner import BELOW, DELETED, FIXED, FOLLOWER, GAPS, LEADER, SWEEPS
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("cleaner")]
NAME = "cleaner_stuck"


def figures(found: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in found["evidence"]}


def dirty(measured: Measured, cluster: str, broker: int) -> list[float]:
    """The dirtiest log's share at each sweep."""
    rows = measured.facts("broker_sweeps", cluster=cluster, broker=broker)
    return [row["cleaner_max_dirty_percent"] for row in sorted(rows, key=lambda row: row["sweep_at"])]


def test_a_replica_with_offset_gaps_is_compacted_for_ever_on_its_broker_alone(measured: Measured) -> None:
    finding = measured.finding(GAPS, "KAFKA-8764")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "loop", "conclusive")
    assert finding["subjects"] == [f"broker {FOLLOWER}"]
    told = figures(finding)
    assert told["dirty share of the dirtiest log"] == 100, "the whole log is compacted again"
    assert told["dirty share below which no log is compacted (least min.cleanable.dirty.ratio)"] == 10
    assert all(share == 100 or 10 < share <= 50 for share in dirty(measured, GAPS, FOLLOWER)), (
        "in the pass between, the segment with the gap counts as clean and as dirty"
    )
    assert dirty(measured, GAPS, LEADER) == [0] * SWEEPS
    assert measured.finding(GAPS, "OPS-LOG-CLEANER")["verdict"] == "not_affected", "it is alive"


@pytest.mark.scenario("cleaner-others")
@pytest.mark.sampled("cleaner-others")
def test_the_same_gaps_and_deleted_records_are_nothing_to_a_release_with_the_fixes(measured: Measured) -> None:
    state = measured.state(FIXED, NAME)
    assert (state["state"], state["detections"]) == ("quiet", [])
    assert max(dirty(measured, FIXED, FOLLOWER)) <= 10


@pytest.mark.scenario("cleaner-others")
@pytest.mark.sampled("cleaner-others")
def test_the_active_segment_is_taken_for_ever_after_records_of_it_were_deleted(measured: Measured) -> None:
    finding = measured.finding(DELETED, "KAFKA-9826")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "loop", "conclusive")
    told = figures(finding)
    assert told["dirty share of the dirtiest log"] == 50
    assert told["written by the last passes, of what they read"] == 0, "a pass does nothing"
    assert dirty(measured, DELETED, LEADER) == [50] * SWEEPS


@pytest.mark.scenario("cleaner-others")
@pytest.mark.sampled("cleaner-others")
def test_logs_that_wait_are_not_stuck(measured: Measured) -> None:
    state = measured.state(BELOW, NAME)
    assert (state["state"], state["detections"]) == ("quiet", [])
    shares = dirty(measured, BELOW, LEADER)
    assert len(set(shares)) == 1, "it is as dirty at each read"
    assert shares[0] > 10, "dirtier than the ratio of other topics"
    assert state["missing"] == [
        "open transactions were not read twice, so that those which hold a compacted partition back are not looked "
        "for; brokers tell of them from 3.0 on"
    ]
