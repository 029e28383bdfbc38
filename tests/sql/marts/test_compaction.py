"""Compaction: the same rows from fewer files, whatever is interrupted; what was joined stays readable and checked."""

import json
import shutil
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.raw_tables import STATES, raw_schemas
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.raw import compaction
from kafka_fleet.store.raw.compaction import compact, compact_finished, remove_superseded, tidy
from kafka_fleet.store.raw.garbage import remove_orphans
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.homes.recorded import recorded_day, write_home
from support.spark_runs.analysed import spark

FIRST = datetime(2026, 11, 20, 10, tzinfo=UTC)
DS, NEXT, LONG_AFTER = "2026-11-20", date(2026, 11, 21), FIRST.timestamp() + 10**9
SWEEPS, CLUSTERS = 6, ("orders-eu", "payments-eu")


def tables(number: int, leader: int | None = None) -> dict[str, list[dict[str, object]]]:
    at = FIRST + timedelta(minutes=10 * number)
    partitions = [
        {"broker": 1, "topic": "заказы", "partition": p, "log_end_offset": p * 10 + number, "replicas_count": 1,
         "read_at": at} for p in range(50)
    ]  # fmt: skip
    found: dict[str, list[dict[str, object]]] = {"sweeps": [{"admin_outcome": "ok", "admin_missing": []}]}
    found["partitions"] = partitions
    if leader is not None:
        found["topics"] = [{"topic": "заказы", "partition": 0, "leader": leader, "replicas": [1, 2], "isr": [1, 2]}]
    if number == 2:
        found["groups"] = [{"group_id": "billing", "state": "Stable"}]
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for cluster in CLUSTERS:
        for number in range(SWEEPS):
            land(tmp_path, cluster, FIRST + timedelta(minutes=10 * number), tables(number))
    return tmp_path


def everything(home: Path) -> dict[str, list[dict[str, object]]]:
    """Rows of every table over the whole sweeps of the day."""
    sweeps, damaged = manifests(home, DS)
    assert damaged == []
    assert [(one.cluster, one.sweep_at) for one in sweeps] == [
        (cluster, FIRST + timedelta(minutes=10 * number)) for cluster in CLUSTERS for number in range(SWEEPS)
    ]
    return {table: read_rows(home, sweeps, table) for table in raw_schemas()}


def test_the_same_rows_from_fewer_files(home):
    before, counted = everything(home), [one.files["partitions"].rows for one in manifests(home, DS)[0]]
    assert compact(home, DS, NEXT) == dict.fromkeys(CLUSTERS, (SWEEPS - 1, 3))
    assert everything(home) == before
    assert remove_superseded(home, DS, time.time()) == 0, "who listed them a moment ago still reads them"
    assert remove_superseded(home, DS, LONG_AFTER) == 2 * ((SWEEPS - 1) * 3 + 1)
    assert everything(home) == before
    assert [one.files["partitions"].rows for one in manifests(home, DS)[0]] == counted
    assert len(list((home / f"raw/partitions/ds={DS}").iterdir())) == 2 * len(CLUSTERS)
    assert remove_orphans(home, DS, LONG_AFTER) == (0, [])
    assert compact(home, DS, NEXT) == {}
    assert everything(home) == before


@pytest.mark.parametrize("more", [1, -1])
@pytest.mark.fault(49)
def test_a_file_with_other_rows_than_were_landed_is_not_joined(home, more):
    """Rows of joined sweeps are told apart by their number: one that is wrong would move all that follow."""
    path = min((home / f"raw/manifests/ds={DS}").glob(f"{CLUSTERS[0]}.*"))
    manifest = json.loads(path.read_text())
    (entry,) = (file for file in manifest["files"] if file["table"] == "partitions")
    entry["rows"] += more
    path.write_text(json.dumps(manifest))
    with pytest.raises(OSError, match=f"has 50 rows, {50 + more} were landed"):
        compact(home, DS, NEXT)
    sweeps, damaged = manifests(home, DS)
    assert [one.joined for one in sweeps if one.cluster == CLUSTERS[0]] == [False] * SWEEPS
    assert (damaged, (home / f"raw/joined/ds={DS}/{CLUSTERS[0]}.json").exists()) == ([], False)


def test_the_last_sweep_keeps_its_own_files(home):
    compact(home, DS, NEXT)
    assert [one.joined for one in manifests(home, DS)[0]] == [*[True] * (SWEEPS - 1), False] * len(CLUSTERS)


def test_large_days_have_several_files_each_with_whole_sweeps(home, monkeypatch):
    before = everything(home)
    monkeypatch.setattr(compaction, "FILE_BYTES", 5)  # more than the four that open every file
    monkeypatch.setattr(compaction, "GROUP_ROWS", 50)
    assert compact(home, DS, NEXT)["payments-eu"] == (SWEEPS - 1, (SWEEPS - 1) + 2)  # small tables stay one file
    remove_superseded(home, DS, LONG_AFTER)
    assert everything(home) == before


def test_a_day_that_has_not_ended_is_left_alone(home):
    with pytest.raises(ValueError, match="has not ended"):
        compact(home, DS, FIRST.date())
    assert not (home / "raw/joined").exists()


@pytest.mark.fault(43)
@pytest.mark.parametrize("write", range(4))
def test_an_interrupted_compaction_changes_nothing_and_the_next_one_heals(home, monkeypatch, write):
    before, real, written = everything(home), compaction.replace_file, []

    def full(path: Path, content: bytes) -> None:
        if len(written) == write:
            raise OSError(28, "No space left on device")
        written.append(path)
        real(path, content)

    monkeypatch.setattr(compaction, "replace_file", full)
    with pytest.raises(OSError, match="No space"):
        compact(home, DS, NEXT)
    assert everything(home) == before
    monkeypatch.setattr(compaction, "replace_file", real)
    assert set(compact(home, DS, NEXT)) == set(CLUSTERS)
    remove_superseded(home, DS, LONG_AFTER)
    assert everything(home) == before


