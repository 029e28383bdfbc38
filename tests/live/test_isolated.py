"""Controllers and brokers that run and hear nobody at 3.6.2 and 3.9.1, and controllers that cannot be asked."""

import pytest

from support.inspection.detections import by_cause, figures
from support.live.isolated import ASLEEP, DEAD, LEADERLESS, PARTED, RESIGNED, SWEEPS, UNHEARD
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("isolated"), pytest.mark.sampled("isolated")]
NAME, ISSUE = "availability", "KAFKA-15489"


def active(measured: Measured, cluster: str) -> list[list[int | None]]:
    """What each node that was read told at each sweep of being the active controller."""
    rows = measured.facts("broker_sweeps", cluster=cluster)
    sweeps = sorted({row["sweep_at"] for row in rows})
    told = {at: [row for row in rows if row["sweep_at"] == at and row["read_at"] is not None] for at in sweeps}
    return [[row["active_controller"] for row in told[at]] for at in sweeps]


def test_controllers_that_hear_nobody_elect_none_of_them(measured: Measured) -> None:
    assert active(measured, LEADERLESS) == [[0, 0, 0]] * SWEEPS
    found = by_cause(measured, LEADERLESS, NAME)
    assert [(cause, one["strength"]) for cause, one in found.items()] == [("no_controller", "conclusive")]
    assert figures(found["no_controller"])["nodes that call themselves the active controller"] == 0


def test_a_leader_that_is_cut_off_calls_itself_active_beside_the_new_one(measured: Measured) -> None:
    assert [sum(map(int, filter(None, told))) for told in active(measured, PARTED)] == [2] * SWEEPS
    found = by_cause(measured, PARTED, NAME)["two_controllers"]
    assert found["strength"] == "conclusive"
    assert len([one for one in found["subjects"] if one.startswith("broker ")]) == 2
    finding = measured.finding(PARTED, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "two_controllers", "conclusive")


def test_a_release_with_the_fix_resigns_and_has_one_controller(measured: Measured) -> None:
    assert [sum(map(int, filter(None, told))) for told in active(measured, RESIGNED)] == [1] * SWEEPS
    assert not {"two_controllers", "no_controller"} & set(by_cause(measured, RESIGNED, NAME))
    assert measured.finding(RESIGNED, ISSUE)["verdict"] == "not_affected"


def test_a_broker_that_runs_and_is_fenced_is_outside(measured: Measured) -> None:
    found = by_cause(measured, UNHEARD, NAME)["outside"]
    assert found["strength"] == "conclusive"
    (broker,) = {row["broker"] for row in measured.facts("broker_sweeps", cluster=UNHEARD) if not row["is_listed"]}
    assert found["subjects"] == [f"broker {broker}"]
    assert figures(found)["brokers that the controller has fenced"] == 1


def test_where_not_all_controllers_can_be_asked_nobody_says_that_there_is_none(measured: Measured) -> None:
    assert active(measured, ASLEEP) == [[0]] * SWEEPS
    assert not {"no_controller", "two_controllers", "outside"} & set(by_cause(measured, ASLEEP, NAME))


def test_a_fetcher_s_thread_that_has_ended_is_told(measured: Measured) -> None:
    found = by_cause(measured, DEAD, NAME)["dead_fetcher"]
    assert (found["strength"], found["subjects"]) == ("conclusive", ["broker 1"])
    assert figures(found)["replica fetcher threads that have ended"] == 1
