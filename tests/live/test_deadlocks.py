"""Handlers that wait for each other on real brokers: the JVM names the threads, and KAFKA-14225 alone is confirmed."""

import pytest

from support.inspection.detections import figures
from support.live.deadlocked import FIXED, HELD, QUOTAS, SWEEPS
from support.live.measured import Measured

NAME, ISSUE = "handler_saturation", "KAFKA-14225"
pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("deadlocks"), pytest.mark.sampled("deadlocks")]


def test_the_circle_confirms_the_issue_whose_methods_are_in_it(measured: Measured) -> None:
    finding = measured.finding(QUOTAS, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "deadlock", "conclusive")
    assert finding["subjects"] == ["broker 1"]
    told = figures(finding)
    assert told["request handlers that wait for each other for ever"] == 1
    assert told["threads that wait for each other for ever"] == 2
    (found,) = measured.state(QUOTAS, NAME)["detections"]
    assert (found["cause"], found["strength"]) == ("deadlock", "conclusive")
    others = [one for one in measured.findings(QUOTAS) if one["signature"] == NAME and one["verdict"] == "confirmed"]
    assert [one["advisory"] for one in others] == [ISSUE]


def test_every_sweep_has_both_threads_and_where_they_stand(measured: Measured) -> None:
    rows = measured.raw("deadlocked_threads", QUOTAS)
    assert len(rows) == 2 * SWEEPS
    assert {row["cycle"] for row in rows} == {0}
    handler, taking = rows[1], rows[0]
    assert handler["thread"].startswith("data-plane-kafka-request-handler-")
    assert handler["waits_for"] == "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"
    assert "kafka.server.ClientRequestQuotaManager.exemptSensor" in handler["frames"]
    assert taking["waits_for"] == "kafka.server.ClientRequestQuotaManager"
    assert "kafka.server.ClientQuotaManager.updateQuota" in taking["frames"]


def test_the_same_steps_at_the_release_with_the_fix_stop_nothing(measured: Measured) -> None:
    assert measured.state(FIXED, NAME)["state"] == "quiet"
    assert measured.finding(FIXED, ISSUE)["verdict"] == "not_affected"
    assert measured.raw("deadlocked_threads", FIXED) == []
    assert {row["deadlocked_threads"] for row in measured.raw("broker_metrics", FIXED)} == {0}


def test_handlers_that_something_else_holds_are_told_and_confirm_nothing(measured: Measured) -> None:
    (found,) = measured.state(HELD, NAME)["detections"]
    assert (found["cause"], found["strength"]) == ("deadlock", "conclusive")
    finding = measured.finding(HELD, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("exposed", "deadlock", "suggestive")
    assert figures(finding)["threads that wait for each other for ever"] == 0
    (own,) = [one for one in measured.findings(HELD) if one["signature"] == NAME and one["advisory"] is None]
    assert own["verdict"] == "look_alike"
