"""The race of KAFKA-12686 is confirmed where it happened; after a follower's death nothing of the kind is claimed."""

import pytest

from support.live.frozen import EVERY_S, FROZEN, SWEEPS, THAWED
from support.live.measured import Measured
from support.live.zk28 import AWAY_EVERY_S, AWAY_SWEEPS, DEAD, NAMES

pytestmark = pytest.mark.timeout(1800)
stops = pytest.mark.scenario("stops")
ISSUES = ("KAFKA-12686", "KAFKA-12751")


@pytest.mark.scenario("frozen")
@pytest.mark.sampled("frozen")
def test_the_race_is_confirmed_at_2_8_2(measured: Measured) -> None:
    finding = measured.finding(FROZEN, "KAFKA-12686")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "frozen", "conclusive")
    (leader,) = {row["leader"] for row in measured.raw("topics", FROZEN) if row["topic"] == "orders"}
    assert finding["subjects"] == [f"broker {leader}", "partition orders-0"]
    lines = {line["metric"]: line["value"] for line in finding["evidence"]}
    assert lines["partitions whose in-sync set lacks a live follower without lag"] == 1
    assert lines["longest time that one of them did not change"] >= EVERY_S * (SWEEPS - 1)
    assert lines["records that arrived at the leaders meanwhile"] > 0
    assert lines["expansions of in-sync sets by those leaders meanwhile"] == 0
    assert measured.finding(FROZEN, "KAFKA-12751")["verdict"] == "not_affected"


@pytest.mark.scenario("frozen")
@pytest.mark.sampled("frozen")
def test_the_same_steps_at_3_0_2_end_with_a_whole_set(measured: Measured) -> None:
    sets = {tuple(sorted(row["isr"])) for row in measured.raw("topics", THAWED) if row["topic"] == "orders"}
    assert sets == {(1, 2, 3)}
    assert measured.state(THAWED, "isr_stagnation")["state"] == "quiet"
    for issue in ISSUES:
        assert measured.finding(THAWED, issue)["verdict"] == "not_affected"


@stops
@pytest.mark.fault(2)
def test_a_killed_follower_is_one_finding_for_its_broker(measured: Measured) -> None:
    dead = [row["broker"] for row in measured.raw("brokers", DEAD) if row["host"] is None]
    assert len(set(dead)) == 1
    assert len(dead) == AWAY_SWEEPS
    state = measured.state(DEAD, "isr_stagnation")
    assert state["state"] == "detected"
    found = [one for one in measured.findings(DEAD) if one["signature"] == "isr_stagnation" and not one["advisory"]]
    assert [(one["cause"], one["strength"], one["verdict"]) for one in found] == [
        ("dead_broker", "conclusive", "look_alike")
    ]
    assert found[0]["subjects"] == [f"broker {dead[0]}"]
    lines = {line["metric"]: line["value"] for line in found[0]["evidence"]}
    assert lines["partitions whose in-sync set lacks the broker"] == 6
    away_s = lines["time for which the cluster did not list the broker"]
    assert AWAY_EVERY_S * (AWAY_SWEEPS - 1) <= away_s < 2 * AWAY_EVERY_S * AWAY_SWEEPS


@stops
@pytest.mark.parametrize("cluster", NAMES)
@pytest.mark.parametrize("advisory", ISSUES)
def test_no_stop_of_a_broker_confirms_a_frozen_set(measured: Measured, cluster: str, advisory: str) -> None:
    finding = measured.finding(cluster, advisory)
    assert finding["cause"] is None
    assert finding["strength"] is None
    assert finding["verdict"] == {"KAFKA-12686": "exposed", "KAFKA-12751": "not_affected"}[advisory]


@stops
def test_the_short_sets_were_seen_in_the_metadata(measured: Measured) -> None:
    rows = [row for row in measured.raw("topics", DEAD) if row["topic"] == "orders"]
    assert sum(len(row["isr"]) < len(row["replicas"]) for row in rows) == 6 * AWAY_SWEEPS
    gaps = measured.facts("broker_assignments", cluster=DEAD, is_listed=False)
    assert [row["partition_count"] for row in gaps] == [6] * (AWAY_SWEEPS - 1)
    assert measured.facts("out_of_sync_intervals", cluster=DEAD) == []


@stops
def test_a_set_that_could_not_be_watched_long_enough_is_not_called_quiet(measured: Measured) -> None:
    state = measured.state("rolled282", "isr_stagnation")
    assert state["state"] == "not_evaluated"
    assert any("counts as frozen after 300 s" in sentence for sentence in state["missing"])
