"""Offsets of a stopped group set back on a real broker: an operator's reset, and no fault of the coordinator."""

import pytest

from support.live.measured import Measured, of_scenario
from support.live.offsets import EARLY, LATE, NAME, TOPIC, truth

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("offsets")]


def test_the_reset_is_found_as_one(measured: Measured) -> None:
    result = measured.state(NAME, "offset_rewind")
    assert [(d["cause"], d["strength"]) for d in result["detections"]] == [("manual", "conclusive")]
    detection = result["detections"][0]
    assert detection["subjects"] == [f"group {EARLY}", f"topic {TOPIC}"]
    assert f"group {LATE}" not in detection["subjects"]
    assert detection["bounds"]["records_back"] == truth(measured.home)["rewound"]


def test_the_group_was_empty_and_its_coordinator_stood_still(measured: Measured) -> None:
    rows = measured.facts("offset_rewinds", cluster=NAME)
    assert len(rows) == 4
    for row in rows:
        assert (row["from_group_state"], row["group_state"]) == ("Empty", "Empty")
        assert (row["coordinator"], row["coordinator_loaded"], row["same_topic"]) == (1, False, True)
        assert row["committed_offset"] == 10


@pytest.mark.parametrize("cluster", [of_scenario("offsets", NAME), of_scenario("look-alikes", "crowd331")])
def test_the_computed_coordinator_is_the_real_one(measured: Measured, cluster: str) -> None:
    held = {
        row["broker"]: row["groups"]
        for row in measured.raw("broker_metrics", cluster)
        if row["sweep_at"] == max(one["sweep_at"] for one in measured.raw("sweeps", cluster))
    }
    last = max(row["sweep_at"] for row in measured.facts("group_coordinators", cluster=cluster))
    listed = measured.facts("group_coordinators", cluster=cluster, sweep_at=last, listed=True)
    assert listed
    for broker, groups in held.items():
        assert len([row for row in listed if row["coordinator"] == broker]) == groups


def test_it_is_a_finding_of_its_own(measured: Measured) -> None:
    own = [f for f in measured.findings(NAME) if f["advisory"] is None and f["signature"] == "offset_rewind"]
    assert [(f["cause"], f["verdict"]) for f in own] == [("manual", "look_alike")]
