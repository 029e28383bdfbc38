"""Version texts, the published catalogue, and the algebra of affected ranges."""

import datetime as dt
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_fleet.knowledge.ranges import Affected, parse_affected
from kafka_fleet.knowledge.releases import (
    Catalogue,
    Release,
    ReleaseError,
    apache_release,
    catalogue,
    comparable_release,
    parse_release,
)

CATALOGUE: Catalogue = catalogue()
KNOWN = list(CATALOGUE.dates)
releases = st.sampled_from(KNOWN)


@pytest.mark.parametrize(
    ("text", "numbers", "line"),
    [
        ("3.3.1", (3, 3, 1), "3.3"),
        ("0.11.0.3", (0, 11, 0, 3), "0.11.0"),
        ("1.1.1", (1, 1, 1), "1.1"),
        ("0.8.0", (0, 8, 0), "0.8.0"),
        (" 4.4.0 ", (4, 4, 0), "4.4"),
    ],
)
def test_plain_releases_are_parsed(text: str, numbers: tuple[int, ...], line: str) -> None:
    release = parse_release(text)
    assert release == Release(numbers)
    assert (release.line_text, str(release)) == (line, text.strip())


@pytest.mark.parametrize(
    "text", ["unknown", "", None, "3.3", "v3.3.1", "1644a3c2", "3.3.1.2.3", "٣.3.1", "3.3.1\n4.0.0"]
)
def test_other_texts_are_no_release(text: str | None) -> None:
    assert comparable_release(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "7.4.0-ccs", "7.4.0-ce", "3.3.1-ccs", "2.8.1-amzn-1", "3.6.0.amzn.1", "2.7.2.redhat-00006", "2.5.0-cp1",
        "3.3.1-SNAPSHOT", "4.0.0-rc1", "3.9.0-IV0", "2.2.1.7.1.7.0-551", "7.4.0", "2.1.2", "5.0.0", "3.3.9",
    ],
)  # fmt: skip
def test_builds_of_others_are_never_compared(text: str) -> None:
    assert comparable_release(text) is None


def test_a_release_newer_than_the_catalogue_is_comparable() -> None:
    assert comparable_release("4.4.1") == Release((4, 4, 1))
    assert comparable_release("4.5.0") == Release((4, 5, 0))


def test_a_vendor_build_in_a_range_test_is_an_error() -> None:
    with pytest.raises(ReleaseError, match="unknown build"):
        _ = Release((3, 3, 1), "-ccs") in parse_affected(None, ["3.3.2"], [], [])


def test_catalogue_holds_what_is_published() -> None:
    announced = {str(release) for release in CATALOGUE.announced}
    assert {"0.11.0.3", "1.1.1", "2.8.2", "3.3.1", "3.9.2", "4.2.2", "4.4.0"} <= announced
    assert not {"3.3.0", "3.2.2", "4.3.2"} & announced
    assert comparable_release("3.3.0") is not None  # artifacts exist, so a broker may run it
    assert comparable_release("4.3.2") is not None  # a later patch of a supported line, named by advisories
    assert CATALOGUE.dates[apache_release("3.3.2")] == dt.date(2023, 1, 23)
    assert [CATALOGUE.supported(apache_release(text)) for text in ("4.1.2", "4.2.0", "4.3.1", "4.4.0")] == [0, 1, 1, 1]


def test_patches_of_a_line_are_dated_in_order() -> None:
    for before, after in pairwise(KNOWN):
        first, second = CATALOGUE.dates[before], CATALOGUE.dates[after]
        if before.line == after.line and first and second:
            assert first < second, f"{before} and {after}"


def test_a_candidate_sorts_before_its_release() -> None:
    texts = ["3.3.1", "3.3.1-rc0", "0.11.0.3", "3.10.0", "3.9.0"]
    ordered = sorted(release for text in texts if (release := parse_release(text)))
    assert [str(release) for release in ordered] == ["0.11.0.3", "3.3.1-rc0", "3.3.1", "3.9.0", "3.10.0"]


