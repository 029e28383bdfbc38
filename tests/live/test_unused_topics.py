"""A topic that nobody uses is told on a real broker of 4.1.1, and none that is read, waited for, compacted or empty."""

import pytest

from support.live.measured import Measured
from support.live.unused import RECENT, RECORD_BYTES, RECORDS, TOPICS, UNUSED

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("unused"), pytest.mark.sampled("unused")]
ISSUE = "OPS-UNUSED-TOPICS"


def test_the_topic_and_the_group_that_nobody_uses_are_named_and_no_other_one(measured: Measured) -> None:
    finding = measured.finding(UNUSED, ISSUE)
    assert (finding["verdict"], finding["severity"], finding["missing"]) == ("exposed", "low", [])
    assert finding["subjects"] == ["topic archive", "group loader"]
    told = {(line["metric"], line["where"]): line["value"] for line in finding["evidence"]}
    size = told["size of all its replicas", "topic archive"]
    assert RECORDS * RECORD_BYTES <= 1e9 * size <= 1.2 * RECORDS * RECORD_BYTES
    assert told["days for which its log ends stayed as they are, at least", "topic archive"] == 9


def test_what_the_others_are_used_for_is_seen(measured: Measured) -> None:
    topics = {one["topic"]: one for one in measured.facts("topic_use", cluster=UNUSED)}
    assert set(topics) >= {*TOPICS, "errors"}
    assert topics["orders"]["unwritten_since"] is None
    idle = [name for name in TOPICS if name != "orders"]
    assert all(topics[name]["unwritten_since"] is not None and topics[name]["records"] == RECORDS for name in idle)
    assert [name for name in idle if topics[name]["is_read"]] == ["waiting", "loaded"]
    assert topics["errors"]["records"] == 0
    ages = {one["group_id"]: one for one in measured.facts("commit_ages", cluster=UNUSED)}
    assert (ages["loader"]["memberless"], ages["billing"]["unmoved_since"]) == (True, None)


def test_without_a_sweep_of_a_week_ago_it_is_unknown(measured: Measured) -> None:
    finding = measured.finding(RECENT, ISSUE)
    assert (finding["verdict"], finding["subjects"]) == ("unknown", [])
    assert [one for one in finding["missing"] if one.endswith("the first there is of 3 ago")]
