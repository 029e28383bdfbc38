"""A cluster's earlier days: takes a home, a cluster and a day, gives clean days and what its reader was last told."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.knowledge.briefs import read_brief
from kafka_fleet.report.changes import Told
from kafka_fleet.report.outbox import Mail, Outbox
from kafka_fleet.store.files import names
from kafka_fleet.store.generations import day

LOOK_BACK = 31  # days


def days_before(ds: str, most: int = LOOK_BACK) -> Iterator[str]:
    """The days before a day, the latest first."""
    last = date.fromisoformat(day(ds))
    return ((last - timedelta(days=back)).isoformat() for back in range(1, most + 1))


def clean_days(home: Path, ds: str, cluster: str, signature: str, today: Mapping[str, str]) -> int:
    """Days up to `ds` on which a signature was quiet, back to the last on which it was detected.

    Days that did not evaluate it neither count nor end the row. today: state per signature on `ds`.
    """
    if today.get(signature) == "detected":
        return 0
    count = int(today.get(signature) == "quiet")
    for earlier in days_before(ds):
        found = read_brief(home, earlier, cluster)
        state = found.states.get(signature) if found else None
        if state == "detected":
            break
        count += state == "quiet"
    return count


class LastTold(NamedTuple):
    """The last letter that somebody has: its day, and what it told."""

    ds: str
    told: Told


def last_told(box: Outbox, home: Path, ds: str, findings_digest: str) -> LastTold | None:
    """What the reader of a cluster's letters knew before the letter of `ds` with these findings; None: nothing.

    box: the outbox of the cluster and `ds`. A mail of the same day that tells other findings counts, one of the same
    findings is this letter itself.
    """
    told = _told(mail for mail in box.read() if mail.findings_digest != findings_digest)
    if told is not None:
        return LastTold(ds, told)
    days = [name.removeprefix("ds=") for name in names(home / "outbox")]
    for earlier in sorted((one for one in days if one < ds), reverse=True):
        told = _told(Outbox(home, earlier, box.cluster, timedelta(0)).read())
        if told is not None:
            return LastTold(earlier, told)
    return None


def _told(mails: Iterable[Mail]) -> Told | None:
    """Of the last mail that somebody has."""
    found = [mail.told for mail in mails if mail.reached_somebody and mail.told is not None]
    return found[-1] if found else None
