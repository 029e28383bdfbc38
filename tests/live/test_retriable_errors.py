"""Batches that a real broker refused: a 1.1.1 client without retries may lose them, a 3.9.1 client sends them again."""

from typing import Any

import pytest

from kafka_fleet.knowledge.releases import apache_release
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("retries")]
ADVISORY = "CFG-PRODUCER-RETRIES"


def detections(measured: Measured, cluster: str) -> dict[str, dict[str, Any]]:
    """Detections by cause."""
    return {one["cause"]: one for one in measured.state(cluster, "retriable_errors")["detections"]}


def test_an_old_client_may_have_lost_what_the_broker_refused(measured: Measured) -> None:
    """Both causes, never conclusive: too few replicas while a broker was down, then leaders that moved."""
    found = detections(measured, "lossy")
    assert {"election", "min_isr"} <= set(found)
    for cause, most in (("min_isr", 100_000), ("election", 1_000)):
        one = found[cause]
        assert one["strength"] == "suggestive"
        assert one["bounds"]["lost_partition_batches_at_least"] == 0
        assert 2 <= one["bounds"]["lost_partition_batches_at_most"] <= most
        assert {"broker 1", "client unknown on listener PLAINTEXT"} <= set(one["subjects"])
        assert all(line["mbean"].startswith("kafka.") for line in one["evidence"])
    assert "topic orders" in found["min_isr"]["subjects"]


def test_it_is_never_confirmed_from_the_broker_alone(measured: Measured) -> None:
    """Without a declaration the release of a nameless client is unknown; with one the cluster is exposed, no more."""
    unknown, declared = (measured.finding(cluster, ADVISORY) for cluster in ("lossy", "declared"))
    assert (unknown["verdict"], declared["verdict"]) == ("unknown", "exposed")
    for finding in (unknown, declared):
        assert finding["signature_state"] == "detected"
        assert finding["strength"] == "suggestive"
        assert finding["evidence"]
        assert finding["bounds"]["lost_partition_batches_at_most"] >= 2
        assert [text for text in finding["missing"] if text.startswith("NETWORK_EXCEPTION")]
    assert "client apache-kafka-java <2.1 (declared)" in declared["subjects"]
    assert apache_release(declared["upgrade_to"]) >= apache_release("2.1.0")


def test_a_client_that_tries_again_loses_nothing(measured: Measured) -> None:
    """The broker refused its batches for the same reason, and counted them."""
    refused = [
        row
        for row in measured.facts("error_counters", cluster="retrying")
        if (row["request"], row["error"]) == ("Produce", "NOT_ENOUGH_REPLICAS")
    ]
    assert sum(row["errors"] for row in refused) >= 2
    assert measured.state("retrying", "retriable_errors")["state"] == "quiet"
    assert measured.finding("retrying", ADVISORY)["verdict"] == "not_affected"


@pytest.mark.parametrize(
    ("advisory", "verdict"),
    [
        ("CFG-REPLICATION-FACTOR-1", "not_affected"),
        ("CFG-REPLICATION-FACTOR-2", "exposed"),
        ("CFG-MIN-ISR", "exposed"),
        ("CFG-UNCLEAN-ELECTION", "not_affected"),
        ("OPS-LAST-ROLL", "not_affected"),
        ("OPS-MIXED-RELEASES", "not_affected"),
        ("OPS-UNSUPPORTED-RELEASE", "exposed"),
        ("OPS-LOG-CLEANER", "not_affected"),
    ],
)
def test_facts_of_the_cluster(measured: Measured, advisory: str, verdict: str) -> None:
    """Two copies of which two have to be in sync, on a line that gets no fixes any more."""
    finding = measured.finding("lossy", advisory)
    assert finding["verdict"] == verdict
    assert finding["evidence"] or verdict == "not_affected"
    assert bool(finding["subjects"]) == (verdict == "exposed")
