"""Whole letters of recorded days: sentences begin and end as such, none is said twice, and none refers to another's."""

import json
import re
from typing import Any

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.letter import Letter
from kafka_fleet.report.templating import breakable, wrapped
from support.builders.documents import render_letter
from support.builders.letter_samples import ADVISORIES, payments, payments_findings, unreached, unreached_findings
from support.homes.golden_homes import unpack

Json = dict[str, Any]
UNDECIDED = "Could not be decided"
ASIDE = re.compile(r"see (\S+) above, the same symptom")


class Told:
    """A letter beside what it was made of."""

    def __init__(self, dossier: Json, findings: list[Json], advisories: Any) -> None:
        self.findings = [one for one in findings if one["cluster"] == dossier["cluster"]]
        self.letter: Letter = render_letter(dossier, findings, advisories)
        self.dossier = dossier

    def section(self, title: str) -> str:
        """As it stands in the text."""
        head = f"\n{title.upper()}\n{'-' * len(title)}\n\n"
        return re.split(r"\n\n[A-Z][A-Z ,]+\n-+\n", self.letter.text.partition(head)[2])[0]

    @property
    def gaps(self) -> list[str]:
        """What could not be measured, an item each."""
        return [one_line(text) for text in re.split(r"^- ", self.section("What could not be measured"), flags=re.M)[1:]]

    @property
    def undecided(self) -> list[str]:
        """What would decide issues, with the reasons, as paragraphs above their list."""
        parts = re.split(r"^  - .*\n?(?:^ {4,}.*\n?)*", self.section(UNDECIDED), flags=re.M)
        return [one_line(text) for text in parts if text.strip()]


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    home = tmp_path_factory.mktemp("judged")
    assert len(unpack(home, "judged")) >= 7
    found = [Told(payments(), payments_findings(), ADVISORIES), Told(unreached(), unreached_findings(), ADVISORIES)]
    for path in sorted(home.glob("findings/ds=*/g*/clusters/*.json")):
        findings = json.loads((path.parents[1] / "findings.json").read_bytes())
        found.append(Told(json.loads(path.read_bytes()), findings, load_advisories()))
    return found


def is_sentence(text: str) -> bool:
    """It ends with a full stop, and begins with a capital, a figure, or a name that is none of ours to change."""
    first = text.split()[0]
    name = any(sign in first for sign in "._=/-")
    return text.endswith(".") and (not first[0].islower() or name)


def test_each_reason_and_each_gap_is_a_sentence(letters: list[Told]) -> None:
    reasons = 0
    for told in letters:
        assert told.gaps or "Everything that was asked for was answered." in told.letter.text
        assert [text for text in (*told.undecided, *told.gaps) if not is_sentence(text)] == []
        said = " ".join(told.undecided).casefold()
        lacking = [one for one in told.findings if one["verdict"] == "unknown" and not one["evidence"]]
        for text in {text for one in lacking for text in one["missing"]}:
            assert f"{text.rstrip('.').casefold()}." in said
            reasons += 1
    assert reasons > 30


def test_no_sentence_begins_with_a_small_letter_after_a_full_stop(letters: list[Told]) -> None:
    for told in letters:
        text = one_line(told.letter.text.partition("\nHOW IT WAS MEASURED\n")[0])
        assert re.findall(r"[a-z]{2}\. [a-z]+[ ,].{20}", text) == []


def test_nothing_that_could_not_be_measured_is_said_twice(letters: list[Told]) -> None:
    for told in letters:
        assert len(set(told.gaps)) == len(told.gaps)
        for signature in told.dossier["signatures"]:
            own = [text for text in told.gaps if text.startswith(f"{signature['title']}: ")]
            assert not any(text.startswith(f"{signature['signature']}:") for text in told.gaps), "said by its title"
            for text in signature["missing"]:
                assert sum(text.rstrip(".").casefold() in one.casefold() for one in own) == 1


def test_only_findings_of_one_symptom_refer_to_each_other(letters: list[Told]) -> None:
    referring = 0
    for told in letters:
        symptom = {one["advisory"]: one["signature"] for one in told.findings}
        text = one_line(told.letter.text)
        cards = re.split(r"(?=[●≈◐?] (?:[A-Z]+-[\w-]+): )", text)
        for card in cards:
            for label in ASIDE.findall(card):
                own = re.match(r". ([A-Z]+-[\w-]+): ", card)
                assert own
                assert symptom[own[1]] == symptom[label] is not None
                referring += 1
    assert referring < 2 * len(letters)


def test_two_of_one_symptom_do_refer_and_two_without_do_not() -> None:
    findings = payments_findings()
    first = next(one for one in findings if one["advisory"] == "KAFKA-14334")
    twin = {**first, "advisory": "KAFKA-13767"}
    told = Told(payments(), [*findings, twin], {**load_advisories(), **ADVISORIES})
    assert len(ASIDE.findall(one_line(told.letter.text))) == 1
    none = [{**one, "signature": None, "cause": None} for one in (first, twin)]
    told = Told(payments(), none, {**load_advisories(), **ADVISORIES})
    assert "the same symptom" not in one_line(told.letter.text)


def test_a_topic_has_no_release_and_a_name_can_be_copied() -> None:
    findings = payments_findings()
    bean = "kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=consumer,and=" + "x" * 60
    first = next(one for one in findings if one["advisory"] == "KAFKA-14334")
    changed = {**first, "components": ["topic"], "evidence": [{**first["evidence"][0], "mbean": bean}]}
    letter = Told(payments(), [changed], ADVISORIES).letter
    assert f"\n  {bean}\n" in letter.text
    for text in (letter.text, letter.html):
        assert "Broker release 3.3.1" in text
        assert "Topic release" not in text


def test_parts_of_a_long_name_have_no_blank_between_them() -> None:
    for first in range(1, 40):
        name = "a" * first + "," + "b" * 50 + "," + "c" * 30
        lines = wrapped(f"see {name} there", 2).split("\n")
        assert max(len(line) for line in lines) <= 78
        assert name in re.sub(r"\n +", "", "\n".join(lines))


def test_dates_stay_whole_and_long_names_break_behind_their_dots() -> None:
    assert breakable("until 2026-12-02: high") == ('until <span style="white-space:nowrap;">2026-12-02</span>: high')
    name = "unclean.<wbr>leader.<wbr>election.<wbr>enable=false."
    assert breakable("set unclean.leader.election.enable=false.") == (
        f'set <span style="display:inline-block;">{name}</span>'
    )
    assert breakable("give terminationGracePeriodSeconds") == (
        'give <span style="display:inline-block;">termination<wbr>Grace<wbr>Period<wbr>Seconds</span>'
    )
    assert breakable("short.name") == "short.name"
    hostile = breakable("<script>alert(1)</script>.<b>" * 2)
    assert re.findall(r"<\w+", hostile) == ["<span", "<wbr", "<wbr"]
    assert breakable("x" * 300) == f'<span style="display:inline-block;">{"x" * 300}</span>'
