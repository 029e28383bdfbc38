"""A broker of 4.1.1 that fetches the metadata log and does not apply it, and the same one while it catches up."""

import pytest

from support.inspection.detections import by_cause, figures
from support.live.lagging import BEHIND, CAUGHT, EVERY_S, LATE, SWEEPS
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("lagging"), pytest.mark.sampled("lagging")]
NAME = "quorum_health"


def test_a_broker_that_does_not_apply_metadata_is_behind(measured: Measured) -> None:
    found = by_cause(measured, BEHIND, NAME)
    assert [(cause, one["strength"]) for cause, one in found.items()] == [("lag", "conclusive")]
    assert found["lag"]["subjects"] == [f"broker {LATE}"]
    shown = figures(found["lag"])
    assert shown["longest time for which a node was behind the log of the sweep before"] >= EVERY_S * (SWEEPS - 2)
    assert shown["records of the metadata log that a node was behind, at most"] > 0
    rows = measured.facts("quorum_nodes", cluster=BEHIND, node_id=LATE)
    (applied,) = {row["applied_metadata_offset"] for row in rows}
    ends = [row["high_watermark"] for row in rows]
    assert max(ends) > min(ends) > applied


def test_a_broker_that_goes_on_that_was_paused_or_has_just_started_is_quiet(measured: Measured) -> None:
    rows = measured.facts("broker_sweeps", cluster=CAUGHT, broker=LATE)
    assert len({row["start_ms"] for row in rows if row["read_at"] is not None}) == 2
    state = measured.state(CAUGHT, NAME)
    assert (state["state"], state["detections"], state["missing"]) == ("quiet", [], [])
