"""Affected ranges: takes introduced, fixed and range texts of an advisory, gives a set of releases with membership.

Rule: a release is affected when it is not before `introduced`, its own line has no fix at or before it, and it is
before the highest fix. Published inclusive `ranges` win where given. Without any fix every later release is affected.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from kafka_fleet.knowledge.releases import Release, ReleaseError, apache_release, parse_line

Line = tuple[int, ...]


@dataclass(frozen=True)
class Affected:
    """A set of Apache releases. Empty `fixed` means no published line has a fix."""

    introduced: Release | None
    fixed: tuple[Release, ...]
    ranges: tuple[tuple[Release, Release], ...]

    def __contains__(self, release: Release) -> bool:
        if not release.apache:
            raise ReleaseError(f"{release} is an unknown build and cannot be compared")
        if self.ranges:
            return any(low <= release <= high for low, high in self.ranges)
        if self.introduced is not None and release < self.introduced:
            return False
        if not self.fixed:
            return True
        fixed_on_line = any(fix.line == release.line and fix <= release for fix in self.fixed)
        return not fixed_on_line and release < self.fixed[-1]


def _lines(text: str) -> tuple[Line, Line]:
    """First and last line of `2.7`, `2.7..3.3` or `<=3.8`."""
    if text.startswith("<="):
        return (0,), parse_line(text[2:])
    first, _, last = text.partition("..")
    return parse_line(first), parse_line(last or first)


def _range(text: str) -> tuple[Release, Release]:
    low, separator, high = text.partition("-")
    if not separator or not re.fullmatch(r"[\d.]+", high):
        raise ReleaseError(f"{text!r} is not a range such as 3.3.0-3.3.2")
    return apache_release(low), apache_release(high)


def parse_affected(
    introduced: str | None, fixed: list[str], ranges: list[str], lines_without_fix: list[str]
) -> Affected:
    """Build the set and refuse contradictions. Raises ReleaseError naming all of them in one text."""
    start = None if introduced is None else apache_release(introduced)
    fixes = tuple(sorted(map(apache_release, fixed)))
    spans = tuple(sorted(map(_range, ranges)))
    faults = [f"fixed {fix} is not after introduced {start}" for fix in fixes if start is not None and fix <= start]
    faults += [f"fixed names the line {a.line_text} twice" for a, b in pairwise(fixes) if a.line == b.line]
    for low, high in spans:
        faults += [f"range {low}-{high} ends before it begins"] if high < low else []
        faults += [f"range {low}-{high} begins before introduced {start}"] if start is not None and low < start else []
        faults += [f"range {low}-{high} contains the fixed release {fix}" for fix in fixes if low <= fix <= high]
        faults += [
            f"range {low}-{high} reaches past the highest fix {fixes[-1]}" for _ in fixes[-1:] if high > fixes[-1]
        ]
    faults += [f"ranges up to {a[1]} and from {b[0]} overlap" for a, b in pairwise(spans) if b[0] <= a[1]]
    for text in lines_without_fix:
        first, last = _lines(text)
        faults += [f"lines_without_fix {text} ends before it begins"] if last < first else []
        faults += [f"lines_without_fix {text} holds the fix {fix}" for fix in fixes if first <= fix.line <= last]
    if faults:
        raise ReleaseError("; ".join(faults))
    return Affected(start, fixes, spans)
