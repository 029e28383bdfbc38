"""Healthy days of real brokers that could deceive: nothing is told for sure of them, and what could deceive was there."""

import json
from typing import Any

import pytest

from support.inspection.detections import told_for_sure
from support.live import benchmark_loads, connect, idle_crowds, late_voters, warm_ups
from support.live.measured import Measured

pytestmark = pytest.mark.timeout(1800)
of_connect = [pytest.mark.scenario("connect"), pytest.mark.sampled("connect")]
of_voters = [pytest.mark.scenario("late-voters"), pytest.mark.sampled("late-voters")]


def kept(measured: Measured, name: str) -> Any:
    """What a scenario wrote of itself."""
    return json.loads((measured.home / name).read_text())


def completed(measured: Measured, cluster: str) -> int:
    """Rebalances that coordinators completed over the sweeps."""
    of_broker: dict[int, list[int]] = {}
    for row in measured.raw("broker_metrics", cluster):
        of_broker.setdefault(row["broker"], []).append(row["completed_rebalances"])
    return sum(max(counts) - min(counts) for counts in of_broker.values())


class TestConnect:
    """Workers that rebalance beside a healthy cluster."""

    pytestmark = of_connect

    def test_a_worker_went_and_came_and_its_tasks_moved(self, measured: Measured) -> None:
        found = kept(measured, connect.RESULT)
        assert [len(set(places.values())) for places in found["places"]] == [2, 1, 2]
        assert found["copied"] > 500
        assert completed(measured, connect.NAME) >= 6
        groups = {row["group_id"]: row["protocol_type"] for row in measured.raw("groups", connect.NAME)}
        assert (groups[connect.WORKERS], groups[connect.SINK]) == ("connect", "consumer")

    def test_its_topics_are_compacted_and_have_no_group(self, measured: Measured) -> None:
        policies = {
            row["topic"]: row["config_value"]
            for row in measured.raw("topic_configs", connect.NAME)
            if row["name"] == "cleanup.policy"
        }
        assert {policies[topic] for topic in connect.INTERNAL} == {"compact"}
        read = {row["topic"] for row in measured.raw("group_offsets", connect.NAME)}
        assert connect.TOPIC in read
        assert not read & set(connect.INTERNAL)

    def test_nothing_is_told(self, measured: Measured) -> None:
        assert told_for_sure(measured, connect.NAME) == []
        for signature in ("rebalance_storm", "fetch_latency", "partition_growth", "retriable_errors", "cleaner_stuck"):
            state = measured.state(connect.NAME, signature)
            assert (state["state"], state["detections"]) == ("quiet", []), signature
        for issue in ("OPS-OLD-PROTOCOL", "OPS-LOG-CLEANER"):
            assert measured.finding(connect.NAME, issue)["verdict"] == "not_affected"
