"""A cluster whose sweeps of a day hold more than a day may is set aside before any query reads them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from fleet_spark.query_profiles import ROW_BYTES, few, weight
from kafka_fleet.store.excluded_clusters import set_aside
from kafka_fleet.store.raw import day_quota
from kafka_fleet.store.raw.day_quota import DayHeld, beyond_quota
from kafka_fleet.store.raw.manifests import DataFile, Manifest, manifests
from support.homes.recorded import changed, land_all, recorded_day, write_home
from support.spark_runs.analysed import analyse

AT = datetime(2026, 11, 20, 10, tzinfo=UTC)


def sweep(cluster: str, number: int, *files: tuple[str, int, int]) -> Manifest:
    named = {path: DataFile(path, f"raw/{path}", rows, size, "") for path, rows, size in files}
    return Manifest(cluster, f"{number}", AT, 1, named)


def test_rows_and_bytes_of_a_day_are_bounded_and_a_shared_file_counts_once() -> None:
    half = day_quota.ROWS // 2
    joined = [sweep("joined", number, ("all", day_quota.ROWS, day_quota.BYTES)) for number in range(144)]
    rows = [sweep("rows", number, (f"rows{number}", half + number, 1)) for number in range(2)]
    size = [sweep("bytes", number, (f"bytes{number}", 1, day_quota.BYTES // 2 + number)) for number in range(2)]
    assert beyond_quota([*joined, *rows, *size]) == {
        "bytes": DayHeld(2, 2, day_quota.BYTES + 1),
        "rows": DayHeld(2, day_quota.ROWS + 1, 2),
    }


def test_a_day_of_the_largest_cluster_is_half_of_it() -> None:
    largest = [sweep("largest", number, (f"{number}", 2_000_000, 12_000_000)) for number in range(144)]
    assert beyond_quota(largest) == {}
    assert beyond_quota(largest + [sweep("largest", n, (f"again{n}", 2_000_000, 12_000_000)) for n in range(157)]) != {}


@pytest.mark.sampled("hostile-days")
def test_such_a_cluster_is_set_aside_with_its_figures_and_the_others_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, beside = tmp_path / "alone", tmp_path / "beside"
    for home in (alone, beside):
        write_home(home, ["follower331"])
    land_all(beside, changed("crowd331", "hoarder", lambda _sweeps: None))
    like = analyse(alone, recorded_day(), signatures=["fetch_latency"])
    kept = {cluster: held for cluster, held in _held(beside).items() if cluster == "follower331"}
    monkeypatch.setattr(day_quota, "ROWS", kept["follower331"])
    day = analyse(beside, recorded_day(), signatures=["fetch_latency"])
    why = set_aside(beside, recorded_day(), day.generation)
    assert list(why) == ["hoarder"]
    assert why["hoarder"].startswith("Not judged on this day: its ")
    assert f"the most that is judged of one cluster and day is {kept['follower331']:,} rows" in why["hoarder"]
    assert json.dumps(day.findings("follower331")) == json.dumps(like.findings("follower331"))
    assert {one["verdict"] for one in day.findings("hoarder")} == {"unknown"}


def _held(home: Path) -> dict[str, int]:
    found: dict[str, dict[str, int]] = {}
    for one in manifests(home, recorded_day())[0]:
        found.setdefault(one.cluster, {}).update({file.path: file.rows for file in one.files.values()})
    return {cluster: sum(rows.values()) for cluster, rows in found.items()}


def test_long_texts_make_few_rows_many() -> None:
    names = pa.table({"group_id": ["g" * 250] * 20_000, "topic": ["t" * 1_000] * 20_000})
    assert few(weight(names.slice(0, 10)))
    assert weight(names) * ROW_BYTES <= names.nbytes < (weight(names) + 1) * ROW_BYTES
    assert weight(pa.table({"one": list(range(1_000))})) == 1_000
