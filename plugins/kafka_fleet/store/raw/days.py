"""Days and moments of what is stored: takes a home, gives them from the names of its commits. No file is opened."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from kafka_fleet.store.files import list_names
from kafka_fleet.store.raw.layout import raw_location
from kafka_fleet.store.raw.manifests import JOINED

_DAY = re.compile(r"ds=([0-9]{4}-[0-9]{2}-[0-9]{2})")
_MINUTE = re.compile(r"[a-z0-9-]{1,63}\.([0-9]{8}T[0-9]{4})[0-9]{2}\.[0-9]{6}Z\.json")


def days_below(folder: Path) -> list[str]:
    """The days of which a folder has one, sorted."""
    return [found[1] for name in list_names(folder) if (found := _DAY.fullmatch(name)) and _is_day(found[1])]


def stored_days(home: Path) -> list[str]:
    """The days that have a committed sweep, whole or not, sorted."""
    found = set()
    for folder in ("raw/manifests", f"raw/{JOINED}"):
        for ds in days_below(home / folder):
            if any(
                raw_location(f"{folder}/ds={ds}/{path.name}") for path in (home / f"{folder}/ds={ds}").glob("*.json")
            ):
                found.add(ds)
    return sorted(found)


def sweep_minutes(home: Path) -> Iterator[float]:
    """The minutes in which sweeps of any cluster began, newest first, in seconds since 1970.

    Of a day that was joined long ago only each cluster's last sweep still has a name of its own.
    """
    for ds in reversed(days_below(home / "raw/manifests")):
        found = {one[1] for name in list_names(home / f"raw/manifests/ds={ds}") if (one := _MINUTE.fullmatch(name))}
        for minute in sorted(found, reverse=True):
            try:
                yield datetime.strptime(minute, "%Y%m%dT%H%M").replace(tzinfo=UTC).timestamp()
            except ValueError:
                continue  # 99 o'clock: no sweep is called so


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
