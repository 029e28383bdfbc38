"""Days and moments of what is stored: takes a home, gives them from the names of its commits. No file is opened."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from kafka_fleet.store.files import list_names
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import JOINED, MANIFESTS, days_in, raw_name
from kafka_fleet.store.raw.layout import raw_location

_MINUTE = re.compile(r"[a-z0-9-]{1,63}\.([0-9]{8}T[0-9]{4})[0-9]{2}\.[0-9]{6}Z\.json")


def stored_days(home: Path) -> list[str]:
    """The days that have a committed sweep, whole or not, sorted."""
    found = set()
    for folder in (MANIFESTS, JOINED):
        for ds in days_in(Home(home).raw_folder(folder)):
            commits = Home(home).raw_day(folder, ds).glob("*.json")
            if any(raw_location(raw_name(folder, ds, path.name)) for path in commits):
                found.add(ds)
    return sorted(found)


def sweep_minutes(home: Path) -> Iterator[float]:
    """The minutes in which sweeps of any cluster began, newest first, in seconds since 1970.

    Of a day that was joined long ago only each cluster's last sweep still has a name of its own.
    """
    for ds in reversed(days_in(Home(home).raw_folder(MANIFESTS))):
        found = {one[1] for name in list_names(Home(home).manifests(ds)) if (one := _MINUTE.fullmatch(name))}
        for minute in sorted(found, reverse=True):
            try:
                yield datetime.strptime(minute, "%Y%m%dT%H%M").replace(tzinfo=UTC).timestamp()
            except ValueError:
                continue  # 99 o'clock: no sweep is called so
