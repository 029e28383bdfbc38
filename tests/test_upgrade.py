"""Targets of single findings: the smallest release that has the fix and opens nothing as bad."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_fleet.knowledge.releases import Release, apache_release
from kafka_fleet.knowledge.targets import affects, family, opened
from kafka_fleet.knowledge.upgrade import upgrade_to
from planned import ADVISORIES, KNOWN, facts


@pytest.mark.parametrize(
    ("advisory", "current", "expected"),
    [
        ("KAFKA-14334", ["3.3.1"], "3.3.2"),
        ("KAFKA-14334", ["3.2.3"], "3.3.2"),
        ("KAFKA-14334", ["2.8.2"], "3.3.2"),
        ("KAFKA-14334", ["3.3.1", "3.2.3"], "3.3.2"),
        ("KAFKA-14334", ["3.3.1", "3.4.0"], "3.4.0"),  # a roll under way is finished, not turned back
        ("KAFKA-10888", ["3.2.3"], "3.3.2"),  # not 3.3.0 (KAFKA-14303), not 3.3.1
        ("KAFKA-10888", ["2.4.0", "3.9.1"], "3.3.2"),  # client fleets need not converge
        ("KAFKA-13767", ["2.8.2"], "3.3.2"),  # 3.2 opens KAFKA-14417, which is worse
        ("KAFKA-13559", ["3.3.2"], "3.4.0"),
        ("KAFKA-14379", ["3.1.2"], "3.3.2"),  # CFG-LEGACY-PARTITIONER is as bad, but is a setting
        ("KAFKA-9965", ["3.2.3"], "3.9.2"),
        ("KAFKA-19479", ["3.9.1"], "3.9.2"),
        ("KAFKA-12751", ["2.8.0"], "2.8.1"),
        ("KAFKA-12751", ["2.7.1"], "2.7.2"),
        ("KAFKA-12686", ["2.8.2"], "3.0.0"),
        ("KAFKA-12964", ["2.8.2"], "3.3.2"),  # 3.0.0 opens KAFKA-13544, all below 3.3.2 KAFKA-14417, both as bad
        ("KAFKA-9648", ["3.1.2"], "3.2.0"),
        ("KAFKA-19862", ["4.1.0"], "4.1.2"),
        ("CVE-2022-34917", ["3.2.1"], "3.2.3"),  # 3.2.2 was never announced
        ("CVE-2026-111115", ["4.3.1"], "4.4.0"),  # 4.3.2 is not published
        ("CVE-2026-111115", ["4.2.0"], "4.2.2"),
        ("CVE-2026-33557", ["4.1.1"], "4.1.2"),
    ],
)
def test_upgrade_to(advisory: str, current: list[str], expected: str) -> None:
    target = upgrade_to(ADVISORIES[advisory], current, ADVISORIES, facts(*current, mode=None))
    assert target.release == expected
    assert target.why.startswith(expected)


def test_what_could_not_be_read_may_be_opened() -> None:
    blind = upgrade_to(ADVISORIES["KAFKA-13559"], ["3.3.2"], ADVISORIES)
    assert blind.release == "3.8.1"  # 3.4.0 to 3.8.0 have faults of a migration that may be under way
    read = facts("3.3.2", mode="ZooKeeper")
    assert upgrade_to(ADVISORIES["KAFKA-13559"], ["3.3.2"], ADVISORIES, read).release == "3.4.0"


@pytest.mark.parametrize(
    ("on", "expected"),
    [("2026-11-21", "4.2.2"), ("2026-09-28", None), ("2026-09-29", "4.2.2"), ("2026-06-01", None)],
)
def test_only_what_was_published_on_the_day_is_recommended(on: str, expected: str | None) -> None:
    day = dt.date.fromisoformat(on)
    assert upgrade_to(ADVISORIES["CVE-2026-111115"], ["4.2.1"], ADVISORIES, on=day).release == expected


def test_the_side_that_upgrades_decides_the_target() -> None:
    both = ADVISORIES["CVE-2026-33558"]  # brokers and clients carry it
    assert upgrade_to(both, ["4.0.0"], ADVISORIES, fleet="client").release == "4.0.1"
    assert upgrade_to(ADVISORIES["KAFKA-10888"], ["3.2.3"], ADVISORIES, fleet="server").release is None


@pytest.mark.parametrize(
    ("advisory", "current", "words"),
    [
        ("KAFKA-14334", ["3.3.1-ccs"], "unknown build"),
        ("KAFKA-14334", ["3.3.1", "2.8.1-amzn-1"], "unknown build"),
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
    assert [a.id for a in opened(apache_release("3.2.3"), apache_release("3.3.0"), "client", ADVISORIES)] == [
        "KAFKA-14303",
        "CFG-LEGACY-PARTITIONER",
    ]
    new = opened(apache_release("3.5.2"), apache_release("3.6.0"), "server", ADVISORIES, facts("3.5.2"))
    assert "KAFKA-15653" in [a.id for a in new]
    assert "KAFKA-15552" not in [a.id for a in new]  # nobody migrates on this cluster


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(sorted(ADVISORIES)), st.sampled_from(KNOWN))
def test_a_target_has_the_fix_is_later_and_opens_nothing_as_bad(key: str, current: Release) -> None:
    advisory = ADVISORIES[key]
    target = upgrade_to(advisory, [str(current)], ADVISORIES)
    assert (target.release is not None) <= affects(advisory, current)
    if target.release is not None:
        release = apache_release(target.release)
        assert release > current
        assert release in KNOWN
        assert not affects(advisory, release)
        bad = [a for a in opened(current, release, family(advisory), ADVISORIES) if a.rank <= advisory.rank]
        bad = [a for a in bad if not a.id.startswith("CFG-")]  # settings are the owner's choice, not the release's
        assert [a.id for a in bad if a.security == advisory.security] == []


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(sorted(ADVISORIES)), st.sampled_from(KNOWN))
def test_a_cluster_on_its_target_needs_no_further_upgrade(key: str, current: Release) -> None:
    target = upgrade_to(ADVISORIES[key], [str(current)], ADVISORIES).release
    if target is not None:
        assert upgrade_to(ADVISORIES[key], [target], ADVISORIES).release is None
