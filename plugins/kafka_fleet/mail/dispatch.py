"""From letter to mail: takes a home, a day and a cluster, hands the letter that was written to the outbox."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from kafka_fleet.base.errors import UsageError
from kafka_fleet.config.acknowledgements import Acknowledgements
from kafka_fleet.documents.summary import kept_reported
from kafka_fleet.mail.delivery import LEASE, deliver
from kafka_fleet.mail.delivery_result import DeliveryResult, join_results
from kafka_fleet.mail.last_sent import LastReport, last_report
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.mail.published_letter import JudgedDay, LetterError, mailed_generation, read_judged, unreadable
from kafka_fleet.mail.smtp_settings import SmtpSettings
from kafka_fleet.report.finding_addresses import page_url
from kafka_fleet.report.priority import importance
from kafka_fleet.settings import read_settings, variable

__all__ = ["LetterError", "due_anyway", "mail_letter"]

NONE = Acknowledgements([], [])
HEARTBEAT = variable("heartbeat_days")


def heartbeat_days(environ: Mapping[str, str] | None = None) -> int:
    """After how many days without a letter one is sent though nothing changed; 0: never. Raises LetterError."""
    try:
        return read_settings("heartbeat_days", environ=environ).heartbeat_days
    except UsageError as error:
        raise LetterError(str(error)) from error


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

    What changed since the last letter that an owner was surely sent comes first, and days that were judged late; where
    nothing did, and none was, none goes out to them before the heartbeat. A letter of an earlier day of which it is not
    known whether it was delivered does not count.
    `owners` are those of the fleet file as it is now; None when the cluster is no valid entry of it any more.
    `generation` is the one that readers follow unless a later one is given, `acknowledged` what the file beside the
    fleet file says.
    """
    if not owners:
        raise LetterError(f"{cluster} is no valid entry of the fleet file, so its owners are not known")
    judged = read_judged(home, ds, cluster, mailed_generation(home, ds, generation), acknowledged)
    box = Outbox(home, ds, cluster, LEASE)
    try:
        told = [(judged.changes(*last), last, own) for last, own in _in_step(box, home, judged, owners)]
        page_url()
    except UsageError as error:
        raise LetterError(str(error)) from error
    except (TypeError, KeyError, ValueError) as error:
        raise unreadable(cluster, ds, error) from error
    results: list[DeliveryResult] = []
    for changes, last, group in told:
        own = group
        if last.ds and not last.unsure and not changes.changes and not changes.late:
            own = [owner for owner in group if due_anyway(box, ds, judged.digest, last.ds, owner)]
            if not own:
                continue
        try:
            title, short = judged.short(changes)
            files = judged.attached(changes)
        except (TypeError, KeyError, ValueError) as error:
            raise unreadable(cluster, ds, error) from error
        result = deliver(
            home, ds, cluster, short.html, short.text, title, own, smtp, judged.digest, dry_run,
            told=kept_reported(changes.told), attachments=files,
            importance=importance(judged.pressing, judged.environment),
        )  # fmt: skip
        results.append(result)
    if not results:
        latest = max(last.ds or "" for _changes, last, _own in told)
        return DeliveryResult(cluster, ds, "", "", False, unchanged_since=latest)
    return join_results(results)


def _in_step(box: Outbox, home: Path, judged: JudgedDay, owners: Sequence[str]) -> list[tuple[LastReport, list[str]]]:
    """The owners by what they surely know: for each of them the same is new."""
    groups: list[tuple[LastReport, list[str]]] = []
    for owner, last in last_report(box, home, judged.ds, judged.digest, owners).items():
        own = next((own for other, own in groups if other == last), None)
        if own is None:
            groups.append((last, [owner]))
        else:
            own.append(owner)
    return groups


def due_anyway(box: Outbox, ds: str, digest: str, since: str, owner: str) -> bool:
    """Whether the letter is with an owner already, or may be, or their last one so old that they are to hear again.

    A letter that was composed and surely did not reach them is none: what it was to tell they have heard since.
    """
    begun = (
        mail.recipients[owner] for mail in box.read() if mail.findings_digest == digest and owner in mail.recipients
    )
    if any(one.may_have or one.state == "known" for one in begun):
        return True
    silence = heartbeat_days()
    return silence > 0 and date.fromisoformat(ds) - date.fromisoformat(since) >= timedelta(days=silence)
