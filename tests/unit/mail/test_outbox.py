"""The outbox on its own and under rivals: once per recipient, revised only for new findings, nothing on guesswork."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet.documents.outbox import Recipient
from kafka_fleet.mail.outbox import Outbox, OutboxError, letter_digest
from support.builders.sent_letters import CLUSTER, DAY, NOON, OWNER, SECOND, send, states
from support.servers.mail_server import plain


def path(home):
    return home / "outbox" / f"ds={DAY}" / f"{CLUSTER}.json"


@pytest.mark.fault(46)
def test_a_retry_in_sent_contacts_nobody_and_changes_no_byte(tmp_path, box, smtp):
    send(tmp_path, smtp)
    before = path(tmp_path).read_bytes()
    again = send(tmp_path, plain(1), clock=lambda: NOON + timedelta(days=1))  # port 1: nobody listens
    assert again.ok
    assert again.already == [OWNER]
    assert path(tmp_path).read_bytes() == before
    assert len(box.received) == 1


def test_the_composed_mail_is_kept(tmp_path, smtp):
    result = send(tmp_path, smtp)
    content = json.loads(path(tmp_path).read_text())
    (mail,) = content["mails"]
    assert (content["schema_version"], content["ds"], content["cluster"]) == (1, DAY, CLUSTER)
    assert mail["subject"] == "payments-eu: 1 known bug"
    assert "<h1>" in mail["html"]
    assert "known bug" in mail["text"]
    assert mail["message_id"] == result.message_id
    assert mail["recipients"][OWNER]["state"] == "sent"


def test_a_dry_run_says_who_is_due_and_writes_nothing(tmp_path, box, smtp):
    result = send(tmp_path, None, dry_run=True)
    assert result.due == [OWNER]
    assert not (tmp_path / "outbox").exists()
    send(tmp_path, smtp)
    assert send(tmp_path, None, dry_run=True).already == [OWNER]
    revised = send(tmp_path, None, dry_run=True, html="<p>new</p>", findings="f2")
    assert (revised.due, revised.revised) == ([OWNER], True)
    assert len(json.loads(path(tmp_path).read_text())["mails"]) == len(box.received) == 1


@pytest.mark.fault(48)
def test_new_wording_alone_is_not_mailed_new_findings_are_revised(tmp_path, box, smtp):
    first = send(tmp_path, smtp)
    assert send(tmp_path, smtp, html="<p>reworded</p>").already == [OWNER]
    revised = send(tmp_path, smtp, html="<p>other</p>", findings="f2", subject="payments-eu: 2 known bugs")
    assert revised.revised
    assert revised.sent == [OWNER]
    message = box.received[1][1]
    assert message["Subject"] == "Revised: payments-eu: 2 known bugs"
    assert message["In-Reply-To"] == first.message_id != message["Message-ID"]
    assert send(tmp_path, smtp, html="<p>other</p>", findings="f2", subject="payments-eu: 2 known bugs").already
    back = send(tmp_path, smtp)  # the first letter is true again: its owner was told otherwise
    assert back.sent == [OWNER]
    assert len({message["Message-ID"] for _recipient, message in box.received}) == 3


def test_a_letter_nobody_got_is_replaced_and_not_called_revised(tmp_path, box, smtp):
    box.answers[OWNER] = "550 no"
    send(tmp_path, smtp)
    box.answers.clear()
    result = send(tmp_path, smtp, html="<p>other</p>", findings="f2")
    assert result.sent == [OWNER]
    assert not result.revised
    assert len(json.loads(path(tmp_path).read_text())["mails"]) == 1


def test_a_revision_nobody_got_that_is_taken_back_sends_nothing(tmp_path, box, smtp):
    send(tmp_path, smtp)
    box.answers[OWNER] = "450 later"
    assert send(tmp_path, smtp, html="<p>other</p>", findings="f2").deferred
    box.answers.clear()
    assert send(tmp_path, smtp).already == [OWNER]
    assert len(box.received) == 1


def test_an_owner_added_later_gets_the_letter_and_the_others_do_not_get_it_twice(tmp_path, box, smtp):
    send(tmp_path, smtp)
    assert send(tmp_path, smtp, owners=[OWNER, SECOND, SECOND]).sent == [SECOND]
    assert box.recipients == [OWNER, SECOND]


def test_who_was_sent_these_findings_last_gets_no_revision_of_others(tmp_path, box, smtp):
    both = [OWNER, SECOND]
    send(tmp_path, smtp, owners=both)
    box.answers[SECOND] = "450 later"
    assert send(tmp_path, smtp, html="<p>other</p>", findings="f2", owners=both).sent == [OWNER]
    box.answers.clear()
    back = send(tmp_path, smtp, owners=both)
    assert (back.sent, back.already) == ([OWNER], [SECOND])
    assert states(tmp_path) == {OWNER: "sent", SECOND: "known"}
    assert send(tmp_path, smtp, owners=both).already == both
    assert box.recipients == [OWNER, SECOND, OWNER, OWNER]


@pytest.mark.fault(44)
def test_rivals_at_once_send_once(tmp_path, box, smtp):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: send(tmp_path, smtp, owners=[OWNER, SECOND]), range(8)))
    assert sorted(box.recipients) == [OWNER, SECOND]
    assert sum(len(result.sent) for result in results) == 2
    assert states(tmp_path) == {OWNER: "sent", SECOND: "sent"}


@pytest.mark.fault(51)
def test_random_retry_schedules_never_send_twice(tmp_path, box, smtp):
    """Refusals, deferrals, rewordings and clock jumps in any order; no lost answers, so exactly one mail each."""
    dice = random.Random(20261120)  # noqa: S311 - a schedule, not a secret
    for schedule in range(40):
        home, now = tmp_path / str(schedule), NOON
        box.received.clear()
        for _step in range(dice.randint(1, 8)):
            box.answers = {
                name: dice.choice(["450 later", "550 no"]) for name in (OWNER, SECOND) if dice.random() < 0.4
            }
            now += timedelta(minutes=dice.randint(0, 30))
            html = f"<p>{dice.randint(0, 1)}</p>"
            send(home, smtp, owners=[OWNER, SECOND], html=html, clock=lambda now=now: now)
        box.answers = {}
        send(home, smtp, owners=[OWNER, SECOND], clock=lambda now=now: now)
        assert sorted(box.recipients) == [OWNER, SECOND]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema_version":1}', "\x00"])
def test_a_damaged_outbox_stops_the_mail(tmp_path, box, smtp, content):
    path(tmp_path).parent.mkdir(parents=True)
    path(tmp_path).write_text(content)
    with pytest.raises(OutboxError, match="nothing is sent"):
        send(tmp_path, smtp)
    assert box.received == []
    assert path(tmp_path).read_text() == content


def test_an_outbox_of_another_cluster_is_not_used(tmp_path, smtp):
    send(tmp_path, smtp)
    other = path(tmp_path).with_name("other.json")
    path(tmp_path).rename(other)
    with pytest.raises(OutboxError):
        Outbox(tmp_path, DAY, "other", timedelta(minutes=1)).read()


@pytest.mark.fault(54)
@pytest.mark.parametrize(
    ("ds", "cluster"), [("../x", "a"), (DAY, "../a"), (DAY, "A"), (DAY, ""), ("2026-11-20\n", "a")]
)
def test_names_cannot_leave_the_outbox(tmp_path, ds, cluster):
    with pytest.raises(OutboxError):
        Outbox(tmp_path, ds, cluster, timedelta(minutes=1))


@pytest.mark.fault(45)
def test_a_rivals_success_is_not_undone(tmp_path, smtp):
    send(tmp_path, smtp)
    outbox = Outbox(tmp_path, DAY, CLUSTER, timedelta(minutes=10))
    zombie = Recipient("claimed", at=NOON.isoformat())
    outbox.settle(outbox.read()[-1], OWNER, zombie, "due", "late failure of a zombie", datetime.now(UTC))
    assert states(tmp_path) == {OWNER: "sent"}


@pytest.mark.parametrize("state", ["due", "refused", "claimed"])
@pytest.mark.fault(52)
def test_the_failure_of_a_claim_that_was_taken_over_says_nothing_of_the_other_try(tmp_path, box, smtp, state):
    send(tmp_path, plain(1))  # nobody listens: composed, and due
    outbox, later = Outbox(tmp_path, DAY, CLUSTER, timedelta(minutes=10)), NOON + timedelta(minutes=11)
    mail = outbox.read()[-1]
    slow = outbox.claim(mail, OWNER, NOON)
    rival = outbox.claim(mail, OWNER, later)
    assert outbox.offer(mail, OWNER, rival)
    before = path(tmp_path).read_bytes()
    outbox.settle(mail, OWNER, slow, state, "450 later", later + timedelta(seconds=1))
    assert path(tmp_path).read_bytes() == before
    third = send(tmp_path, smtp, clock=lambda: later + timedelta(minutes=1))
    assert "looked at again after" in third.deferred[OWNER], "the rival's mail is complete, and may be there already"
    assert box.received == []
    outbox.settle(mail, OWNER, rival, "sent", "", later + timedelta(seconds=2))
    assert send(tmp_path, smtp).already == [OWNER]


@pytest.mark.parametrize("answer", ["452 full", "554 no"])
@pytest.mark.fault(52)
def test_who_was_turned_down_after_the_whole_body_has_nothing(tmp_path, box, smtp, answer):
    box.on_data = lambda _recipient: answer
    for hours in range(3):
        send(tmp_path, smtp, clock=lambda hours=hours: NOON + timedelta(hours=hours))
    (mail,) = Outbox(tmp_path, DAY, CLUSTER, timedelta(minutes=10)).read()
    assert (mail.recipients[OWNER].may_have, mail.reached_somebody) == (False, False)
    box.on_data = lambda _recipient: "250 kept"
    other = send(tmp_path, smtp, html="<p>other</p>", findings="f2", clock=lambda: NOON + timedelta(hours=4))
    assert (other.sent, other.revised) == ([OWNER], False)
    assert not box.received[0][1]["Subject"].startswith("Revised")
    assert len(json.loads(path(tmp_path).read_text())["mails"]) == 1, "the one that nobody has is kept by nobody"


def test_digests_keep_their_parts_apart():
    assert letter_digest("ab", "c") != letter_digest("a", "bc")


@pytest.mark.fault(52)
def test_a_claim_by_a_clock_that_was_ahead_does_not_hold(tmp_path, box, smtp):
    send(tmp_path, plain(1))  # nobody listens: composed, and due
    outbox = Outbox(tmp_path, DAY, CLUSTER, timedelta(minutes=10))
    ahead = outbox.claim(outbox.read()[-1], OWNER, NOON + timedelta(days=3650))
    assert ahead is not None
    assert outbox.leased_until(ahead, NOON) is None
    assert outbox.leased_until(ahead, NOON + timedelta(days=3650, minutes=9)) is not None
    assert outbox.leased_until(ahead, NOON + timedelta(days=3650, minutes=10)) is None
    assert send(tmp_path, smtp).sent == [OWNER]
    assert outbox.offer(outbox.read()[-1], OWNER, ahead) is False, "whose claim was taken over sends nothing"


def test_rivals_whose_clocks_are_a_little_apart_wait_for_each_other_and_are_told_the_day(tmp_path, smtp):
    send(tmp_path, plain(1))
    outbox = Outbox(tmp_path, DAY, CLUSTER, timedelta(minutes=10))
    assert outbox.claim(outbox.read()[-1], OWNER, NOON + timedelta(seconds=50))
    reason = send(tmp_path, smtp).deferred[OWNER]
    assert reason.endswith(f"(looked at again after {NOON:%Y-%m-%d} 12:10:50 UTC)")
