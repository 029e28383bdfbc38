"""A day's facts, judgement and letters under kill -9 at every write: readers follow the old day or the new one."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.store.generations import Unchangeable
from kafka_fleet.store.raw.compaction import tidy
from support.builders.computed_days import copies, counted, drawn_once, facts, first, judge, judged, report
from support.builders.letter_rows import DS
from support.builders.published_days import confirmed, exposed
from support.failures.crashes import DAYS_LATER, enough, every_kill, in_memory, killed, on_their_way, tree
from support.homes.stored_days import published

pytestmark = pytest.mark.fault(42)  # kill -9 at each write of facts, signatures, findings, report


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as folder:
        yield folder


def made(home: Path, *jobs: Any) -> Path:
    home.mkdir()
    for job in jobs:
        assert killed(job, home, None) is None
    return home


def healed(home: Path, job: Any, whole: dict[str, bytes]) -> None:
    """The task is tried again as Airflow does, in the same generation, and the day is tidied."""
    assert killed(job, home, None) is None
    tidy(home, DAYS_LATER)
    assert on_their_way(home) == []
    assert tree(home) == whole


def test_facts_are_published_table_by_table_and_each_is_whole(place: Path) -> None:
    def second(home: Path) -> None:
        facts(home, "g0002", 3)

    template = made(place / "old", first)
    old, new = counted(template), counted(whole := made(place / "new", first, second))
    assert old != new
    points = set()
    for write, home in every_kill(second, template, place, 12):
        points.add(write)
        assert all(rows in (old[table], new[table]) for table, rows in counted(home).items()), write
        healed(home, second, tree(whole))
    enough(points, 2, 25)


def test_a_table_that_is_published_stays_readable_while_its_task_runs_again(place: Path) -> None:
    def again(home: Path) -> None:
        facts(home, "g0001", 2)

    template = made(place / "old", again)
    for write, home in every_kill(again, template, place, 6):
        assert counted(home) == counted(template), write


def test_a_judgement_is_published_whole(place: Path) -> None:
    def second(home: Path) -> None:
        judge(home, "g0002", confirmed())

    template = made(place / "old", first)
    old, new = judged(template), judged(whole := made(place / "new", first, second))
    points = set()
    for write, home in every_kill(second, template, place, 12):
        points.add(write)
        states, findings, page = judged(home)
        assert states in (old[0], new[0]), write
        assert (findings, page) in (old[1:], new[1:]), write
        assert findings == old[1] or states == new[0], write
        healed(home, second, tree(whole))
    enough(points, 5, 50)


def test_what_is_published_is_written_again_only_as_it_is(place: Path) -> None:
    home = made(place / "home", first)
    before = tree(home)
    judge(home, "g0001", exposed())
    with pytest.raises(Unchangeable, match="g0001 of 2026-11-20 is published and changes no more: clear the run from"):
        judge(home, "g0001", confirmed())
    assert tree(home) == before


def test_letters_are_published_whole(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn_once(monkeypatch)

    def second(home: Path) -> None:
        report(home, "g0002")

    template = made(place / "old", first, lambda home: judge(home, "g0002", confirmed()))
    # a cluster that the day has no more: its copies go
    for kind in ("html", "txt"):
        (template / f"reports/ds={DS}/removed-eu.{kind}").write_text("old")
    whole = shutil.copytree(template, place / "new")
    second(whole)  # here, so that forks find the letters drawn
    old, new = published(template, "reports", DS), published(whole, "reports", DS)
    assert old.keys() == new.keys()
    points = set()
    for write, home in every_kill(second, template, place, 12):
        points.add(write)
        found = published(home, "reports", DS)
        assert found in (old, new), write
        for name, content in copies(home).items():
            assert content in (old.get(name, b"old"), new.get(name)), (write, name)
        assert copies(home).keys() >= new.keys(), "what was there before is there"
        healed(home, second, tree(whole))
    enough(points, 5, 60)
    assert json.loads((whole / f"reports/ds={DS}/_current.json").read_bytes()) == {"generation": "g0002"}
