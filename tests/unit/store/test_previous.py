"""Log ends of the sweep before, laid beside those of a sweep as it lands."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import Manifest, manifests

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
Row = dict[str, Any]
ENDS = {("orders", 0, 1): (100, 10), ("orders", 1, 1): (50, 0), ("orders", 0, 2): (90, 10)}  # the last is a follower


def replica(topic: str, partition: int, broker: int, end: int, start: int, leads: bool = True) -> Row:
    return {
        "broker": broker, "read_at": NOON, "topic": topic, "partition": partition, "log_end_offset": end,
        "log_start_offset": start, "replicas_count": 2 if leads else 0, "isr_count": 2 if leads else 0,
    }  # fmt: skip


def sweep(home: Path, at: datetime, rows: list[Row]) -> Manifest:
    return land(home, "orders-eu", at, {"sweeps": [{"admin_outcome": "ok"}], "partitions": rows})


def rows_of(ends: dict[tuple[str, int, int], tuple[int, int]], more: int = 0) -> list[Row]:
    return [replica(*key, end + more, start, leads=key[2] == 1) for key, (end, start) in ends.items()]


def beside(home: Path, landed: Manifest) -> dict[tuple[str, int, int], tuple[int | None, int | None]]:
    """(topic, partition, broker) -> previous log end and start."""
    rows = pq.read_table(home / landed.files["partitions"].path).to_pylist()
    return {
        (r["topic"], r["partition"], r["broker"]): (r["previous_log_end_offset"], r["previous_log_start_offset"])
        for r in rows
    }


def base(home: Path, landed: Manifest) -> datetime | None:
    """The sweep that was laid beside this one."""
    (row,) = pq.read_table(home / landed.files["sweeps"].path).to_pylist()
    found: datetime | None = row["previous_sweep_at"]
    return found


@pytest.mark.parametrize("at", [NOON, datetime(2026, 11, 21, tzinfo=UTC)])
def test_leaders_carry_their_ends_of_the_sweep_before_also_over_midnight(tmp_path: Path, at: datetime) -> None:
    first = sweep(tmp_path, at - timedelta(minutes=10), rows_of(ENDS))
    second = sweep(tmp_path, at, [*rows_of(ENDS, 7), replica("new", 0, 1, 3, 0)])
    assert base(tmp_path, first) is None
    assert set(beside(tmp_path, first).values()) == {(None, None)}
    assert base(tmp_path, second) == at - timedelta(minutes=10)
    assert beside(tmp_path, second) == {
        ("orders", 0, 1): (100, 10), ("orders", 1, 1): (50, 0), ("orders", 0, 2): (None, None),
        ("new", 0, 1): (None, None),
    }  # fmt: skip


def test_rows_keep_their_order_and_everything_else(tmp_path: Path) -> None:
    sweep(tmp_path, NOON - timedelta(minutes=10), rows_of(ENDS))
    rows = [*rows_of(ENDS, 1)][::-1]
    landed = sweep(tmp_path, NOON, rows)
    stored = pq.read_table(tmp_path / landed.files["partitions"].path).to_pylist()
    assert [{name: row[name] for name in rows[0]} for row in stored] == rows


def test_a_leader_that_was_a_follower_has_nothing_before(tmp_path: Path) -> None:
    sweep(tmp_path, NOON - timedelta(minutes=10), [replica("orders", 0, 2, 90, 10, leads=False)])
    landed = sweep(tmp_path, NOON, [replica("orders", 0, 2, 95, 10)])
    assert beside(tmp_path, landed) == {("orders", 0, 2): (None, None)}
    assert base(tmp_path, landed) == NOON - timedelta(minutes=10)


@pytest.mark.fault(48)
def test_the_later_of_two_is_not_before_a_sweep_that_comes_late(tmp_path: Path) -> None:
    sweep(tmp_path, NOON, rows_of(ENDS, 5))
    late = sweep(tmp_path, NOON - timedelta(minutes=10), rows_of(ENDS))
    assert base(tmp_path, late) is None


def test_another_cluster_is_not_the_sweep_before(tmp_path: Path) -> None:
    land(tmp_path, "orders", NOON - timedelta(minutes=10), {"sweeps": [{}], "partitions": rows_of(ENDS)})
    assert base(tmp_path, sweep(tmp_path, NOON, rows_of(ENDS))) is None


@pytest.mark.fault(49)
@pytest.mark.parametrize("harm", ["flipped", "gone", "manifest"])
def test_a_damaged_sweep_is_not_laid_beside_the_next(tmp_path: Path, harm: str) -> None:
    first = sweep(tmp_path, NOON - timedelta(minutes=10), rows_of(ENDS))
    path = tmp_path / first.files["partitions"].path
    if harm == "flipped":
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif harm == "gone":
        path.unlink()
    else:
        (tmp_path / f"raw/manifests/ds=2026-11-20/orders-eu.{first.sweep}.json").write_text("{")
    landed = sweep(tmp_path, NOON, rows_of(ENDS))
    assert base(tmp_path, landed) is None
    assert set(beside(tmp_path, landed).values()) == {(None, None)}
    assert landed in manifests(tmp_path, "2026-11-20")[0]


def test_a_leader_that_is_there_twice_leaves_the_comparison_to_the_day(tmp_path: Path) -> None:
    sweep(tmp_path, NOON - timedelta(minutes=10), rows_of(ENDS))
    landed = sweep(tmp_path, NOON, [*rows_of(ENDS, 1), replica("orders", 0, 1, 103, 10)])
    assert base(tmp_path, landed) is None


def test_of_a_leader_that_was_there_twice_the_larger_end_counts(tmp_path: Path) -> None:
    sweep(tmp_path, NOON - timedelta(minutes=10), [*rows_of(ENDS), replica("orders", 0, 1, 103, 12)])
    landed = sweep(tmp_path, NOON, rows_of(ENDS, 9))
    assert beside(tmp_path, landed)[("orders", 0, 1)] == (103, 12)
