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
    "text", ["unknown", "", None, "3.3", "v3.3.1", "1644a3c2", "3.3.1.2.3", "٣.3.1", "3.3.1\n4.0.0", "3.٣.1", "3.03.1"]
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


@pytest.mark.parametrize(
    ("day", "supported"),
    [
        ("2017-01-01", ["0.9.0.1", "0.10.0.1", "0.10.1.1"]),
        ("2022-09-19", ["2.8.2", "3.0.2", "3.1.2", "3.2.3"]),  # a patch of 2.8 was still made beside three newer lines
        ("2022-09-20", ["3.0.2", "3.1.2", "3.2.3"]),
        ("2022-10-03", ["3.1.2", "3.2.3", "3.3.1"]),  # counted from 3.3.1: 3.3.0 was never announced
        ("2026-02-16", ["3.9.1", "4.0.1", "4.1.1"]),
        ("2026-02-18", ["3.9.1", "4.0.1", "4.1.1", "4.2.0"]),
        ("2026-02-22", ["4.0.1", "4.1.1", "4.2.0"]),
        ("2026-11-06", ["4.1.2", "4.2.2", "4.3.1"]),
        ("2026-11-07", ["4.2.2", "4.3.1", "4.4.0"]),
        ("2027-11-07", ["4.2.2", "4.3.1", "4.4.0"]),
    ],
)
def test_support_is_that_of_the_analysed_day(day: str, supported: list[str]) -> None:
    on = dt.date.fromisoformat(day)
    newest = [CATALOGUE.latest_patch(line, on) for line in sorted({release.line for release in KNOWN})]
    assert [str(patch) for patch in newest if patch and CATALOGUE.supported(patch, on)] == supported


def test_nothing_of_a_later_day_is_published() -> None:
    assert max(CATALOGUE.published(dt.date(2026, 1, 1))) == apache_release("4.1.1")
    assert apache_release("3.3.0") not in CATALOGUE.published()


def test_a_line_newer_than_all_published_is_supported() -> None:
    assert CATALOGUE.supported(apache_release("4.4.0"), dt.date(2026, 10, 20))  # run before its verified day
    assert CATALOGUE.supported(apache_release("4.5.0"))  # newer than the table
    assert not CATALOGUE.supported(apache_release("4.0.9"))


def test_the_latest_patch_of_each_line() -> None:
    lines = sorted({release.line for release in CATALOGUE.announced})
    latest = " ".join(str(CATALOGUE.latest_patch(line)) for line in lines[-27:])
    assert latest == (
        "0.11.0.3 1.0.2 1.1.1 2.0.1 2.1.1 2.2.2 2.3.1 2.4.1 2.5.1 2.6.3 2.7.2 2.8.2 3.0.2 3.1.2 3.2.3 3.3.2 3.4.1 "
        "3.5.2 3.6.2 3.7.2 3.8.1 3.9.2 4.0.2 4.1.2 4.2.2 4.3.1 4.4.0"
    )
    assert CATALOGUE.latest_patch((3, 3), dt.date(2022, 12, 31)) == apache_release("3.3.1")
    assert CATALOGUE.latest_patch((3, 3), dt.date(2022, 1, 1)) is None


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
        (None, ["2.8.2", "3.3.0"], ["2.8.2-3.2.3"], [], "contains the fixed release 2.8.2"),
        (None, ["2.6.2", "3.3.1"], ["2.6.3-3.2.3"], [], "begins after the fix 2.6.2 of its line"),
        ("2.4.0", [], ["2.8.0-2.8.1"], [], "after introduced 2.4.0"),
        (None, [], ["3.0.0-3.0.2", "3.0.0-3.0.2"], [], "overlap"),
        (None, ["2.1.2"], [], [], "fixed: 2.1.2 was never published"),
        ("3.2.4", [], [], [], "introduced: 3.2.4 was never published"),
        (None, [], ["3.0.0-3.9.9"], [], "ranges: 3.9.9 was never published"),
        ("2.4.0", ["3.3.2"], [], ["2.3..3.2"], "holds 2.3.1, which does not have the issue"),
        (None, ["3.3.2"], [], ["2.8", "2.7..3.0"], "names a line twice"),
        (None, ["3.3.2"], [], ["2.9"], "holds no published line"),
        (None, ["3.3.2"], [], ["3.0..2.8"], "ends before it begins"),
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
