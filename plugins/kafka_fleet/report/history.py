"""A cluster's earlier days: takes a home, a cluster and a day, gives clean days and what its reader was last told."""

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.knowledge.briefs import CLEAN_DAYS, Brief, read_brief
from kafka_fleet.report.changes import Told
from kafka_fleet.report.outbox import Mail, Outbox
from kafka_fleet.store.files import names
from kafka_fleet.store.generations import day

LOOK_BACK = 31  # days


def days_before(ds: str, most: int = LOOK_BACK) -> Iterator[str]:
    """The days before a day, the latest first."""
    last = date.fromisoformat(day(ds))
    return ((last - timedelta(days=back)).isoformat() for back in range(1, most + 1))


def _seen(found: Brief | None, signature: str, cause: str | None) -> bool | None:
    """Whether a symptom with this cause was there on a day; None where the day did not look for it."""
    state = found.states.get(signature) if found else None
    if found is None or state not in ("quiet", "detected"):
        return None
    return state == "detected" and any((row["signature"], row["cause"]) == (signature, cause) for row in found.rows)


def clean_days(home: Path, cluster: str, signature: str, cause: str | None, ds: str, today: Brief | None) -> int:
    """Days up to `ds` on which a symptom with this cause was looked for and not there, back to the last with it.

    Days that did not evaluate it neither count nor end the row. today: the brief of `ds`.
    """
    count = 0
    for found in chain([today], (read_brief(home, earlier, cluster) for earlier in days_before(ds))):
        seen = _seen(found, signature, cause)
        if seen:
            break
        count += seen is False
        if count >= CLEAN_DAYS:
            break
    return count


class LastTold(NamedTuple):
    """The last letter that somebody has: its day, what it told, and who knows that from it or from one that told it."""

    ds: str
    told: Told
    known_to: frozenset[str]


def last_told(box: Outbox, home: Path, ds: str, findings_digest: str) -> LastTold | None:
    """What the reader of a cluster's letters knew before the letter of `ds` with these findings; None: nothing.

    box: the outbox of the cluster and `ds`. A mail of the same day that tells other findings counts, one of the same
    findings is this letter itself.
    """
    last: LastTold | None = None
    for day_of, mail in _mails(box, home, ds, findings_digest):
        if not mail.reached_somebody or mail.told is None:
            continue
        if last is None:
            last = LastTold(day_of, mail.told, frozenset())
        if _without_figures(mail.told) != _without_figures(last.told):
            break
        have = (address for address, one in mail.recipients.items() if one.may_have or one.state == "known")
        last = last._replace(known_to=last.known_to.union(have))
    return last


def _without_figures(told: Told) -> Told:
    """Figures differ from day to day, and are no news."""
    return {key: {name: value for name, value in row.items() if name != "figure"} for key, row in told.items()}


def _mails(box: Outbox, home: Path, ds: str, but: str) -> Iterator[tuple[str, Mail]]:
    """Mails of a cluster up to a day, the latest first, without those of `ds` with the findings `but`."""
    yield from ((ds, mail) for mail in reversed(box.read()) if mail.findings_digest != but)
    days = [name.removeprefix("ds=") for name in names(home / "outbox")]
    for earlier in sorted((one for one in days if one < ds), reverse=True):
        mails = Outbox(home, earlier, box.cluster, timedelta(0)).read()
        yield from ((earlier, mail) for mail in reversed(mails))
