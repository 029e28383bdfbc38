"""Judged days with a letter for payments-eu, and a mail server for its owner: what mailed letters are tested on."""

import json
from datetime import date, timedelta

from kafka_fleet.documents.outbox import Recipient
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.report.render import write_letter
from kafka_fleet.store.generations import publish
from kafka_fleet.store.home import Home
from support.builders.documents import day_summary
from support.builders.letter_rows import DS as DAY
from support.builders.letter_rows import evidence, finding
from support.builders.letter_samples import payments

CLUSTER, OWNERS = "payments-eu", ["oncall@example.org"]
LATE = "consumers read half a second late (KAFKA-14334)"  # the bug, as a subject has it
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
    Home(home).generation(ds, generation).verdict(CLUSTER).parent.mkdir()
    Home(home).generation(ds, generation).verdict(CLUSTER).write_text(
        json.dumps(day_summary(findings, {"fetch_latency": state}, True, {}).plain())
    )
    write_letter(home, ds, generation, CLUSTER)
    if shown:
        publish(home / f"findings/ds={ds}", generation)
        publish(home / f"reports/ds={ds}", generation)


def part(message, kind):
    return message.get_body((kind,)).get_content().replace("\r\n", "\n")


def attached(message, name):
    """The text of an attachment."""
    return next(one.get_content() for one in message.iter_attachments() if one.get_filename() == name)


def subjects(box):
    return [
        message["Subject"].strip() for _recipient, message in box.received
    ]  # a long one begins on a line of its own


def lost(home, ds, address, state="uncertain", claims=2, name=CLUSTER):
    """The answer to the last mail of a day was lost, as settling leaves it."""

    def change(mails):
        mails[-1].recipients[address] = Recipient(state, claims, f"{ds}T00:00:00+00:00", "no answer")

    Outbox(home, ds, name, timedelta(minutes=10)).change(change)
