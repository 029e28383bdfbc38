"""Partitions added to a topic of a real broker, and offsets that expired: who skipped, how much, and what is proven."""

import pytest

from support.live.expired import EXPIRED, GROUP, KEPT, MEANWHILE, OTHER, UNSEEN, result
from support.live.measured import Measured
from support.live.offsets import DECLARED, EARLY, LATE, NAME, TOPIC, truth

pytestmark = pytest.mark.timeout(1800)
offsets = pytest.mark.scenario("offsets")
ISSUE = "KAFKA-13636"
ADDED = [f"partition {TOPIC}-{number}" for number in (2, 3)]


@offsets
def test_the_skip_is_confirmed_where_latest_is_declared(measured: Measured) -> None:
    finding = measured.finding(DECLARED, "KAFKA-12261")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "growth", "conclusive")
    assert f"group {LATE}" in finding["subjects"]
    assert f"topic {TOPIC}" in finding["subjects"]
    assert set(ADDED) & set(finding["subjects"]), "where records were there before the group began"


@offsets
def test_the_bounds_hold_what_the_reader_missed(measured: Measured) -> None:
    skipped, finding = truth(measured.home)["skipped"], measured.finding(DECLARED, "KAFKA-12261")
    found, suspected = finding["bounds"], measured.finding(NAME, "KAFKA-12261")["bounds"]
    assert skipped > 0
    assert 0 < found["skipped_at_least"] <= skipped
    # what is proven names partitions that had records before; what was skipped of all of them is within the suspicion
    assert skipped <= (found if set(ADDED) <= set(finding["subjects"]) else suspected)["skipped_at_most"]


@offsets
def test_undeclared_it_stays_a_suspicion(measured: Measured) -> None:
    finding = measured.finding(NAME, "KAFKA-12261")
    # a fast reader with reset earliest shows the same first commit, as the other group did
    assert (finding["verdict"], finding["strength"]) == ("exposed", "suggestive")
    assert {f"group {LATE}", f"group {EARLY}"} <= set(finding["subjects"])
    assert finding["bounds"]["skipped_at_least"] == 0
    rows = {row["group_id"]: row for row in measured.facts("group_starts", cluster=NAME, partition=2)}
    assert set(rows) == {LATE, EARLY}
    assert all(row["partition_added"] and row["topic_read_before"] for row in rows.values())


@offsets
def test_no_advisory_on_expired_offsets_is_blamed(measured: Measured) -> None:
    finding = measured.finding(DECLARED, "CFG-OFFSETS-RETENTION")
    assert finding["verdict"] == "not_affected"
    assert {d["cause"] for d in measured.state(DECLARED, "partition_growth")["detections"]} == {"growth"}


@pytest.mark.scenario("expired")
@pytest.mark.sampled("expired")
def test_an_offset_that_expired_in_a_rebalance_of_2_8_1_is_confirmed(measured: Measured) -> None:
    """The group had the partition seconds before, nobody deleted anything, and it completed no rebalance meanwhile."""
    assert result(measured.home, EXPIRED) == 0, "the group skipped all of it"
    finding = measured.finding(EXPIRED, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "expired_in_use", "conclusive")
    assert finding["subjects"] == [f"group {GROUP}", "topic orders", "partition orders-0"]
    assert finding["bounds"]["skipped_at_least"] == finding["bounds"]["skipped_at_most"] == MEANWHILE


@pytest.mark.scenario("expired")
@pytest.mark.sampled("expired")
def test_a_group_that_read_another_topic_loses_its_offset_by_design(measured: Measured) -> None:
    assert result(measured.home, OTHER) == 0, "the group skipped all of it, as after the fault"
    assert measured.finding(OTHER, ISSUE)["verdict"] == "exposed"
    causes = {found["cause"] for found in measured.state(OTHER, "partition_growth")["detections"]}
    assert causes == {"offsets_expired"}
    assert {row["rebalances"] for row in measured.facts("returns_in_use", cluster=OTHER)} == {1}


@pytest.mark.scenario("expired")
@pytest.mark.sampled("expired")
def test_the_same_steps_at_2_8_2_skip_nothing(measured: Measured) -> None:
    assert result(measured.home, KEPT) == MEANWHILE
    assert measured.state(KEPT, "partition_growth")["state"] == "quiet"
    assert measured.finding(KEPT, ISSUE)["verdict"] == "not_affected"


@pytest.mark.scenario("expired")
@pytest.mark.sampled("expired")
def test_between_two_sweeps_the_same_is_not_seen(measured: Measured) -> None:
    """Nothing but the count of expired offsets tells of it, and the page of the signature says so."""
    assert {row["offset_expirations"] for row in measured.raw("broker_metrics", UNSEEN)} == {0, 1}
    assert measured.finding(UNSEEN, ISSUE)["verdict"] == "exposed"
    assert measured.state(UNSEEN, "partition_growth")["detections"] == []
