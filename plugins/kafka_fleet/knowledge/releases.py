"""Kafka releases: takes version texts of brokers and clients, gives comparable releases and the published catalogue.

Only plain Apache numbers are compared. A vendor's build (-ccs, .redhat-00006, .amzn.1), a candidate or a snapshot
carries fixes of its own under an Apache-looking number, so it stays an unknown build.
"""

import datetime as dt
import re
from dataclasses import dataclass
from functools import cache, total_ordering
from pathlib import Path
from typing import Any

import yaml

# Kafka below 1.0 has four numbers (0.8.0 and 0.8.1 three), from 1.0 on always three.
_NUMBERS = re.compile(r"(0(?:\.\d{1,6}){2,3}|[1-9]\d{0,5}(?:\.\d{1,6}){2})(?:([-.+_].*))?")
_FILE = Path(__file__).with_name("releases.yaml")


class ReleaseError(ValueError):
    """A text that must be a plain Apache release is none."""


@total_ordering
@dataclass(frozen=True)
class Release:
    """A version as numbers and what follows them. The total order serves sorting; only `apache` ones are comparable."""

    numbers: tuple[int, ...]
    qualifier: str = ""

    def __lt__(self, other: "Release") -> bool:
        return self._key < other._key

    @property
    def _key(self) -> tuple[tuple[int, ...], bool, str, int]:
        padded = self.numbers + (0,) * (4 - len(self.numbers))
        return padded, not self.qualifier, self.qualifier, len(self.numbers)  # candidates come before their release

    def __str__(self) -> str:
        return ".".join(map(str, self.numbers)) + self.qualifier

    @property
    def apache(self) -> bool:
        """True without any qualifier."""
        return not self.qualifier

    @property
    def line(self) -> tuple[int, ...]:
        """The minor line that patches share: (3, 3), and (0, 11, 0) below 1.0."""
        return self.numbers[:3] if self.numbers[0] == 0 else self.numbers[:2]

    @property
    def line_text(self) -> str:
        """The line as text, `3.3`."""
        return ".".join(map(str, self.line))


def parse_release(text: str | None) -> Release | None:
    """Read any version text; None when it holds no version ("unknown", empty, a commit id)."""
    found = _NUMBERS.fullmatch((text or "").strip())
    return Release(tuple(map(int, found[1].split("."))), found[2] or "") if found else None


def apache_release(text: str) -> Release:
    """Read a plain Apache release, published or not. Raises ReleaseError."""
    release = parse_release(text)
    if release is None or not release.apache:
        raise ReleaseError(f"{text!r} is not a plain Apache Kafka release")
    return release


def parse_line(text: str) -> tuple[int, ...]:
    """Read a line such as `3.3` or `0.11.0`. Raises ReleaseError."""
    if not re.fullmatch(r"0\.\d+\.\d+|[1-9]\d*\.\d+", text):
        raise ReleaseError(f"{text!r} is not a release line such as 3.3 or 0.11.0")
    return tuple(map(int, text.split(".")))


@dataclass(frozen=True)
class Catalogue:
    """The published releases: `dates` holds every known one, `announced` those that may be recommended."""

    dates: dict[Release, dt.date | None]
    announced: tuple[Release, ...]
    supported_lines: frozenset[tuple[int, ...]]
    as_of: dt.date

    def supported(self, release: Release) -> bool:
        """Whether the project still publishes patches for the line, as of `as_of`."""
        return release.line in self.supported_lines

    def comparable(self, release: Release) -> bool:
        """Whether this is surely Apache's build: a known number, or a plausible one newer than the catalogue."""
        if not release.apache:
            return False
        if release in self.dates:
            return True
        newest = max(self.dates)
        later_patch = self.supported(release) and release > max(r for r in self.dates if r.line == release.line)
        return later_patch or (release.line > newest.line and release.numbers[0] == newest.numbers[0])


@cache
def catalogue(file: Path = _FILE) -> Catalogue:
    """Load releases.yaml. Raises ReleaseError with every fault, naming file and entry."""
    content: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    dates: dict[Release, dt.date | None] = {}
    announced: list[Release] = []
    faults: list[str] = []
    for line, entries in content["lines"].items():
        for text, day in entries.items():
            release = parse_release(str(text))
            if release is None or not release.apache or release.line_text != line or release in dates:
                faults.append(f"{file.name}: lines.{line}.{text}: not a plain release of this line, or given twice")
            elif not isinstance(day, dt.date) and day not in ("unannounced", "undated"):
                faults.append(f"{file.name}: lines.{line}.{text}: {day!r} is no date, unannounced or undated")
            else:
                dates[release] = day if isinstance(day, dt.date) else None
                announced += [release] if day != "unannounced" else []
    supported = [str(text) for text in content["supported_lines"]]
    faults += [
        f"{file.name}: supported_lines: {text} has no release" for text in supported if text not in content["lines"]
    ]
    if faults:
        raise ReleaseError("\n".join(faults))
    lines = frozenset(map(parse_line, supported))
    return Catalogue(dict(sorted(dates.items())), tuple(sorted(announced)), lines, content["as_of"])


def comparable_release(text: str | None) -> Release | None:
    """The release if it can be compared with Apache's ranges, else None: an unknown build."""
    release = parse_release(text)
    return release if release is not None and catalogue().comparable(release) else None
