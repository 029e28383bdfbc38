"""fetch_latency on recorded brokers: state, cause, subjects and figures where it is; quiet where it only looks so."""

from typing import Any

import pytest

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from support.homes.golden_homes import versions
from support.spark_runs.analysed import Analysed, analysed

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
READERS = ["broker 2", "topic orders", "group billing"]
FOLLOWER = ("follower", "conclusive", READERS)
REDIRECT = ("redirect", "conclusive", ["broker 1", "topic orders", "group billing"])
GREEDY = ("min_bytes", "suggestive", ["broker 1", "topic orders", "group greedy"])
NO_READS = "broker {}: no two reads of one process with the counters of consumer fetches"
NO_GROUPS = "consumer groups could not be read, so what idle readers let expire is not known"
Detections = list[tuple[str, str, list[str]]]

EXPECTED: dict[str, tuple[str, Detections, str]] = {
    # cluster: state, detections, verdict on KAFKA-14334
    "follower331": ("detected", [FOLLOWER], "confirmed"),
    "follower332": ("quiet", [], "not_affected"),
    "mixed331": ("detected", [FOLLOWER], "confirmed"),
    "redirect312": ("detected", [FOLLOWER, REDIRECT], "confirmed"),
    "minbytes331": ("detected", [GREEDY], "exposed"),
    "crowd331": ("quiet", [], "exposed"),
    "slow331": ("quiet", [], "exposed"),
    "idle331": ("quiet", [], "exposed"),
    # the same as every version of the program wrote it
    **{name: ("detected", [FOLLOWER], "confirmed") for name in versions("raw")},
    # one thing gone wrong in follower331: what is left still proves it
    "reset": ("detected", [FOLLOWER], "confirmed"),
    "restart": ("detected", [FOLLOWER], "confirmed"),
    "log-end-back": ("detected", [FOLLOWER], "confirmed"),
    "recreated": ("detected", [FOLLOWER], "confirmed"),
    "no-time": ("detected", [FOLLOWER], "confirmed"),
    "clock-back": ("detected", [FOLLOWER], "confirmed"),
    "halved": ("detected", [FOLLOWER], "confirmed"),
    "damaged": ("detected", [FOLLOWER], "confirmed"),
    "clock-set-forward": ("detected", [FOLLOWER], "confirmed"),
    "clock-set-back": ("detected", [FOLLOWER], "confirmed"),
    "broker-ahead": ("detected", [FOLLOWER], "confirmed"),
    "broker-behind": ("detected", [FOLLOWER], "confirmed"),
    "midnight": ("detected", [FOLLOWER], "confirmed"),
    "shuffled": ("detected", [FOLLOWER], "confirmed"),
    # a young process needs one sweep to be suspected; all that it did since its start is an average that proves nothing
    "single-young": ("detected", [("follower", "suggestive", READERS[:2])], "exposed"),
    "single-old": ("not_evaluated", [], "exposed"),
    "broker-missing": ("not_evaluated", [], "exposed"),
    # without groups nothing proves the reads, without configs nothing tells whether a replica selector is set
    "admin-failed": ("detected", [("follower", "suggestive", READERS[:2])], "unknown"),
}


@pytest.fixture(scope="module")
def day() -> Analysed:
    return analysed()


def evidence(detection: dict[str, Any], word: str) -> dict[str, Any]:
    return next(line for line in detection["evidence"] if word in line["metric"])


@pytest.mark.fault(30, 31, 32, 34, 35, 36)
@pytest.mark.parametrize("cluster", EXPECTED)
def test_state_detections_and_verdict(day: Analysed, cluster: str) -> None:
    state, detections, verdict = EXPECTED[cluster]
    found = day.state(cluster)
    assert found["state"] == state
    assert [(d["cause"], d["strength"], d["subjects"]) for d in found["detections"]] == detections
    assert day.finding(cluster, "KAFKA-14334")["verdict"] == verdict


