"""Findings as issues of a Jira: one for each fingerprint, whatever answers are lost, and comments from then on."""

from datetime import timedelta
from pathlib import Path

import pytest

from kafka_fleet.config.credentials import Connection
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import fingerprint
from kafka_fleet.notify.delivery import Notified, notify_channels
from support.builders.channels import NOON, SECRET, cluster
from support.builders.letter_rows import finding
from support.builders.mailed_days import CLUSTER, DAY, confirmed, later, quiet, write
from support.servers.jira_server import LOST, Issue, Jira, jira_server

BUG = fingerprint(CLUSTER, Finding.model_validate(confirmed()))
LABEL = f"kafka-fleet-{BUG}"


@pytest.fixture
def jira():
    with jira_server() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path, [confirmed()])
    return tmp_path


def told(home: Path, jira: Jira, ds: str = DAY, minutes: float = 0, level: str = "confirmed", **jira_keys) -> Notified:
    entry = {"via": "jira", "connection": "there", "at_least": level, "jira": {"project": "OPS", **jira_keys}}
    now = NOON + timedelta(minutes=minutes)
    there = Connection(jira.login, SECRET, {}, jira.url)
    (one,) = notify_channels(home, ds, cluster(entry), lambda _name: there, clock=lambda: now)
    return one


def gone(home: Path, jira: Jira, **keys) -> list[Notified]:
    """Three days that saw nothing, after the first."""
    found = []
    for days in (1, 2, 3):
        write(home, [quiet()], later(days), state="quiet")
        found.append(told(home, jira, later(days), **keys))
    return found


def test_a_finding_is_one_issue_and_a_rerun_opens_no_other(home: Path, jira: Jira) -> None:
    found = told(home, jira, issue_type="Bug", labels=["kafka", "kafka"])
    assert (found.channel, found.state) == ("jira:there:OPS", "sent")
    assert found.sentence.endswith("; OPS-1 is opened")
    assert told(home, jira, minutes=60).state == "already"
    (issue,) = jira.issues
    assert issue.fields["labels"] == [LABEL, "kafka-fleet-health", "kafka"]
    assert (issue.fields["project"], issue.fields["issuetype"]) == ({"key": "OPS"}, {"name": "Bug"})
    assert issue.fields["summary"].startswith(f"{CLUSTER}: ")
    assert "(KAFKA-14334)" in issue.fields["summary"]
    assert "* Verdict: confirmed\n* Severity: " in issue.fields["description"]
    assert issue.comments == []


@pytest.mark.parametrize("cloud", [True, False])
def test_an_issue_of_a_lost_home_is_found_by_its_label_on_cloud_and_on_data_center(home: Path, cloud: bool) -> None:
    with jira_server(cloud=cloud, login="bot@example.org" if cloud else None) as jira:
        old = Issue("7", {"project": {"key": "OPS"}, "labels": [LABEL], "description": None})
        clone = Issue("9", {"project": {"key": "OPS"}, "labels": [LABEL], "description": None})
        jira.issues += [old, clone]
        assert told(home, jira).sentence.endswith("; OPS-7 has a comment")
        assert (len(jira.issues), len(old.comments), clone.comments) == (2, 1, [])
        assert ("GET search" in jira.asked) is not cloud


def test_a_finding_that_changes_is_a_comment(home: Path, jira: Jira) -> None:
    told(home, jira)
    write(home, [confirmed(), finding("CVE-2026-33557", "confirmed")], later(1))
    assert told(home, jira, later(1)).sentence.endswith("; OPS-2 is opened")
    worse = confirmed(subjects=["topic [~admin]{color}"])
    write(home, [worse, finding("CVE-2026-33557", "confirmed")], later(2))
    assert told(home, jira, later(2)).sentence.endswith("; OPS-1 has a comment")
    assert len(jira.issues) == 2
    (comment,) = jira.issues[0].comments
    assert "It has changed\\: confirmed" not in comment  # a colon before a space is no smiley
    assert "It has changed: confirmed" in comment
    assert r"Now also: topic \[\~admin\]\{color\}." in comment


def test_what_could_not_be_measured_is_a_comment_and_opens_nothing(home: Path, jira: Jira) -> None:
    told(home, jira)
    blind = quiet() | {"verdict": "unknown", "exposure": "unknown", "signature_state": "not_evaluated"}
    write(home, [blind], later(1), state="not_evaluated")
    assert told(home, jira, later(1), done="Done").state == "sent"
    assert "could not be measured" in jira.issues[0].comments[0]
    assert (len(jira.issues), jira.issues[0].status) == (1, "To Do")


@pytest.mark.parametrize("done", ["Done", "close", None])
def test_a_finding_that_is_gone_is_a_comment_and_the_transition_that_is_asked_for(home, jira, done) -> None:
    told(home, jira)
    found = gone(home, jira, done=done)
    assert [one.state for one in found] == ["nothing", "nothing", "sent"]
    assert "It is gone: exposed" in jira.issues[0].comments[0]
    assert jira.issues[0].status == ("Done" if done else "To Do")


