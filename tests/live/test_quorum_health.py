"""Real quorums of controllers: elections that repeat, a killed voter, one that joined by itself, and a quiet roll."""

from typing import Any

import pytest

from support.live.measured import Measured
from support.live.quorum import ELECTED, ELECTIONS, MISSING

pytestmark = pytest.mark.timeout(1800)
NAME = "quorum_health"
quorum = pytest.mark.scenario("quorum")


def detections(measured: Measured, cluster: str) -> dict[str, dict[str, Any]]:
    """Detections by cause."""
    return {one["cause"]: one for one in measured.state(cluster, NAME)["detections"]}


def figures(detection: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in detection["evidence"]}


@quorum
def test_elections_that_repeat_are_counted(measured: Measured) -> None:
    found = detections(measured, ELECTED)
    assert [(cause, one["strength"]) for cause, one in found.items()] == [("elections", "conclusive")]
    numbers = figures(found["elections"])
    assert numbers["sweeps that found another leader or epoch, while the voters' processes ran on"] == ELECTIONS
    assert numbers["epochs that passed in them"] >= ELECTIONS
    assert numbers["new active controllers that one process saw"] >= ELECTIONS
    assert measured.state(ELECTED, NAME)["missing"] == []


@quorum
def test_a_voter_that_is_killed_is_named(measured: Measured) -> None:
    (row,) = {row["node_id"] for row in measured.facts("quorum_nodes", cluster=MISSING) if row["start_ms"] is None}
    found = detections(measured, MISSING)
    assert [(cause, one["strength"]) for cause, one in found.items()] == [("missing_voter", "conclusive")]
    assert found["missing_voter"]["subjects"] == [f"broker {row}"]
    numbers = figures(found["missing_voter"])
    assert (numbers["voters of the quorum"], numbers["voters that do not fetch from the leader"]) == (3, 1)


@quorum
def test_one_fault_gives_one_finding(measured: Measured) -> None:
    for cluster in (ELECTED, MISSING):
        own = [(one["signature"], one["verdict"]) for one in measured.findings(cluster) if one["advisory"] is None]
        assert own == [(NAME, "look_alike")]
