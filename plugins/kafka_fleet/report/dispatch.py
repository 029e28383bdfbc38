"""From letter to mail: takes a home, a day and a cluster, hands the letter that was written to the outbox."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from kafka_fleet.acknowledgements import Acknowledgements, standing
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.briefs import read_brief
from kafka_fleet.report.attachments import attachments
from kafka_fleet.report.changes import Changes, compare
from kafka_fleet.report.headline import reached
from kafka_fleet.report.history import LastTold, clean_days, last_told
from kafka_fleet.report.letter import findings_digest
from kafka_fleet.report.mail import LEASE, DeliveryResult, deliver
from kafka_fleet.report.outbox import Outbox
from kafka_fleet.report.since import first_part, subject, with_first_part
from kafka_fleet.report.smtp_settings import SmtpSettings
from kafka_fleet.store.generations import current, day

NONE = Acknowledgements([], [])
HEARTBEAT = "KAFKA_FLEET_HEARTBEAT_DAYS"


class LetterError(RuntimeError):
    """There is no letter to mail, or nobody to mail it to; one sentence."""


def heartbeat_days(environ: Mapping[str, str]) -> int:
    """After how many days without a letter one is sent though nothing changed; 0: never. Raises LetterError."""
    text = environ.get(HEARTBEAT, "7")
    if not re.fullmatch(r"[0-9]{1,3}", text):
        raise LetterError(f"{HEARTBEAT} is {text[:20]!r}: it is a number of days, 0 for never")
    return int(text)


def mail_letter(
    home: Path,
    ds: str,
    cluster: str,
    owners: Sequence[str] | None,
    smtp: SmtpSettings | None,
    dry_run: bool = False,
    generation: str | None = None,
    acknowledged: Acknowledgements = NONE,
) -> DeliveryResult:
    """Mail one cluster's letter of day `ds` to the owners who do not have it. Raises LetterError, OutboxError.

    What changed since the last letter sent comes first; where nothing did, no letter goes out before the heartbeat.
    `owners` are those of the fleet file as it is now; None when the cluster is no valid entry of it any more.
    `generation` is the one that readers follow unless it is given, `acknowledged` what the file beside the fleet file
    says.
    """
    if not owners:
        raise LetterError(f"{cluster} is no valid entry of the fleet file, so its owners are not known")
    generation = generation or current(home / f"reports/ds={day(ds)}")
    if generation is None:
        raise LetterError(f"nothing is published for {ds}; write the report first")
    letter, judged = home / f"reports/ds={ds}/{generation}", home / f"findings/ds={ds}/{generation}"
    try:
        html, text = (_there(letter / f"{cluster}{kind}", ds, cluster).decode() for kind in (".html", ".txt"))
        findings = json.loads(_there(judged / "findings.json", ds, cluster))
        dossier = json.loads(_there(judged / f"clusters/{cluster}.json", ds, cluster))
        own = [one for one in findings if one["cluster"] == cluster]
        digest = findings_digest(cluster, own)
        short = read_brief(home, ds, cluster, generation)
        was_reached = short.reached if short else reached(dossier)
        accepted = standing(acknowledged.entries, cluster, short.rows if short else (), ds)
        void = {key: why for key, (_one, why) in accepted.items()}
        box = Outbox(home, ds, cluster, LEASE)
        last = last_told(box, home, ds, digest)

        def changed(since: LastTold | None) -> Changes:
            return compare(
                since.told if since else None,
                own,
                since.ds if since else None,
                was_reached,
                lambda signature, cause: clean_days(home, cluster, signature, cause, ds, short),
                void,
            )

        changes = changed(last)
        files = attachments(dossier, own)
    except (TypeError, KeyError, ValueError) as error:
        raise LetterError(f"the letter of {cluster} for {ds} cannot be read ({type(error).__name__})") from error
    if last and not changes.changes and not _due_anyway(box, ds, digest, last.ds):
        owners = [owner for owner in owners if owner not in last.known_to]
        if not owners:
            return DeliveryResult(cluster, ds, "", "", False, unchanged_since=last.ds)
        changes = changed(None)  # it is their first letter, or the last one did not reach them
    title = subject(cluster, ds, own, was_reached, changes, accepted)
    faults = [
        f"An acknowledgement is not used: {sentence}."
        for name, sentence in acknowledged.faults
        if name in (cluster, None)
    ]
    html, text = with_first_part(html, text, *first_part(changes, load_advisories(), own, accepted, faults))
    return deliver(
        home, ds, cluster, html, text, title, owners, smtp, digest, dry_run, told=changes.told, attachments=files
    )


def _due_anyway(box: Outbox, ds: str, digest: str, since: str) -> bool:
    """Whether the letter is under way already, or the last one is so old that its reader is to hear of us again."""
    if any(mail.findings_digest == digest for mail in box.read()):
        return True
    silence = heartbeat_days(os.environ)
    return silence > 0 and date.fromisoformat(ds) - date.fromisoformat(since) >= timedelta(days=silence)


def _there(path: Path, ds: str, cluster: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise LetterError(f"{ds} has no letter of {cluster}: {path.name} is not there") from None
