"""Homes of versions that bounded nothing, and files put into one: what is too much is named, and is not opened."""

import hashlib
import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw import manifests as reading
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.landing import land, sweep_before
from kafka_fleet.store.raw.manifests import Damaged, DataFile, manifests, sweep_id
from kafka_fleet.store.raw.sweep_quota import READ_BYTES

pytestmark = pytest.mark.fault(63)

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
DS = "2026-11-20"
Row = dict[str, Any]


def put(home: Path, cluster: str, tables: dict[str, list[Row]], at: datetime = AT, **said: int) -> None:
    """Land as earlier versions did: whatever the rows hold. said: bytes of a table's file, other than it has."""
    files = []
    for table, rows in tables.items():
        whole = [{"cluster": cluster, "sweep_at": at, **row} for row in rows]
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(whole, schema=raw_schemas()[table]), buffer, compression="zstd")
        content = buffer.getvalue()
        path = f"raw/{table}/ds={DS}/{cluster}.{sweep_id(at)}.parquet"
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(content)
        size = said.get(table, len(content))
        files.append(DataFile(table, path, len(rows), size, hashlib.sha256(content).hexdigest())._asdict())
    commit = {
        "cluster": cluster,
        "sweep": sweep_id(at),
        "sweep_at": at.isoformat(),
        "schema_version": 1,
        "files": files,
    }
    path = home / f"raw/manifests/ds={DS}/{cluster}.{sweep_id(at)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(commit))


def reasons(home: Path) -> dict[str, str]:
    whole, damaged = manifests(home, DS)
    assert {one.cluster for one in whole} == {"healthy"}
    return {one.cluster: one.reason for one in damaged}


def test_a_text_of_megabytes_that_compresses_to_nothing_is_not_opened(tmp_path: Path) -> None:
    put(tmp_path, "fat", {"broker_metrics": [{"broker": 1, "release": "x" * 58_000_000}]})
    put(tmp_path, "healthy", {"broker_metrics": [{"broker": 1, "release": "3.3.1"}]})
    (file,) = (tmp_path / "raw/broker_metrics").rglob("fat.*.parquet")
    assert file.stat().st_size < 100_000
    assert reasons(tmp_path) == {
        "fat": "broker_metrics: a text in release is longer than 65,536 bytes: it is not opened"
    }


@pytest.mark.parametrize(("length", "whole"), [(65_536, True), (65_537, False)])
def test_one_long_text_among_many_rows_is_found(tmp_path: Path, length: int, whole: bool) -> None:
    rows: list[Row] = [{"group_id": f"group-{n}-{n * n}", "topic": "orders", "partition": n} for n in range(5_000)]
    rows[4_321]["group_id"] = "\u00e9" * (length // 2) + "x" * (length % 2)
    put(tmp_path, "healthy" if whole else "fat", {"group_offsets": rows})
    if not whole:
        put(tmp_path, "healthy", {"group_offsets": rows[:10]})
    assert list(reasons(tmp_path)) == ([] if whole else ["fat"])


def test_texts_that_kafka_allows_are_read_as_ever(tmp_path: Path) -> None:
    """Of an earlier version: a long group id, setting and fleet entry."""
    entry = {"environment": "production", "declaration": json.dumps({"id": "x" * 10**6})}
    put(
        tmp_path,
        "healthy",
        {
            "groups": [{"group_id": "g" * 32_767}],
            "broker_configs": [{"broker": 1, "name": "listeners", "value": "\U0001f600" * 16_384}],
            "declarations": [entry],
        },
    )
    assert reasons(tmp_path) == {}


def test_files_beyond_the_quota_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"broker": 1, "release": "3.3.1"}
    put(tmp_path, "fat", {"broker_metrics": [row], "topics": [{"topic": "t"}]}, broker_metrics=READ_BYTES, topics=1)
    put(tmp_path, "healthy", {"broker_metrics": [row]})
    opened: list[Path] = []
    read = reading.read_file
    monkeypatch.setattr(reading, "read_file", lambda path: opened.append(path) or read(path))
    assert reasons(tmp_path) == {"fat": "101 MB in its files, a sweep may have 101 MB: they are not opened"}
    assert sorted(path.name.partition(".")[0] for path in opened if path.suffix == ".parquet") == ["healthy"]


