"""From the judged day to one mail: what changed comes first, nothing new is no mail, one sentence where none can be."""

import json
from datetime import date, timedelta

import pytest

from kafka_fleet.acknowledgements import Acknowledgements, of_finding
from kafka_fleet.knowledge.briefs import brief, brief_path
from kafka_fleet.report.dispatch import HEARTBEAT, LetterError, mail_letter
from kafka_fleet.report.outbox import OutboxError
from kafka_fleet.report.render import write_letter
from kafka_fleet.store.generations import publish
from letter_rows import DS as DAY
from letter_rows import evidence, finding
from letter_samples import payments
from mail_server import Mailbox, mail_server, plain

CLUSTER, OWNERS = "payments-eu", ["oncall@example.org"]
BASIS = "replica.selector.class is RackAwareReplicaSelector"
BUG = {"signature": "fetch_latency", "cause": "follower", "exposure": "exposed"}


def confirmed(**more):
    return finding("KAFKA-14334", "confirmed", signature_state="detected", evidence=[evidence()], **BUG, **more)


def quiet():
    return finding("KAFKA-14334", "exposed", signature_state="quiet", **BUG)


def later(days):
    return (date.fromisoformat(DAY) + timedelta(days=days)).isoformat()


def write(home, findings, ds=DAY, generation="g0001", state="detected", shown=True):
    """A judged day with its letter; `shown`: it is published."""
    folder = home / f"findings/ds={ds}/{generation}"
    (folder / "clusters").mkdir(parents=True)
    other = finding("KAFKA-1", "confirmed", cluster="other")
    (folder / "findings.json").write_text(json.dumps([*findings, {**other, "release": generation}]))
    dossier = payments() | {"ds": ds}
    dossier["signatures"][0]["state"] = state
    (folder / f"clusters/{CLUSTER}.json").write_text(json.dumps(dossier))
    brief_path(home, ds, generation, CLUSTER).parent.mkdir()
    brief_path(home, ds, generation, CLUSTER).write_text(
        json.dumps(brief(findings, {"fetch_latency": state}, True, {}))
    )
    write_letter(home, ds, generation, CLUSTER)
    if shown:
        publish(home / f"findings/ds={ds}", generation)
        publish(home / f"reports/ds={ds}", generation)


def part(message, kind):
    return message.get_body((kind,)).get_content().replace("\r\n", "\n")


@pytest.fixture
def home(tmp_path):
    write(tmp_path, [confirmed()])
    return tmp_path


@pytest.fixture
def box():
    return Mailbox()


@pytest.fixture
def smtp(box):
    with mail_server(box) as port:
        yield plain(port)


def subjects(box):
    return [
        message["Subject"].strip() for _recipient, message in box.received
    ]  # a long one begins on a line of its own


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
        f"payments-eu: confirmed, first letter (Kafka, {DAY})",
        f"Revised: payments-eu: confirmed, 1 change (Kafka, {DAY})",
    ]
    assert "CVE-2026-33557" in part(box.received[1][1], "plain").split("UPGRADE")[0]


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
    assert "THE FIRST LETTER" in part(box.received[0][1], "plain")
    assert text.startswith(f"SINCE THE LETTER OF {DAY}\n")
    first = html.index(f"Since the letter of {DAY}")
    assert html.index("<h1") < first < html.index("CVE-2026-33557") < html.index(">Upgrade<")
    assert "<style" in html[:first]  # the rules for dark mode and phones hold for it too
    assert 'class="since"' in html


def test_nothing_is_mailed_when_nothing_changed_until_the_heartbeat(home, box, smtp, monkeypatch):
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp)
    for days in range(1, 8):
        write(home, [confirmed()], later(days))
        result = mail_letter(home, later(days), CLUSTER, OWNERS, smtp)
        assert result.ok
        assert result.unchanged_since == (DAY if days < 7 else None)
    assert subjects(box)[1:] == [f"payments-eu: confirmed, no change (Kafka, {later(7)})"]
    assert "silence is not taken for health" in part(box.received[-1][1], "plain")
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
    news = [part(message, "plain").split("\n\n\n")[0] for _recipient, message in box.received[1:]]
    assert len(news) == 2
    assert "Could not be measured" in news[0]
    assert "Better" in news[1]
    assert f"SINCE THE LETTER OF {later(2)}" in news[1]


