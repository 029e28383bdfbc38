"""Letters of days that real brokers gave: who is hit, what to do and the bounds; golden files; nothing of a machine."""

import html
import lzma
import os
import re
import tarfile
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi.testclient import TestClient

from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.mail.published_letter import JudgedDay
from kafka_fleet.page.app import make_app
from kafka_fleet.report.letter import MAX_BYTES
from kafka_fleet.report.screen_model import MOST_IDS, MOST_WORDS, text_of
from kafka_fleet.report.short_letter import MOST_BYTES, ShortLetter, words_in
from support.homes import judged_days
from support.homes.judged_days import RecordedDay, open_day, recorded_days

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "letters"
PAGE = "https://airflow.example.org/fleet-health"
ID = re.compile(r"\b(?:KAFKA|CVE|CFG|OPS|KRAFT|KIP|STREAMS)-[A-Z0-9][A-Z0-9-]*")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
DAYS = recorded_days()
FOUND = [name for name, one in DAYS.items() if one.finding]
# folders of a machine, its users, and addresses that are neither its own loopback nor kept for examples and tests
FOREIGN = re.compile(rb"(?<!\w)/(?:tmp|home|root|work|Users|var/folders)/|\.local\b|\b(?!127\.0\.0\.1\b|198\.18\.0\.)"
                     rb"(?:10|127|172|192|198)\.\d{1,3}\.\d{1,3}\.\d{1,3}\b")  # fmt: skip


