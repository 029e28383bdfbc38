"""Version texts: takes what brokers and clients call themselves, gives releases that can be compared and ordered.

Only plain Apache numbers are compared. A vendor's build (-ccs, .redhat-00006, .amzn.1), a candidate or a snapshot
carries fixes of its own under an Apache-looking number, so it stays an unknown build.
"""

import re
from dataclasses import dataclass
from functools import cached_property, total_ordering

# Kafka below 1.0 has four numbers (0.8.0 and 0.8.1 three), from 1.0 on always three.
# ASCII digits without leading zeros: `3.\u0663.1` and `3.03.1` are nobody's releases.
_NUMBER = r"\.(?:0|[1-9][0-9]{0,5})"
_NUMBERS = re.compile(rf"(0(?:{_NUMBER}){{2,3}}|[1-9][0-9]{{0,5}}(?:{_NUMBER}){{2}})(?:([-.+_].*))?")


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

    @cached_property
    def _key(self) -> tuple[tuple[int, ...], bool, str, int]:
        padded = self.numbers + (0,) * (4 - len(self.numbers))
        return padded, not self.qualifier, self.qualifier, len(self.numbers)  # candidates come before their release

    def __str__(self) -> str:
        return ".".join(map(str, self.numbers)) + self.qualifier

    @property
    def apache(self) -> bool:
        """True without any qualifier."""
        return not self.qualifier

    @cached_property
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
    if not re.fullmatch(r"0\.[0-9]{1,6}\.[0-9]{1,6}|[1-9][0-9]{0,5}\.[0-9]{1,6}", text):
        raise ReleaseError(f"{text!r} is not a release line such as 3.3 or 0.11.0")
    return tuple(map(int, text.split(".")))
