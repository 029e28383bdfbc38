"""Healthy days of real brokers that could deceive: what could was there, and nothing is told of them for sure."""

import json
from typing import Any

import pytest

from support.inspection.detections import by_cause, figures, told_for_sure
from support.live import benchmark_loads, connect, idle_crowds, late_voters, warm_ups
from support.live.measured import Measured, of_scenario

pytestmark = pytest.mark.timeout(1800)
CLUSTERS = {
    connect.NAME: "connect",
    warm_ups.NAME: "warm-ups",
    late_voters.PAUSED: "late-voters",
    late_voters.SLOW: "late-voters",
    late_voters.OLDER: "late-voters",
    idle_crowds.NAME: "idle-crowds",
    benchmark_loads.NAME: "benchmark-loads",
}
JUDGED = {  # what each could be taken for
    connect.NAME: ("rebalance_storm", "fetch_latency", "partition_growth", "retriable_errors", "coordinator_down"),
    warm_ups.NAME: ("rebalance_storm", "hanging_transaction", "partition_growth", "fetch_latency"),
    late_voters.PAUSED: ("quorum_health", "availability"),
    late_voters.SLOW: ("quorum_health", "availability"),
    late_voters.OLDER: ("quorum_health",),
    idle_crowds.NAME: ("rebalance_storm", "handler_saturation"),
    benchmark_loads.NAME: ("rebalance_storm", "partition_skew", "fetch_latency", "handler_saturation", "offset_rewind"),
}


def kept(measured: Measured, name: str) -> Any:
    """What a scenario wrote of itself."""
    return json.loads((measured.home / name).read_text())


def completed(measured: Measured, cluster: str) -> int:
    """Rebalances that coordinators completed over the sweeps."""
    of_broker: dict[int, list[int]] = {}
    for row in measured.raw("broker_metrics", cluster):
        of_broker.setdefault(row["broker"], []).append(row["completed_rebalances"])
    return sum(max(counts) - min(counts) for counts in of_broker.values())


@pytest.mark.parametrize("cluster", [of_scenario(scenario, cluster) for cluster, scenario in CLUSTERS.items()])
def test_nothing_is_told_for_sure(measured: Measured, cluster: str) -> None:
    assert told_for_sure(measured, cluster) == []
    assert [one for one in measured.findings(cluster) if one["verdict"] == "confirmed"] == []
    for signature in JUDGED[cluster]:
        state = measured.state(cluster, signature)
        assert (state["state"], state["detections"]) == ("quiet", []), signature


@pytest.mark.scenario("connect")
@pytest.mark.sampled("connect")
def test_a_worker_of_connect_went_and_came_and_its_tasks_moved(measured: Measured) -> None:
    found = kept(measured, connect.RESULT)
    assert [len(set(places.values())) for places in found["places"]] == [2, 1, 2]
    assert found["copied"] > 500
    assert completed(measured, connect.NAME) >= 6
    groups = {row["group_id"]: row["protocol_type"] for row in measured.raw("groups", connect.NAME)}
    assert (groups[connect.WORKERS], groups[connect.SINK]) == ("connect", "consumer")


@pytest.mark.scenario("connect")
@pytest.mark.sampled("connect")
def test_topics_of_connect_are_compacted_and_read_without_a_group(measured: Measured) -> None:
    rows = [row for row in measured.raw("topic_configs", connect.NAME) if row["name"] == "cleanup.policy"]
    assert {row["value"] for row in rows if row["topic"] in connect.INTERNAL} == {"compact"}
    committed = {row["topic"] for row in measured.raw("group_offsets", connect.NAME)}
    assert connect.TOPIC in committed
    assert not committed & set(connect.INTERNAL)
    for issue in ("OPS-OLD-PROTOCOL", "OPS-LOG-CLEANER", "OPS-CONSUMER-LAG"):
        assert measured.finding(connect.NAME, issue)["verdict"] == "not_affected", issue


