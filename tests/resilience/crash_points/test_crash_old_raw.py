"""Old raw under kill -9 at every write: retention leaves a day whole or gone, an import can be run again at once."""

import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from kafka_fleet.store.raw.compaction import compact, tidy
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests
from kafka_fleet.store.raw.retention import carry_out, plan
from kafka_fleet.store.raw.tombstones import retired
from support.builders.retained_days import CLUSTERS, DAYS, judge
from support.failures.crashes import DAYS_LATER, enough, every_kill, in_memory, killed, on_their_way, tree
from support.homes.history_runs import run, served  # noqa: F401
from support.servers.recorded_prometheus import Recorded

pytestmark = [pytest.mark.fault(42), pytest.mark.sampled("crash-old-raw")]  # kill -9 at each write of retain and import


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as folder:
        yield folder


def days(home: Path) -> list[list[str]]:
    """The sweeps of each day; none is damaged."""
    found = [manifests(home, ds) for ds in DAYS]
    assert all(damaged == [] for _whole, damaged in found)
    return [[f"{one.cluster}.{one.sweep}" for one in whole] for whole, _damaged in found]


def retain(home: Path) -> None:
    carry_out(home, plan(home, 2, DAYS_LATER))


def test_retention_leaves_each_day_whole_or_gone_and_is_taken_up_again(place: Path) -> None:
    template = place / "old"
    for number, ds in enumerate(DAYS):
        for hour in range(3):
            land(
                template, CLUSTERS[0], _at(ds, hour), {"sweeps": [{"admin_outcome": "ok"}], "topics": [{"topic": "t"}]}
            )
        for _again in range(1 + (number == 1)):
            judge(template, ds)
    compact(template, DAYS[1], date(2026, 11, 7))
    old, whole = days(template), shutil.copytree(template, place / "whole")
    assert killed(retain, whole, None) is None
    new, expected = days(whole), tree(whole)
    assert [len(one) for one in new] == [0, 0, 1, 3, 3, 3]
    points = set()
    for write, home in every_kill(retain, template, place, 9):
        points.add(write)
        found = days(home)
        assert all(one in (before, after) for one, before, after in zip(found, old, new, strict=True)), write
        assert killed(retain, home, None) is None
        tidy(home, DAYS_LATER)
        assert on_their_way(home) == [], write
        assert tree(home) == expected, write
    enough(points, 5, 40)


def _at(ds: str, hour: int) -> datetime:
    return datetime.fromisoformat(ds).replace(hour=7 * hour, tzinfo=UTC)


def test_an_import_that_was_killed_is_run_again_at_once(server: Recorded, place: Path) -> None:
    """Of one window: all others are there, so what is written is one sweep."""
    whole = place / "whole"
    result, rows = run(server, whole)
    moments = sorted(row["sweep_at"] for row in rows("sweeps"))
    sweep = f"payments-eu.{moments[3]:%Y%m%dT%H%M%S.%f}Z"
    template = shutil.copytree(whole, place / "old")
    for path in template.rglob(f"{sweep}.*"):
        path.unlink()
    expected, partitions = tree(whole).keys(), rows("partitions")
    points = set()
    for write, home in every_kill(lambda home: run(server, home), template, place, 30):
        points.add(write)
        again, rows = run(server, home)
        done = again.landed == 0  # killed after the commit, at the sync of its folder
        assert not done or write == ("fsync", f"raw/manifests/ds={server.day}"), write
        assert (again.landed, again.there, again.empty) == (1 - done, result.landed - 1 + done, result.empty), write
        assert len(rows("sweeps")) == result.landed
        tidy(home, DAYS_LATER)
        assert tree(home).keys() == expected, write
        assert rows("partitions") == partitions, write
    enough(points, 2, 30)


@pytest.mark.fault(44)
def test_a_window_into_a_day_that_is_being_deleted_is_refused(server: Recorded, place: Path) -> None:
    run(server, place)
    whole = manifests(place, server.day)[0]
    path = place / f"raw/retired/ds={server.day}.json"
    path.parent.mkdir()
    names = "".join(f'"{file.path}",' for one in whole for file in one.files.values())[:-1]
    path.write_text(f'{{"schema_version": 1, "ds": "{server.day}", "files": [{names}]}}')
    assert retired(place, server.day)
    before = tree(place)
    server.asked.clear()
    again, _rows = run(server, place)
    assert (again.landed, again.failed, server.asked) == (0, 1, [])
    assert list(again.said) == [f"{server.day}: its raw is being deleted; kafka-fleet retain --delete ends that"]
    assert tree(place) == before
