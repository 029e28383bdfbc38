"""Affected ranges: takes introduced, fixed and range texts of an advisory, gives a set of releases with membership.

Rule: a release is affected when it is not before `introduced`, its own line has no fix at or before it, and it is
before the highest fix. Published inclusive `ranges` win where given. Without any fix every later release is affected.
Every release named must be published, or expected on purpose in releases.yaml: a typing error would move a range.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kafka_fleet.knowledge.releases import Catalogue, Release, ReleaseError, apache_release, catalogue, parse_line

Line = tuple[int, ...]


@dataclass(frozen=True)
class Affected:
    """A set of Apache releases. Empty `fixed`: no published line has a fix. `never`: no published release had it."""

    introduced: Release | None
    fixed: tuple[Release, ...]
    ranges: tuple[tuple[Release, Release], ...]
    never: bool = False

    def __contains__(self, release: Release) -> bool:
        known = self._answers.get(release)
        if known is None:
            known = self._answers[release] = self._holds(release)
        return known

    @cached_property
    def _answers(self) -> dict[Release, bool]:
        """What was asked already: every cluster's upgrade asks each issue about the same releases."""
        return {}

    def _holds(self, release: Release) -> bool:
        if not release.apache:
            raise ReleaseError(f"{release} is an unknown build and cannot be compared")
        if self.never:
            return False
        if self.ranges:
            return any(low <= release <= high for low, high in self.ranges)
        if self.introduced is not None and release < self.introduced:
            return False
        if not self.fixed:
            return True
        fixed_on_line = any(fix.line == release.line and fix <= release for fix in self.fixed)
        return not fixed_on_line and release < self.fixed[-1]

    def lines_without_fix(self, known: Catalogue) -> tuple[Line, ...]:
        """The lines below the highest fix whose newest published release still has it, sorted. Empty without a fix."""
        lines = sorted({release.line for release in known.announced})
        newest = [patch for line in lines if (patch := known.latest_patch(line)) is not None]
        return tuple(r.line for r in newest if self.fixed and r < self.fixed[-1] and r in self)


def line_span(text: str) -> tuple[Line, Line]:
    """First and last line of `2.7`, `2.7..3.3` or `<=3.8`."""
    if text.startswith("<="):
        return (0,), parse_line(text[2:])
    first, _, last = text.partition("..")
    return parse_line(first), parse_line(last or first)


def _range(text: str) -> tuple[Release, Release]:
    low, separator, high = text.partition("-")
    if not separator or not re.fullmatch(r"[\d.]+", high):
        raise ReleaseError(f"ranges: {text!r} is not a range such as 3.3.0-3.3.2")
    return apache_release(low), apache_release(high)


def _unpublished(field: str, releases: Iterable[Release]) -> list[str]:
    return [
        f"{field}: {release} was never published; a number that is announced belongs under `expected` in releases.yaml"
        for release in releases
        if not catalogue().known(release)
    ]


def _fault_of_fixes(start: Release | None, fixes: tuple[Release, ...]) -> list[str]:
    early = [] if start is None else [fix for fix in fixes if fix <= start]
    faults = [f"fixed: {fix} is not after introduced {start}" for fix in early]
    return faults + [f"fixed: names the line {a.line_text} twice" for a, b in pairwise(fixes) if a.line == b.line]


def _faults_of_ranges(
    start: Release | None, fixes: tuple[Release, ...], spans: tuple[tuple[Release, Release], ...]
) -> list[str]:
    faults: list[str] = []
    for low, high in spans:
        name = f"ranges: {low}-{high}"
        faults += [f"{name} ends before it begins"] if high < low else []
        faults += [f"{name} begins before introduced {start}"] if start is not None and low < start else []
        faults += [f"{name} contains the fixed release {fix}" for fix in fixes if low <= fix <= high]
        faults += [
            f"{name} begins after the fix {fix} of its line" for fix in fixes if fix.line == low.line and fix < low
        ]
        faults += [f"{name} reaches past the highest fix {fix}" for fix in fixes[-1:] if high > fix]
    if spans and start is not None and start < spans[0][0]:
        faults.append(f"ranges: begin with {spans[0][0]}, which is after introduced {start}")
    return faults + [f"ranges: those up to {a[1]} and from {b[0]} overlap" for a, b in pairwise(spans) if b[0] <= a[1]]


def _faults_of_lines(affected: Affected, texts: list[str]) -> list[str]:
    faults: list[str] = []
    known = catalogue()
    published = sorted({release.line for release in known.announced})
    named: list[Line] = []
    for text in texts:
        first, last = line_span(text)
        lines = [line for line in published if first <= line <= last]
        name = f"lines_without_fix: {text}"
        faults += [f"{name} ends before it begins"] if last < first else []
        faults += [f"{name} holds the fix {fix}" for fix in affected.fixed if first <= fix.line <= last]
        faults += [f"{name} holds no published line"] if first <= last and not lines else []
        newest = [patch for line in lines if (patch := known.latest_patch(line)) is not None]
        faults += [f"{name} holds {r}, which does not have the issue" for r in newest if r not in affected][:1]
        named += lines
    if len(set(named)) != len(named):
        faults.append("lines_without_fix: names a line twice")
    return faults


def parse_affected(
    introduced: str | None, fixed: list[str], ranges: list[str], lines_without_fix: list[str], never: bool = False
) -> Affected:
    """Build the set and refuse contradictions. Raises ReleaseError with all of them, each naming its field.

    never: the fault came and went while a release was made; the set is empty, so nothing else may be given.
    """
    if never:
        if introduced or fixed or ranges or lines_without_fix:
            raise ReleaseError("never_released: takes no other field beside it")
        return Affected(None, (), (), never=True)
    start = None if introduced is None else apache_release(introduced)
    fixes = tuple(sorted(map(apache_release, fixed)))
    spans = tuple(sorted(map(_range, ranges)))
    affected = Affected(start, fixes, spans)
    faults = _unpublished("introduced", [start] if start is not None else [])
    faults += _unpublished("fixed", fixes)
    faults += _unpublished("ranges", [end for span in spans for end in span])
    faults += _fault_of_fixes(start, fixes) + _faults_of_ranges(start, fixes, spans)
    faults += _faults_of_lines(affected, lines_without_fix)
    if faults:
        raise ReleaseError("; ".join(dict.fromkeys(faults)))
    return affected
