"""Real brokers behind the rule sets that people run: one sentence names what is left out, and only what needs it stops.

The exporter's example with the rules that are printed for it tells all that the project's own rules tell of the bug.
"""

import pytest

from support.live.measured import Measured
from support.live.metrics_endpoint import EXAMPLE, MENDED, STRIMZI, SWEEPS

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("metrics-rules"), pytest.mark.sampled("metrics-rules")]
BUG = "KAFKA-14334"


def left_out(measured: Measured, cluster: str) -> list[str]:
    told = measured.dossier(cluster)["coverage"]["not_measured"]
    return [one for one in told if "metrics endpoint leaves out" in one]


def states(measured: Measured, cluster: str) -> dict[str, str]:
    return {one["signature"]: one["state"] for one in measured.dossier(cluster)["signatures"]}


@pytest.mark.parametrize("cluster", [EXAMPLE, STRIMZI])
def test_what_is_left_out_is_named_once_with_where_its_rules_are(measured: Measured, cluster: str) -> None:
    rows = [row for row in measured.raw("brokers", cluster) if row["kind"] != "timeout"]
    assert len(rows) >= 2 * SWEEPS - 2  # on a busy machine an exporter may take too long
    assert {row["outcome"] for row in rows} == {"partial"}
    (told,) = left_out(measured, cluster)
    assert told.startswith("brokers 1, 2: the metrics endpoint leaves out kafka.server:type=app-info,id=*")
    assert told.endswith("kafka-fleet exporter-rules prints the rules to add")


def test_the_example_shows_the_symptom_and_not_the_release(measured: Measured) -> None:
    found = states(measured, EXAMPLE)
    assert (found["fetch_latency"], found["offset_rewind"], found["retriable_errors"]) == ("detected", "quiet", "quiet")
    assert found["partition_skew"] == "not_evaluated"  # means of times
    assert found["reconnect_storm"] == "not_evaluated"  # connections by listener
    finding = measured.finding(EXAMPLE, BUG)
    assert (finding["verdict"], finding["exposure"]) == ("look_alike", "unknown")
    assert "the release of broker 2 was not read" in finding["missing"]
    symptom = next(one for one in measured.findings(EXAMPLE) if one["advisory"] is None)
    assert (symptom["signature"], symptom["cause"]) == ("fetch_latency", "follower")


def test_rules_without_requests_stop_what_counts_them_and_nothing_else(measured: Measured) -> None:
    found = states(measured, STRIMZI)
    assert found["fetch_latency"] == "not_evaluated"
    assert (found["partition_growth"], found["offset_rewind"]) == ("quiet", "quiet")
    assert {row["expired_consumer_fetches"] for row in measured.raw("broker_metrics", STRIMZI)} == {None}


def test_with_the_rules_that_are_printed_the_bug_is_confirmed(measured: Measured) -> None:
    assert {row["release"] for row in measured.raw("broker_metrics", MENDED)} == {"3.3.1"}
    finding = measured.finding(MENDED, BUG)
    assert (finding["verdict"], finding["cause"]) == ("confirmed", "follower")
    assert left_out(measured, MENDED) == []
