"""Real brokers that are read by the JMX exporter alone: the bug is confirmed, and gone with the fixed release.

The same brokers by the Kafka protocol alone: what it cannot tell is not told, and the cluster's report says why.
"""

import pytest

from support.live.measured import Measured
from support.live.metrics_endpoint import AFFECTED, FIXED, PROTOCOL, SWEEPS

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("metrics"), pytest.mark.sampled("metrics")]
BUG = "KAFKA-14334"


@pytest.mark.parametrize("cluster", [AFFECTED, FIXED])
def test_every_sweep_is_whole_and_asked_no_other_endpoint(measured: Measured, cluster: str) -> None:
    rows = [row for row in measured.raw("brokers", cluster) if row["kind"] != "timeout"]
    assert len(rows) >= 2 * SWEEPS - 2  # on a busy machine an exporter may take too long
    assert {(row["outcome"], row["detail"], row["jolokia_url"]) for row in rows} == {("ok", None, None)}
    assert all(row["metrics_url"].endswith("/metrics") for row in rows)
    assert {row["outcome"] for row in measured.raw("looks", cluster)} == {"skipped"}


def test_the_affected_release_is_confirmed_by_the_exporter_alone(measured: Measured) -> None:
    finding = measured.finding(AFFECTED, BUG)
    assert (finding["verdict"], finding["cause"]) == ("confirmed", "follower")
    assert {"broker 2", "topic orders", "group billing"} <= set(finding["subjects"])
    (detection,) = measured.state(AFFECTED, "fetch_latency")["detections"]
    assert detection["strength"] == "conclusive"


def test_the_release_with_the_fix_is_not_confirmed(measured: Measured) -> None:
    assert {row["release"] for row in measured.raw("broker_metrics", FIXED)} == {"3.3.2"}
    assert measured.state(FIXED, "fetch_latency")["state"] == "quiet"
    assert not [one for one in measured.findings(FIXED) if one["verdict"] == "confirmed" and one["advisory"] == BUG]


def test_brokers_that_tell_no_counters_are_not_called_well(measured: Measured) -> None:
    for issue in ("OPS-MESSAGE-CONVERSION", "OPS-QUOTA-THROTTLE"):
        finding = measured.finding(PROTOCOL, issue)
        assert finding["verdict"] == "unknown", issue
        assert finding["missing"], issue


def test_signatures_lack_nothing_that_an_agent_would_have_told(measured: Measured) -> None:
    dossier = measured.dossier(AFFECTED)
    assert not [one for one in dossier["coverage"]["not_measured"] if "metrics endpoint" in one]
    states = {one["signature"]: one["state"] for one in dossier["signatures"]}
    assert states["fetch_latency"] == "detected"
    assert "not_evaluated" not in {states[name] for name in ("partition_skew", "reconnect_storm", "retriable_errors")}


def test_the_protocol_alone_is_judged_as_far_as_it_reaches_and_says_so(measured: Measured) -> None:
    rows = measured.raw("brokers", PROTOCOL)
    assert {(row["outcome"], row["kind"], row["read_at"]) for row in rows} == {("failed", "no_endpoint", None)}
    assert measured.raw("topics", PROTOCOL)
    assert measured.raw("group_offsets", PROTOCOL)
    finding = measured.finding(PROTOCOL, BUG)
    assert (finding["verdict"], finding["exposure"]) == ("unknown", "unknown")
    dossier = measured.dossier(PROTOCOL)
    assert dossier["reached"]
    told = [one for one in dossier["coverage"]["not_measured"] if "Kafka protocol alone" in one]
    assert len(told) == 1
    assert not [one for one in dossier["coverage"]["not_measured"] if one.startswith("broker ")]
    assert {one["state"] for one in dossier["signatures"]} == {"not_evaluated"}
    assert measured.finding(PROTOCOL, "CFG-REPLICATION-FACTOR-2")["verdict"] == "exposed"
