"""A letter for each cause that the cases of signatures detect: whom it hits, the figure, what to do; within bounds."""

import re
from functools import cache
from typing import Any

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.conditions import asked_by
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.verdicts import verdict
from kafka_fleet.report.changes import compare
from kafka_fleet.report.screen_model import MOST_IDS, MOST_WORDS
from kafka_fleet.report.short_letter import MOST_BYTES, words_in
from support.builders.detected_cases import detected, judged
from support.builders.documents import short_of
from support.builders.letter_rows import evidence

# no case and no run has shown it yet
REDIRECT = {
    "signature": "fetch_latency",
    "case": "by hand",
    "cause": "redirect",
    "strength": "suggestive",
    "subjects": ["broker 2", "topic orders", "group billing"],
    "bounds": None,
    "evidence": [evidence(40.0, metric="expired consumer fetches that no idle reader explains", unit="fetches")],
}
ALL = [*detected(), REDIRECT]
NEVER = {("unclean_restart", "clean_roll")}  # is quiet: no finding has it


CAUSES = {f"{one['signature']}/{one['case']}/{one['cause']}": one for one in ALL}


@cache
def letter(name: str) -> tuple[str, Any]:
    report, findings = judged(CAUSES[name])
    return short_of(report, findings, compare(None, findings, None, True, lambda *_: 9))


def test_every_cause_of_every_signature_is_told_in_its_owners_words() -> None:
    told = {(name, cause) for name, one in load_signatures().items() for cause in one.owner_words}
    assert told == {(name, cause) for name, one in load_signatures().items() for cause in one.causes}
    assert {(one["signature"], one["cause"]) for one in ALL} | NEVER >= told


def test_a_condition_confirms_nothing_and_so_needs_no_words_of_its_own() -> None:
    for exposure, found in (("exposed", "exposed"), ("unknown", "unknown"), ("not_exposed", "not_affected")):
        assert verdict(exposure, None, None, False) == found
    asked = [one for one in load_advisories().values() if asked_by(one)]
    assert len(asked) >= 10
    assert {one.signature for one in asked} == {None}


@pytest.mark.parametrize("name", CAUSES)
def test_a_letter_names_its_subjects_figure_and_action(name: str) -> None:
    one = CAUSES[name]
    subject, made = letter(name)
    screen = made.screen
    text = " ".join(made.text.split())
    assert screen.trouble is not None
    words = text.split("Do: ")[0]
    named = [name for name in one["subjects"] if name.startswith(("broker ", "group ", "topic "))]
    assert any(name.partition(" ")[2] in words for name in named), words
    assert screen.trouble.proof is not None
    assert screen.trouble.proof.value in made.html
    assert screen.trouble.proof.width > 0
    assert screen.trouble.proof.healthy, "what a healthy cluster shows, or the threshold"
    assert len(screen.trouble.do.split()) >= 4
    assert words_in(made.text) <= MOST_WORDS[screen.kind]
    assert len(made.html.encode()) <= MOST_BYTES
    assert "?" not in words
    assert "  " not in subject
    assert len(subject) <= 130
    assert len(set(re.findall(r"\b(?:KAFKA|CVE|CFG|OPS)-[A-Z0-9][A-Z0-9-]*", made.text))) <= MOST_IDS
