"""Unclean elections on real brokers of 2.8.2: of a topic, and of the offsets log, from which groups then go back."""

import pytest

from support.live.measured import Measured
from support.live.stale import GROUP, STALE, WHOLE, read_again
from support.live.unclean import NAME, TOPIC

pytestmark = pytest.mark.timeout(1800)
unclean = [pytest.mark.scenario("unclean"), pytest.mark.sampled("unclean")]
stale = [pytest.mark.scenario("stale"), pytest.mark.sampled("stale")]


def found(measured: Measured, cluster: str) -> dict[str, str]:
    """Strength by cause of what offset_rewind detected."""
    return {one["cause"]: one["strength"] for one in measured.state(cluster, "offset_rewind")["detections"]}


@pytest.mark.parametrize("cluster", [pytest.param(NAME, marks=unclean)])
def test_the_loss_and_its_election_are_proven(measured: Measured, cluster: str) -> None:
    assert found(measured, cluster) == {"truncation": "conclusive", "unclean_election": "conclusive"}
    told = {one["cause"]: one for one in measured.state(cluster, "offset_rewind")["detections"]}
    elected = [one for one in told["unclean_election"]["subjects"] if one.startswith("partition ")]
    assert elected == [f"partition {TOPIC}-{number}" for number in range(3)]


@pytest.mark.parametrize("cluster", [pytest.param(STALE, marks=stale)])
def test_a_group_goes_back_with_the_leader_of_its_offsets_log(measured: Measured, cluster: str) -> None:
    again = read_again(measured.home, cluster)
    assert again > 100, "the group read records a second time"
    causes = found(measured, cluster)
    assert causes["stale_leader"] == causes["unclean_election"] == "conclusive"
    told = next(one for one in measured.state(cluster, "offset_rewind")["detections"] if one["cause"] == "stale_leader")
    assert f"group {GROUP}" in told["subjects"]
    assert told["bounds"]["records_back"] <= again, "commits after the sweep are lost too"
    own = [one for one in measured.findings(cluster) if one["advisory"] is None and one["cause"] == "stale_leader"]
    assert [one["verdict"] for one in own] == ["look_alike"]


@pytest.mark.parametrize("cluster", [pytest.param(WHOLE, marks=stale)])
def test_a_leader_that_was_in_sync_takes_no_group_back(measured: Measured, cluster: str) -> None:
    assert read_again(measured.home, cluster) == 0
    assert found(measured, cluster) == {}
    moved = {row["coordinator"] for row in measured.facts("group_coordinators", cluster=cluster, group_id=GROUP)}
    assert len(moved - {None}) == 2, "the coordinator moved as well"
