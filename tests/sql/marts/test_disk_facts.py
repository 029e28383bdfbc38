"""Facts of disks by given rows: volumes, the moments that growth is measured by, and what was freed at once."""

from functools import cache

import pytest

from support.spark_runs.facts_of_rows import GB, Row, disk, facts, of_all

pytestmark = pytest.mark.timeout(900)
DISKS: dict[str, list[Row]] = {  # sweeps by cluster
    "days": [disk(-72.1, 100), disk(-24.1, 200), disk(-0.2, 210), *(disk(hour, 210 + hour) for hour in range(24))],
    "first-day": [disk(hour, 210 + hour) for hour in range(6, 16)],
    "falls": [disk(-48.1, 900), disk(-0.2, 300), disk(1, 350), disk(2, 330), disk(3, 335)],
    "volumes": [
        one
        for hour in (1, 2)
        for one in (
            disk(hour, 500, "/both/b"), disk(hour, 500.2, "/both/a"), disk(hour, 300, "/own"),
            disk(hour, 500, "/smaller", 900 * GB), disk(hour, 500, "/both/b", broker=2),
        )
    ],
    "crossing": [
        one
        for hour, first, second in ((1, 900, 500), (2, 900, 700), (3, 900, 900.4))
        for one in (disk(hour, first, "/a"), disk(hour, second, "/b"))
    ],
    "gone": [disk(-30, 100), disk(-6, 100)],
}  # fmt: skip


@cache
def all_points() -> list[Row]:
    """Points of all these clusters, in one run."""
    found = facts("disk_points", of_all({name: {"disks": rows} for name, rows in DISKS.items()}))
    return sorted(found, key=lambda one: one["read_at"])


def points(cluster: str, spacing: str) -> list[Row]:
    """Points of one cluster in their order."""
    return [one for one in all_points() if (one["cluster"], one["spacing"]) == (cluster, spacing)]


def test_a_day_of_earlier_days_is_its_last_sweep_and_thirds_begin_with_the_one_before() -> None:
    days = points("days", "days")
    assert [one["used_bytes"] / GB for one in days] == [100, 200, 210, 233]
    assert [one["from_used_bytes"] and one["from_used_bytes"] / GB for one in days] == [None, 100, 200, 210]
    thirds = points("days", "thirds")
    assert [one["used_bytes"] / GB for one in thirds] == [210, 217, 225, 233]
    assert {one["largest_fall_bytes"] for one in (*days, *thirds)} == {0}


def test_with_one_day_alone_growth_is_that_within_it() -> None:
    assert [one["from_read_at"] for one in points("first-day", "days")] == [None]
    assert [one["used_bytes"] / GB for one in points("first-day", "thirds")] == [216, 218, 221, 225]


def test_the_most_that_was_freed_at_once_is_of_this_day() -> None:
    assert {one["largest_fall_bytes"] for one in points("falls", "thirds")} == {20 * GB}


def test_directories_of_one_volume_are_one_and_those_of_equal_disks_are_not() -> None:
    found = [*points("volumes", "days"), *points("volumes", "thirds")]
    assert {(one["broker"], one["log_dir"], one["log_dirs"]) for one in found} == {
        (1, "/both/a", 2), (1, "/own", 1), (1, "/smaller", 1), (2, "/both/b", 1),
    }  # fmt: skip


def test_disks_of_one_size_that_are_as_full_as_another_for_a_moment_are_two() -> None:
    assert {(one["log_dir"], one["log_dirs"]) for one in points("crossing", "days")} == {("/a", 1), ("/b", 1)}


def test_a_broker_that_told_nothing_today_has_no_points() -> None:
    assert points("gone", "days") == points("gone", "thirds") == []
