"""Groups of both protocols that do not settle, by each further cause, and a deployment that is none."""

import pytest

from support.live.measured import Measured
from support.live.unsettled import FLAPPING, GROUP, REDEPLOYED, SPINNING, SWEEPS, UNREADY, UNREVOKED

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("unsettled"), pytest.mark.sampled("unsettled")]
NAME = "rebalance_storm"


def states(measured: Measured, cluster: str, group: str = GROUP) -> list[str]:
    """Those of the group at the sweeps that listed it."""
    rows = measured.facts("group_coordinators", cluster=cluster, group_id=group, listed=True)
    return [row["group_state"] for row in sorted(rows, key=lambda row: row["sweep_number"])]


@pytest.mark.parametrize(
    ("cluster", "cause", "strength", "subjects"),
    [
        (UNREADY, "preparing", "conclusive", ["broker 1", f"group {GROUP}"]),
        (SPINNING, "same_members", "suggestive", ["broker 1"]),
        (UNREVOKED, "reconciling", "suggestive", ["broker 1", f"group {GROUP}"]),
        (FLAPPING, "restarts", "suggestive", ["broker 1", "client comes on 127.0.0.1", "group shipping"]),
    ],
)
def test_each_is_told_by_its_cause_and_by_no_other(
    measured: Measured, cluster: str, cause: str, strength: str, subjects: list[str]
) -> None:
    state = measured.state(cluster, NAME)
    found = [(one["cause"], one["strength"], sorted(one["subjects"])) for one in state["detections"]]
    assert (state["state"], found) == ("detected", [(cause, strength, subjects)])


@pytest.mark.parametrize(("cluster", "state"), [(UNREADY, "PreparingRebalance"), (UNREVOKED, "Reconciling")])
def test_a_member_that_does_not_do_its_part_keeps_its_group_in_one_state(
    measured: Measured, cluster: str, state: str
) -> None:
    assert states(measured, cluster) == [state] * SWEEPS


def test_the_coordinator_counted_what_the_one_member_did(measured: Measured) -> None:
    counts = [row["completed_rebalances"] for row in measured.raw("broker_metrics", SPINNING)]
    assert counts[-1] - counts[0] > 100


def test_a_deployment_of_a_group_of_the_new_protocol_is_quiet(measured: Measured) -> None:
    changes = measured.facts("group_changes", cluster=REDEPLOYED, group_id=GROUP)
    assert sorted(row["client_id"] for row in changes if row["joined"]) == ["web-0", "web-1", "web-2"]
    assert states(measured, REDEPLOYED)[-1] == "Stable"
    state = measured.state(REDEPLOYED, NAME)
    assert (state["state"], state["detections"]) == ("quiet", [])
