"""Partitions whose replicas in sync are lost: one that its controller leaves alone, and unclean elections."""

import pytest

from support.inspection.detections import by_cause, figures
from support.live.measured import Measured
from support.live.unled import ALLOWED, ELECTED, ELIGIBLE, FORBIDDEN, LEADER, UNLED, UNSEEN

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("unled"), pytest.mark.sampled("unled")]
NAME, ISSUE = "availability", "KRAFT-UNCLEAN-CONFIG"


def test_a_controller_before_3_9_elects_nobody_although_it_may(measured: Measured) -> None:
    found = by_cause(measured, UNLED, NAME)
    assert {cause: one["strength"] for cause, one in found.items()} == {
        "not_elected": "conclusive",
        "offline": "conclusive",
    }
    unled, offline = found["not_elected"], found["offline"]
    assert unled["subjects"] == [f"broker {LEADER}", f"topic {ALLOWED}", f"partition {ALLOWED}-0"]
    assert figures(unled)["partitions without a leader although a replica that may lead is up"] == 1
    assert offline["subjects"] == [f"broker {LEADER}", f"topic {FORBIDDEN}", f"partition {FORBIDDEN}-0"], (
        "its topic forbids unclean elections, so that nobody who may lead is up"
    )
    finding = measured.finding(UNLED, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "not_elected", "conclusive")


def test_a_controller_with_the_fix_elects_and_whom_it_elected_is_told_by_offset_rewind(measured: Measured) -> None:
    assert set(by_cause(measured, ELECTED, NAME)) == {"offline"}, "of the topic that forbids it alone"
    told = by_cause(measured, ELECTED, "offset_rewind")["unclean_election"]
    assert told["strength"] == "conclusive"
    assert f"partition {ALLOWED}-0" in told["subjects"]
    assert measured.finding(ELECTED, ISSUE)["verdict"] == "not_affected"


def test_an_election_between_two_sweeps_is_told_by_its_count(measured: Measured) -> None:
    (found,) = by_cause(measured, UNSEEN, NAME).values()
    assert (found["cause"], found["strength"]) == ("unclean_election", "conclusive")
    assert found["subjects"] == [f"topic {ALLOWED}"], "of the topics those that allow it"
    assert figures(found)["unclean elections that the controllers counted"] == 1


def test_a_last_leader_of_eligible_replicas_is_counted_and_not_told(measured: Measured) -> None:
    counted = [row for row in measured.facts("unclean_elections", cluster=ELIGIBLE) if row["unclean_elections"]]
    assert counted, "the controller counted it"
    assert {row["exact_elections"] for row in counted} == {None}
    state = measured.state(ELIGIBLE, NAME)
    assert (state["state"], state["detections"]) == ("quiet", [])
    assert measured.state(ELIGIBLE, "offset_rewind")["state"] == "quiet"
