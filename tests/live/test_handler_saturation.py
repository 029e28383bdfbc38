"""Handlers without idle time and handlers that stand still, at 2.1.0 and 3.9.1, and brokers that are well."""

from typing import Any

import pytest

from support.live.measured import Measured
from support.live.saturation import (
    ALONE,
    BUSY,
    COMBINED,
    DEADLOCK,
    FULL,
    OVERLOAD,
    QUEUE,
    RESTED,
    STALLED,
    STUCK_SWEEPS,
    SWEEPS,
    WELL,
)

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("saturation")]
NAME = "handler_saturation"


def figures(found: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in found["evidence"]}


def test_a_broker_that_works_and_has_idle_time_is_quiet(measured: Measured) -> None:
    assert measured.state(BUSY, NAME)["state"] == "quiet"
    assert measured.state(BUSY, NAME)["missing"] == []
    rows = [row for row in measured.facts("handler_intervals", cluster=BUSY) if row["requests"] > 0]
    assert {row["broker"] for row in rows} == {FULL, WELL}
    assert all(row["handler_idle"] > 0.05 and row["network_idle"] > 0.05 for row in rows)


def test_handlers_without_idle_time_are_an_overload_of_their_broker_alone(measured: Measured) -> None:
    (found,) = measured.state(OVERLOAD, NAME)["detections"]
    assert (found["cause"], found["strength"]) == ("overload", "conclusive")
    assert found["subjects"] == [f"broker {FULL}"]
    told = figures(found)
    assert told["idle share of the request handlers"] < 0.05
    assert told["longest mean time that Produce and Fetch requests waited for a handler"] >= 5
    assert told["requests that the queue holds at most (queued.max.requests)"] == QUEUE
    assert told["Produce and Fetch requests that were answered"] > 0
    (own,) = [one for one in measured.findings(OVERLOAD) if one["signature"] == NAME and one["advisory"] is None]
    assert (own["verdict"], own["cause"]) == ("look_alike", "overload")
    assert measured.finding(OVERLOAD, "KAFKA-7697")["verdict"] == "exposed"


def test_handlers_that_stand_still_are_told_and_point_to_the_deadlock_of_the_release(measured: Measured) -> None:
    (finding,) = [one for one in measured.findings(DEADLOCK) if one["signature"] == NAME and one["advisory"] is None]
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("look_alike", "deadlock", "conclusive")
    pointed = measured.finding(DEADLOCK, "KAFKA-7697")
    assert (pointed["verdict"], pointed["cause"], pointed["strength"]) == ("exposed", "deadlock", "suggestive")
    assert finding["subjects"] == [f"broker {FULL}"]
    told = figures(finding)
    assert told["idle share of the request handlers"] == 0
    assert told["requests that waited for a handler"] == QUEUE, "the queue is at its bound"
    assert told["Produce and Fetch requests that were answered"] == 0
    assert told["connections that were held"] > QUEUE
    assert {measured.finding(DEADLOCK, one)["verdict"] for one in ("KAFKA-6042", "KAFKA-6917", "KAFKA-14225")} == {
        "look_alike"
    }, "the release has their fixes, and the symptom is there"


def test_the_broker_beside_it_is_well(measured: Measured) -> None:
    for cluster in (OVERLOAD, DEADLOCK):
        rows = measured.facts("handler_intervals", cluster=cluster, broker=WELL)
        assert rows
        assert all(row["handler_idle"] > 0.05 for row in rows)


def test_a_sweep_lands_what_the_broker_s_agent_says_and_what_the_protocol_told_or_why_not(measured: Measured) -> None:
    """The library may ask the broker that answers nobody who is there, after it has reached the other one."""
    reads = [row for row in measured.raw("brokers", DEADLOCK) if row["broker"] == FULL]
    sweeps = measured.raw("sweeps", DEADLOCK)
    assert [row["outcome"] for row in reads] == ["ok"] * STUCK_SWEEPS
    for read, sweep in zip(reads, sweeps, strict=True):
        if sweep["admin_outcome"] == "failed":
            assert read["host"] is None
            assert {"brokers", "topics"} <= set(sweep["admin_missing"]) or sweep["admin_missing"] == [
                "every admin table"
            ]
        else:
            assert (sweep["admin_outcome"], read["host"]) == ("partial", "127.0.0.1"), "the other broker was asked"
        assert sweep["admin_detail"]


@pytest.mark.scenario("saturation-combined")
@pytest.mark.sampled("saturation-combined")
def test_a_broker_that_stands_still_beside_its_controller_is_told_as_a_suggestion(measured: Measured) -> None:
    """At 3.9.1 the sum of both pools shows it: the controller's waits all of the time, the broker's adds nothing."""
    state = measured.state(COMBINED, NAME)
    (found,) = state["detections"]
    assert (found["cause"], found["strength"], found["subjects"]) == ("deadlock", "suggestive", [f"broker {FULL}"])
    rows = measured.facts("handler_intervals", cluster=COMBINED, broker=FULL)
    assert len(rows) == SWEEPS - 1
    assert all(row["both_pools"] and abs(row["handler_idle"] - 1) <= 0.05 and row["requests"] == 0 for row in rows)
    reads = [row for row in measured.raw("request_times", COMBINED) if row["phase"] == "RequestQueueTimeMs"]
    followers = [row["observations"] for row in reads if (row["broker"], row["request"]) == (FULL, "FetchFollower")]
    assert max(followers) - min(followers) >= 10, "fetches of the metadata log, which its controller answers"
    queues = {row["request_queue_size"] for row in measured.raw("broker_metrics", COMBINED) if row["broker"] == FULL}
    assert queues == {0}, "the gauge of the controller's queue has the broker's name"


@pytest.mark.scenario("saturation-combined")
@pytest.mark.sampled("saturation-combined")
def test_the_same_node_without_a_client_is_quiet(measured: Measured) -> None:
    assert measured.state(ALONE, NAME)["state"] == "quiet"
    rows = measured.facts("handler_intervals", cluster=ALONE, broker=FULL)
    assert all(row["requests"] == 0 and row["held"] > 0 and row["handler_idle"] > 1.5 for row in rows)


@pytest.mark.scenario("saturation-combined")
@pytest.mark.sampled("saturation-combined")
def test_from_4_2_on_the_broker_s_own_meter_tells_it_for_sure(measured: Measured) -> None:
    (found,) = measured.state(STALLED, NAME)["detections"]
    assert (found["cause"], found["strength"], found["subjects"]) == ("deadlock", "conclusive", [f"broker {FULL}"])
    rows = measured.facts("handler_intervals", cluster=STALLED, broker=FULL)
    assert [(row["both_pools"], row["handler_idle"]) for row in rows] == [(False, 0)] * (SWEEPS - 1)


@pytest.mark.scenario("saturation-combined")
@pytest.mark.sampled("saturation-combined")
def test_the_same_node_of_4_2_without_a_client_is_quiet(measured: Measured) -> None:
    assert measured.state(RESTED, NAME)["state"] == "quiet"
    rows = measured.facts("handler_intervals", cluster=RESTED, broker=FULL)
    assert all(not row["both_pools"] and row["handler_idle"] > 0.5 for row in rows)
