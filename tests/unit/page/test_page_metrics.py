"""The metrics of the latest judged day: what they count, how hostile labels are escaped, and how many there can be."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import Depends, HTTPException
from fastapi.testclient import TestClient

from kafka_fleet.documents.published import Published
from kafka_fleet.mail.mailing_status import note_mailed
from kafka_fleet.page import metrics
from kafka_fleet.page.app import make_app
from kafka_fleet.page.exposition import Gauge, Sample, exposition
from support.builders.letter_rows import DS, finding
from support.builders.page_client import client
from support.builders.published_days import confirmed, day, dossier, exposed, four_days, publish_day

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)  # DS has ended twelve hours before


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    metrics._series.cache_clear()
    metrics._letters.cache_clear()
    metrics._accepted.cache_clear()


def samples(home: Path, now: datetime = NOON) -> dict[str, list[tuple[dict[str, str], float]]]:
    return {
        one.name: [(dict(sample.labels), sample.value) for sample in one.samples]
        for one in metrics.gauges(Published(home), now)
    }


def test_the_age_of_the_day_and_whether_its_letters_have_gone(tmp_path):
    four_days(tmp_path)
    found = samples(tmp_path)
    assert found["kafka_fleet_judgements"] == [({}, 4)]
    assert found["kafka_fleet_day_age_seconds"] == [({}, 12 * 3600)]
    assert found["kafka_fleet_day_timestamp_seconds"] == [({}, datetime(2026, 11, 21, tzinfo=UTC).timestamp())]
    assert found["kafka_fleet_day_mailed"] == [({}, False)]
    note_mailed(tmp_path, DS, "g0001")
    assert samples(tmp_path)["kafka_fleet_day_mailed"] == [({}, True)]


def test_findings_verdicts_and_coverage_of_each_cluster(tmp_path):
    four_days(tmp_path)
    found = samples(tmp_path)
    judged = {labels["cluster"]: value for labels, value in found["kafka_fleet_cluster_judged"]}
    assert judged == {"archive-eu": True, "lost-eu": False, "payments-eu": True}
    counts = {(one["cluster"], one["verdict"]): value for one, value in found["kafka_fleet_findings"]}
    assert counts["payments-eu", "confirmed"] == counts["lost-eu", "unknown"] == 1
    assert counts["archive-eu", "confirmed"] == 0
    assert {one["cluster"] for one, _ in found["kafka_fleet_cluster_coverage_ratio"]} == {"archive-eu", "payments-eu"}
    ((labels, value),) = found["kafka_fleet_finding"]
    assert value == 1
    assert labels == {
        "cluster": "payments-eu", "environment": "production", "advisory": "KAFKA-14334", "signature": "fetch_latency",
        "cause": "follower", "verdict": "confirmed", "severity": "high",
        "fingerprint": "96c7ccbe9593e132bfe22c137616c2f8", "acknowledged": "false",
    }  # fmt: skip


def test_no_owner_and_no_name_from_kafka_is_a_label(tmp_path):
    rows = [confirmed() | {"subjects": ["topic secret-merger"]}]
    publish_day(tmp_path, DS, {"a": (dossier("a", DS, owners=["someone@example.org"]), rows)}, letters=False)
    text = client(tmp_path).get("/metrics").text
    assert "kafka_fleet_finding{" in text
    assert "someone" not in text
    assert "merger" not in text


def test_a_day_that_is_judged_again_is_read_again(tmp_path):
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [confirmed()])}, letters=False)
    assert len(samples(tmp_path)["kafka_fleet_finding"]) == 1
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [])}, letters=False)
    assert samples(tmp_path)["kafka_fleet_finding"] == []


def test_beyond_the_most_series_the_mildest_findings_are_left_out_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(metrics, "MOST", 2)
    rows = [exposed(), finding("KAFKA-1", "exposed", severity="critical"), finding("KAFKA-2", "confirmed")]
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), rows)}, letters=False)
    found = samples(tmp_path)
    assert [labels["advisory"] for labels, _ in found["kafka_fleet_finding"]] == ["KAFKA-2", "KAFKA-1"]
    assert found["kafka_fleet_findings_omitted"] == [({}, 1)]


def test_letters_are_counted_by_what_became_of_them(tmp_path, monkeypatch):
    four_days(tmp_path)
    monkeypatch.setattr(metrics, "letter_states", lambda _home, ds: {"sent": 3, "refused": int(ds == DS)})
    assert samples(tmp_path)["kafka_fleet_letters"] == [({"state": "sent"}, 3), ({"state": "refused"}, 1)]


def test_a_damaged_outbox_takes_away_its_own_metric_alone(tmp_path):
    four_days(tmp_path)
    folder = tmp_path / f"outbox/ds={DS}"
    folder.mkdir(parents=True)
    (folder / "payments-eu.json").write_text("damaged")
    assert samples(tmp_path)["kafka_fleet_letters"] == []
    assert "kafka_fleet_letters" not in client(tmp_path).get("/metrics").text


def test_a_cluster_whose_judgement_cannot_be_read_is_not_judged(tmp_path):
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [confirmed()])}, letters=False)
    (tmp_path / f"findings/ds={DS}/g0001/verdicts/a.json").write_text("damaged")
    found = samples(tmp_path)
    assert [value for _, value in found["kafka_fleet_cluster_judged"]] == [False]
    assert found["kafka_fleet_finding"] == []


def test_a_damaged_day_fails_the_scrape(tmp_path):
    publish_day(tmp_path, DS, {"a": (dossier("a", DS), [])}, letters=False)
    (tmp_path / f"findings/ds={DS}/g0001/summary.json").write_text("damaged")
    assert client(tmp_path).get("/metrics").status_code == 409


def test_nothing_is_judged_yet(tmp_path):
    assert client(tmp_path).get("/metrics").text.endswith("\nkafka_fleet_judgements 0\n")


def test_the_guard_of_the_page_stands_before_it(tmp_path):
    def refuse():
        raise HTTPException(401, "Not authenticated")

    answer = TestClient(make_app(lambda: tmp_path, [Depends(refuse)])).get("/metrics")
    assert (answer.status_code, answer.json()) == (401, {"detail": "Not authenticated"})


def test_labels_are_escaped_and_what_utf_8_cannot_say_is_replaced():
    text = exposition([Gauge("m", "About.", [Sample(0.5, {"a": 'x"\\\n\ud800', "b": ""}), Sample(2.0)])])
    assert text.decode() == '# HELP m About.\n# TYPE m gauge\nm{a="x\\"\\\\\\n?"} 0.5\nm 2\n'


def test_an_earlier_day_is_not_told_where_a_later_one_is_judged(tmp_path):
    publish_day(tmp_path, day(1), {"a": (dossier("a", day(1)), [confirmed()])}, letters=False)
    publish_day(tmp_path, DS, {"b": (dossier("b", DS), [])}, letters=False)
    assert [labels["cluster"] for labels, _ in samples(tmp_path)["kafka_fleet_cluster_judged"]] == ["b"]
