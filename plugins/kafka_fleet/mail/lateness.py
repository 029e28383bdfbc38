"""No letter by six: takes a home and a day, says why its letters are not published and mailed, or that they are.

The home alone decides, so that it holds whatever became of Airflow's run: failed, never begun, or forgotten.
"""

from pathlib import Path
from typing import NamedTuple

from kafka_fleet.mail.mailing_status import waiting_owners, was_mailed
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.store.fleet_snapshot import is_kept
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import POINTER, days_in
from kafka_fleet.store.raw.days import stored_days

SHOWN = 10  # addresses


class Late(NamedTuple):
    """Why a day has no letters. reason: unmeasured | unjudged | unpublished | unmailed | damaged."""

    reason: str
    sentence: str


def lateness(home: Path, ds: str) -> Late | None:
    """Why the letters of a day are not out; None where they are, or where none were to be expected.

    None are expected of days before the first stored one, nor of that one itself as long as no day was ever published:
    an installation may begin at its own pace. Raises OSError.
    """
    try:
        published = current_generation(Home(home).day(ds).reports)
        if published:
            return None if was_mailed(home, ds) else _unmailed(home, ds, published)
        judged = current_generation(Home(home).day(ds).findings)
    except ValueError as error:
        return Late("damaged", f"no letters of {ds}: {error}")
    stored = [one for one in stored_days(home) if one <= ds]
    if not stored or (stored == [ds] and not _ever_published(home)):
        return None
    if stored[-1] != ds:
        return Late("unmeasured", f"no letters of {ds}: no sweep of that day is stored, so there is nothing to judge")
    if judged is None:
        return Late("unjudged", f"no letters of {ds}: its sweeps are stored and are not judged")
    return Late("unpublished", f"no letters of {ds}: it is judged, and its letters are not published")


def _unmailed(home: Path, ds: str, generation: str) -> Late | None:
    """What a run of this version has judged it also notes as mailed; of other days the outbox alone tells."""
    try:
        owners = waiting_owners(home, ds)
    except OutboxError as error:
        return Late("damaged", f"the letters of {ds} are published, and who has them is not known: {error}")
    if not owners and not is_kept(home, ds, generation):
        return None
    more = f" and {len(owners) - SHOWN} more" if len(owners) > SHOWN else ""
    whom = f": not to {', '.join(owners[:SHOWN])}{more}" if owners else ""
    return Late("unmailed", f"the letters of {ds} are published and are not all mailed{whom}")


def _ever_published(home: Path) -> bool:
    of = Home(home)
    return any((of.day(ds).reports / POINTER).exists() for ds in days_in(of.stage("reports")))
