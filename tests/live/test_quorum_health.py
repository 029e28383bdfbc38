"""Real quorums of controllers: elections that repeat, a killed voter, one that joined by itself, and a quiet roll."""

from typing import Any

import pytest

from fleet_demo.cluster import CONTROLLER_ID
from support.live.bugs370 import GONE, UNWRITABLE
from support.live.joined_quorum import HOSTS, JOINED, ROLLED
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
    leaders = {row["node_id"] for row in measured.facts("quorum_nodes", cluster=ELECTED) if row["is_leader"]}
    assert set(found["elections"]["subjects"]) <= {f"broker {node}" for node in leaders}
    assert len(found["elections"]["subjects"]) == 1
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


@pytest.mark.scenario("quorum-joined")
@pytest.mark.sampled("quorum-joined")
def test_controllers_that_joined_by_themselves_are_found_and_read(measured: Measured) -> None:
    rows = {row["broker"]: row for row in measured.raw("brokers", JOINED)}
    assert {node: row["is_broker"] for node, row in rows.items()} == {1: True, CONTROLLER_ID: False} | dict.fromkeys(
        HOSTS, False
    )
    assert all(row["read_at"] for row in rows.values())
    assert {node: row["jolokia_url"].split(":")[1] for node, row in rows.items() if node in HOSTS} == {
        node: f"//{host}" for node, host in HOSTS.items()
    }
    voters = {row["node_id"]: row for row in measured.facts("quorum_nodes", cluster=JOINED) if row["is_voter"]}
    assert set(voters) == {CONTROLLER_ID, *HOSTS}
    assert all(row["directory_id"] and row["start_ms"] for row in voters.values())
    assert measured.state(JOINED, NAME)["state"] == "quiet"
    assert measured.state(JOINED, NAME)["missing"] == []


@pytest.mark.scenario("quorum-joined")
@pytest.mark.sampled("quorum-joined")
def test_a_roll_of_all_controllers_is_quiet_although_each_was_away_and_the_epoch_rose(measured: Measured) -> None:
    """The one that leads is the last; the quorum is not described while it is away."""
    rows = [row for row in measured.facts("quorum_nodes", cluster=ROLLED) if row["is_voter"]]
    assert {row["node_id"] for row in rows if row["start_ms"] is None} >= set(HOSTS)
    starts = {(row["node_id"], row["start_ms"]) for row in rows if row["start_ms"] is not None}
    assert sorted(node for node, _start in starts) == sorted([CONTROLLER_ID, *HOSTS] * 2)
    assert max(row["leader_epoch"] for row in rows) > min(row["leader_epoch"] for row in rows)
    assert measured.state(ROLLED, NAME)["state"] == "quiet"


@pytest.mark.scenario("quorum-bugs")
@pytest.mark.sampled("quorum-bugs")
def test_a_snapshot_that_cannot_be_written_confirms_its_bug(measured: Measured) -> None:
    found = measured.finding(UNWRITABLE, "KAFKA-16583")
    assert (found["verdict"], found["cause"], found["strength"]) == ("confirmed", "metadata_errors", "conclusive")
    assert found["subjects"] == ["broker 1", "broker 2"]
    assert figures(found)["errors on loading or applying metadata since these processes began"] >= 2
    assert [one["signature"] for one in measured.findings(UNWRITABLE) if one["advisory"] is None] == []


@pytest.mark.scenario("quorum-bugs")
@pytest.mark.sampled("quorum-bugs")
def test_assignments_of_deleted_topics_point_to_their_bug(measured: Measured) -> None:
    found = measured.finding(GONE, "KAFKA-17190")
    assert (found["verdict"], found["cause"], found["strength"]) == ("exposed", "assignments", "suggestive")
    assert found["subjects"] == ["broker 1"]
    assert figures(found)["assignments of directories that wait for the controller, at most"] >= 1