@pytest.mark.scenario("warm-ups")
@pytest.mark.sampled("warm-ups")
def test_the_leader_asked_for_rebalances_until_replicas_were_warm(measured: Measured) -> None:
    found = kept(measured, warm_ups.RESULT)
    assert found["probes"] >= 2, found
    assert found["settled"] == 2, "once with one instance, and once with both"
    assert completed(measured, warm_ups.NAME) > found["probes"]
    rows = [row for row in measured.raw("group_members", warm_ups.NAME) if row["group_id"] == warm_ups.GROUP]
    assert len({row["member_id"] for row in rows}) == 2, "nobody left or came back"
    log = [row for row in measured.raw("partitions", warm_ups.NAME) if row["topic"] == "__transaction_state"]
    assert max(row["log_end_offset"] or 0 for row in log) > 0, "it is an application of exactly-once"
    assert not measured.facts("open_transactions", cluster=warm_ups.NAME), "and leaves none open for long"


@pytest.mark.scenario("late-voters")
@pytest.mark.sampled("late-voters")
def test_voters_were_away_or_behind_at_sweeps(measured: Measured) -> None:
    for cluster in (late_voters.PAUSED, late_voters.SLOW):
        rows = [row for row in measured.facts("quorum_nodes", cluster=cluster) if row["is_voter"]]
        assert len({row["leader_epoch"] for row in rows}) == 1, "KIP-996: it asks first, and is not elected"
        away = [row for row in rows if row["away_seconds"] > late_voters.PAUSE_S / 2]
        assert len(away) == (late_voters.PAUSES if cluster == late_voters.PAUSED else 0)
        ends = {row["sweep_at"]: row["log_end_offset"] for row in rows if row["is_leader"]}
        behind = [row for row in rows if row["log_end_offset"] < ends[row["sweep_at"]] - 1]
        assert len(behind) >= late_voters.PAUSES
    epochs = {row["leader_epoch"] for row in measured.facts("quorum_nodes", cluster=late_voters.OLDER)} - {None}
    assert len(epochs) == 2, "one election, which is none that repeats"


@pytest.mark.scenario("idle-crowds")
@pytest.mark.sampled("idle-crowds")
def test_idle_connections_that_come_back_are_suggested_at_most(measured: Measured) -> None:
    many = idle_crowds.CONNECTIONS
    spans = measured.facts("listener_connections", cluster=idle_crowds.NAME, broker=2, listener="PLAINTEXT")
    made = sum(row["created"] for row in spans)
    assert made >= idle_crowds.TIMES * many
    assert sum(row["closed"] or 0 for row in spans) >= (idle_crowds.TIMES - 1) * many
    found = by_cause(measured, idle_crowds.NAME, "reconnect_storm")
    # the cause hangs on how long ago the broker was started
    assert found.keys() <= {"deploy", "restart"}
    assert {one["strength"] for one in found.values()} <= {"suggestive"}
    assert all(figures(one)["connections made in the interval"] <= 1.1 * many for one in found.values())
    assert measured.finding(idle_crowds.NAME, "OPS-LIMIT-NEAR")["verdict"] == "not_affected"
    assert measured.finding(idle_crowds.NAME, "KAFKA-9648")["verdict"] != "confirmed"


@pytest.mark.scenario("benchmark-loads")
@pytest.mark.sampled("benchmark-loads")
def test_a_backlog_was_there_and_was_drained_once(measured: Measured) -> None:
    found = kept(measured, benchmark_loads.RESULT)
    rate = benchmark_loads.PRODUCERS * benchmark_loads.RECORDS_PER_S
    assert found["backlog"] > rate * benchmark_loads.BACKLOG_S / 2
    assert found["read"] > benchmark_loads.SUBSCRIPTIONS * found["backlog"]
    members = {row["member_id"] for row in measured.raw("group_members", benchmark_loads.NAME)}
    assert len(members) == benchmark_loads.SUBSCRIPTIONS * benchmark_loads.CONSUMERS, "none was thrown out"
    assert measured.finding(benchmark_loads.NAME, "OPS-CONSUMER-LAG")["verdict"] == "not_affected"
