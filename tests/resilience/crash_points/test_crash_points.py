"""Raw and the acknowledgements under kill -9 at every write: the old state or the new one, and the next try heals."""

import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.config import acknowledgement_edits, acknowledgements
from kafka_fleet.store.raw import compaction
from kafka_fleet.store.raw.compaction import compact, tidy
from kafka_fleet.store.raw.landing import Landing, sweep_before
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.builders.documents import of_finding
from support.builders.letter_rows import DS, finding
from support.failures.crashes import DAYS_LATER, enough, every_kill, in_memory, killed, on_their_way, tree

pytestmark = pytest.mark.fault(42)  # kill -9 at each write of collect, compact, tidy, acknowledge
FIRST, NEXT = datetime(2026, 11, 20, 10, tzinfo=UTC), date(2026, 11, 21)
Json = dict[str, Any]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as folder:
        yield folder


def sweep(home: Path, number: int, cluster: str = "payments-eu") -> None:
    """Land a sweep as the collector does: in three steps, the partitions beside those of the sweep before."""
    at = FIRST + timedelta(minutes=10 * number)
    partitions = [
        {"broker": 1, "topic": "заказы", "partition": p, "log_end_offset": p * 10 + number, "replicas_count": 1,
         "read_at": at} for p in range(40 + 40 * (number == 2))
    ]  # fmt: skip
    with Landing(home, cluster, at) as landing:
        landing.store({"declarations": [{"environment": "production", "owners": [], "declaration": "{}"}]})
        landing.store({"groups": [{"group_id": "billing", "state": "Stable"}]})
        rest = {"partitions": partitions, "sweeps": [{"admin_outcome": "ok", "admin_missing": []}]}
        landing.commit(rest, lambda: sweep_before(home, cluster, at))


def stored(home: Path) -> list[tuple[str, str, dict[str, list[Json]]]]:
    """Every committed sweep with its rows; none is damaged."""
    whole, damaged = manifests(home, DS)
    assert damaged == []
    return [(one.cluster, one.sweep, {t: read_rows(home, [one], t) for t in sorted(one.files)}) for one in whole]


def made(home: Path, *jobs: Any) -> Path:
    home.mkdir()
    for job in jobs:
        assert killed(job, home, None) is None
    return home


def tidied(home: Path) -> dict[str, bytes]:
    """All files a day later."""
    tidy(home, DAYS_LATER)
    assert on_their_way(home) == []
    return tree(home)


def test_a_sweep_lands_whole_or_not_at_all(place: Path) -> None:
    first, second, third = ((lambda home, n=n: sweep(home, n)) for n in range(3))
    template = made(place / "old", first)
    old, new = stored(template), stored(made(place / "new", first, second))
    without, beside = made(place / "without", first, third), made(place / "beside", first, second, third)
    healed = {1: tidied(without), 2: tidied(beside)}
    points = set()
    for write, home in every_kill(second, template, place, 4):
        points.add(write)
        found = stored(home)
        assert found in (old, new), write
        assert killed(third, home, None) is None  # the collector's next try is a sweep of its own
        assert tidied(home) == healed[len(found)], write
    enough(points, 8, 30)


def test_joining_a_day_changes_no_row_and_is_taken_up_again(place: Path) -> None:
    days = {"orders-eu": 2, "payments-eu": 3, "stock-eu": 3}  # two are too few to be joined
    sweeps = [(lambda home, n=n, c=c: sweep(home, n, c)) for c, most in days.items() for n in range(most)]
    template = made(place / "old", *sweeps)
    old = stored(template)

    def joined(home: Path) -> None:
        compact(home, DS, NEXT)

    whole = made(place / "whole", *sweeps, joined)
    assert stored(whole) == old
    expected = tidied(whole)
    points = set()
    for write, home in every_kill(joined, template, place, 12):
        points.add(write)
        assert stored(home) == old, write
        assert killed(joined, home, None) is None
        assert stored(home) == old, write
        assert tidied(home) == expected, write
    enough(points, 4, 50)


@pytest.mark.parametrize("large", [False, True], ids=["small", "with a file that stays"])
def test_tidying_changes_no_row_and_is_taken_up_again(
    place: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = made(place / "old", *((lambda home, n=n: sweep(home, n)) for n in range(4)))
    largest = max(one.files["partitions"].bytes for one in manifests(template, DS)[0])
    monkeypatch.setattr(compaction, "LARGE", largest if large else 2**20)
    compact(template, DS, NEXT)
    left = template / f"outbox/ds={DS}/.payments-eu.json.tmp"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"{")
    old, before = stored(template), set(tree(template))

    def later(home: Path) -> None:
        tidy(home, DAYS_LATER)

    whole = shutil.copytree(template, place / "whole")
    assert killed(later, whole, None) is None
    expected = tree(whole)
    assert len(before - set(expected)) == 1 + 3 * 5 - large
    points = set()
    for write, home in every_kill(later, template, place, 4):
        points.add(write)
        assert stored(home) == old, write
        assert killed(later, home, None) is None
        assert tree(home) == expected, write
    enough(points, 4, 15)


def test_an_acknowledgement_is_there_or_not(place: Path) -> None:
    one, other = (
        of_finding({**finding(name, "exposed"), "basis": []}, "payments-eu", DS, "It is planned.", "a@example.org", DS)
        for name in ("KAFKA-14334", "KAFKA-10888")
    )

    def add(home: Path) -> None:
        path = acknowledgements.acknowledgements_path(home / "fleet.yaml")
        if other not in acknowledgements.load_acknowledgements(path).entries:
            acknowledgement_edits.add_acknowledgement(path, other)

    template = made(
        place / "old", lambda home: acknowledgement_edits.add_acknowledgement(home / acknowledgements.NAME, one)
    )
    old, new = (
        tree(template),
        tree(
            made(
                place / "new", lambda h: acknowledgement_edits.add_acknowledgement(h / acknowledgements.NAME, one), add
            )
        ),
    )
    points = set()
    for write, home in every_kill(add, template, place, 2):
        points.add(write)
        assert (home / acknowledgements.NAME).read_bytes() in (*old.values(), *new.values())
        assert killed(add, home, None) is None
        assert tree(home) == new, write  # what was on its way is written over by the next change
    enough(points, 2, 5)