@pytest.mark.parametrize("reopen", ["To Do", None])
def test_a_finding_that_comes_back_reopens_its_issue_or_comments_on_it(home: Path, jira: Jira, reopen) -> None:
    told(home, jira)
    gone(home, jira, done="Done")
    write(home, [confirmed()], later(4))
    assert told(home, jira, later(4), reopen=reopen).state == "sent"
    assert "It is there again: confirmed" in jira.issues[0].comments[1]
    assert (len(jira.issues), jira.issues[0].status) == (1, "To Do" if reopen else "Done")


def test_a_transition_that_the_workflow_does_not_have_is_said_and_costs_no_comment(home, jira, caplog) -> None:
    told(home, jira)
    found = gone(home, jira, done="Obsolete")[-1]
    assert found.state == "sent"
    assert "OPS-1 stays To Do: it has no transition Obsolete, but Start, Close" in found.sentence
    assert "OPS-1 stays To Do" in caplog.text
    assert len(jira.issues[0].comments) == 1


def test_a_transition_that_jira_refuses_is_said_with_its_words(home: Path, jira: Jira) -> None:
    told(home, jira)
    jira.issues[0].fields["locked"] = True
    found = gone(home, jira, done="Done")[-1]
    assert "Jira answered 400, the transition Done: resolution: Resolution is required." in found.sentence


def test_a_new_issue_whose_answer_was_lost_is_looked_for_before_another_is_opened(home: Path, jira: Jira) -> None:
    jira.indexing = False
    jira.answer = lambda _n, method, path: LOST if (method, path) == ("POST", "issue") else None
    assert told(home, jira).state == "later"
    jira.answer = lambda _n, _method, _path: None
    early = told(home, jira, minutes=10)  # the search does not show it yet
    assert early.state == "later"
    assert "an issue may just have been opened; it is looked for after 12:30 UTC" in early.sentence
    jira.index()
    assert told(home, jira, minutes=31).state == "sent"
    assert (len(jira.issues), jira.issues[0].comments) == (1, []), "what the issue says already is no comment"


def test_one_that_surely_was_not_opened_is_asked_for_again_at_once(home: Path, jira: Jira) -> None:
    jira.required = "customfield_10010"
    refused = told(home, jira)
    assert (refused.state, len(jira.issues)) == ("failed", 0)
    assert refused.sentence == (
        "KAFKA-14334: Jira answered 400, the new issue: customfield_10010: customfield_10010 is required."
    )
    jira.required = None
    assert told(home, jira, minutes=1).state == "sent"
    assert len(jira.issues) == 1


def test_one_that_may_have_been_opened_and_was_not_is_opened_when_the_search_is_surely_up_to_date(home, jira) -> None:
    jira.answer = lambda _n, method, path: 500 if (method, path) == ("POST", "issue") else None
    assert told(home, jira).state == "later"
    jira.answer = lambda _n, _method, _path: None
    assert [told(home, jira, minutes=wait).state for wait in (1, 29, 31)] == ["later", "later", "sent"]
    assert len(jira.issues) == 1


def test_a_comment_whose_answer_was_lost_is_written_once(home: Path, jira: Jira) -> None:
    told(home, jira)
    jira.issues[0].comments += [f"comment {number}" for number in range(150)]
    jira.answer = lambda _n, method, path: LOST if method == "POST" and path.endswith("comment") else None
    assert gone(home, jira, done="Done")[-1].state == "later"
    assert jira.issues[0].status == "To Do"
    jira.issues[0].comments += [f"later comment {number}" for number in range(150)]
    jira.answer = lambda _n, _method, _path: None
    assert told(home, jira, later(3), minutes=1, done="Done").state == "sent"
    assert sum("It is gone" in one for one in jira.issues[0].comments) == 1
    assert jira.issues[0].status == "Done"


def test_a_day_judged_again_at_once_finds_its_issue_although_the_search_does_not(home: Path, jira: Jira) -> None:
    jira.indexing = False
    told(home, jira)
    write(home, [confirmed(subjects=["topic new"])], generation="g0002")
    assert told(home, jira).sentence.endswith("; OPS-1 has a comment")
    assert len(jira.issues) == 1


def test_two_days_at_once_open_one_issue(home: Path, jira: Jira, monkeypatch) -> None:
    jira.indexing = False
    write(home, [confirmed()], later(1))
    seen = []

    def first(_n, method, path):
        if (method, path) == ("POST", "issue") and not seen:
            seen.append(path)
            seen.append(told(home, jira, later(1)))  # another task, before this one's issue is there
        return None

    jira.answer = first
    assert told(home, jira).state == "sent"
    assert seen[1].state == "later"
    assert len(jira.issues) == 1


def test_a_crash_after_the_issue_was_opened_opens_no_other(home: Path, jira: Jira, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("kafka_fleet.notify.jira_ledger.Ledger.keep", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            told(home, jira)
    assert told(home, jira, minutes=31).state == "sent"
    assert len(jira.issues) == 1


def test_an_issue_that_was_deleted_is_opened_again(home: Path, jira: Jira) -> None:
    told(home, jira)
    jira.issues[0].fields["labels"], jira.issues[0].id = [], "99"
    write(home, [confirmed(subjects=["topic new"])], later(1))
    assert told(home, jira, later(1)).sentence.endswith("OPS-2 is opened")


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
