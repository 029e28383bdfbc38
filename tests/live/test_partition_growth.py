"""Partitions added to a topic of a real broker: who skipped, how many records, and when that is proven."""

import pytest

from support.live.measured import Measured
from support.live.offsets import DECLARED, EARLY, LATE, NAME, TOPIC, truth

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("offsets")]
ADDED = [f"partition {TOPIC}-{number}" for number in (2, 3)]


def test_the_skip_is_confirmed_where_latest_is_declared(measured: Measured) -> None:
    finding = measured.finding(DECLARED, "KAFKA-12261")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "growth", "conclusive")
    assert f"group {LATE}" in finding["subjects"]
    assert f"topic {TOPIC}" in finding["subjects"]
    assert set(ADDED) & set(finding["subjects"]), "where records were there before the group began"


def test_the_bounds_hold_what_the_reader_missed(measured: Measured) -> None:
    skipped, finding = truth(measured.home)["skipped"], measured.finding(DECLARED, "KAFKA-12261")
    found, suspected = finding["bounds"], measured.finding(NAME, "KAFKA-12261")["bounds"]
    assert skipped > 0
    assert 0 < found["skipped_at_least"] <= skipped
    # what is proven names partitions that had records before; what was skipped of all of them is within the suspicion
    assert skipped <= (found if set(ADDED) <= set(finding["subjects"]) else suspected)["skipped_at_most"]


def test_undeclared_it_stays_a_suspicion(measured: Measured) -> None:
    finding = measured.finding(NAME, "KAFKA-12261")
    # a fast reader with reset earliest shows the same first commit, as the other group did
    assert (finding["verdict"], finding["strength"]) == ("exposed", "suggestive")
    assert {f"group {LATE}", f"group {EARLY}"} <= set(finding["subjects"])
    assert finding["bounds"]["skipped_at_least"] == 0
    rows = {row["group_id"]: row for row in measured.facts("group_starts", cluster=NAME, partition=2)}
    assert set(rows) == {LATE, EARLY}
    assert all(row["partition_added"] and row["topic_read_before"] for row in rows.values())


def test_no_advisory_on_expired_offsets_is_blamed(measured: Measured) -> None:
    finding = measured.finding(DECLARED, "CFG-OFFSETS-RETENTION")
    assert finding["verdict"] == "not_affected"
    assert {d["cause"] for d in measured.state(DECLARED, "partition_growth")["detections"]} == {"growth"}
