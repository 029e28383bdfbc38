"""From the judged day to one mail: what changed comes first, nothing new is no mail, one sentence where none can be."""

import pytest

from kafka_fleet.mail.dispatch import HEARTBEAT, LetterError, mail_letter
from kafka_fleet.mail.outbox import OutboxError
from support.builders.letter_rows import finding
from support.builders.mailed_days import (
    CLUSTER,
    DAY,
    LATE,
    OWNERS,
    attached,
    confirmed,
    later,
    part,
    quiet,
    subjects,
    write,
)


@pytest.fixture
def home(tmp_path):
    write(tmp_path, [confirmed()])
    return tmp_path


@pytest.mark.fault(46, 48)
def test_a_published_letter_is_mailed_once_and_new_findings_revise_it(home, box, smtp):
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp).sent == OWNERS
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp).already == OWNERS
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], generation="g0002", shown=False)
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp).already == OWNERS
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp, generation="g0002").sent == OWNERS
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], generation="g0003")
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp).already == OWNERS
    assert subjects(box) == [
        f"payments-eu: {LATE}",
        f"Revised: payments-eu: 1 new exposure; still: {LATE}",
    ]
    assert "New, exposed: CVE-2026-33557." in part(box.received[1][1], "plain")


def test_the_retry_of_a_run_that_was_overtaken_mails_what_is_published(home, box, smtp):
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], generation="g0002")
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp, generation="g0001").sent == OWNERS
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp, generation="g0002").already == OWNERS
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp, generation="g0001").already == OWNERS
    assert "CVE-2026-33557" in part(box.received[0][1], "plain")


def test_what_changed_since_the_last_letter_comes_first_in_both_twins(home, box, smtp):
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp)
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], later(1))
    mail_letter(home, later(1), CLUSTER, OWNERS, smtp)
    html, text = (part(box.received[-1][1], kind) for kind in ("html", "plain"))
    assert "The first letter" in part(box.received[0][1], "plain")
    for twin, upgrade in ((html, ">Upgrade<"), (" ".join(text.split()), " Upgrade ")):
        first = twin.index(f"Since the letter of {DAY}")
        assert twin.index("half a second late") < first < twin.index("CVE-2026-33557") < twin.index(upgrade)
    report = attached(box.received[-1][1], f"{CLUSTER}_{later(1)}.html")
    first = report.index(f"Since the letter of {DAY}")
    assert report.index("<h1") < first < report.index("CVE-2026-33557") < report.index(">Upgrade<")
    assert "<style" in report[:first]  # the rules for dark mode and phones hold for it too
    assert 'class="since"' in report


def test_nothing_is_mailed_when_nothing_changed_until_the_heartbeat(home, box, smtp, monkeypatch):
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp)
    for days in range(1, 8):
        write(home, [confirmed()], later(days))
        result = mail_letter(home, later(days), CLUSTER, OWNERS, smtp)
        assert result.ok
        assert result.unchanged_since == (DAY if days < 7 else None)
    assert subjects(box)[1:] == [f"payments-eu: nothing changed; still: {LATE}"]
    assert "silence is not taken for health" in " ".join(part(box.received[-1][1], "plain").split())
    assert mail_letter(home, later(7), CLUSTER, OWNERS, smtp).already == OWNERS
    monkeypatch.setenv(HEARTBEAT, "0")
    write(home, [confirmed()], later(29))
    assert mail_letter(home, later(29), CLUSTER, OWNERS, smtp).unchanged_since == later(7)


def test_a_quiet_day_is_no_cure_and_three_are(home, box, smtp, monkeypatch):
    monkeypatch.setenv(HEARTBEAT, "0")
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp)
    states = ["quiet", "not_evaluated", "quiet", "quiet"]
    for days, state in enumerate(states, start=1):
        write(home, [quiet() | {"signature_state": state}], later(days), state=state)
        mail_letter(home, later(days), CLUSTER, OWNERS, smtp)
    news = [part(message, "plain").split("\nUpgrade\n")[0] for _recipient, message in box.received[1:]]
    assert len(news) == 2
    assert "Could not be measured" in news[0]
    assert "Better" in news[1]
    assert f"Since the letter of {later(2)}" in news[1]


def test_a_letter_that_reached_nobody_told_nothing(home, box, smtp):
    box.answers[OWNERS[0]] = "550 no such user"
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp).refused
    box.answers.clear()
    write(home, [confirmed()], later(1))
    assert mail_letter(home, later(1), CLUSTER, OWNERS, smtp).sent == OWNERS
    assert subjects(box) == [f"payments-eu: {LATE}"]


def test_an_owner_who_was_turned_away_gets_it_though_nothing_changed_since(home, box, smtp):
    both = [*OWNERS, "second@example.org"]
    box.answers[both[1]] = "451 later"
    assert mail_letter(home, DAY, CLUSTER, both, smtp).deferred
    box.answers.clear()
    assert mail_letter(home, DAY, CLUSTER, both, smtp).sent == both[1:]


def test_an_owner_whom_the_last_letter_did_not_reach_gets_one_though_nothing_changed(home, box, smtp):
    both = [*OWNERS, "second@example.org"]
    box.answers[both[1]] = "550 no such user"
    mail_letter(home, DAY, CLUSTER, both, smtp)
    box.answers.clear()
    for days, got in ((1, both[1:]), (2, []), (3, [])):
        write(home, [confirmed()], later(days))
        assert mail_letter(home, later(days), CLUSTER, both, smtp).sent == got
    assert "The first letter" in part(box.received[-1][1], "plain")


def test_the_full_report_and_its_evidence_as_tables_are_attached(home, box, smtp):
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp)
    message = box.received[0][1]
    assert message.get_content_type() == "multipart/mixed"
    files = {one.get_filename(): one.get_content() for one in message.iter_attachments()}
    name = f"{CLUSTER}_{DAY}"
    assert sorted(files) == [f"{name}.html", f"{name}_evidence.csv", f"{name}_fetch_latency.csv"]
    assert (
        files[f"{CLUSTER}_{DAY}_evidence.csv"].splitlines()[1].startswith("KAFKA-14334,confirmed,follower,0.45,ratio")
    )


@pytest.mark.parametrize(
    ("day", "cluster", "owners", "sentence"),
    [
        ("2026-11-19", CLUSTER, OWNERS, "nothing is published for 2026-11-19"),
        (DAY, "b", OWNERS, "has no letter of b"),
        (DAY, CLUSTER, None, "no valid entry of the fleet file"),
    ],
)
def test_what_cannot_be_mailed_is_one_sentence(home, day, cluster, owners, sentence):
    with pytest.raises(LetterError, match=sentence):
        mail_letter(home, day, cluster, owners, None, dry_run=True)


@pytest.mark.parametrize("content", ["{", "5", '[{"no": "cluster"}]'])
def test_findings_that_cannot_be_read_stop_the_mail(home, content):
    (home / f"findings/ds={DAY}/g0001/findings.json").write_text(content)
    with pytest.raises(LetterError, match="cannot be read"):
        mail_letter(home, DAY, CLUSTER, OWNERS, None, dry_run=True)


def test_a_name_cannot_leave_the_day(home):
    with pytest.raises((LetterError, OutboxError)):
        mail_letter(home, DAY, f"../g0001/{CLUSTER}", OWNERS, None, dry_run=True)
