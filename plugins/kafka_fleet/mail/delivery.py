"""Mails a letter: takes a cluster's letter of a day and its owners, sends each of them what the outbox says is due."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Any

from kafka_fleet.base.text import ADDRESS, DEFAULT_DOMAIN, one_line
from kafka_fleet.documents.outbox import Mail, State
from kafka_fleet.mail.delivery_result import DeliveryResult, join_results
from kafka_fleet.mail.mime import compose
from kafka_fleet.mail.outbox import Outbox, current_recipient, letter_digest, message_id
from kafka_fleet.mail.revisions import current_mails
from kafka_fleet.mail.smtp import SmtpSession, SmtpUnavailable, Verdict
from kafka_fleet.mail.smtp_settings import SmtpSettings, SmtpSettingsError, from_airflow_connection, from_environment

__all__ = [
    "DeliveryResult",
    "SmtpSettings",
    "SmtpSettingsError",
    "deliver",
    "from_airflow_connection",
    "from_environment",
]

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=10)  # longer than one recipient takes at the default timeout; see `deliver`
_STATE: dict[Verdict, State] = {"sent": "sent", "refused": "refused", "deferred": "due", "unknown": "claimed"}


def deliver(
    home: str | Path,
    ds: str,
    cluster: str,
    letter_html: str,
    letter_text: str,
    subject: str,
    owners: Sequence[str],
    smtp: SmtpSettings | None,
    findings_digest: str,
    dry_run: bool = False,
    *,
    told: dict[str, dict[str, Any]] | None = None,
    attachments: Mapping[str, str] | None = None,
    importance: str = "normal",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    lease: timedelta = LEASE,
) -> DeliveryResult:
    """Send the letter of `cluster` and day `ds` to the owners who do not have it yet; calling again is harmless.

    A letter whose findings differ from those an owner was sent goes out as "Revised: ...", one that only reads
    differently does not go out. Refusals and a mail server that is down are in the result. Raises OutboxError
    when the outbox cannot be read. A dry run contacts nobody, writes nothing and needs no `smtp`.

    told, attachments, importance: kept with the mail, see Mail.
    """
    if smtp is None and not dry_run:
        raise SmtpSettingsError("no mail server is set")
    sender, domain = (smtp.from_email, smtp.message_id_domain) if smtp else ("nobody@example.invalid", DEFAULT_DOMAIN)
    digest = letter_digest(subject, letter_html, letter_text)

    def draft(occurrence: int, revises: str | None) -> Mail:
        line = one_line(f"Revised: {subject}" if revises else subject)
        html, text = (part.encode("utf-8", "replace").decode() for part in (letter_html, letter_text))
        identity = message_id(cluster, ds, digest, occurrence, domain)
        mail = Mail(digest, findings_digest, identity, format_datetime(clock()), sender, line, html, text, revises)
        return replace(mail, told=told, attachments=dict(attachments or {}), importance=importance)

    lease = max(lease, timedelta(seconds=6 * smtp.timeout)) if smtp else lease
    box = Outbox(home, ds, cluster, lease)
    compose_for = partial(current_mails, draft=draft, digest=digest, findings_digest=findings_digest, owners=owners)
    mails = compose_for(box.read()) if dry_run else box.change(compose_for)
    results = []
    for mail, own in mails:
        result = DeliveryResult(cluster, ds, mail.message_id, mail.subject, mail.revises is not None)
        open_ones = [address for address in own if _open(box, mail, address, result, clock())]
        if dry_run:
            result.due = open_ones
        elif open_ones and smtp:
            _send(box, mail, cluster, open_ones, smtp, result, clock)
        results.append(result)
    return join_results(results)


def _open(box: Outbox, mail: Mail, address: str, result: DeliveryResult, now: datetime) -> bool:
    """Whether this recipient is to be offered the mail now; where not, the result says why."""
    recipient = mail.recipients[address]
    until = box.leased_until(recipient, now)
    if recipient.state in ("sent", "known"):
        result.already.append(address)
    elif recipient.state == "uncertain":
        result.uncertain[address] = recipient.reason
    elif not ADDRESS.fullmatch(address):
        result.refused[address] = "is not an address that the mail server could take"
    elif until:
        result.deferred[address] = recipient.reason or "another try is sending it"
        result.deferred[address] += f" (looked at again after {until:%Y-%m-%d %H:%M:%S} UTC)"
    else:
        return True
    return False


def _send(
    box: Outbox,
    mail: Mail,
    cluster: str,
    addresses: Sequence[str],
    smtp: SmtpSettings,
    result: DeliveryResult,
    clock: Callable[[], datetime],
) -> None:
    message = compose(mail, cluster)
    try:
        session = SmtpSession(smtp)
    except SmtpUnavailable as error:
        result.error, result.permanent = str(error), error.permanent
        result.deferred.update(dict.fromkeys(addresses, "the mail server did not take the connection"))
        return
    with session:
        for address in addresses:
            claimed = box.claim(mail, address, clock())
            if claimed is None:
                _read_back(box, mail, address, result)
                continue
            if claimed.claims:
                log.warning(
                    "%s: what became of the last mail to %s is not known; sent again as %s",
                    cluster,
                    address,
                    mail.message_id,
                )
            outcome = session.send(address, message, partial(box.offer, mail, address, claimed))
            if outcome.verdict == "withdrawn":
                _read_back(box, mail, address, result)
                continue
            box.settle(mail, address, claimed, _STATE[outcome.verdict], outcome.reason, clock())
            if outcome.verdict == "sent":
                result.sent.append(address)
            else:
                (result.refused if outcome.verdict == "refused" else result.deferred)[address] = outcome.reason


def _read_back(box: Outbox, mail: Mail, address: str, result: DeliveryResult) -> None:
    """Report a recipient that another try took, settled or replaced while this one was on its way."""
    recipient = current_recipient(box.read(), mail, address)
    if recipient and recipient.state in ("sent", "known"):
        result.already.append(address)
    elif recipient and recipient.state == "uncertain":
        result.uncertain[address] = recipient.reason
    else:
        result.deferred[address] = "another try is sending it, or a revised letter"
