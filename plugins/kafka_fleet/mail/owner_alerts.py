"""A word to the platform's owners: takes a day, a reason and sentences, mails it to each of them once, by the outbox.

outbox/ds=D/_platform-<reason>.json     owners notified of a day for that reason; no cluster id begins with _
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from kafka_fleet.base.text import ADDRESS, one_line
from kafka_fleet.mail.delivery import LEASE, deliver
from kafka_fleet.mail.delivery_result import DeliveryResult
from kafka_fleet.mail.outbox import Outbox, OutboxError, latest_mails
from kafka_fleet.mail.smtp_settings import SmtpSettings
from kafka_fleet.report.sanitize import clean
from kafka_fleet.report.templating import inlined, plain, render
from kafka_fleet.settings import read_settings, variable
from kafka_fleet.store.files import list_names
from kafka_fleet.store.home import Home

OWNERS = variable("platform_owners")
MOST_LINES = 200
KEPT_RAW = "kept-raw"  # the reason of kept_raw_words
BACK_DAYS = 7  # so far back a word that no mail server took is offered again
_LONG = 700
_PREFIX = "_platform-"


def platform_owners(environ: Mapping[str, str] | None = None) -> list[str]:
    """The addresses of OWNERS in their order, without what is no address; see not_addresses."""
    return [one for one in _listed(environ) if ADDRESS.fullmatch(one)]


def not_addresses(environ: Mapping[str, str] | None = None) -> list[str]:
    """What OWNERS holds that no mail server could take."""
    return [one[:80] for one in _listed(environ) if not ADDRESS.fullmatch(one)]


def _listed(environ: Mapping[str, str] | None) -> tuple[str, ...]:
    return read_settings("platform_owners", environ=environ).platform_owners


def kept_raw_words(unjudged: Mapping[str, str]) -> tuple[str, list[str]]:
    """Title and lines on old raw that stays since its day is not judged. unjudged: why, by day."""
    title = f"old raw of {len(unjudged)} days is not deleted, for these days are not judged as a whole"
    return title, [f"{ds}: {why}" for ds, why in unjudged.items()]


def alert_owners(
    home: Path,
    ds: str,
    reason: str,
    title: str,
    lines: Sequence[str],
    owners: Sequence[str],
    smtp: SmtpSettings,
    about: str = "",
) -> DeliveryResult:
    """Mail title and lines to the owners who were not notified of this day for this reason; calling again is harmless.

    reason: names the outbox, in small letters and `-`. about: what the reason is about, where another such thing is to
    be notified again. An address that the mail server refused for good is not tried again, and stays in `refused`;
    what could not be sent yet is in `deferred`, and resend() offers it again. Raises OutboxError, OSError.
    """
    name, digest = f"{_PREFIX}{reason}", hashlib.sha256(f"{reason} {about}".encode()).hexdigest()
    shown = [*lines[:MOST_LINES], *([f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else [])]
    values = {"title": clean(title, _LONG), "lines": clean(shown, _LONG), "ds": ds}
    html, text = inlined(render("alert.html.j2", **values)), plain("alert.txt.j2", **values)
    subject = one_line(f"Kafka Fleet Health: {title}", 150)
    refused = _refused(home, ds, name, digest)
    due = [owner for owner in owners if owner not in refused]
    result = DeliveryResult(name, ds, "", subject, revised=False)
    if due:
        result = deliver(home, ds, name, html, text, subject, due, smtp, digest, importance="high")
    result.refused |= {owner: refused[owner] for owner in owners if owner in refused}
    return result


def resend_alerts(home: Path, today: date, smtp: SmtpSettings) -> list[DeliveryResult]:
    """Offer again what no mail server has taken of the words of the last days.

    Raises OSError, and OutboxError for a file that cannot be read when the words of all others were offered.
    """
    results, broken = [], None
    for ds, name in _told_lately(home, today):
        try:
            mails = Outbox(home, ds, name, LEASE).read()
        except OutboxError as error:
            broken = error
            continue
        for mail in latest_mails(mails) if mails else []:
            open_ones = [one for one, state in mail.recipients.items() if state.state in ("due", "claimed")]
            if open_ones:
                results.append(
                    deliver(
                        home, ds, name, mail.html, mail.text, mail.subject, open_ones, smtp, mail.findings_digest,
                        importance=mail.importance,
                    )
                )  # fmt: skip
    if broken is not None:
        raise broken
    return results


def has_unsent_alerts(home: Path, today: date) -> bool:
    """Whether a word of the last days was taken by no mail server, or cannot be read. Raises OSError."""
    try:
        boxes = [Outbox(home, ds, name, LEASE).read() for ds, name in _told_lately(home, today)]
    except OutboxError:
        return True
    return any(
        state.state in ("due", "claimed")
        for mails in boxes
        for mail in (latest_mails(mails) if mails else [])
        for state in mail.recipients.values()
    )


def _told_lately(home: Path, today: date) -> list[tuple[str, str]]:
    days = [(today - timedelta(days=back)).isoformat() for back in range(BACK_DAYS)]
    return [
        (ds, name.removesuffix(".json"))
        for ds in days
        for name in list_names(Home(home).day(ds).outbox)
        if name.startswith(_PREFIX) and name.endswith(".json")
    ]


def _refused(home: Path, ds: str, name: str, digest: str) -> dict[str, str]:
    """Whom the mail server refused the same word for good, and its reason."""
    mails = [one for one in Outbox(home, ds, name, LEASE).read() if one.findings_digest == digest]
    return {address: one.reason for mail in mails for address, one in mail.recipients.items() if one.state == "refused"}
