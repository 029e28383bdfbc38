"""A finding for programs that show no letter: what to do by its verdict, and figures with place and threshold."""

import pytest

from kafka_fleet.documents.finding import Finding
from kafka_fleet.report.finding_brief import advice_for, evidence_lines
from support.builders.letter_rows import evidence, finding

LATENCY = {"signature": "fetch_latency", "cause": "follower"}


def advice(verdict: str, **more) -> str:
    return advice_for(Finding.model_validate(finding("KAFKA-14334", verdict, **more)))


def test_a_confirmed_bug_is_upgraded_away_and_worked_around_until_then() -> None:
    said = advice("confirmed", **LATENCY, components=["broker"], upgrade_to="3.3.2", workaround="Unset client.rack.")
    assert said == "Upgrade brokers from 3.3.1 to 3.3.2. Until then: Unset client.rack."


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"components": ["broker"], "upgrade_to": "3.3.2", "workaround": None}, "Upgrade brokers from 3.3.1 to 3.3.2."),
        ({"upgrade_to": None, "workaround": "Unset\n  client.rack."}, "Unset client.rack."),
        ({"upgrade_to": None, "workaround": None}, ""),
    ],
)
def test_of_what_is_exposed_the_upgrade_or_the_workaround_is_said(more, said) -> None:
    assert advice("exposed", **more) == said


def test_a_symptom_says_what_its_own_words_say() -> None:
    assert advice("look_alike", **LATENCY, upgrade_to="3.3.2", workaround="No.") not in ("", "No.")


def test_a_figure_has_place_and_threshold() -> None:
    line = evidence() | {"metric": "late", "value": 0.5, "unit": "s", "threshold": 0.1, "where": "broker 2"}
    rows = [line, line | {"where": None, "threshold": None}, line | {"unit": "ratio"}]
    found = Finding.model_validate(finding("KAFKA-14334", "confirmed", evidence=rows))
    assert evidence_lines(found) == (
        "0.5 s: late, broker 2; threshold 0.1 s", "0.5 s: late", "50 %: late, broker 2; threshold 10 %",
    )  # fmt: skip
