"""Deployments, autoscalers, static members and rolls of brokers at 3.9.1, none of which is a storm of rebalances."""

from typing import Any

import pytest

from support.live.measured import Measured
from support.live.settled import DEPLOYED, EMPTY, GROUP, MEMBERS, ROLLED, SCALED, STARTS, STATIC

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("settled"), pytest.mark.sampled("settled")]


def changes(measured: Measured, cluster: str) -> list[dict[str, Any]]:
    """What became of the group's members between sweeps, by client."""
    return measured.facts("group_changes", cluster=cluster, group_id=GROUP)


@pytest.mark.parametrize("cluster", [DEPLOYED, SCALED, STATIC, ROLLED])
def test_they_are_quiet(measured: Measured, cluster: str) -> None:
    state = measured.state(cluster, "rebalance_storm")
    assert (state["state"], state["detections"]) == ("quiet", [])
    listed = measured.facts("group_coordinators", cluster=cluster, group_id=EMPTY, listed=True)
    assert {row["group_state"] for row in listed} == {"Empty"}


def test_the_deployment_replaced_each_client_once(measured: Measured) -> None:
    replaced = [row["client_id"] for row in changes(measured, DEPLOYED) if row["replaced"]]
    assert sorted(replaced) == [f"web-{number}" for number in range(MEMBERS)]


def test_the_autoscaler_brought_new_clients_all_the_time(measured: Measured) -> None:
    rows = changes(measured, SCALED)
    assert len({row["client_id"] for row in rows if row["joined"]}) == STARTS
    assert sum(row["departed"] for row in rows) == STARTS // 2


def test_the_static_member_had_another_id_at_each_sweep(measured: Measured) -> None:
    rows = [row for row in changes(measured, STATIC) if row["client_id"] == "static"]
    assert [(row["is_static"], row["replaced"]) for row in rows] == [(True, 1)] * STARTS


def test_the_members_outlived_the_roll(measured: Measured) -> None:
    starts = {
        (row["broker"], row["start_ms"]) for row in measured.facts("broker_sweeps", cluster=ROLLED, is_broker=True)
    }
    assert len({one for one in starts if one[1] is not None}) == 4, "two processes of each broker"
    moved = measured.facts("group_coordinators", cluster=ROLLED, group_id=GROUP, listed=True)
    assert len({row["coordinator"] for row in moved}) == 2, "the coordinator moved"
    assert not [row for row in changes(measured, ROLLED) if row["joined"]]
