"""The newest whole sweep of a cluster: which it is, and its rows, also of older files and of sweeps that are joined."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import DataFile, Manifest, manifests
from kafka_fleet.store.raw.newest_sweep import newest_sweep, sweep_tables
from kafka_fleet.store.raw.sweep_rows import sweep_rows
from support.builders.sweep_tables import AT, TABLES
from support.homes.golden_homes import unpack

WANTED = {"sweeps": (), "brokers": ("broker", "outcome"), "groups": ("group_id", "state"), "topics": ("topic", "isr")}
CLUSTER = "payments-eu"


def sweep(home: Path, at: datetime, topic: str = "orders") -> Manifest:
    rows = {"topics": [{"topic": topic, "partition": 0, "isr": [1]}], "groups": [{"group_id": topic}]}
    return land(home, CLUSTER, at, {**TABLES, **rows})


def test_the_last_one_of_the_last_day_is_taken(tmp_path: Path) -> None:
    for hours in (0, 30, 5):
        sweep(tmp_path, AT + timedelta(hours=hours))
    land(tmp_path, f"{CLUSTER}-2", AT + timedelta(hours=60), TABLES)
    found = newest_sweep(tmp_path, CLUSTER, list(WANTED))
    assert found is not None
    assert found.sweep_at == AT + timedelta(hours=30)
    assert newest_sweep(tmp_path, "payments", list(WANTED)) is None


@pytest.mark.parametrize("hurt", ["topics", "manifest", "brokers"])
def test_a_damaged_one_gives_way_to_the_one_before(tmp_path: Path, hurt: str) -> None:
    sweep(tmp_path, AT)
    last = sweep(tmp_path, AT + timedelta(minutes=10))
    path = Home(tmp_path).manifests(AT.date()) / f"{CLUSTER}.{last.sweep}.json"
    (path if hurt == "manifest" else tmp_path / last.files[hurt].path).write_bytes(b"no")
    found = newest_sweep(tmp_path, CLUSTER, list(WANTED))
    assert found is not None
    assert found.sweep_at == AT


def test_a_file_that_is_not_wanted_may_be_damaged(tmp_path: Path) -> None:
    one = sweep(tmp_path, AT)
    (tmp_path / one.files["partitions"].path).write_bytes(b"no")
    assert newest_sweep(tmp_path, CLUSTER, list(WANTED)) == one


def test_rows_come_in_the_wanted_columns(tmp_path: Path) -> None:
    tables = sweep_tables(tmp_path, sweep(tmp_path, AT), WANTED)
    assert tables.table("topics").to_pylist() == [{"topic": "orders", "isr": [1]}]
    assert tables.table("brokers").column_names == ["broker", "outcome"]
    assert tables.table("features").num_rows == 0


def test_older_files_are_read_under_todays_names(tmp_path: Path) -> None:
    path = "raw/groups/ds=2026-11-20/payments-eu.20261120T100000.123456Z.parquet"
    (tmp_path / path).parent.mkdir(parents=True)
    pq.write_table(pa.table({"group": ["billing"]}), tmp_path / path)
    old = Manifest(CLUSTER, "20261120T100000.123456Z", AT, 1, {"groups": DataFile("groups", path, 1, 1, "")})
    assert sweep_tables(tmp_path, old, WANTED).table("groups").to_pylist() == [{"group_id": "billing", "state": None}]


def test_a_joined_sweep_has_its_own_rows(tmp_path: Path) -> None:
    for place, topic in enumerate(("a", "b", "c", "d")):
        sweep(tmp_path, AT + timedelta(minutes=10 * place), topic)
    compact(tmp_path, AT.date().isoformat(), today=date.max)
    joined = [one for one in manifests(tmp_path, AT.date())[0] if one.joined]
    assert len(joined) == 3
    rows = [sweep_tables(tmp_path, one, WANTED).table("topics")["topic"].to_pylist() for one in joined]
    assert rows == [["a"], ["b"], ["c"]]
    last = newest_sweep(tmp_path, CLUSTER, list(WANTED))
    assert last is not None
    assert sweep_tables(tmp_path, last, WANTED).table("topics")["topic"].to_pylist() == ["d"]


def test_rows_of_many_sweeps_come_once(tmp_path: Path) -> None:
    for place in range(4):
        sweep(tmp_path, AT + timedelta(minutes=10 * place))
    compact(tmp_path, AT.date().isoformat(), today=date.max)
    whole = manifests(tmp_path, AT.date())[0]
    found = sweep_rows(tmp_path, whole[1:], "brokers", ["broker"])
    assert sorted(found["sweep_at"].to_pylist()) == sorted(2 * [one.sweep_at.astimezone(UTC) for one in whole[1:]])
    with pytest.raises(ValueError, match="several sweeps"):
        sweep_rows(tmp_path, whole, "topics", ["topic"])


def test_homes_of_every_version_have_a_newest_sweep(tmp_path: Path) -> None:
    for name in unpack(tmp_path, "raw"):
        found = newest_sweep(tmp_path, name, list(WANTED))
        assert found is not None, name
        tables = sweep_tables(tmp_path, found, WANTED)
        assert tables.table("groups")["group_id"].to_pylist() == ["billing"], name
        assert not tables.unread("topics")
