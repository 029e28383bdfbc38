"""What a measurement points to without proving it: told on a day on which nothing is confirmed, and as no more."""

from typing import Any

import pytest

from kafka_fleet.report.changes import told_of
from kafka_fleet.report.screen_model import MOST_WORDS
from kafka_fleet.report.short_letter import words_in
from support.builders.documents import parsed_findings, render_short
from support.builders.letter_rows import evidence, finding
from support.builders.letter_samples import payments

ERRORS = "partition batches refused with an error that a retry mends, so lost at most"
LOST: dict[str, Any] = {
    "signature": "retriable_errors",
    "cause": "min_isr",
    "strength": "suggestive",
    "signature_state": "detected",
    "severity": "high",
    "subjects": ["broker 1", "topic orders", "client unknown on listener PLAINTEXT"],
    "evidence": [evidence(840, metric=ERRORS, unit="batches", threshold=2)],
}
SUSPECT = finding("CFG-PRODUCER-RETRIES", "exposed", **LOST)
REST = [finding("CVE-2026-111108", "exposed", severity="critical"), finding("KAFKA-12964", "exposed", severity="low")]


def text_of(*rows: dict[str, Any], **more: Any) -> tuple[str, str]:
    subject, made = render_short(payments(), list(rows), **more)
    assert words_in(made.text) <= MOST_WORDS[made.screen.kind] == 150
    return subject, " ".join(made.text.split())


def test_it_says_what_is_suspected_the_figure_and_what_to_do() -> None:
    subject, text = text_of(SUSPECT, *REST)
    assert subject == (
        "payments-eu: nothing confirmed; suspected: producers of topic orders may have lost 840 batches for want of "
        "replicas (CFG-PRODUCER-RETRIES)"
    )
    assert text.startswith("Nothing is confirmed in payments-eu.")
    parts = [
        "Suspected: Producers of topic orders may have lost 840 batches",
        "It is not proven.",
        "Figure: 840 ",
        "Do: ",
        "Who: ",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert "Most pressing exposure: CVE-2026-111108" in text


@pytest.mark.parametrize("verdict", ["exposed", "unknown"])
def test_an_undecided_issue_is_suspected_as_well(verdict: str) -> None:
    subject, text = text_of({**SUSPECT, "verdict": verdict}, *REST)
    assert "suspected: producers" in subject
    assert "Suspected: " in text


def test_a_symptom_that_was_not_seen_or_a_confirmed_bug_leaves_it_out() -> None:
    quiet = {**SUSPECT, "signature_state": "quiet", "cause": None, "strength": None, "evidence": []}
    assert "uspected" not in "".join(text_of(quiet, *REST))
    subject, made = render_short(payments(), [finding("KAFKA-14334", "confirmed"), SUSPECT])
    assert "uspected" not in subject + made.text


def test_it_is_news_once() -> None:
    before = told_of(parsed_findings([SUSPECT, *REST]))
    subject, text = text_of(SUSPECT, *REST, since="2026-11-19", before=before)
    assert subject == "payments-eu: nothing confirmed; nothing changed"
    assert "Suspected: " in text, "it stays in the letter"
    late = told_of(parsed_findings(REST))
    assert "suspected: producers" in text_of(SUSPECT, *REST, since="2026-11-19", before=late)[0]


def test_several_are_counted() -> None:
    other = {**SUSPECT, "advisory": "KAFKA-12261", "severity": "low"}
    assert "1 more suspicion in the report." in text_of(SUSPECT, other)[1]
