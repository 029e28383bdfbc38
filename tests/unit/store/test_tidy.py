"""Tidying deletes what killed writers left, under the names that they give, and nothing of anybody else's."""

import json
import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from kafka_fleet.store.raw.compaction import compact, tidy
from kafka_fleet.store.raw.garbage import remove_orphans
from kafka_fleet.store.raw.landing import ORPHAN_SECONDS, land
from kafka_fleet.store.raw.manifests import manifests
from kafka_fleet.store.raw.trusted_clock import changed_at
from support.builders.retained_days import orphan

DAYS, NEXT = ("2026-11-01", "2026-11-02"), date(2026, 11, 3)
CLUSTERS = ("orders-eu", "payments-eu")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for ds in DAYS:
        for number in range(3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=7 * number)
            for cluster in CLUSTERS:
                land(tmp_path, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})
    return tmp_path


def later(home: Path) -> float:
    """A moment at which all of a home is old."""
    return max(changed_at(path) for path in home.rglob("*")) + ORPHAN_SECONDS + 60


def test_only_what_landing_and_compaction_begin_goes(home):
    folder = home / f"raw/sweeps/ds={DAYS[0]}"
    left = [
        orphan(home, DAYS[0]),
        folder / ".payments-eu.20261101T235900.000000Z.parquet.12.345.tmp",
        folder / "payments-eu.joined7.parquet",
        home / f"raw/manifests/ds={DAYS[0]}/.payments-eu.20261101T235900.000000Z.json.12.345.tmp",
    ]
    foreign = [
        folder / "notes.txt",
        folder / ".nfs000000001",
        folder / ".payments-eu.20261101T235900.000000Z.parquet.swp",
        folder / "payments-eu.20261102T000000.000000Z.parquet",
        folder / "payments-eu.parquet.bak",
        home / f"raw/manifests/ds={DAYS[0]}/payments-eu.json.bak",
        home / f"raw/manifests/ds={DAYS[0]}/copy of payments-eu.json",
    ]
    for path in (*left, *foreign):
        path.write_bytes(b"x")
    folders = [folder / ".snapshot", folder / "@eaDir", folder / "payments-eu.20261101T235800.000000Z.parquet"]
    for path in folders:
        path.mkdir()
    link = folder / "orders-eu.20261101T235800.000000Z.parquet"
    link.symlink_to(folder / "notes.txt")
    assert tidy(home, later(home)) == [f"{DAYS[0]}: {len(left)} files removed that no reader needs"]
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in (*foreign, *folders, link))
    assert [len(manifests(home, ds)[0]) for ds in DAYS] == [6, 6]


@pytest.mark.fault(49)
@pytest.mark.parametrize(
    "content",
    ["{", "[]", "null", '{"files": []}', '{"files": 7, "sweeps": []}', b"\xff", "whose", "tables"],
)
def test_a_damaged_commit_keeps_its_cluster_and_day_and_the_others_go_on(home, content):
    compact(home, DAYS[0], NEXT)
    path = home / f"raw/joined/ds={DAYS[0]}/payments-eu.json"
    found = json.loads(path.read_text())
    if content == "whose":
        content = json.dumps({**found, "cluster": "orders-eu"})
    elif content == "tables":
        content = json.dumps({**found, "sweeps": [{**one, "tables": [7]} for one in found["sweeps"]]})
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    orphans = [orphan(home, DAYS[0]), orphan(home, DAYS[0], "orders-eu"), orphan(home, DAYS[1])]
    joined = list((home / "raw").rglob("payments-eu.joined*"))
    assert joined
    told = tidy(home, later(home))
    assert told == [
        f"{DAYS[0]}: {2 * 2 + 1} files removed that no reader needs",  # two sweeps of orders-eu, its orphan
        f"{DAYS[0]}: what is joined of payments-eu cannot be read; its files stay as they are",
        f"{DAYS[1]}: 1 files removed that no reader needs",
    ]
    assert [one.exists() for one in orphans] == [True, False, False]
    assert all(one.exists() for one in joined)
    whole, damaged = manifests(home, DAYS[0])
    assert (len(whole), len(damaged)) == (6, 1), "its own files are there still"


def test_data_that_are_copied_before_their_manifests_are_not_taken_for_orphans(home, tmp_path):
    """`cp -a` keeps the dates; that the file is new here it cannot hide."""
    copy = tmp_path / "copy"
    shutil.copytree(home / "raw/sweeps", copy / "raw/sweeps", copy_function=shutil.copy2)
    old = datetime.now(UTC) - timedelta(days=30)
    for path in copy.rglob("*.parquet"):
        os.utime(path, (old.timestamp(), old.timestamp()))
    now = datetime.now(UTC).timestamp()
    assert [remove_orphans(copy, ds, now + ORPHAN_SECONDS / 2).removed for ds in DAYS] == [0, 0]
    shutil.copytree(home / "raw/manifests", copy / "raw/manifests")
    assert [len(manifests(copy, ds)[0]) for ds in DAYS] == [6, 6]
