"""Letters of which nobody knows whether they came: on the next day they are due in full, whatever else is unchanged."""

import pytest

from kafka_fleet.mail.digest import digest_name, mail_digest
from kafka_fleet.mail.dispatch import HEARTBEAT, mail_letter
from support.builders.letter_rows import finding
from support.builders.mailed_days import CLUSTER, DAY, LATE, OWNERS, attached, confirmed, later, lost, part, write
from support.builders.published_days import dossier, publish_day

SECOND = "second@example.org"
BOTH = [*OWNERS, SECOND]
MORE, OTHER = finding("CVE-2026-33557", "exposed"), finding("KAFKA-17076", "exposed")
UNKNOWN = f"It is not known whether the letter of {DAY} came"


@pytest.fixture(autouse=True)
def _silent(monkeypatch):
    monkeypatch.setenv(HEARTBEAT, "0")


def flat(message):
    return " ".join(part(message, "plain").split())


def since(message):
    """The day of the letter that it compares with, and what changed."""
    return flat(message).partition("Since the letter of ")[2].partition(" Most pressing exposure")[0]


@pytest.mark.fault(52)
@pytest.mark.parametrize(("state", "claims"), [("uncertain", 2), ("claimed", 1), ("refused", 1), ("due", 1)])
def test_an_owner_whose_answer_was_lost_gets_the_next_days_letter_in_full(tmp_path, box, smtp, state, claims):
    write(tmp_path, [confirmed()])
    mail_letter(tmp_path, DAY, CLUSTER, BOTH, smtp)
    lost(tmp_path, DAY, SECOND, state, claims)
    for days, got in ((1, [SECOND]), (2, []), (30, [])):
        write(tmp_path, [confirmed()], later(days))
        result = mail_letter(tmp_path, later(days), CLUSTER, BOTH, smtp)
        assert (result.sent, result.ok) == (got, True)
        assert result.unchanged_since == (None if got else later(1))
    message = box.received[-1][1]
    assert message["Subject"].strip() == f"payments-eu: {LATE} (told again)"
    assert f"The first letter - {UNKNOWN}, so this one stands by itself." in flat(message)
    report = attached(message, f"{CLUSTER}_{later(1)}.html")
    assert f"{UNKNOWN}: no answer of the mail server. " in report
    assert mail_letter(tmp_path, later(1), CLUSTER, BOTH, smtp).already == [SECOND]


def test_each_owner_is_told_what_is_new_to_them(tmp_path, box, smtp):
    write(tmp_path, [confirmed()])
    mail_letter(tmp_path, DAY, CLUSTER, BOTH, smtp)
    write(tmp_path, [confirmed(), MORE], later(1))
    mail_letter(tmp_path, later(1), CLUSTER, BOTH, smtp)
    lost(tmp_path, later(1), SECOND)
    box.received.clear()
    write(tmp_path, [confirmed(), MORE, OTHER], later(2))
    result = mail_letter(tmp_path, later(2), CLUSTER, BOTH, smtp)
    assert (result.sent, result.revised) == (BOTH, False)
    first, second = (since(message) for _to, message in box.received)
    assert first.startswith(later(1))
    assert ("CVE-2026-33557" in first, "KAFKA-17076" in first) == (False, True)
    assert second.startswith(DAY)
    assert ("CVE-2026-33557" in second, "KAFKA-17076" in second) == (True, True)
    assert f"the letter of {later(1)} came" in second
    assert mail_letter(tmp_path, later(2), CLUSTER, BOTH, smtp).already == BOTH
    own = [message["Message-ID"] for _to, message in box.received]
    box.received.clear()
    write(tmp_path, [confirmed(), OTHER], later(2), "g0002")
    assert mail_letter(tmp_path, later(2), CLUSTER, BOTH, smtp).sent == BOTH
    assert [message["In-Reply-To"] for _to, message in box.received] in ([own[0], own[1]], [own[1], own[1]])
    write(tmp_path, [confirmed(), OTHER], later(3))
    assert mail_letter(tmp_path, later(3), CLUSTER, BOTH, smtp).unchanged_since == later(2)


def test_a_finding_that_went_in_a_letter_that_may_not_have_come_is_told_as_it_stands(tmp_path, box, smtp):
    write(tmp_path, [MORE])
    mail_letter(tmp_path, DAY, CLUSTER, OWNERS, smtp)
    write(tmp_path, [MORE, OTHER], later(1))
    mail_letter(tmp_path, later(1), CLUSTER, OWNERS, smtp)
    lost(tmp_path, later(1), OWNERS[0], "claimed", 1)
    write(tmp_path, [MORE], later(2))
    assert mail_letter(tmp_path, later(2), CLUSTER, OWNERS, smtp).sent == OWNERS
    text = flat(box.received[-1][1])
    assert f"the letter of {later(1)} came, so this one stands by itself" in text
    assert "Nothing changed. " in text
    assert "silence" not in text


def test_a_letter_that_was_surely_not_sent_is_no_doubt(tmp_path, box, smtp):
    write(tmp_path, [confirmed()])
    mail_letter(tmp_path, DAY, CLUSTER, BOTH, smtp)
    lost(tmp_path, DAY, SECOND, "claimed", 0)
    write(tmp_path, [confirmed()], later(1))
    assert mail_letter(tmp_path, later(1), CLUSTER, BOTH, smtp).sent == [SECOND]
    assert "not known whether" not in flat(box.received[-1][1])
    assert box.received[-1][1]["Subject"].strip() == f"payments-eu: {LATE}"
    assert "The first letter" in flat(box.received[-1][1])


@pytest.mark.fault(52)
@pytest.mark.parametrize("surely", [False, True])
def test_a_digest_whose_answer_was_lost_comes_again_on_the_next_day(tmp_path, box, smtp, surely):
    names = ["a-eu", "b-eu"]
    days = [DAY, later(1), later(2), later(3)]
    for ds in days:
        publish_day(tmp_path, ds, {name: (dossier(name, ds), [MORE]) for name in names})
    mailed = days[1:] if surely else days[:1] + days[2:]
    if surely:
        assert mail_digest(tmp_path, DAY, SECOND, names, smtp).sent
        publish_day(tmp_path, mailed[0], {name: (dossier(name, mailed[0]), [MORE, OTHER]) for name in names})
    assert mail_digest(tmp_path, mailed[0], SECOND, names, smtp).sent
    lost(tmp_path, mailed[0], SECOND, name=digest_name(SECOND))
    box.received.clear()
    assert mail_digest(tmp_path, mailed[1], SECOND, names, smtp).sent == [SECOND]
    message = box.received[-1][1]
    assert message["Subject"].strip() == f"2 clusters: exposed, told again (Kafka, {mailed[1]})"
    files = {one.get_filename() for one in message.iter_attachments()}
    assert {f"{name}_{mailed[1]}.html" for name in names} <= files
    assert f"whether the letter of {mailed[0]} came" in flat(message)
    assert mail_digest(tmp_path, mailed[1], SECOND, names, smtp).already == [SECOND]
    assert mail_digest(tmp_path, mailed[2], SECOND, names, smtp).unchanged_since == mailed[1]
