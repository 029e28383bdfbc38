"""The day that comes with the program: landed once, as it was measured, and never among sweeps of somebody's own."""

import pytest

from kafka_fleet.base.errors import UsageError
from kafka_fleet.cli.trial import FLEET, LOOK_AT
from kafka_fleet.config.fleet import load_fleet
from kafka_fleet.store.raw.manifests import manifests, read_rows
from kafka_fleet.store.recorded_day import land_recorded_day
from support.homes.recorded import recorded_day, recording, write_home

CLUSTERS = tuple(LOOK_AT)


def test_it_is_landed_once_and_as_it_was_measured(tmp_path):
    ds, landed = land_recorded_day(tmp_path, CLUSTERS)
    assert (ds, {one.cluster for one in landed}) == (recorded_day(), set(CLUSTERS))
    assert [one.sweep_at for one in landed] == [one.at for name in sorted(CLUSTERS) for one in recording(name)]
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert land_recorded_day(tmp_path, CLUSTERS) == (ds, landed)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == files
    rows = read_rows(tmp_path, landed, "partitions")
    assert len(rows) == sum(len(one.rows("partitions")) for name in CLUSTERS for one in recording(name)) > 0


def test_what_is_missing_is_landed_and_half_a_sweep_is_said_to_be_one(tmp_path):
    land_recorded_day(tmp_path, ["follower331"])
    ds, landed = land_recorded_day(tmp_path, CLUSTERS)
    assert {one.cluster for one in landed} == set(CLUSTERS)
    next((tmp_path / "raw/manifests").glob("*/idle331.*.json")).unlink()
    assert len(manifests(tmp_path, ds)[0]) == len(landed) - 1
    with pytest.raises(UsageError, match="has parts of a sweep that was never finished"):
        land_recorded_day(tmp_path, CLUSTERS)


@pytest.mark.parametrize(("names", "days"), [(["slow331"], 0), (["follower331"], -1)])
def test_a_home_with_anything_else_is_refused_and_left_alone(tmp_path, names, days):
    write_home(tmp_path, names, days)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="has sweeps of its own: name another folder"):
        land_recorded_day(tmp_path, CLUSTERS)
    assert sorted(tmp_path.rglob("*")) == before


def test_its_fleet_file_has_its_clusters():
    fleet = load_fleet(FLEET)
    assert (fleet.errors, [one.id for one in fleet.clusters]) == ([], list(CLUSTERS))
