"""Targets of single findings: the newest patch of the smallest line that has the fix, has support, and does no harm."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_fleet.knowledge.advisories import Advisory, AffectedReleases
from kafka_fleet.knowledge.facts import Mode
from kafka_fleet.knowledge.releases import Release, apache_release, catalogue
from kafka_fleet.upgrade.plan import Target, upgrade_to
from kafka_fleet.upgrade.targets import affects_release, family, in_order, opened_issues
from support.builders.planned import ADVISORIES, KNOWN, facts


# Supported on the day of the release table: 4.2, 4.3, 4.4. The bridge is 3.9; 3.9.2 is its newest patch.
@pytest.mark.parametrize(
    ("advisory", "current", "mode", "expected"),
    [
        ("KAFKA-14334", ["3.3.1"], "KRaft", "3.9.2"),  # 3.3.2 has the fix, and no support since 2023
        ("KAFKA-14334", ["3.2.3"], "ZooKeeper", "3.9.2"),
        ("KAFKA-14334", ["2.8.2"], "ZooKeeper", "3.9.2"),
        ("KAFKA-14334", ["3.3.1", "3.2.3"], None, "3.9.2"),
        ("KAFKA-14334", ["3.3.1", "3.4.0"], None, "3.9.2"),
        ("KAFKA-12686", ["2.7.1"], "ZooKeeper", "3.9.2"),
        ("KAFKA-12686", ["2.8.2"], "ZooKeeper", "3.9.2"),  # 3.0.0 reopens CVE-2022-34917, which 2.8.2 has closed
        ("KAFKA-9648", ["2.8.2"], "ZooKeeper", "3.9.2"),  # 3.2.0 reopens it too
        ("KAFKA-9648", ["2.4.1"], "ZooKeeper", "3.9.2"),
        ("KAFKA-9648", ["3.1.2"], None, "3.9.2"),
        ("KAFKA-12964", ["2.8.1"], "ZooKeeper", "3.9.2"),
        ("KAFKA-12964", ["2.8.2"], None, "3.9.2"),
        ("KAFKA-13767", ["3.1.2"], "ZooKeeper", "3.9.2"),  # 3.2.0 reopens what 3.1.2 has closed
        ("KAFKA-13767", ["2.8.2"], "KRaft", "4.2.2"),  # 3.9.2 opens KAFKA-19212, which is as bad, in KRaft
        ("KAFKA-10888", ["2.4.1"], "ZooKeeper", "3.9.2"),  # 3.3.2 opens CVE-2026-35554, which is critical
        ("KAFKA-10888", ["2.7.2"], "ZooKeeper", "3.9.2"),
        ("KAFKA-10888", ["3.2.3"], "ZooKeeper", "3.9.2"),  # has that hole already, and loses it
        ("KAFKA-10888", ["2.4.0", "3.9.1"], None, "3.9.2"),
        ("CVE-2025-27819", ["3.3.2"], "ZooKeeper", "3.9.2"),  # the advisory says 3.9.1 or later
        ("CVE-2025-27818", ["3.8.1"], "ZooKeeper", "3.9.2"),
        ("CVE-2026-111108", ["3.9.2"], "ZooKeeper", "4.2.2"),
        ("CVE-2026-111108", ["4.3.1"], "KRaft", "4.4.0"),
        ("CVE-2026-33557", ["4.1.0"], "KRaft", "4.2.2"),  # 4.1.2 has no support, and CVE-2026-110985 with it
        ("CVE-2026-33557", ["4.1.1"], None, "4.2.2"),
        ("KAFKA-7215", ["2.0.1"], "ZooKeeper", "3.9.2"),
        ("KAFKA-17076", ["3.8.1"], "KRaft", "3.9.2"),
        ("KAFKA-19212", ["3.9.2"], "KRaft", "4.2.2"),
        ("KAFKA-19862", ["4.1.1"], "KRaft", "4.2.2"),
        ("KAFKA-13559", ["3.3.2"], None, "3.9.2"),
        ("KAFKA-14379", ["3.1.2"], None, "3.9.2"),  # CFG-LEGACY-PARTITIONER is as bad, but is a setting
        ("KAFKA-9965", ["3.2.3"], None, "3.9.2"),
        ("KAFKA-19479", ["3.9.1"], None, "3.9.2"),
        ("KAFKA-12751", ["2.7.1"], None, "3.9.2"),
        ("CVE-2022-34917", ["3.2.1"], None, "4.2.2"),  # 3.9.2 opens CVE-2026-111108, which is as bad
        ("CVE-2026-111115", ["4.3.1"], None, "4.4.0"),  # 4.3.2 is not published
        ("CVE-2026-111115", ["4.2.0"], None, "4.2.2"),
    ],
)
def test_upgrade_to(advisory: str, current: list[str], mode: Mode | None, expected: str) -> None:
    target = upgrade_to(ADVISORIES[advisory], current, ADVISORIES, facts(*current, mode=mode))
    assert target.release == expected
    assert target.why.startswith(expected)


def test_what_could_not_be_read_may_be_opened() -> None:
    """KAFKA-19212 of 3.9 is of KRaft only, and as bad as KAFKA-13767."""
    advisory = ADVISORIES["KAFKA-13767"]
    assert upgrade_to(advisory, ["2.8.2"], ADVISORIES).release == "4.2.2"
    assert upgrade_to(advisory, ["2.8.2"], ADVISORIES, facts("2.8.2", mode="ZooKeeper")).release == "3.9.2"


def test_a_line_without_support_serves_where_nothing_else_does() -> None:
    """On that day 3.3.2 had support; on the one before, 3.3.1 was the newest, and had KAFKA-14334."""
    advisory, cluster = ADVISORIES["KAFKA-12686"], facts("2.8.2", mode="ZooKeeper")
    assert upgrade_to(advisory, ["2.8.2"], ADVISORIES, cluster, on=dt.date(2022, 9, 20)).release == "3.0.2"
    target = upgrade_to(ADVISORIES["KAFKA-14334"], ["2.8.2"], ADVISORIES, cluster, on=dt.date(2023, 1, 22))
    assert target == Target(None, "No published release has the fix.")
    after = upgrade_to(ADVISORIES["KAFKA-14334"], ["2.8.2"], ADVISORIES, cluster, on=dt.date(2023, 1, 23))
    assert after.release == "3.3.2"


def test_where_every_release_with_the_fix_does_harm_that_is_said() -> None:
    """A hole that 2.8.2 has closed and that no release of a later line had closed by then."""
    bug, hole = ADVISORIES["KAFKA-12686"], ADVISORIES["CVE-2022-34917"]
    hole = hole.model_copy(update={"affected": AffectedReleases(introduced="2.8.0", fixed=["2.8.2", "4.2.2"])})
    target = upgrade_to(bug, ["2.8.2"], {bug.id: bug, hole.id: hole}, facts("2.8.2"), on=dt.date(2024, 1, 1))
    assert target.release is None
    assert target.why.startswith("No published release is good")
    assert upgrade_to(bug, ["2.8.2"], {bug.id: bug, hole.id: hole}, facts("2.8.2")).release == "4.2.2"


def test_a_supported_line_comes_before_a_smaller_one_without_support() -> None:
    order = [str(release) for release in in_order([apache_release("4.0.0")], "server")]
    assert order == ["4.2.2", "4.3.1", "4.4.0", "4.0.2", "4.1.2"]
    assert [str(release) for release in in_order([apache_release("3.7.0")], "server")][:2] == ["3.9.2", "4.2.2"]


@pytest.mark.parametrize(
    ("on", "expected"),
    [("2026-11-21", "4.2.2"), ("2026-09-28", None), ("2026-09-29", "4.2.2"), ("2026-06-01", None)],
)
def test_only_what_was_published_on_the_day_is_recommended(on: str, expected: str | None) -> None:
    day = dt.date.fromisoformat(on)
    assert upgrade_to(ADVISORIES["CVE-2026-111115"], ["4.2.1"], ADVISORIES, on=day).release == expected


def test_the_side_that_upgrades_decides_the_target() -> None:
    both = ADVISORIES["CVE-2026-33558"]  # brokers and clients carry it
    assert upgrade_to(both, ["4.0.0"], ADVISORIES, fleet="client").release == "4.2.2"
    assert upgrade_to(ADVISORIES["KAFKA-10888"], ["3.2.3"], ADVISORIES, fleet="server").release is None


@pytest.mark.parametrize(
    ("advisory", "current", "words"),
    [
        ("KAFKA-14334", ["3.3.1-ccs"], "unknown build"),
        ("KAFKA-14334", ["3.3.1", "2.8.1-amzn-1"], "at least as patched as Apache 2.8.1; Amazon MSK names the upgrade"),
        ("KAFKA-14334", ["7.2.3-ccs"], "3.9.2 closes KAFKA-14334, and 7.9 is its first line built on Apache 3.9"),
        ("KAFKA-14334", [None], "was not read"),
        ("KAFKA-14334", [], "No release was read"),
        ("KAFKA-14334", ["3.3.2"], "does not have it"),
    ],
)
def test_no_target_has_a_sentence(advisory: str, current: list[str | None], words: str) -> None:
    target = upgrade_to(ADVISORIES[advisory], current, ADVISORIES)
    assert target.release is None
    assert words in target.why


def test_a_release_that_opens_something_as_bad_is_passed_over() -> None:
    assert [a.id for a in opened_issues(apache_release("3.2.3"), apache_release("3.3.0"), "client", ADVISORIES)] == [
        "KAFKA-14303",
        "CFG-LEGACY-PARTITIONER",
    ]
    new = opened_issues(apache_release("3.5.2"), apache_release("3.6.0"), "server", ADVISORIES, facts("3.5.2"))
    assert "KAFKA-15653" in [a.id for a in new]
    assert "KAFKA-15552" not in [a.id for a in new]  # nobody migrates on this cluster


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(sorted(ADVISORIES)), st.sampled_from(KNOWN))
def test_a_target_has_the_fix_is_later_and_opens_nothing_as_bad(key: str, current: Release) -> None:
    advisory = ADVISORIES[key]
    target = upgrade_to(advisory, [str(current)], ADVISORIES)
    assert (target.release is not None) <= affects_release(advisory, current)
    if target.release is not None:
        release = apache_release(target.release)
        assert release > current
        assert release in KNOWN
        assert not affects_release(advisory, release)
        assert release == catalogue().latest_patch(release.line)
        new = [a for a in opened_issues(current, release, family(advisory), ADVISORIES) if not a.setting]
        assert [a.id for a in new if a.rank == 0] == []
        assert [a.id for a in new if a.security and had_before(a, current)] == []
        bad = [a for a in new if a.rank <= advisory.rank and a.security == advisory.security]
        assert [a.id for a in bad if a.affected is not None and a.affected.fixed] == []


def had_before(advisory: Advisory, release: Release) -> bool:
    """Whether an older release has it, so that this one, which has not, closed it."""
    return any(affects_release(advisory, older) for older in KNOWN if older < release)


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(sorted(ADVISORIES)), st.sampled_from(KNOWN))
def test_a_cluster_on_its_target_needs_no_further_upgrade(key: str, current: Release) -> None:
    target = upgrade_to(ADVISORIES[key], [str(current)], ADVISORIES).release
    if target is not None:
        assert upgrade_to(ADVISORIES[key], [target], ADVISORIES).release is None
