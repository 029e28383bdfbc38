"""Findings as issues of a Jira: one for each fingerprint, comments from then on, and transitions that are asked for."""

from pathlib import Path

import pytest

from support.builders.jira_tellings import LABEL, gone, told
from support.builders.letter_rows import finding
from support.builders.mailed_days import CLUSTER, confirmed, later, quiet, write
from support.servers.jira_server import Jira


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