@pytest.mark.parametrize(
    ("introduced", "fixed", "ranges", "inside", "outside"),
    [
        ("2.4.0", ["3.3.2", "3.4.0"], [], ["2.4.0", "2.8.2", "3.3.0", "3.3.1"], ["2.3.1", "3.3.2", "3.4.0", "4.4.0"]),
        ("2.7.0", ["2.7.2", "2.8.1", "3.0.0"], [], ["2.7.1", "2.8.0"], ["2.6.3", "2.7.2", "2.8.1", "2.8.2", "3.0.0"]),
        (None, ["3.2.0"], [], ["0.8.0", "3.1.2"], ["3.2.0", "4.0.0"]),
        ("4.2.0", [], [], ["4.2.0", "4.4.0"], ["4.1.2"]),
        ("2.0.0", ["3.9.1", "4.0.0"], ["2.0.0-3.3.2"], ["2.0.0", "3.3.2"], ["1.1.1", "3.4.0", "3.9.0"]),
        (None, ["0.10.2.2", "0.11.0.0"], [], ["0.10.2.1", "0.10.1.1"], ["0.10.2.2", "0.11.0.0"]),
    ],
)
def test_membership(
    introduced: str | None, fixed: list[str], ranges: list[str], inside: list[str], outside: list[str]
) -> None:
    affected = parse_affected(introduced, fixed, ranges, [])
    assert [text for text in inside if apache_release(text) not in affected] == []
    assert [text for text in outside if apache_release(text) in affected] == []


@pytest.mark.parametrize(
    ("introduced", "fixed", "ranges", "lines", "words"),
    [
        ("3.3.0", ["3.2.0"], [], [], "not after introduced"),
        ("3.3.0", ["3.3.0"], [], [], "not after introduced"),
        (None, ["3.3.1", "3.3.2"], [], [], "line 3.3 twice"),
        (None, ["3.3.2"], ["3.0.0-3.3.2"], [], "contains the fixed release 3.3.2"),
        (None, ["3.3.2"], ["3.4.0-3.5.0"], [], "past the highest fix"),
        ("3.0.0", [], ["2.8.0-3.3.2"], [], "begins before introduced"),
        (None, [], ["3.3.2-3.0.0"], [], "ends before it begins"),
        (None, [], ["3.0.0-3.3.2", "3.3.0-3.4.0"], [], "overlap"),
        (None, ["2.8.2"], [], ["2.7..2.8"], "holds the fix 2.8.2"),
        (None, ["3.3.2-ccs"], [], [], "not a plain Apache"),
        (None, [], ["3.3.2"], [], "not a range"),
        (None, [], [], ["3"], "not a release line"),
    ],
)
def test_contradictions_are_refused(
    introduced: str | None, fixed: list[str], ranges: list[str], lines: list[str], words: str
) -> None:
    with pytest.raises(ReleaseError, match=words):
        parse_affected(introduced, fixed, ranges, lines)


@settings(deadline=None, derandomize=True)
@given(releases, st.lists(releases, max_size=4, unique_by=lambda r: r.line), releases)
def test_introduced_and_highest_fix_bound_every_range(start: Release, fixes: list[Release], probe: Release) -> None:
    later = sorted(fix for fix in fixes if fix > start)
    affected = Affected(start, tuple(later), ())
    if probe < start or (later and probe >= later[-1]):
        assert probe not in affected
    if later and start <= probe < later[0]:
        assert probe in affected
    if not later and probe >= start:
        assert probe in affected


@settings(deadline=None, derandomize=True)
@given(releases, releases, releases, releases)
def test_once_fixed_a_line_stays_fixed(start: Release, fix: Release, probe: Release, later: Release) -> None:
    affected = Affected(start, (fix,), ())
    if probe.line == later.line and fix <= probe <= later:
        assert probe not in affected
        assert later not in affected


@settings(deadline=None, derandomize=True)
@given(releases, st.lists(releases, min_size=1, max_size=4, unique_by=lambda r: r.line), releases)
def test_one_more_backport_never_widens_the_range(start: Release, fixes: list[Release], extra: Release) -> None:
    base = tuple(sorted(fixes))
    if extra < base[-1]:
        more = tuple(sorted({*base, extra}))
        wider = [r for r in KNOWN if r in Affected(start, more, ()) and r not in Affected(start, base, ())]
        assert wider == []


@settings(deadline=None, derandomize=True)
@given(releases, releases, releases)
def test_the_order_is_total(a: Release, b: Release, c: Release) -> None:
    assert (a < b) + (b < a) + (a == b) == 1
    if a <= b <= c:
        assert a <= c
