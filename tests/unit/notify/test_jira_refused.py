"""What Jira refuses or asks to wait for: a sentence with its words, nothing told twice, and no secret anywhere."""

from pathlib import Path

import pytest

from support.builders.channels import SECRET
from support.builders.jira_tellings import gone, told
from support.builders.letter_rows import finding
from support.builders.mailed_days import confirmed, later, write
from support.servers.jira_server import LOST, Jira


@pytest.mark.parametrize("header", [{"Retry-After": "1"}, {"Retry-After": "3600"}, {}])
def test_short_waits_that_jira_asks_for_are_waited_and_long_ones_are_the_next_trys(home, jira, header) -> None:
    jira.answer = lambda number, _method, _path: (429, header) if number == 2 else None
    found = told(home, jira)
    if header.get("Retry-After") == "1":
        assert (found.state, len(jira.issues)) == ("sent", 1)
        return
    asks = " (it asks for 3600 s)" if header else ""
    assert found == (
        "jira:there:OPS",
        "later",
        f"KAFKA-14334: Jira answered 429, the question for permissions: status 429{asks}",
    )
    assert told(home, jira, minutes=1).state == "sent"
    assert len(jira.issues) == 1


def test_a_429_on_a_later_event_repeats_nothing_of_the_earlier(home: Path, jira: Jira) -> None:
    write(home, [confirmed(), finding("CVE-2026-33557", "confirmed")], generation="g0002")
    jira.answer = lambda _n, method, _path: 429 if method == "POST" and jira.issues else None
    assert told(home, jira).state == "later"
    jira.answer = lambda _n, _method, _path: None
    assert told(home, jira, minutes=1).state == "sent"
    assert len(jira.issues) == 2
    assert [one.comments for one in jira.issues] == [[], []]


def test_a_login_that_is_not_accepted_is_a_sentence(home: Path, jira: Jira) -> None:
    jira.token = "another"
    found = told(home, jira)
    assert (found.state, found.sentence) == ("failed", "KAFKA-14334: Jira answered 401, the search for its issue")


def test_a_project_that_is_not_there_is_a_sentence_with_jiras_words(home: Path, jira: Jira) -> None:
    jira.project = "OTHER"
    assert "The value 'OPS' does not exist for the field 'project'." in told(home, jira).sentence


@pytest.mark.parametrize("may", [("CREATE_ISSUES",), ()])
def test_an_account_that_sees_no_issues_opens_none_and_its_end_is_not_taken_for_told(home, jira, may) -> None:
    told(home, jira)
    jira.may = may
    found = gone(home, jira)[-1]
    assert (found.state, len(jira.issues)) == ("failed", 1)
    assert "the account of the connection lacks BROWSE_PROJECTS" in found.sentence
    jira.may = ("BROWSE_PROJECTS", "CREATE_ISSUES")
    assert told(home, jira, later(3), minutes=1).sentence.endswith("OPS-1 has a comment")


def test_a_damaged_ledger_opens_nothing(home: Path, jira: Jira) -> None:
    told(home, jira)
    (ledger,) = (home / "outbox").glob("_issues-*.json")
    ledger.write_text("{}")
    write(home, [confirmed(subjects=["topic new"])], later(1))
    found = told(home, jira, later(1))
    assert (found.state, len(jira.issues)) == ("failed", 1)
    assert "nothing is told" in found.sentence


def test_no_secret_is_stored_said_or_logged(home: Path, jira: Jira, caplog) -> None:
    caplog.set_level("DEBUG")
    jira.answer = lambda number, _method, _path: {1: 400, 3: LOST}.get(number)
    said = [repr(told(home, jira, minutes=minutes)) for minutes in (0, 1, 31)]
    jira.token = "another"
    write(home, [confirmed(subjects=["topic new"])], later(1))
    said.append(repr(told(home, jira, later(1))))
    stored = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    for text in ("".join(said), stored.decode(errors="replace"), caplog.text):
        assert SECRET not in text
        assert jira.url not in text
