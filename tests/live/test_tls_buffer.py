"""KAFKA-13559 on real brokers: two requests in one TLS record, what the client waits, and what the broker tells."""

import pytest

from support.live.measured import Measured
from support.live.tls_buffer import PROMPT, WAITS, times

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("tls-buffer"), pytest.mark.sampled("tls-buffer")]
ISSUE = "KAFKA-13559"
POLL_MS = 300  # of a network thread without other work


def test_the_second_request_waits_out_the_poll_time_at_3_3_2(measured: Measured) -> None:
    found = times(measured.home, WAITS)
    assert found["together"] > 0.8 * POLL_MS
    assert found["apart"] < 0.4 * POLL_MS, "one record each: no wait"


def test_the_same_requests_are_prompt_at_3_4_0(measured: Measured) -> None:
    assert times(measured.home, PROMPT)["together"] < 0.4 * POLL_MS
    assert measured.finding(PROMPT, ISSUE)["verdict"] == "not_affected"


def test_no_time_of_the_broker_shows_the_wait(measured: Measured) -> None:
    """Its times of a request begin when it was read from the TLS layer, so the issue is never confirmed."""
    times_of = {
        row["phase"]: row["p50_ms"] for row in measured.raw("request_times", WAITS) if row["request"] == "Produce"
    }
    assert times_of["TotalTimeMs"] < 0.4 * POLL_MS
    assert max(times_of.values()) == times_of["TotalTimeMs"]
    assert measured.finding(WAITS, ISSUE)["verdict"] == "exposed"
