"""Real stops at 2.8.2: a kill is told from a controlled shutdown, and producer ids that KAFKA-12964 lost are named."""

from typing import Any

import pytest

from support.live.lost_ids import EARLY, FOLLOWER, KEPT, LOST, result
from support.live.measured import Measured
from support.live.zk28 import CONTROLLER, DEAD, KILLED, ROLLED

pytestmark = pytest.mark.timeout(1800)
stops = pytest.mark.scenario("stops")


def restarts(measured: Measured, cluster: str) -> list[dict[str, Any]]:
    return sorted(measured.facts("restarts", cluster=cluster), key=lambda row: row["to_sweep"])


@stops
def test_a_killed_broker_is_found_and_the_rolled_one_beside_it_is_not(measured: Measured) -> None:
    killed, rolled = restarts(measured, KILLED)
    assert (killed["controlled_shutdowns"], killed["stops"], killed["was_controller"]) == (0, 1, False)
    assert rolled["broker"] != killed["broker"]
    assert rolled["controlled_shutdowns"] >= 1
    found = [one for one in measured.findings(KILLED) if one["signature"] == "unclean_restart" and not one["advisory"]]
    assert [(one["cause"], one["strength"], one["subjects"]) for one in found] == [
        ("killed", "suggestive", [f"broker {killed['broker']}"])
    ]
    lines = {line["metric"]: line for line in found[0]["evidence"]}
    assert lines["controlled shutdowns that the controller counted meanwhile"]["value"] == 0
    start = lines["start-up, from the JVM's start to the end of the broker's"]
    assert 0 < start["value"] < 120
    assert start["where"] == f"broker {killed['broker']}"


@stops
def test_a_kill_alone_never_confirms_lost_producer_state(measured: Measured) -> None:
    finding = measured.finding(KILLED, "KAFKA-12964")
    assert (finding["verdict"], finding["exposure"], finding["cause"]) == ("exposed", "exposed", "killed")
    assert finding["strength"] == "suggestive"
    assert finding["evidence"]


@stops
def test_the_killed_broker_still_knew_its_producer_ids(measured: Measured) -> None:
    asked = measured.raw("producers", KILLED)
    assert {row["topic"] for row in asked} == {"orders"}
    assert {row["producer_id"] is None for row in asked} == {False}
    rows = measured.facts("lost_producers", cluster=KILLED)
    assert rows
    assert all(row["known_ids"] > 0 and row["lost_ids"] == 0 for row in rows)


@stops
def test_a_controlled_roll_is_quiet(measured: Measured) -> None:
    state = measured.state(ROLLED, "unclean_restart")
    assert (state["state"], state["missing"]) == ("quiet", [])
    assert [row["controlled_shutdowns"] >= 1 for row in restarts(measured, ROLLED)] == [True]
    assert measured.finding(ROLLED, "KAFKA-12964")["cause"] is None


@stops
def test_the_controllers_own_restart_is_left_open(measured: Measured) -> None:
    only = restarts(measured, CONTROLLER)
    assert [(row["was_controller"], row["controlled_shutdowns"]) for row in only] == [(True, None)]
    state = measured.state(CONTROLLER, "unclean_restart")
    assert state["state"] == "not_evaluated"
    assert [f"broker {only[0]['broker']} restarted" in sentence for sentence in state["missing"]] == [True]


@stops
def test_a_broker_that_stays_away_has_not_been_restarted(measured: Measured) -> None:
    assert restarts(measured, DEAD) == []
    assert measured.state(DEAD, "unclean_restart")["state"] == "quiet"


@pytest.mark.scenario("releases")
@pytest.mark.sampled("releases")
@stops
def test_a_broker_of_kraft_that_is_away_under_a_sweep_was_killed(measured: Measured) -> None:
    told = restarts(measured, "restarted")
    assert [(row["broker"], row["fenced_brokers"], row["controlled_shutdown_brokers"]) for row in told] == [(2, 1, 0)]
    state = measured.state("restarted", "unclean_restart")
    assert (state["state"], state["missing"]) == ("detected", [])
    found = [one for one in measured.findings("restarted") if one["signature"] == "unclean_restart"]
    assert [(one["cause"], one["strength"], one["subjects"]) for one in found if not one["advisory"]] == [
        ("killed", "suggestive", ["broker 2"])
    ]


@pytest.mark.scenario("lost-ids")
@pytest.mark.sampled("lost-ids")
def test_ids_that_a_follower_of_2_8_2_forgot_confirm_the_issue(measured: Measured) -> None:
    told = result(measured.home, LOST)
    assert set(told["early"]) <= set(told["leader"])
    assert not set(told["early"]) & set(told["follower"]), "the fault itself, without this project"
    finding = measured.finding(LOST, "KAFKA-12964")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "long_recovery", "conclusive")
    assert finding["subjects"] == [f"broker {FOLLOWER}", "topic orders"]
    lines = {line["metric"]: line["value"] for line in finding["evidence"]}
    assert lines["of them lost by the broker and still known to another replica"] == EARLY


@pytest.mark.scenario("lost-ids")
@pytest.mark.sampled("lost-ids")
def test_after_the_same_steps_a_follower_of_3_0_2_knows_them(measured: Measured) -> None:
    told = result(measured.home, KEPT)
    assert told["follower"] == told["leader"]
    assert set(told["early"]) <= set(told["follower"])
    finding = measured.finding(KEPT, "KAFKA-12964")
    assert (finding["verdict"], finding["cause"]) == ("not_affected", None)
