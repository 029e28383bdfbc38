"""A real broker killed and started again: its absence is shown, its counters are not compared, nothing is invented."""

import pytest

from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("releases"), pytest.mark.sampled("releases")]


@pytest.mark.fault(2)
def test_the_dead_broker_is_shown_as_failed(measured: Measured) -> None:
    rows = [row for row in measured.raw("brokers", "restarted") if row["broker"] == 2]
    assert [row["outcome"] for row in rows] == ["ok", "ok", "failed", "ok", "ok"]
    assert rows[2]["kind"]
    assert rows[2]["read_at"] is None
    broker = next(one for one in measured.dossier("restarted")["coverage"]["brokers"] if one["broker"] == 2)
    assert (broker["ok"], broker["failed"]) == (4, 1)
    assert broker["failures"] == [rows[2]["kind"]]


@pytest.mark.fault(2)
def test_a_cluster_with_a_dead_broker_is_not_judged(measured: Measured) -> None:
    finding = measured.finding("halfdead", "KAFKA-14334")
    # broker 2's release and settings could not be read either, so whether the cluster is exposed is not known
    assert (finding["signature_state"], finding["verdict"]) == ("not_evaluated", "unknown")
    assert set(finding["missing"]) >= {
        "the release of broker 2 was not read",
        "broker 2: no two reads of one process with the counters of consumer fetches",
    }
    coverage = measured.dossier("halfdead")["coverage"]
    assert any("broker 2: nothing was read" in text for text in coverage["not_measured"])


@pytest.mark.fault(30)
def test_the_restart_gives_a_start_interval(measured: Measured) -> None:
    spans = measured.facts("broker_intervals", cluster="restarted", broker=2)
    assert sorted((span["kind"], span["same_process"]) for span in spans) == [
        ("start", True),
        ("start", True),
        ("sweeps", False),
        ("sweeps", True),
        ("sweeps", True),
    ]
    later = max((span for span in spans if span["kind"] == "start"), key=lambda span: span["to_sweep"])
    assert 0 < later["seconds"] < 120
    discarded = measured.facts("discarded_intervals", cluster="restarted")
    assert [(row["broker"], row["intervals"]) for row in discarded] == [(2, 1)]


@pytest.mark.fault(30)
def test_no_rate_is_negative_or_huge(measured: Measured) -> None:
    for row in measured.facts("broker_counters", cluster="restarted"):
        assert row["seconds"] > 0
        for name in ("consumer_fetches", "expired_consumer_fetches", "messages_in", "bytes_in", "bytes_out"):
            assert row[name] >= 0
        assert row["messages_in"] / row["seconds"] < 50
        assert row["consumer_fetches"] / row["seconds"] < 100
    for row in measured.facts("partition_rates", cluster="restarted"):
        assert not row["went_back"]
        assert 0 <= row["records"] / row["seconds"] < 50
