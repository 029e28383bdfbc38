"""From the letter on disk to one mail: the published generation by default, one sentence where that cannot be."""

import json

import pytest

from kafka_fleet.report.dispatch import LetterError, mail_letter, subject_of
from kafka_fleet.report.outbox import OutboxError
from kafka_fleet.store.generations import publish
from mail_server import Mailbox, mail_server, plain

DAY, OWNERS = "2026-11-20", ["oncall@example.org"]


def write(home, generation, title, bugs):
    letters, findings = home / f"reports/ds={DAY}/{generation}", home / f"findings/ds={DAY}/{generation}"
    letters.mkdir(parents=True)
    findings.mkdir(parents=True)
    (letters / "a.html").write_text(f"<html><title>{title}\n</title><p>x</p><title>no</title></html>")
    (letters / "a.txt").write_text(f"{bugs} bugs\n")
    rows = [{"cluster": "a", "advisory": f"KAFKA-{bug}"} for bug in range(bugs)]
    (findings / "findings.json").write_text(json.dumps([*rows, {"cluster": "b", "advisory": generation}]))


@pytest.fixture
def home(tmp_path):
    write(tmp_path, "g0001", "a has 1 bug &lt;&amp;", 1)
    publish(tmp_path / f"reports/ds={DAY}", "g0001")
    return tmp_path


def test_a_published_letter_is_mailed_once_and_new_findings_revise_it(home):
    box = Mailbox()
    with mail_server(box) as port:
        assert mail_letter(home, DAY, "a", OWNERS, plain(port)).sent == OWNERS
        assert mail_letter(home, DAY, "a", OWNERS, plain(port)).already == OWNERS
        write(home, "g0002", "a has 2 bugs", 2)
        assert mail_letter(home, DAY, "a", OWNERS, plain(port)).already == OWNERS
        assert mail_letter(home, DAY, "a", OWNERS, plain(port), generation="g0002").sent == OWNERS
        write(home, "g0003", "a has two bugs", 2)
        publish(home / f"reports/ds={DAY}", "g0003")
        assert mail_letter(home, DAY, "a", OWNERS, plain(port)).already == OWNERS
    assert [message["Subject"] for _recipient, message in box.received] == ["a has 1 bug <&", "Revised: a has 2 bugs"]
    assert "1 bugs" in box.received[0][1].get_body(("plain",)).get_content()


@pytest.mark.parametrize(
    ("day", "cluster", "owners", "sentence"),
    [
        ("2026-11-19", "a", OWNERS, "nothing is published for 2026-11-19"),
        (DAY, "b", OWNERS, "has no letter of b"),
        (DAY, "a", None, "no valid entry of the fleet file"),
    ],
)
def test_what_cannot_be_mailed_is_one_sentence(home, day, cluster, owners, sentence):
    with pytest.raises(LetterError, match=sentence):
        mail_letter(home, day, cluster, owners, None, dry_run=True)


@pytest.mark.parametrize("content", ["{", "5", '[{"no": "cluster"}]'])
def test_findings_that_cannot_be_read_stop_the_mail(home, content):
    (home / f"findings/ds={DAY}/g0001/findings.json").write_text(content)
    with pytest.raises(LetterError, match="cannot be read"):
        mail_letter(home, DAY, "a", OWNERS, None, dry_run=True)


def test_a_letter_without_a_title_is_not_mailed(home):
    (home / f"reports/ds={DAY}/g0001/a.html").write_text("<html><p>title</p></html>")
    with pytest.raises(LetterError, match="no title"):
        mail_letter(home, DAY, "a", OWNERS, None, dry_run=True)


def test_a_name_cannot_leave_the_day(home):
    with pytest.raises((LetterError, OutboxError)):
        mail_letter(home, DAY, "../g0001/a", OWNERS, None, dry_run=True)


def test_markup_in_a_title_is_text():
    assert subject_of("<title>&lt;script&gt; {{7*7}}</title>") == "<script> {{7*7}}"
