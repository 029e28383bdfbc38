"""Groups that do not settle on real brokers: one that waits for ever, members that are thrown out, and look-alikes."""

import json
from typing import Any

import pytest

from support.live.measured import Measured
from support.live.rebalances import (
    BUSY,
    CALM,
    GROUP,
    LATE,
    MEMBERS,
    RAN,
    REBALANCE_MS,
    SESSION_MS,
    SLOW,
    SLOW_GROUP,
    STUCK,
    SWEEPS,
    THROWN,
)

pytestmark = pytest.mark.timeout(1800)
affected = pytest.mark.scenario("rebalances")
NAME, ISSUE = "rebalance_storm", "KAFKA-12890"
UNSYNCED = "of that, time with the same members, no completed rebalance and no end by any timeout"


def states(measured: Measured, cluster: str, group: str) -> list[str]:
    """The states of a group at the sweeps that listed it."""
    rows = measured.facts("group_coordinators", cluster=cluster, group_id=group, listed=True)
    return [row["group_state"] for row in sorted(rows, key=lambda row: row["sweep_number"])]


def told(measured: Measured, cluster: str) -> str:
    """What the coordinator told the silent member of a cluster at last."""
    return str(json.loads((measured.home / RAN.format(cluster)).read_text()))


def figures(detection: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in detection["evidence"]}


@affected
def test_a_silent_leader_keeps_its_group_in_completing_rebalance(measured: Measured) -> None:
    """The member's heartbeats are answered without an error for longer than its rebalance timeout of 3 s."""
    assert told(measured, STUCK) == "NoError"
    assert states(measured, STUCK, GROUP) == ["CompletingRebalance"] * SWEEPS
    state = measured.state(STUCK, NAME)
    assert (state["state"], state["missing"]) == ("detected", [])
    (found,) = state["detections"]
    assert (found["cause"], found["strength"]) == ("completing", "conclusive")
    assert found["subjects"] == ["broker 1", f"group {GROUP}"]
    assert figures(found)["rebalances that the coordinator completed meanwhile"] == 0
    assert {row["groups_completing_rebalance"] for row in measured.raw("broker_metrics", STUCK)} == {1}


@affected
def test_the_known_issue_is_confirmed_since_no_timeout_ends_the_wait(measured: Measured) -> None:
    finding = measured.finding(STUCK, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "completing", "conclusive")
    assert finding["subjects"] == ["broker 1", f"group {GROUP}"]
    shown = figures(finding)
    assert shown[UNSYNCED] > max(SESSION_MS, REBALANCE_MS) / 1000
    assert not [one for one in measured.findings(STUCK) if one["advisory"] is None and one["signature"] == NAME]


@affected
def test_a_leader_that_takes_long_and_then_assigns_confirms_nothing(measured: Measured) -> None:
    seen = states(measured, LATE, "late")
    assert seen == ["CompletingRebalance"] * (SWEEPS // 2) + ["Stable"] * (SWEEPS // 2)
    (found,) = measured.state(LATE, NAME)["detections"]
    assert (found["cause"], found["strength"]) == ("completing", "conclusive"), "the group did stand still"
    assert UNSYNCED not in figures(found)
    finding = measured.finding(LATE, ISSUE)
    assert (finding["verdict"], finding["strength"]) == ("exposed", "suggestive")


@affected
def test_a_group_that_rebalances_all_the_time_confirms_nothing(measured: Measured) -> None:
    """Its coordinator counts what it completed, so that the sweeps met the state by chance."""
    assert states(measured, BUSY, "busy").count("CompletingRebalance") >= SWEEPS - 1
    counts = [row["completed_rebalances"] for row in measured.raw("broker_metrics", BUSY)]
    assert counts[-1] - counts[0] >= SWEEPS
    strengths = {one["cause"]: one["strength"] for one in measured.state(BUSY, NAME)["detections"]}
    assert strengths.get("completing", "suggestive") == "suggestive"
    assert measured.finding(BUSY, ISSUE)["verdict"] == "exposed"


@pytest.mark.scenario("rebalances-others")
@pytest.mark.sampled("rebalances-others")
def test_the_fixed_release_throws_the_member_out_and_is_quiet(measured: Measured) -> None:
    assert told(measured, THROWN) == "UnknownMemberIdError"
    seen = states(measured, THROWN, GROUP)
    assert (seen[0], seen[-1]) == ("CompletingRebalance", "Empty")
    assert measured.state(THROWN, NAME)["state"] == "quiet"
    assert measured.finding(THROWN, ISSUE)["verdict"] == "not_affected"


@pytest.mark.scenario("rebalances-others")
@pytest.mark.sampled("rebalances-others")
def test_consumers_that_poll_too_late_are_named(measured: Measured) -> None:
    """They come back over connections that they had, so that no restart explains it."""
    state = measured.state(SLOW, NAME)
    found = [one for one in state["detections"] if one["cause"] == "slow_members"]
    assert [one["strength"] for one in found] == ["conclusive"]
    assert f"group {SLOW_GROUP}" in found[0]["subjects"]
    assert [one for one in found[0]["subjects"] if one.startswith("client worker-")]
    shown = figures(found[0])
    came, made = (
        shown["members of the group that came in place of others within an hour"],
        shown["connections that the coordinator took meanwhile"],
    )
    assert came >= made + 4
    assert shown["members of the group"] <= MEMBERS
    assert [one["cause"] for one in state["detections"]] == ["slow_members"]


@pytest.mark.scenario("rebalances-others")
@pytest.mark.sampled("rebalances-others")
def test_a_job_that_is_alone_in_its_group_is_quiet(measured: Measured) -> None:
    changes = measured.facts("group_changes", cluster=CALM)
    assert {row["group_id"] for row in changes if row["times"] >= 4} == {"nightly"}
    assert {(row["is_classic"], row["is_static"]) for row in changes} == {(True, False)}
    state = measured.state(CALM, NAME)
    assert (state["state"], state["detections"], state["missing"]) == ("quiet", [], [])