def test_a_letter_that_reached_nobody_told_nothing(home, box, smtp):
    box.answers[OWNERS[0]] = "550 no such user"
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp).refused
    box.answers.clear()
    write(home, [confirmed()], later(1))
    assert mail_letter(home, later(1), CLUSTER, OWNERS, smtp).sent == OWNERS
    assert subjects(box) == [f"payments-eu: confirmed, first letter (Kafka, {later(1)})"]


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
    assert "THE FIRST LETTER" in part(box.received[-1][1], "plain")


def test_the_evidence_is_attached_as_tables(home, box, smtp):
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp)
    message = box.received[0][1]
    assert message.get_content_type() == "multipart/mixed"
    files = {one.get_filename(): one.get_content() for one in message.iter_attachments()}
    assert sorted(files) == [f"{CLUSTER}_{DAY}_evidence.csv", f"{CLUSTER}_{DAY}_fetch_latency.csv"]
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


def acknowledged(**more):
    row = {**confirmed(), "basis": [BASIS]}
    one = of_finding(row, CLUSTER, DAY, "Upgrade is planned for January.", OWNERS[0], later(30))
    return Acknowledgements([one.model_copy(update=more)], [])


def test_an_acknowledged_finding_is_shown_as_such_and_no_news_until_it_is_reopened(home, box, smtp, monkeypatch):
    monkeypatch.setenv(HEARTBEAT, "0")
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp, acknowledged=acknowledged(expires=date.fromisoformat(later(1))))
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], later(1))
    mail_letter(home, later(1), CLUSTER, OWNERS, smtp, acknowledged=acknowledged())
    write(home, [confirmed(), finding("CVE-2026-33557", "exposed")], later(2))
    assert mail_letter(home, later(2), CLUSTER, OWNERS, smtp, acknowledged=acknowledged()).unchanged_since == later(1)
    mail_letter(home, later(2), CLUSTER, OWNERS, smtp, acknowledged=acknowledged(release="3.3.0"))
    first, second, third = (part(message, "plain") for _recipient, message in box.received)
    assert "Acknowledged by oncall@example.org until" in " ".join(first.split())
    assert subjects(box) == [
        f"payments-eu: not affected, first letter, 1 acknowledged (Kafka, {DAY})",
        f"payments-eu: exposed, 1 change, 1 acknowledged (Kafka, {later(1)})",
        f"payments-eu: confirmed, 1 change (Kafka, {later(2)})",
    ]
    assert "Acknowledged, and still there" in second
    assert "Reopened" in third
    assert "It was acknowledged for release 3.3.0." in " ".join(third.split())


def test_what_was_acknowledged_before_it_was_told_is_no_news(home, box, smtp, monkeypatch):
    monkeypatch.setenv(HEARTBEAT, "0")
    write(home, [quiet()], "2026-11-19", state="quiet")
    mail_letter(home, "2026-11-19", CLUSTER, OWNERS, smtp)
    assert mail_letter(home, DAY, CLUSTER, OWNERS, smtp, acknowledged=acknowledged()).unchanged_since == "2026-11-19"
    write(home, [confirmed()], later(1))
    taken_back = mail_letter(home, later(1), CLUSTER, OWNERS, smtp)
    assert taken_back.sent == OWNERS
    assert "Worse" in part(box.received[-1][1], "plain")


def test_entries_that_are_not_valid_are_named_in_the_letters_they_concern(home, box, smtp):
    faults = [(CLUSTER, "entry 1: owner: is wrong"), ("other", "entry 2"), (None, "cannot be read")]
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp, acknowledged=Acknowledgements([], faults))
    text = part(box.received[0][1], "plain")
    assert "entry 1: owner: is wrong" in text
    assert "cannot be read" in text
    assert "entry 2" not in text
