"""Groups of both protocols that do not settle, by each further cause, and a deployment that is none."""

from typing import Any

import pytest

from support.live.measured import Measured
from support.live.unsettled import FLAPPING, GROUP, REDEPLOYED, SPINNING, SWEEPS, UNREADY, UNREVOKED

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("unsettled"), pytest.mark.sampled("unsettled")]
NAME = "rebalance_storm"


def found(measured: Measured, cluster: str) -> dict[str, Any]:
    """The one detection that there is."""
    state = measured.state(cluster, NAME)
    assert state["state"] == "detected"
    (one,) = state["detections"]
    return dict(one)


def states(measured: Measured, cluster: str, group: str = GROUP) -> list[str]:
    """Those of the group at the sweeps that listed it."""
    rows = measured.facts("group_coordinators", cluster=cluster, group_id=group, listed=True)
    return [row["group_state"] for row in sorted(rows, key=lambda row: row["sweep_number"])]


def test_a_member_that_does_not_join_again_keeps_its_group_in_preparing_rebalance(measured: Measured) -> None:
    assert states(measured, UNREADY) == ["PreparingRebalance"] * SWEEPS
    one = found(measured, UNREADY)
    assert (one["cause"], one["strength"]) == ("preparing", "conclusive")
    assert one["subjects"] == ["broker 1", f"group {GROUP}"]


def test_rebalances_that_no_new_client_explains_are_told_by_the_coordinator(measured: Measured) -> None:
    one = found(measured, SPINNING)
    assert (one["cause"], one["strength"]) == ("same_members", "suggestive")
    assert one["subjects"] == ["broker 1"]
    counts = [row["completed_rebalances"] for row in measured.raw("broker_metrics", SPINNING)]
    assert counts[-1] - counts[0] > 100


def test_a_member_of_the_new_protocol_that_gives_nothing_up_keeps_its_group_reconciling(measured: Measured) -> None:
    assert states(measured, UNREVOKED) == ["Reconciling"] * SWEEPS
    one = found(measured, UNREVOKED)
    assert (one["cause"], one["strength"]) == ("reconciling", "suggestive")
    assert one["subjects"] == ["broker 1", f"group {GROUP}"]


def test_a_deployment_of_a_group_of_the_new_protocol_is_quiet(measured: Measured) -> None:
    changes = measured.facts("group_changes", cluster=REDEPLOYED, group_id=GROUP)
    assert sorted(row["client_id"] for row in changes if row["joined"]) == ["web-0", "web-1", "web-2"]
    assert states(measured, REDEPLOYED)[-1] == "Stable"
    state = measured.state(REDEPLOYED, NAME)
    assert (state["state"], state["detections"]) == ("quiet", [])


def test_a_member_that_comes_and_goes_beside_one_that_stays_is_suggested(measured: Measured) -> None:
    one = found(measured, FLAPPING)
    assert (one["cause"], one["strength"]) == ("restarts", "suggestive")
    assert sorted(one["subjects"]) == ["broker 1", "client comes on 127.0.0.1", "group shipping"]