def flip(home: Path) -> None:
    path = home / f"raw/partitions/ds={DS}/payments-eu.joined0.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_flipped_bits_cost_nothing_while_the_own_files_are_there(home):
    before = everything(home)
    compact(home, DS, NEXT)
    flip(home)
    assert everything(home) == before
    remove_superseded(home, DS, LONG_AFTER)
    assert everything(home) == before, "what is not whole where it was joined keeps its own files"


@pytest.mark.fault(49)
def test_flipped_bits_are_named_and_cost_no_other_cluster(home):
    compact(home, DS, NEXT)
    remove_superseded(home, DS, LONG_AFTER)
    flip(home)
    whole, damaged = manifests(home, DS)
    assert [one.cluster for one in whole] == ["orders-eu"] * SWEEPS + ["payments-eu"]
    assert {one.cluster for one in damaged} == {"payments-eu"}
    assert {one.reason for one in damaged} == {"partitions: the bytes are not those that were written"}
    assert len(damaged) == SWEEPS - 1


def test_what_was_done_is_told(home):
    assert compact_finished(home, DS, FIRST.date()) == [f"{DS} has not ended: its sweeps stay as they landed"]
    assert compact_finished(home, DS, NEXT) == [
        f"{name}: {SWEEPS - 1} sweeps of {DS} are in 3 files" for name in CLUSTERS
    ]
    assert tidy(home, time.time()) == []
    own = 2 * ((SWEEPS - 1) * 3 + 1)  # manifest, sweeps and partitions of each, groups of one
    assert tidy(home, LONG_AFTER) == [f"{DS}: {own} files removed that no reader needs"]
    assert tidy(home, LONG_AFTER) == []


def test_large_files_are_not_written_again(home, monkeypatch):
    before = everything(home)
    large = [one.files["partitions"] for one in manifests(home, DS)[0]]
    monkeypatch.setattr(compaction, "LARGE", min(file.bytes for file in large))
    assert compact(home, DS, NEXT)["payments-eu"][1] >= SWEEPS - 1
    remove_superseded(home, DS, LONG_AFTER)
    assert everything(home) == before
    assert [one.files["partitions"] for one in manifests(home, DS)[0]] == large
    assert remove_orphans(home, DS, LONG_AFTER) == (0, [])


def test_damaged_sweeps_are_not_joined(home):
    path = next((home / f"raw/partitions/ds={DS}").glob("orders-eu.*T101000*"))
    path.write_bytes(b"not Parquet")
    assert compact(home, DS, NEXT)["orders-eu"][0] == SWEEPS - 2
    remove_superseded(home, DS, LONG_AFTER)
    whole, (damaged,) = manifests(home, DS)
    assert (damaged.cluster, len(whole)) == ("orders-eu", 2 * SWEEPS - 1)
    assert path.exists(), "evidence"


def test_spark_reads_the_same_tables(tmp_path):
    ds = recorded_day()
    first, second = tmp_path / "first", tmp_path / "second"
    write_home(first, ["follower331", "idle331"])
    shutil.copytree(first, second)
    joined = compact(second, ds, date.fromisoformat(ds) + timedelta(days=1))
    assert set(joined) == {"follower331", "idle331"}
    remove_superseded(second, ds, LONG_AFTER)
    alone, shared = raw_rows(first, ds), raw_rows(second, ds)
    assert {name: by_sweep(alone, name) for name in alone} == {name: by_sweep(shared, name) for name in shared}
    assert sum(map(len, alone.values())) > 1000
    assert len(shared["topics"]) < len(alone["topics"]), "a state is one row"


def raw_rows(home: Path, ds: str) -> dict[str, list[dict[str, object]]]:
    """Rows of every raw table, as queries read them."""
    day = Day(spark(), home, ds, claim_generation(home, ds), sql_dir())
    day.load_raw([])
    return {name: [row.asDict() for row in spark().table(f"raw_{name}").collect()] for name in raw_schemas()}


def by_sweep(rows: dict[str, list[dict[str, object]]], table: str) -> list[str]:
    """What a table says of each sweep."""
    if table not in STATES:
        return sorted(map(str, rows[table]))
    times = [(row["cluster"], row["sweep_at"]) for row in rows["sweeps"]]
    return sorted(
        str({**row, "sweep_at": at, "last_sweep_at": at})
        for row in rows[table]
        for cluster, at in times
        if cluster == row["cluster"] and row["sweep_at"] <= at <= row["last_sweep_at"]
    )


def test_a_sweep_that_lands_after_its_day_was_joined_has_its_own_states(tmp_path):
    for number in (0, 1, 2, 4, 5, 6):
        land(tmp_path, "orders-eu", FIRST + timedelta(minutes=10 * number), tables(number, leader=1))
    compact(tmp_path, DS, NEXT)
    land(tmp_path, "orders-eu", FIRST + timedelta(minutes=30), tables(3, leader=2))
    rows = raw_rows(tmp_path, DS)
    leaders = {row["sweep_at"]: row["leader"] for row in rows["topics"] if row["sweep_at"] == row["last_sweep_at"]}
    assert leaders == {
        (FIRST + timedelta(minutes=10 * number)).replace(tzinfo=None): 2 if number == 3 else 1 for number in range(7)
    }
    assert len(rows["topics"]) == len(leaders), "no state holds for the late sweep but its own"
