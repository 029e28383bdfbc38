"""The published Kafka releases: takes releases.yaml, gives what is published and supported on a day.

A day of the past is judged by what was published on it, so a day judged again later keeps its answer.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kafka_fleet.knowledge.pack import knowledge_folder, per_pack
from kafka_fleet.knowledge.release_table import load_table
from kafka_fleet.knowledge.versions import Release, ReleaseError, apache_release, parse_line, parse_release

__all__ = [
    "Catalogue",
    "Release",
    "ReleaseError",
    "apache_release",
    "catalogue",
    "comparable_release",
    "parse_line",
    "parse_release",
]

# Kafka's release plan: the community attempts bug-fix releases for the last three releases.
_SUPPORTED_LINES = 3


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The release table.

    dates: every release whose artifacts exist, with the day it was announced where that is known.
    since: the announced ones, with the day from which they count as published.
    expected: numbers that advisories name as a fix and that are not published yet, with who names them.
    support_ends: last day of support of the lines for which the project named one.
    """

    dates: Mapping[Release, dt.date | None]
    since: Mapping[Release, dt.date]
    expected: Mapping[Release, str]
    support_ends: Mapping[tuple[int, ...], dt.date]
    as_of: dt.date

    @property
    def announced(self) -> tuple[Release, ...]:
        """Every release that may be recommended, sorted."""
        return tuple(self.since)

    def published(self, on: dt.date | None = None) -> tuple[Release, ...]:
        """The announced releases of a day (default: of the day up to which the table is complete), sorted."""
        return _published(self, on or self.as_of)

    def latest_patch(self, line: tuple[int, ...], on: dt.date | None = None) -> Release | None:
        """The newest release of a line that was published by that day, None where it had none."""
        return _newest_of_lines(self, on or self.as_of).get(line)

    def supported(self, release: Release, on: dt.date | None = None) -> bool:
        """Whether the project patched the release's line on a day (default: `as_of`).

        The three newest lines of that day are, or up to its named end a line that has one. A line newer than all of
        them is, too: whoever runs it has it before its announcement, or before the table. `published` tells what one
        could go to on that day.
        """
        day = on or self.as_of
        lines = sorted(_newest_of_lines(self, day))
        if release.line not in lines:
            return not lines or release.line > lines[-1]
        if release.line in self.support_ends:
            return day <= self.support_ends[release.line]
        return release.line in lines[-_SUPPORTED_LINES:]

    def known(self, release: Release) -> bool:
        """Whether advisories may name it: its artifacts exist, or it is expected on purpose."""
        return release in self.dates or release in self.expected

    def comparable(self, release: Release) -> bool:
        """Whether this is surely Apache's build: a known number, or a plausible one newer than the table."""
        if not release.apache:
            return False
        if self.known(release):
            return True
        newest = max(self.dates)
        if release.line > newest.line:
            return release.numbers[0] == newest.numbers[0]
        return self.supported(release) and release > max(r for r in self.dates if r.line == release.line)


@cache
def _published(known: Catalogue, on: dt.date) -> tuple[Release, ...]:
    return tuple(release for release, day in known.since.items() if day <= on)


@cache
def _newest_of_lines(known: Catalogue, on: dt.date) -> Mapping[tuple[int, ...], Release]:
    return {release.line: release for release in sorted(_published(known, on))}


@per_pack
def catalogue(file: Path | None = None) -> Catalogue:
    """Load releases.yaml; default: of the pack that is used. Raises ReleaseError with every fault, file and entry."""
    return Catalogue(**load_table(file or knowledge_folder() / "releases.yaml"))


def comparable_release(text: str | None) -> Release | None:
    """The release if it can be compared with Apache's ranges, else None: an unknown build."""
    release = parse_release(text)
    return release if release is not None and catalogue().comparable(release) else None
