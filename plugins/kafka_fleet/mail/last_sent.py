"""A cluster's earlier days: takes a home, a cluster and a day, gives clean days and what its readers surely know."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.documents.day_summaries import CLEAN_DAYS, read_day_summary
from kafka_fleet.documents.outbox import Mail
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.mail.outbox import Outbox
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import checked_day, days_in

LOOK_BACK = 31  # days


def days_before(ds: str, most: int = LOOK_BACK) -> Iterator[str]:
    """The days before a day, the latest first."""
    last = date.fromisoformat(checked_day(ds))
    return ((last - timedelta(days=back)).isoformat() for back in range(1, most + 1))


def _seen(found: DaySummary | None, signature: str, cause: str | None) -> bool | None:
    """Whether a symptom with this cause was there on a day; None where the day did not look for it."""
    state = found.states.get(signature) if found else None
    if found is None or state not in ("quiet", "detected"):
        return None
    return state == "detected" and any((row.signature, row.cause) == (signature, cause) for row in found.rows)


def clean_days(home: Path, cluster: str, signature: str, cause: str | None, ds: str, today: DaySummary | None) -> int:
    """Days up to `ds` on which a symptom with this cause was looked for and not there, back to the last with it.

    Days that did not evaluate it neither count nor end the row. today: the summary of `ds`.
    """
    count = 0
    for found in chain([today], (read_day_summary(home, earlier, cluster) for earlier in days_before(ds))):
        seen = _seen(found, signature, cause)
        if seen:
            break
        count += seen is False
        if count >= CLEAN_DAYS:
            break
    return count


def last_measured(home: Path, cluster: str, ds: str) -> str | None:
    """The latest of the days before `ds` on which any of the cluster answered; None: none of the last LOOK_BACK."""
    found = ((earlier, read_day_summary(home, earlier, cluster)) for earlier in days_before(ds))
    return next((earlier for earlier, short in found if short is not None and short.reached), None)


class LastReport(NamedTuple):
    """What a reader knows: the content and day of the last letter that the mail server accepted for them.

    Both are None for who was never sent one. unsure: the day of the latest letter after it of which only the mail
    server knows whether it came.
    """

    told: dict[str, dict[str, Any]] | None
    ds: str | None
    unsure: str | None


def last_report(box: Outbox, home: Path, ds: str, findings_digest: str, owners: Sequence[str]) -> dict[str, LastReport]:
    """What each owner knew of a cluster before the letter of `ds` with these findings.

    box: the outbox of the cluster and `ds`. A mail of the same day that tells other findings counts, one of the same
    findings is this letter itself. `known` is nothing by itself: it rests on an earlier mail that was sent.
    """
    found: dict[str, LastReport] = {}
    unsure: dict[str, str] = {}
    for day_of, mail in _mails(box, home, ds, findings_digest):
        if len(found) == len(set(owners)):
            break
        for owner, one in mail.recipients.items():
            if mail.told is None or owner not in owners or owner in found:
                continue
            if one.state == "sent":
                found[owner] = LastReport(mail.told, day_of, unsure.get(owner))
            elif one.may_have:
                unsure.setdefault(owner, day_of)
    return {owner: found.get(owner, LastReport(None, None, unsure.get(owner))) for owner in dict.fromkeys(owners)}


def _mails(box: Outbox, home: Path, ds: str, but: str) -> Iterator[tuple[str, Mail]]:
    """Mails of a cluster up to a day, the latest first, without those of `ds` with the findings `but`."""
    yield from ((ds, mail) for mail in reversed(box.read()) if mail.findings_digest != but)
    for earlier in reversed([one for one in days_in(Home(home).stage("outbox")) if one < ds]):
        mails = Outbox(home, earlier, box.cluster, timedelta(0)).read()
        yield from ((earlier, mail) for mail in reversed(mails))
