"""Tells a cluster's channels what changed: takes a day and a cluster, posts what the outbox says is due.

The outbox keeps a file of its own for them, `_channels-<hash>.json`, by the rules of mails (mail/outbox.py): a claim
before each try, a count before each complete message, at most one more message where the answer to one was lost.
"""

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from kafka_fleet.base.errors import UsageError
from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import CredentialsError, Resolver
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.documents.outbox import Mail, State
from kafka_fleet.documents.summary import kept_reported
from kafka_fleet.mail.last_sent import last_report
from kafka_fleet.mail.mailing_status import CHANNELS
from kafka_fleet.mail.outbox import Outbox, current_recipient, letter_digest, message_id
from kafka_fleet.mail.published_letter import JudgedDay, LetterError, mailed_generation, read_judged
from kafka_fleet.mail.revisions import current_mails
from kafka_fleet.notify.addresses import connection_of
from kafka_fleet.notify.jira_client import jira_client
from kafka_fleet.notify.jira_issues import tell_jira
from kafka_fleet.notify.jira_ledger import Ledger
from kafka_fleet.notify.message import Message, message_of
from kafka_fleet.notify.outcome import Outcome
from kafka_fleet.notify.sending import sender

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=30)  # longer than the events of one message take
Told = Literal["sent", "already", "nothing", "due", "later", "failed"]
_STATES: dict[str, State] = {"sent": "sent", "refused": "refused", "deferred": "due", "unknown": "claimed"}


class Notified(NamedTuple):
    """What came of one channel. later: another try may do; due: of a dry run."""

    channel: str
    state: Told
    sentence: str


def outbox_name(cluster: str) -> str:
    """What the outbox calls a cluster's channels; no cluster id begins like that."""
    return f"{CHANNELS}{hashlib.sha256(cluster.encode()).hexdigest()[:16]}"


def notify_channels(
    home: Path,
    ds: str,
    cluster: Cluster,
    resolver: Resolver,
    dry_run: bool = False,
    generation: str | None = None,
    acknowledged: Acknowledgements | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[Notified]:
    """Tell each channel of a cluster what changed since it was surely told last; calling again is harmless.

    Raises LetterError where the day has no letter of it, OutboxError. A dry run contacts nobody and writes nothing.
    """
    if not cluster.notify:
        return []
    known = acknowledged or Acknowledgements([], [])
    judged = read_judged(home, ds, cluster.id, mailed_generation(home, ds, generation), known)
    box = Outbox(home, ds, outbox_name(cluster.id), LEASE)
    return [_notify(channel, box, judged, resolver, dry_run, clock) for channel in cluster.notify]


def _notify(
    channel: Channel, box: Outbox, judged: JudgedDay, resolver: Resolver, dry_run: bool, clock: Callable[[], datetime]
) -> Notified:
    last = last_report(box, judged.home, judged.ds, judged.digest, [channel.name])[channel.name]
    try:
        changes = judged.changes(*last)
        message = message_of(channel, judged, changes, last.told)
    except UsageError as error:
        raise LetterError(str(error)) from error
    if message is None:
        return Notified(channel.name, "nothing", "nothing changed that it is to be told")
    digest = letter_digest(message.stored())

    def draft(occurrence: int, revises: str | None) -> Mail:
        identity = message_id(judged.cluster, judged.ds, letter_digest(digest, channel.name), occurrence, "channels")
        date = format_datetime(clock())
        return Mail(
            digest, judged.digest, identity, date, "", message.title, "", message.stored(), revises,
            told=kept_reported(changes.told),
        )  # fmt: skip

    compose = partial(current_mails, draft=draft, digest=digest, findings_digest=judged.digest, owners=[channel.name])
    ((mail, _own),) = compose(box.read()) if dry_run else box.change(compose)
    recipient, until = mail.recipients[channel.name], box.leased_until(mail.recipients[channel.name], clock())
    if recipient.state in ("sent", "known"):
        return Notified(channel.name, "already", "has it already")
    if recipient.state == "uncertain":
        return Notified(channel.name, "failed", recipient.reason)
    if until:
        return Notified(channel.name, "later", f"looked at again after {until:%H:%M:%S} UTC: another try is sending it")
    if dry_run:
        return Notified(channel.name, "due", f"would be told: {message.title}")
    return _send(channel, box, mail, resolver, clock, judged.home)


def _send(
    channel: Channel, box: Outbox, mail: Mail, resolver: Resolver, clock: Callable[[], datetime], home: Path
) -> Notified:
    name = channel.name
    claimed = box.claim(mail, name, clock())
    if claimed is None:
        now = current_recipient(box.read(), mail, name)
        if now and now.state == "uncertain":
            return Notified(name, "failed", now.reason)
        return Notified(name, "later", "another try is sending it, or a revised message")
    again = bool(claimed.claims)
    try:
        tell: Callable[[], Outcome]
        connection, ca_file = connection_of(channel, resolver)
        message = Message.read(mail.text)
        if channel.jira:
            client = jira_client(channel, connection, ca_file)
            ledger = Ledger(home, message.cluster, name)
            tell = partial(tell_jira, client, channel.jira, ledger, message, mail.message_id, clock)
        else:
            tell = sender(channel, connection, ca_file, message, mail.message_id, again).send
    except CredentialsError as error:
        box.settle(mail, name, claimed, "due", str(error), clock())
        return Notified(name, "failed", str(error))
    if again:
        log.warning("%s: what became of the last message is not known; sent again as %s", name, mail.message_id)
    if not box.offer(mail, name, claimed):
        return Notified(name, "later", "another try is sending it, or a revised message")
    outcome = tell()
    box.settle(mail, name, claimed, _STATES[outcome.verdict], outcome.reason, clock())
    if outcome.verdict == "sent":
        return Notified(name, "sent", "; ".join(filter(None, [f"is told: {mail.subject}", outcome.note])))
    return Notified(name, "failed" if outcome.verdict == "refused" else "later", outcome.reason)
