"""A network thread that is fed without a pause, and a broker that never ends stopping, at 3.9.1; clients that pause."""

import pytest

from support.inspection.detections import by_cause, figures
from support.live.floods import BUSY, NETWORK, PACED, STOPPED_SWEEPS, STOPPING, STOPPING_S
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("floods"), pytest.mark.sampled("floods")]
NAME = "handler_saturation"


def test_a_network_thread_without_idle_time_is_told_apart_from_handlers_that_have_some(measured: Measured) -> None:
    found = by_cause(measured, NETWORK, NAME)
    assert [(cause, one["strength"]) for cause, one in found.items()] == [("network", "conclusive")]
    assert found["network"]["subjects"] == [f"broker {BUSY}", "listener PLAINTEXT"]
    rows = measured.facts("handler_intervals", cluster=NETWORK, broker=BUSY)
    assert all(row["network_idle"] < 0.05 < row["handler_idle"] for row in rows)


def test_the_same_thread_with_clients_that_pause_is_quiet(measured: Measured) -> None:
    state = measured.state(PACED, NAME)
    assert (state["state"], state["detections"], state["missing"]) == ("quiet", [], [])
    rows = measured.facts("handler_intervals", cluster=PACED, broker=BUSY)
    assert all(row["network_idle"] > 0.05 and row["requests"] > 0 for row in rows)


def test_a_shutdown_that_does_not_end_is_told(measured: Measured) -> None:
    rows = measured.facts("broker_sweeps", cluster=STOPPING, broker=BUSY)
    states = [row["broker_state"] for row in sorted(rows, key=lambda row: row["sweep_at"])]
    assert states == [3, *[None] * STOPPED_SWEEPS], "it takes its gauges away when it is told to stop"
    assert len({row["start_ms"] for row in rows}) == 1, "its process answers"
    found = by_cause(measured, STOPPING, NAME)["stopping"]
    assert (found["strength"], found["subjects"]) == ("suggestive", [f"broker {BUSY}"])
    assert max(figures(found).values()) >= STOPPING_S
    assert "outside" not in by_cause(measured, STOPPING, "availability"), "it is no broker that runs unseen"
