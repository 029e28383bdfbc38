"""Clients that quotas hold back, records that brokers convert, and remote copies that fall behind, on real brokers."""

from typing import Any

import pytest

from support.live.measured import Measured
from support.live.usage import BEHIND, BEYOND, OLD, QUOTED, REFUSED, SEGMENT, SENT_PER_S, TIERED, WITHIN

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("usage"), pytest.mark.sampled("usage")]
QUOTA, CONVERTED, COPIES = "OPS-QUOTA-THROTTLE", "OPS-MESSAGE-CONVERSION", "OPS-REMOTE-COPY"


def lines(finding: dict[str, Any]) -> dict[str, tuple[str, float]]:
    """Place and value of each line of evidence, by metric."""
    return {one["metric"]: (one["where"], one["value"]) for one in finding["evidence"]}


@pytest.mark.parametrize(
    ("cluster", "issue"),
    [(WITHIN, QUOTA), (WITHIN, COPIES), (TIERED, QUOTA), (TIERED, COPIES), (TIERED, CONVERTED), (BEHIND, QUOTA)],
)
def test_brokers_that_are_well_are_quiet(measured: Measured, cluster: str, issue: str) -> None:
    finding = measured.finding(cluster, issue)
    assert (finding["verdict"], finding["missing"]) == ("not_affected", [])


def test_the_broker_that_holds_back_a_producer_is_named_and_no_other(measured: Measured) -> None:
    finding = measured.finding(BEYOND, QUOTA)
    assert (finding["verdict"], finding["missing"], finding["subjects"]) == ("exposed", [], ["broker 1"])
    where, seconds = lines(finding)["time for which requests were throttled in a second of these hours, added up"]
    assert where == "Produce requests to broker 1"
    assert seconds >= 0.5
    counted = measured.facts("topic_counters", cluster=BEYOND, broker=1, topic=QUOTED, kind="sweeps")
    sent = sum(row["messages_in"] for row in counted) / sum(row["seconds"] for row in counted)
    assert sent < 0.5 * SENT_PER_S, "the quota bit"


def test_the_topic_that_is_converted_is_named_with_its_rate(measured: Measured) -> None:
    finding = measured.finding(BEHIND, CONVERTED)
    assert (finding["verdict"], finding["missing"], finding["subjects"]) == ("exposed", [], [f"topic {OLD}"])
    where, rate = lines(finding)["records converted for Fetch requests"]
    assert where == f"topic {OLD}"
    assert rate > 100, "each of some five requests a second reads a megabyte of records of a kilobyte"


def test_a_release_that_does_not_count_what_it_converts_is_not_called_well(measured: Measured) -> None:
    finding = measured.finding(BEYOND, CONVERTED)
    assert finding["verdict"] != "not_affected"
    assert any("KAFKA-14295" in one for one in finding["missing"]), finding["missing"]
    assert {row["fetch_conversions"] for row in measured.raw("broker_metrics", BEYOND)} == {0}, "although it converts"
    (first, *_rest, last) = [
        row["bytes_out"] for row in measured.raw("broker_topics", BEYOND) if row["topic"] == OLD and row["broker"] == 2
    ]
    assert last - first > 5_000_000
    assert measured.finding(BEYOND, "KAFKA-14295")["verdict"] == "exposed"


def test_the_topic_whose_copies_are_refused_is_named_although_its_lag_stands_still(measured: Measured) -> None:
    finding = measured.finding(BEHIND, COPIES)
    assert (finding["verdict"], finding["missing"]) == ("exposed", [])
    assert finding["subjects"] == [f"topic {REFUSED}", "broker 1"]
    assert lines(finding)["copies that failed in that time"][1] > 0
    lags = {row["remote_copy_lag_bytes"] for row in measured.raw("broker_topics", BEHIND) if row["topic"] == REFUSED}
    logs = [row["size_bytes"] for row in measured.raw("partitions", BEHIND) if row["topic"] == REFUSED]
    assert max(logs) > max(lags) + 2 * SEGMENT, "what waits is not in the gauge"