def test_a_file_that_grew_is_not_read_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "fat", {"groups": [{"group_id": "g"}]})
    put(tmp_path, "healthy", {"groups": [{"group_id": "g"}]})
    (path,) = (tmp_path / "raw/groups").rglob("fat.*.parquet")
    os.truncate(path, 2**40)  # a terabyte of nothing
    assert reasons(tmp_path) == {"fat": "groups: the bytes are not those that were written"}


def test_what_is_no_parquet_file_is_damaged(tmp_path: Path) -> None:
    put(tmp_path, "fat", {"groups": [{"group_id": "g"}]})
    put(tmp_path, "healthy", {"groups": [{"group_id": "g"}]})
    (path,) = (tmp_path / "raw/groups").rglob("fat.*.parquet")
    manifest = tmp_path / f"raw/manifests/ds={DS}/fat.{sweep_id(AT)}.json"
    content = json.loads(manifest.read_text())
    path.write_bytes(b"PAR1 is not enough PAR1")
    content["files"][0] |= {"bytes": 23, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    manifest.write_text(json.dumps(content))
    assert reasons(tmp_path) == {"fat": "groups: it is no Parquet file"}


def test_a_day_is_joined_without_sweeps_that_are_too_much(tmp_path: Path) -> None:
    """They stay as they are, as evidence; what was joined is not looked into again."""
    for minute in range(5):
        release = "x" * 10**6 if minute == 2 else "3.3.1"
        row = {"broker": 1, "release": release}
        put(tmp_path, "healthy", {"broker_metrics": [row]}, AT.replace(minute=minute))
    assert compact(tmp_path, DS, today=datetime(2026, 11, 22, tzinfo=UTC).date())["healthy"][0] == 3
    whole, damaged = manifests(tmp_path, DS)
    assert [one.sweep_at.minute for one in whole] == [0, 1, 3, 4]
    assert [one.sweep for one in damaged] == [sweep_id(AT.replace(minute=2))]
    assert json.loads((tmp_path / f"raw/joined/ds={DS}/healthy.json").read_text())["bounded"] is True


def test_a_joined_file_of_an_earlier_version_is_looked_into(tmp_path: Path) -> None:
    for minute in range(3):
        land(tmp_path, "healthy", AT.replace(minute=minute), {"broker_metrics": [{"broker": 1, "release": "3.3.1"}]})
    compact(tmp_path, DS, today=datetime(2026, 11, 22, tzinfo=UTC).date())
    commit = tmp_path / f"raw/joined/ds={DS}/healthy.json"
    content = json.loads(commit.read_text())
    del content["bounded"]
    (file,) = content["files"]
    rows = pq.read_table(tmp_path / file["path"]).to_pylist()
    rows[1]["release"] = "x" * 100_000
    pq.write_table(pa.Table.from_pylist(rows, schema=raw_schemas()["broker_metrics"]), tmp_path / file["path"])
    written = (tmp_path / file["path"]).read_bytes()
    file |= {"bytes": len(written), "sha256": hashlib.sha256(written).hexdigest()}
    commit.write_text(json.dumps(content))
    for own in (tmp_path / f"raw/manifests/ds={DS}").glob("*.json"):
        if own.stem != f"healthy.{sweep_id(AT.replace(minute=2))}":
            own.unlink()  # as tidied a day later
    whole, damaged = manifests(tmp_path, DS)
    assert [one.sweep_at.minute for one in whole] == [2]
    sentence = "broker_metrics: a text in release is longer than 65,536 bytes: it is not opened"
    assert damaged == [Damaged("healthy", sweep_id(AT.replace(minute=minute)), sentence) for minute in (0, 1)]


def test_a_sweep_does_not_look_for_log_ends_in_a_file_that_is_too_much(tmp_path: Path) -> None:
    row = {"broker": 1, "topic": "x" * 10**6, "partition": 0, "log_end_offset": 5, "replicas_count": 1}
    put(tmp_path, "fat", {"partitions": [row]})
    assert sweep_before(tmp_path, "fat", AT.replace(minute=10)) is None
    put(tmp_path, "healthy", {"partitions": [{**row, "topic": "t"}]})
    assert sweep_before(tmp_path, "healthy", AT.replace(minute=10)) is not None


def test_what_this_version_stores_is_marked(tmp_path: Path) -> None:
    manifest = land(tmp_path, "healthy", AT, {"sweeps": [{"admin_outcome": "ok"}]})
    assert manifests(tmp_path, DS) == ([manifest], [])
    assert manifest.bounded
    path = tmp_path / f"raw/manifests/ds={DS}/healthy.{manifest.sweep}.json"
    assert json.loads(path.read_text())["bounded"] is True
