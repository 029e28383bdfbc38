"""A clock that jumps: what is stored and judged stays, and what is under way is not taken for old."""

import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.cli.main import main
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.raw import trusted_clock as module
from kafka_fleet.store.raw.compaction import compact, compact_finished, tidy
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests, read_rows
from kafka_fleet.store.raw.retention import carry_out, plan
from kafka_fleet.store.raw.trusted_clock import DAY_SECONDS, trusted_time
from support.builders.retained_days import judge, orphan

pytestmark = pytest.mark.fault(35)
CLUSTER, EVERY = "payments-eu", timedelta(hours=1)
NOW = datetime.now(UTC).replace(minute=5, second=0, microsecond=0)
TODAY = NOW.date()
AHEAD = [timedelta(hours=30), timedelta(days=3), timedelta(days=400), timedelta(days=4000)]


def sweep(home: Path, at: datetime, cluster: str = CLUSTER) -> None:
    land(home, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})


def ago(days: int) -> str:
    return (TODAY - timedelta(days=days)).isoformat()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Six judged days and the running one: a sweep an hour over the last two days, three a day before."""
    for back in range(6, 0, -1):
        for hour in range(24) if back == 1 else (1, 12, 23):
            sweep(tmp_path, datetime.fromisoformat(ago(back)).replace(hour=hour, minute=5, tzinfo=UTC))
        judge(tmp_path, ago(back))
    for hour in range(NOW.hour + 1):
        sweep(tmp_path, NOW.replace(hour=hour))
    return tmp_path


def numbers(home: Path) -> list[int]:
    found = [manifests(home, ago(back)) for back in range(6, -1, -1)]
    assert all(damaged == [] for _whole, damaged in found)
    return [len(whole) for whole, _damaged in found]


def say(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    monkeypatch.setattr(module.time, "time", at.timestamp)


def old_raw(home: Path, days: int = 2) -> list[str]:
    """The days whose raw may go."""
    return sorted(plan(home, days).raw)


@pytest.mark.parametrize("ahead", AHEAD, ids=str)
def test_a_clock_that_is_ahead_makes_nothing_old(home, monkeypatch, ahead):
    before, expected = numbers(home), old_raw(home, 3)
    assert expected == [ago(6), ago(5), ago(4)]
    left, running = orphan(home, ago(0)), claim_generation(home, ago(2))
    (home / f"findings/ds={ago(2)}/{running}").mkdir()
    say(monkeypatch, NOW + ahead)
    told, what = tidy(home), plan(home, 3)
    assert left.exists()
    if ahead > timedelta(days=2):
        assert told == [what.doubt]
        assert str(what.doubt).startswith(
            f"nothing is deleted: the clock says {NOW + ahead:%Y-%m-%d %H:%M} UTC, and the"
        )
        assert (what.raw, what.trees) == ({}, [])
    else:
        assert sorted(what.raw) == expected
    assert carry_out(home, what) == []
    assert numbers(home)[3:] == before[3:]
    assert (home / f"findings/ds={ago(2)}/{running}").exists()


@pytest.mark.parametrize("ahead", AHEAD, ids=str)
def test_nor_does_it_once_sweeps_have_landed_with_it(home, monkeypatch, ahead):
    """They are the newest then: the days that are kept are counted, and of the hole before them nothing is old."""
    before = numbers(home)
    left, running = orphan(home, ago(0)), claim_generation(home, ago(2))
    (home / f"findings/ds={ago(2)}/{running}").mkdir()
    for minutes in (0, 10, 20):
        sweep(home, NOW + ahead + timedelta(minutes=minutes), "orders-eu")
    say(monkeypatch, NOW + ahead + timedelta(minutes=25))
    assert trusted_time(home).doubt is None
    assert trusted_time(home).now <= NOW.timestamp() + 3600
    tidy(home)
    carry_out(home, plan(home, 3))
    assert left.exists()
    assert (home / f"findings/ds={ago(2)}/{running}").exists()
    assert numbers(home)[4:] == before[4:], "one stored day more: one day more goes, and no other"


def test_a_clock_that_is_set_back_makes_nothing_old_either(home, monkeypatch):
    before, expected = numbers(home), old_raw(home, 3)
    left = orphan(home, ago(0))
    for back in (timedelta(hours=3), timedelta(days=3), timedelta(days=400)):
        say(monkeypatch, NOW - back)
        tidy(home)
        assert left.exists()
        assert old_raw(home, 3) == expected
    assert numbers(home) == before


def test_after_a_month_without_sweeps_old_days_go_again_and_so_do_orphans(home, monkeypatch):
    begin = NOW + timedelta(days=31)
    left = orphan(home, ago(0))
    for hours in range(50):
        sweep(home, begin + hours * EVERY, "orders-eu")
        if hours in (2, 49):
            say(monkeypatch, begin + hours * EVERY)
            tidy(home)
            assert left.exists() == (hours == 2)
    assert trusted_time(home).now > begin.timestamp() + DAY_SECONDS
    stored = [(begin + hours * EVERY).date() for hours in range(50)]
    assert len(old_raw(home)) == 6 + 1 - max(0, 3 - len(set(stored))) - 1  # the day of its last sweep is not judged


def test_a_fleet_that_is_no_more_can_be_retained_by_hand(home, monkeypatch, capsys):
    say(monkeypatch, NOW + timedelta(days=60))
    words = ["retain", "--home", str(home), "--keep-raw-days", "3", "--delete"]
    before = numbers(home)
    assert main(words) == 2
    assert "where nothing was collected since, say so with --clock-is-right" in capsys.readouterr().err
    assert numbers(home) == before
    assert main([*words, "--clock-is-right"]) == 0
    assert numbers(home) == [0, 0, 1, *before[3:]]


def test_a_home_without_sweeps_has_nothing_that_is_old(tmp_path):
    assert trusted_time(tmp_path) == (0.0, None)
    assert (tidy(tmp_path), plan(tmp_path, 2).raw) == ([], {})


@pytest.mark.parametrize("every", [timedelta(minutes=10), timedelta(hours=6), timedelta(days=1)], ids=str)
def test_time_that_passes_is_trusted_however_rare_sweeps_are(tmp_path, every):
    for number in range(int(timedelta(days=4) / every) if every > EVERY else 200):
        sweep(tmp_path, NOW - number * every)
    clock = NOW.timestamp() + 60
    assert clock - every.total_seconds() - 60 <= trusted_time(tmp_path, clock).now <= clock


def test_a_day_that_is_joined_by_a_clock_that_is_ahead_loses_no_row(home):
    for back in (1, 0):
        rows = read_rows(home, manifests(home, ago(back))[0], "sweeps")
        compact(home, ago(back), TODAY + timedelta(days=400))
        assert read_rows(home, manifests(home, ago(back))[0], "sweeps") == rows
    sweep(home, NOW + timedelta(minutes=10))  # the clock is right again and the day goes on
    tidy(home, time.time() + 2 * DAY_SECONDS)
    assert read_rows(home, manifests(home, ago(0))[0], "sweeps")[:-1] == rows
    assert numbers(home)[-1] == len(rows) + 1


def test_a_day_is_not_joined_by_a_clock_that_was_set_back(home):
    assert compact_finished(home, ago(1), date(2026, 1, 1)) == [
        f"{ago(1)} has not ended: its sweeps stay as they landed"
    ]
    assert not any(one.joined for one in manifests(home, ago(1))[0])