def test_every_recorded_cluster_has_an_expectation(day: Analysed) -> None:
    assert {row["cluster"] for row in day.facts("cluster_days")} == set(EXPECTED)


@pytest.mark.fault(2, 36)
@pytest.mark.parametrize(
    ("cluster", "sentences"),
    [
        ("single-old", [NO_READS.format(1), NO_READS.format(2)]),
        ("broker-missing", [NO_READS.format(2)]),
        ("admin-failed", [NO_GROUPS]),
        ("follower332", []),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(day: Analysed, cluster: str, sentences: list[str]) -> None:
    assert day.state(cluster)["missing"] == sentences
    told = day.dossier(cluster)["coverage"]["not_measured"]
    assert set(told) >= {f"fetch_latency: {sentence}" for sentence in sentences}
    if day.state(cluster)["state"] == "not_evaluated":
        assert day.finding(cluster, "KAFKA-14334")["missing"] == sentences


def test_the_ratio_is_that_of_the_counters(day: Analysed) -> None:
    """The figure in the letter, recomputed from the stored counters of the follower."""
    detection = day.state("follower331")["detections"][0]
    spans = day.facts("broker_counters", cluster="follower331", broker=2, kind="sweeps")
    ratio = sum(row["expired_consumer_fetches"] for row in spans) / sum(row["consumer_fetches"] for row in spans)
    share = evidence(detection, "expired consumer fetches / consumer fetches")
    assert share["value"] == pytest.approx(ratio, abs=0.05)  # the start interval is a window of its own
    assert (
        share["value"] > share["threshold"] == load_signatures(sql_dir())["fetch_latency"].thresholds["min_ratio"].value
    )
    assert share["mbean"].startswith("kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec")


def test_the_bug_costs_half_a_second_and_says_within_which_bounds(day: Analysed) -> None:
    detection = day.state("follower331")["detections"][0]
    assert evidence(detection, "quantiles sit")["value"] == 500.0
    least, most = (evidence(detection, word)["value"] for word in ("at least", "at most"))
    assert 0 <= least <= most <= 1


def test_the_same_load_on_the_fixed_release_expires_nothing(day: Analysed) -> None:
    spans = day.facts("broker_counters", cluster="follower332", broker=2, kind="sweeps")
    assert sum(row["consumer_fetches"] for row in spans) > 200
    assert sum(row["expired_consumer_fetches"] for row in spans) <= 5
    out = day.facts("topic_counters", cluster="follower332", broker=2, topic="orders")
    assert sum(row["bytes_out"] for row in out) > 10_000
    assert {row["leaders"] for row in out} == {0}


def test_quiet_look_alikes_did_let_many_fetches_expire(day: Analysed) -> None:
    crowd = day.facts("broker_counters", cluster="crowd331", broker=1, kind="sweeps")
    assert sum(row["expired_consumer_fetches"] for row in crowd) > 1000
    slow = day.facts("broker_counters", cluster="slow331", broker=1, kind="sweeps")
    assert sum(row["expired_consumer_fetches"] for row in slow) / sum(row["consumer_fetches"] for row in slow) > 0.2


def test_another_cause_is_named_as_a_symptom_of_its_own(day: Analysed) -> None:
    rows = [one for one in day.findings("minbytes331") if one["advisory"] is None]
    assert [(one["verdict"], one["cause"], one["signature"]) for one in rows] == [
        ("look_alike", "min_bytes", "fetch_latency")
    ]
    assert not [one for one in day.findings("follower331") if one["advisory"] is None]


def test_redirects_confirm_their_own_advisory(day: Analysed) -> None:
    finding = day.finding("redirect312", "KAFKA-13767")
    # not 3.9.2: in KRaft it opens KAFKA-19212, which is as bad
    assert (finding["verdict"], finding["cause"], finding["upgrade_to"]) == ("confirmed", "redirect", "4.2.2")
    assert day.finding("follower331", "KAFKA-13767")["verdict"] == "not_affected"
