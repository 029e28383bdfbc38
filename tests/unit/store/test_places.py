"""What a made-up commit names: nothing outside its own day and cluster is read or deleted, and no link followed."""

import json
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.store.raw.compaction import compact, tidy
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.layout import on_its_way, raw_location
from kafka_fleet.store.raw.manifests import data_file_fault, manifests
from kafka_fleet.store.raw.retention import carry_out, plan
from kafka_fleet.store.raw.tombstones import retired
from support.builders.retained_days import LATER, judge

pytestmark = pytest.mark.fault(49)
DAYS = [f"2026-11-0{number}" for number in range(1, 5)]
OWN = "raw/sweeps/ds=2026-11-01/payments-eu.20261101T070000.000000Z.parquet"
ELSEWHERE = {
    "another day": OWN.replace("-01/", "-04/").replace("20261101", "20261104"),
    "another day's sweep": OWN.replace("20261101", "20261104"),
    "another cluster": OWN.replace("payments-eu", "orders-eu"),
    "another table": OWN.replace("sweeps", "topics"),
    "a commit": OWN.replace("sweeps", "manifests"),
    "upwards": f"raw/sweeps/../../{OWN}",
    "a fact": "facts/intervals/ds=2026-11-01/g0001/part-payments-eu.parquet",
    "nothing": "",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for ds in DAYS:
        for number in range(3):
            at = datetime.fromisoformat(ds).replace(tzinfo=UTC) + timedelta(hours=7 * number)
            for cluster in ("orders-eu", "payments-eu"):
                land(home, cluster, at, {"sweeps": [{"admin_outcome": "ok"}]})
        judge(home, ds)
    return home


def changed(path: Path, **more: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (OWN, ("sweeps", "2026-11-01", "payments-eu", "20261101T070000.000000Z")),
        (OWN.replace("20261101T070000.000000Z", "joined12"), ("sweeps", "2026-11-01", "payments-eu", None)),
        ("raw/joined/ds=2026-11-01/payments-eu.json", ("joined", "2026-11-01", "payments-eu", None)),
        ("raw/manifests/ds=2026-11-01/payments-eu.json", None),
        ("raw/sweeps/ds=2026-11-01/notes.txt", None),
        ("raw/sweeps/ds=2026-11-01/payments-eu.parquet", None),
        ("raw/retired/ds=2026-11-01/payments-eu.json", None),
        (f"/{OWN}", None),
        (f"{OWN}\n", None),
        (OWN.replace("payments-eu", "Payments"), None),
        *((path, None) for name, path in ELSEWHERE.items() if name in ("another day's sweep", "upwards", "nothing")),
    ],
)
def test_places(path, found):
    assert raw_location(path) == found
    folder, _slash, name = path.rpartition("/")
    assert on_its_way(f"{folder}/.{name}.123.456.tmp") == found
    assert on_its_way(path) is None


@pytest.mark.parametrize(
    ("commit", "where"),
    [
        (commit, where)
        for commit in ("of a sweep", "of joined sweeps", "of what goes")
        for where in (*ELSEWHERE, "outside")
        if commit != "of what goes" or where not in ("another cluster", "another table")  # of its day
    ],
)
def test_what_lies_elsewhere_is_neither_read_nor_deleted(home, tmp_path, commit, where, monkeypatch):
    precious = tmp_path / "precious.parquet"
    precious.write_bytes(b"kept")
    named = ELSEWHERE.get(where, str(precious))
    if commit == "of a sweep":
        path = home / OWN.replace("sweeps/", "manifests/").replace("parquet", "json")
        changed(path, files=[{**json.loads(path.read_text())["files"][0], "path": named}])
    elif commit == "of joined sweeps":
        compact(home, DAYS[0], date(2026, 11, 5))
        path = home / f"raw/joined/ds={DAYS[0]}/payments-eu.json"
        sweeps = [{**one, "tables": {"sweeps": [named, 1]}} for one in json.loads(path.read_text())["sweeps"]]
        changed(path, files=[{**json.loads(path.read_text())["files"][0], "path": named}], sweeps=sweeps)
    else:
        path = home / f"raw/retired/ds={DAYS[0]}.json"
        path.parent.mkdir()
        path.write_text(json.dumps({"schema_version": 1, "ds": DAYS[0], "files": [named]}))
        with pytest.raises(ValueError, match="cannot be read"):
            retired(home, DAYS[0])
    read = []

    def noted(home, file, *more):
        read.append(file)
        return data_file_fault(home, file, *more)

    monkeypatch.setattr("kafka_fleet.store.raw.manifests.data_file_fault", noted)
    before = tree(home)
    if commit != "of what goes":
        whole, damaged = manifests(home, DAYS[0])
        assert {one.reason.split()[-4:] == ["manifest", "cannot", "be", "read"] for one in damaged} <= {True}
        assert [one.path for one in read].count(named) == (where == "another cluster" and commit == "of a sweep")
        assert len(whole) == 6 - (commit == "of a sweep")
    tidy(home, LATER)
    carry_out(home, plan(home, 2, LATER))
    assert precious.read_bytes() == b"kept"
    gone = before.keys() - tree(home).keys()
    assert {name for name in gone if DAYS[0] not in name} == set()
    assert str(path.relative_to(home)) not in gone, "evidence"


@pytest.mark.parametrize("inside", [False, True], ids=["a generation", "in a generation"])
def test_a_link_goes_and_what_it_points_at_stays(home, tmp_path, inside):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("kept")
    left = home / f"reports/ds={DAYS[3]}/g0001"
    judge(home, DAYS[3])
    if inside:
        (left / "link").symlink_to(outside)
        (left / "file").symlink_to(outside / "precious.txt")
    else:
        shutil.rmtree(left)
        left.symlink_to(outside)
    carry_out(home, plan(home, 2, LATER))
    assert not left.is_symlink()
    assert not left.exists()
    assert (outside / "precious.txt").read_text() == "kept"


def test_a_day_behind_a_link_is_left_alone(home, tmp_path):
    judge(home, DAYS[3])
    for name in ("reports", "findings"):
        shutil.move(home / name / f"ds={DAYS[3]}", tmp_path / name)
        (home / name / f"ds={DAYS[3]}").symlink_to(tmp_path / name)
    carry_out(home, plan(home, 2, LATER))
    assert {path.name for path in (tmp_path / "reports").iterdir()} >= {"g0001", "g0002"}