class Told(NamedTuple):
    """A recorded day and the mail of it."""

    day: RecordedDay
    judged: JudgedDay
    subject: str
    letter: ShortLetter

    @property
    def text(self) -> str:
        """The text twin in one line."""
        return " ".join(self.letter.text.split())


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """Each day's first letter, as it is mailed."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KAFKA_FLEET_PAGE_URL", PAGE)
        for name, day in DAYS.items():
            judged = open_day(day, tmp_path_factory.mktemp(name))
            found[name] = Told(day, judged, *judged.short(judged.changes(None, None)))
    return found


def test_every_signature_has_a_day_and_so_have_quiet_and_unreached_clusters() -> None:
    assert {one.signature for one in DAYS.values()} == {*load_signatures(), None}
    assert [one.verdict for one in DAYS.values() if one.signature is None] == ["exposed", "unknown"]
    assert {one.signature for one in DAYS.values() if one.looks_like} == set(load_signatures())
    assert {one.signature for one in DAYS.values() if one.verdict == "confirmed"} == set(load_signatures())
    assert {one.signature for one in DAYS.values() if not one.looks_like} == {*load_signatures(), None}
    assert {one.archive for one in DAYS.values()} == set(judged_days.FOLDER.glob("*.tar.xz"))
    assert {f"{name}.{twin}" for name in DAYS for twin in ("txt", "html")} == {path.name for path in GOLDEN.iterdir()}


def test_the_archives_are_small_and_name_no_machine() -> None:
    assert sum(one.archive.stat().st_size for one in DAYS.values()) <= judged_days.MOST_BYTES
    for one in DAYS.values():
        content = lzma.decompress(one.archive.read_bytes())
        assert FOREIGN.findall(content) == []
        with tarfile.open(one.archive) as archive:
            assert {(entry.uid, entry.gid, entry.mtime, entry.uname) for entry in archive} == {(0, 0, 0, "")}


@pytest.mark.parametrize("name", DAYS)
def test_the_letter_keeps_its_bounds(name: str, told: dict[str, Told]) -> None:
    one = told[name]
    kind = one.letter.screen.kind
    assert words_in(one.letter.text) <= MOST_WORDS[kind] <= (300 if kind == "confirmed" else 150)
    assert (kind == "unreached") == (MOST_WORDS[kind] == 60)
    assert len(one.letter.html.encode()) <= MOST_BYTES <= 30_000
    bare = html.unescape(re.sub(r"<head>.*?</head>|<[^>]+>", " ", one.letter.html, flags=re.S))
    for twin in (one.letter.text, bare):
        assert len(set(ID.findall(twin))) <= MOST_IDS <= 5
    assert max(map(len, (line for line in one.letter.text.splitlines() if "://" not in line))) <= 78


@pytest.mark.parametrize("name", FOUND)
def test_the_letter_says_who_is_hit_proves_it_and_says_what_to_do(name: str, told: dict[str, Told]) -> None:
    one = told[name]
    (finding,) = (row for row in one.judged.findings if row.key == one.day.finding)
    assert finding.verdict == one.day.verdict
    assert finding.signature == one.day.signature
    trouble = one.letter.screen.trouble
    assert trouble is not None
    assert trouble.proof is not None
    before, action = one.text.split(" Do: ", 1)
    assert before.startswith(text_of(trouble.what))
    subjects = [text.partition(" ") for text in finding.subjects]
    named = {kind for kind, _, rest in subjects if kind in ("broker", "group", "topic") and rest in before}
    assert named, before
    for figure in (trouble.proof.value, f"healthy: {trouble.proof.healthy}"):
        assert " ".join(figure.split()) in before
    assert "…" not in f"{text_of(trouble.what)}{trouble.do}", "neither is cut short"
    assert len(trouble.do.split()) >= 4
    assert action.index("Who: ") < action.index("When: ")


@pytest.mark.parametrize("name", [name for name, one in DAYS.items() if one.looks_like])
def test_a_day_that_looks_like_another_is_not_told_as_that(name: str, told: dict[str, Told]) -> None:
    one = told[name]
    key = str(one.day.looks_like)
    assert not [row.key for row in one.judged.findings if row.verdict == "confirmed" and row.signature is not None]
    assert key not in {row.key for row in one.judged.findings if row.key.startswith("symptom ")}
    assert key not in one.text.split(" Do: ")[0].split("Most pressing exposure")[0]
    (state,) = (row for row in one.judged.report.signatures if row.signature == one.day.signature)
    assert state.state == ("quiet" if one.day.finding is None else "detected"), "it was looked for"


@pytest.mark.parametrize("name", FOUND)
def test_the_sentence_on_its_reader_asks_for_no_more_than_the_letter_does(name: str, told: dict[str, Told]) -> None:
    one = told[name]
    when = one.text.split("When: ")[1].split(")")[0]
    days = (
        (date.fromisoformat(found[0]) - date.fromisoformat(one.judged.ds)).days if (found := DAY.findall(when)) else 999
    )
    asked = [most for word, most in (("today", 1), ("this week", 7), ("this month", 30)) if word in one.day.reader]
    assert all(days <= most for most in asked), when
    assert "pgrade" not in one.day.reader or "pgrade" in one.text


def test_a_broker_that_was_away_for_a_while_is_not_told_as_one_that_answered(told: dict[str, Told]) -> None:
    (away,) = (one for one in told["dead282"].judged.report.coverage.brokers if one.failed)
    assert (
        f"answered, broker {away.broker} in {away.reads} of {away.reads + away.failed} sweeps." in told["dead282"].text
    )


def test_a_letter_says_whether_a_roll_could_have_begun_where_there_is_room_for_it(told: dict[str, Told]) -> None:
    said = {name: one.letter.screen.roll for name, one in told.items() if one.letter.screen.roll}
    assert "unwritable370" in said
    assert len(said) >= 3
    for name, parts in said.items():
        answer = text_of(parts)
        assert re.match(r"At \d\d:\d\d(?::\d\d)? UTC: ", answer), answer
        assert f"May a roll begin? {answer}" in told[name].text
        assert parts[0].url.endswith(f"/clusters/{name}?day={told[name].judged.ds}#roll")
    for name, one in told.items():
        known = one.judged.report.readiness
        assert ("May a roll begin?" in one.judged.html) == (known is not None and one.judged.reached), name


def test_an_upgrade_names_what_is_upgraded_in_words(told: dict[str, Told]) -> None:
    assert "- Java producers to " in told["skew323"].text
    for one in told.values():
        assert not re.search(r"client-(?:producer|consumer) to", one.text)


def test_a_setting_that_only_the_newer_release_has_is_raised_after_the_upgrade(told: dict[str, Told]) -> None:
    trouble = told["netns312"].letter.screen.trouble
    assert trouble is not None
    assert trouble.do.startswith("Upgrade brokers from 3.1.2 to ")
    assert "Then: raise socket.listen.backlog.size" in trouble.do


@pytest.mark.parametrize("name", DAYS)
def test_the_subject_is_the_news(name: str, told: dict[str, Told]) -> None:
    one = told[name]
    assert len(one.subject) <= 150
    news = one.subject.removeprefix(f"{name}: ")
    if one.day.finding:
        assert news.startswith(one.judged.said)
        assert any(text.partition(" ")[2] in news for row in one.judged.findings if row.key == one.day.finding
                   for text in row.subjects)  # fmt: skip
    else:
        assert news.startswith("nothing confirmed" if one.judged.reached else "not measured")


def test_a_quiet_day_claims_nothing_that_was_not_looked_for(told: dict[str, Told]) -> None:
    (quiet,) = (one for one in told.values() if one.day.verdict == "exposed" and one.day.signature is None)
    assert {one.state for one in quiet.judged.report.signatures} <= {"quiet", "not_applicable"}
    assert "could not be looked for" not in quiet.text
    assert "Do: " not in quiet.text
    assert quiet.text.startswith(f"Nothing is confirmed in {quiet.day.cluster}.")


def test_a_cluster_that_was_never_reached_says_what_was_tried(told: dict[str, Told]) -> None:
    (one,) = (one for one in told.values() if one.day.verdict == "unknown")
    assert not one.judged.reached
    for part in ("was not reached on", "Tried: 3 sweeps", "127.0.0.1:", "Check: That brokers are up"):
        assert part in one.text


@pytest.mark.parametrize("name", DAYS)
def test_the_page_and_the_full_report_have_the_day_too(name: str, told: dict[str, Told]) -> None:
    one = told[name]
    assert len(one.judged.html.encode()) <= MAX_BYTES
    answer = TestClient(make_app(lambda: one.judged.home, [])).get(f"/clusters/{name}?day={one.judged.ds}")
    assert answer.status_code == 200
    screen = one.letter.screen
    said = screen.trouble.what[0].text if screen.trouble else screen.headline
    assert said in html.unescape(re.sub(r"<[^>]+>", "", answer.text))


@pytest.mark.parametrize("name", DAYS)
def test_golden_letters(name: str, told: dict[str, Told]) -> None:
    """UPDATE_GOLDEN=1 rewrites the files; look at the difference, and run docs/generate.py after it."""
    made = {"txt": f"Subject: {told[name].subject}\n\n{told[name].letter.text}", "html": told[name].letter.html}
    for twin, content in made.items():
        path = GOLDEN / f"{name}.{twin}"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            path.write_text(content, encoding="utf-8")
        assert content == path.read_text(encoding="utf-8")
