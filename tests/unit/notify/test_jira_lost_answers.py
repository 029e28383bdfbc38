"""A Jira whose answers are lost, whose search lags, and runs that end in between: no finding has two issues."""

from pathlib import Path

import pytest

from support.builders.jira_tellings import LABEL, gone, told
from support.builders.mailed_days import confirmed, later, write
from support.servers.jira_server import LOST, Issue, Jira, jira_server


@pytest.mark.parametrize("cloud", [True, False])
def test_an_issue_of_a_lost_home_is_found_by_its_label_on_cloud_and_on_data_center(home: Path, cloud: bool) -> None:
    with jira_server(cloud=cloud, login="bot@example.org" if cloud else None) as jira:
        old = Issue("7", {"project": {"key": "OPS"}, "labels": [LABEL], "description": None})
        clone = Issue("9", {"project": {"key": "OPS"}, "labels": [LABEL], "description": None})
        jira.issues += [old, clone]
        assert told(home, jira).sentence.endswith("; OPS-7 has a comment")
        assert (len(jira.issues), len(old.comments), clone.comments) == (2, 1, [])
        assert ("GET search" in jira.asked) is not cloud


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
