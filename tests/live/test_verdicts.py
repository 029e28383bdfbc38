"""Verdicts on real brokers: the bug where it is, nothing where it is fixed, no alarm where others only look alike."""

from typing import Any

import pytest

from support.inspection.finding_shape import assert_contract
from support.live.measured import SCENARIO_OF, Measured, of_scenario

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.scenario("fetches"),
]  # the first test waits for the clusters of all
BUG = "KAFKA-14334"
FOLLOWED = ("follower331", "mixed331", "redirect282")
FIXED = {"follower332": "3.3.2", "follower411": "4.1.1"}


def evidence(finding: dict[str, Any], word: str) -> dict[str, Any]:
    return next(line for line in finding["evidence"] if word in line["metric"])


@pytest.mark.parametrize("cluster", [of_scenario(SCENARIO_OF[one], one) for one in FOLLOWED])
def test_follower_reads_are_confirmed(measured: Measured, cluster: str) -> None:
    finding = measured.finding(cluster, BUG)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "follower", "conclusive")
    assert {"broker 2", "topic orders", "group billing"} <= set(finding["subjects"])
    assert "broker 1" not in finding["subjects"] or cluster == "mixed331"
    assert finding["upgrade_to"] == "3.9.2"
    assert finding["exposure"] == "exposed"
    share = evidence(finding, "expired consumer fetches / consumer fetches")
    assert share["where"] == "broker 2" or cluster == "mixed331"
    assert 1 >= share["value"] > share["threshold"] > 0
    assert evidence(finding, "healthy broker")["value"] < 0.05  # 10 records/s leave exp(-5) of the fetches to expire
    assert evidence(finding, "bytes sent")["value"] > 10_000


def test_a_reader_on_the_follower_alone_has_nearly_all_its_fetches_expire(measured: Measured) -> None:
    assert evidence(measured.finding("follower331", BUG), "expired consumer fetches / consumer")["value"] > 0.6


@pytest.mark.parametrize(("cluster", "release"), [of_scenario(SCENARIO_OF[c], c, r) for c, r in FIXED.items()])
def test_the_same_reads_on_a_release_with_the_fix_are_quiet(measured: Measured, cluster: str, release: str) -> None:
    finding = measured.finding(cluster, BUG)
    assert (finding["verdict"], finding["signature_state"], finding["release"]) == ("not_affected", "quiet", release)
    assert finding["missing"] == []
    out = measured.facts("topic_counters", cluster=cluster, broker=2, topic="orders")
    assert sum(row["bytes_out"] for row in out) > 10_000  # they were follower reads


@pytest.mark.parametrize("cluster", [of_scenario(SCENARIO_OF[one], one) for one in ("idle331", "crowd331", "slow331")])
def test_what_only_looks_alike_is_quiet_and_exposed(measured: Measured, cluster: str) -> None:
    finding = measured.finding(cluster, BUG)
    assert (finding["verdict"], finding["signature_state"], finding["cause"]) == ("exposed", "quiet", None)
    assert finding["upgrade_to"] == "3.9.2"
    assert [one for one in measured.findings(cluster) if one["verdict"] in ("confirmed", "look_alike")] == []


@pytest.mark.scenario("look-alikes")
@pytest.mark.sampled("look-alikes")
def test_the_quiet_crowd_really_let_its_fetches_expire(measured: Measured) -> None:
    rows = measured.facts("broker_counters", cluster="crowd331", broker=1, kind="sweeps")
    assert sum(row["expired_consumer_fetches"] for row in rows) > 2000
    slow = measured.facts("broker_counters", cluster="slow331", broker=1, kind="sweeps")
    share = sum(row["expired_consumer_fetches"] for row in slow) / sum(row["consumer_fetches"] for row in slow)
    assert share > 0.2


@pytest.mark.scenario("old-releases")
@pytest.mark.sampled("old-releases")
def test_redirects_are_confirmed_beside_the_follower_bug(measured: Measured) -> None:
    finding = measured.finding("redirect282", "KAFKA-13767")
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "redirect", "conclusive")
    assert {"broker 1", "topic orders", "group billing"} <= set(finding["subjects"])
    assert 5 <= evidence(finding, "no idle reader")["value"] <= 40  # one per 5 s and not one per 0.5 s


def test_every_finding_keeps_the_contract(measured: Measured) -> None:
    for ds in sorted(set(measured.days.values())):
        assert_contract(measured.printed(ds), ds)
    advisories = {one["advisory"] for one in measured.findings("follower331")} - {None}
    assert len(advisories) > 20
    for cluster in measured.days:
        assert {one["advisory"] for one in measured.findings(cluster)} - {None} == advisories


def test_no_other_advisory_is_confirmed(measured: Measured) -> None:
    confirmed = {
        (cluster, one["advisory"])
        for cluster in measured.days
        for one in measured.findings(cluster)
        if one["verdict"] == "confirmed"
    }
    expected = {(cluster, BUG) for cluster in FOLLOWED} | {
        ("redirect282", "KAFKA-13767"), ("skew323", "KAFKA-10888"),
        ("declared391", "KAFKA-12261"), ("netns312", "KAFKA-9648"), ("hanging332", "KAFKA-14402"),
        ("gaps210", "KAFKA-8764"), ("deleted250", "KAFKA-9826"),
        ("frozen282", "KAFKA-12686"), ("lost282", "KAFKA-12964"), ("expired281", "KAFKA-13636"),
        ("crippled312", "KAFKA-9648"), ("unled381", "KRAFT-UNCLEAN-CONFIG"), ("parted362", "KAFKA-15489"),
        ("flooded312", "KAFKA-9648"), ("unwritable370", "KAFKA-16583"), ("stuck280", "KAFKA-12890"),
        ("older11000", "KAFKA-5600"), ("owned411", "KAFKA-19862"), ("quotas331", "KAFKA-14225"),
        *((cluster, "CFG-PRODUCER-RETRIES") for cluster in ("dropped391", "short391", "stated391")),
    }  # fmt: skip
    assert confirmed == {(cluster, advisory) for cluster, advisory in expected if cluster in measured.days}
