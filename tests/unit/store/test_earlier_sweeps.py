"""Last sweeps of earlier days: of one table and the clusters asked for, but none that is gone, or damaged."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.store.home_names import retired_name
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.earlier_sweeps import earlier_sweeps
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import Manifest, read_rows

DS = "2026-11-20"
LAST = datetime(2026, 11, 20, 23, 50, tzinfo=UTC)


def landed(home: Path, days: float, used: int, cluster: str = "a", disks: bool = True) -> Manifest:
    """A sweep so many days before the last of the day."""
    at = LAST - timedelta(days=days)
    row: dict[str, Any] = {
        "broker": 1, "read_at": at, "log_dir": "/data", "total_bytes": 100, "usable_bytes": 100 - used,
    }  # fmt: skip
    tables = {"sweeps": [{"admin_outcome": "ok"}], "disks": [row] if disks else []}
    return land(home, cluster, at, tables)


def found(home: Path, *clusters: str) -> list[tuple[str, int]]:
    """Cluster and used bytes of what is found, in its order."""
    sweeps = earlier_sweeps(home, DS, 7, ["disks"], clusters or ("a",))
    assert {table for one in sweeps for table in one.files} <= {"disks"}
    return [(row["cluster"], 100 - row["usable_bytes"]) for row in read_rows(home, sweeps, "disks")]


def test_the_last_sweep_of_each_day_but_the_last_two(tmp_path: Path) -> None:
    for days, used in ((0, 90), (1, 80), (2, 70), (2.1, 1), (3.5, 60), (7, 20), (8, 10)):
        landed(tmp_path, days, used)
    landed(tmp_path, 2, 33, "b")
    assert found(tmp_path) == [("a", 20), ("a", 60), ("a", 70)]
    assert found(tmp_path, "a", "b")[-1] == ("b", 33)
    assert found(tmp_path, "c") == []


def test_of_several_tables_those_that_have_rows(tmp_path: Path) -> None:
    landed(tmp_path, 2, 70)
    landed(tmp_path, 3, 70, disks=False)
    sweeps = earlier_sweeps(tmp_path, DS, 7, ["disks", "sweeps", "partitions"], ["a"])
    assert [sorted(one.files) for one in sweeps] == [["sweeps"], ["disks", "sweeps"]]


def test_a_joined_day_has_its_last_sweep_still(tmp_path: Path) -> None:
    for hours in (3, 2, 1, 0):
        landed(tmp_path, 2 + hours / 24, 70 - hours)
    compact(tmp_path, "2026-11-18", datetime(2026, 11, 21, tzinfo=UTC).date())
    assert found(tmp_path) == [("a", 70)]


@pytest.mark.parametrize("harm", [b"", b"{}", None])
def test_one_that_cannot_be_used_gives_none(tmp_path: Path, harm: bytes | None) -> None:
    sweep = landed(tmp_path, 2, 70)
    landed(tmp_path, 3, 60)
    (manifest,) = (tmp_path / "raw/manifests/ds=2026-11-18").glob("*.json")
    if harm is None:
        (tmp_path / sweep.files["disks"].path).write_bytes(b"other bytes")
    else:
        manifest.write_bytes(harm)
    assert found(tmp_path) == [("a", 60)]


@pytest.mark.parametrize("harm", [b"", b"{}", b'{"schema_version": 1, "ds": "2026-11-18", "files": ["x"]}'])
def test_a_day_whose_tombstone_is_damaged_gives_none(tmp_path: Path, harm: bytes) -> None:
    landed(tmp_path, 2, 70)
    landed(tmp_path, 3, 60)
    gone = tmp_path / retired_name("2026-11-18")
    gone.parent.mkdir(parents=True)
    gone.write_bytes(harm)
    assert found(tmp_path) == [("a", 60)]


def test_a_sweep_that_measured_no_disks_gives_none(tmp_path: Path) -> None:
    landed(tmp_path, 2, 70, disks=False)
    assert found(tmp_path) == []
