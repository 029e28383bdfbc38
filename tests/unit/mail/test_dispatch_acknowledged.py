"""Letters with acknowledged findings: shown as such, no news until reopened; broken entries are named."""

from datetime import date

import pytest

from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.mail.dispatch import HEARTBEAT, mail_letter
from support.builders.documents import of_finding
from support.builders.letter_rows import finding
from support.builders.mailed_days import (
    CLUSTER,
    DAY,
    LATE,
    OWNERS,
    confirmed,
    later,
    lost,
    part,
    quiet,
    subjects,
    write,
)

BASIS = "replica.selector.class is RackAwareReplicaSelector"


@pytest.fixture
def home(tmp_path):
    write(tmp_path, [confirmed()])
    return tmp_path


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
        "payments-eu: nothing new confirmed; 1 acknowledged",
        "payments-eu: nothing new confirmed; 1 new exposure; 1 acknowledged",
        f"payments-eu: {LATE}",
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


def test_what_was_reopened_in_a_letter_that_may_not_have_come_is_reopened_in_the_next(home, box, smtp):
    mail_letter(home, DAY, CLUSTER, OWNERS, smtp, acknowledged=acknowledged())
    for days in (1, 2):
        write(home, [confirmed()], later(days))
        void = acknowledged(release="3.3.0")
        assert mail_letter(home, later(days), CLUSTER, OWNERS, smtp, acknowledged=void).sent == OWNERS
        assert "Reopened" in part(box.received[-1][1], "plain")
        lost(home, later(days), OWNERS[0])
