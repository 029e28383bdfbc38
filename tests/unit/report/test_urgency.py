"""How much a finding weighs where it is: its environment takes steps off its severity, never off the finding."""

import pytest

from kafka_fleet.report.priority import weighed
from support.builders.documents import importance, most_pressing, sentence
from support.builders.letter_rows import finding


@pytest.mark.parametrize(
    ("severity", "environment", "weight"),
    [
        ("critical", "production", "critical"),
        ("critical", "staging", "high"),
        ("critical", "development", "medium"),
        ("high", "development", "low"),
        ("low", "development", "low"),
        ("info", "production", "info"),
        ("high", None, "high"),
        (None, "production", "info"),
    ],
)
def test_an_environment_takes_steps_off_a_severity(severity, environment, weight):
    assert weighed(severity, environment) == weight


def test_the_most_pressing_is_the_worst_that_nobody_acknowledged():
    found = [
        finding("CVE-1", "exposed", severity="critical"),
        finding("KAFKA-1", "confirmed", severity="medium"),
        finding("KAFKA-2", "confirmed", severity="high"),
        finding("KAFKA-3", "not_affected", severity="critical"),
    ]
    assert most_pressing(found).advisory == "KAFKA-2"
    assert most_pressing(found, {"KAFKA-2"}).advisory == "KAFKA-1"
    assert most_pressing(found[-1:]) is None


@pytest.mark.parametrize(
    ("verdict", "severity", "environment", "expected"),
    [
        ("confirmed", "high", "production", "high"),
        ("confirmed", "high", "staging", "normal"),
        ("exposed", "high", "production", "normal"),
        ("exposed", "high", "development", "low"),
    ],
)
def test_a_mail_says_how_important_it_is(verdict, severity, environment, expected):
    assert importance(finding("KAFKA-1", verdict, severity=severity), environment) == expected
    assert importance(None, environment) == "low"


def test_in_words():
    one = finding("KAFKA-1", "confirmed", severity="high")
    assert sentence(one, "production") == "Most pressing: KAFKA-1, severity high."
    assert (
        sentence(one, "staging") == "Most pressing: KAFKA-1, severity high; on a staging cluster it weighs as medium."
    )
    assert sentence(None, "staging") == ""
