"""Raw that every version of the program wrote is read, judged and joined by this one; newer raw is refused."""

import json
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.manifests import Manifest, manifests, read_rows
from support.homes.golden_homes import NEWEST, unpack, versions
from support.homes.make_golden_home import APPLIED, CONVERTED, COPIED, NO_CIRCLE, STATES, UNPUSHED
from support.homes.recorded import recorded_day
from support.spark_runs.analysed import Analysed, analysed

pytestmark = [pytest.mark.timeout(1800), pytest.mark.fault(50)]  # the first test waits for the analysis that all read
ABSENT = {  # what older versions did not have: columns, or None for the whole table
    "raw-e542039": {"topics": {"topic_id"}, "producers": None},
    "raw-c55e5ff": {"producers": None},
}
# what the newest alone has, what it and the one before have, and so on
CIRCLES: dict[str, Any] = {"broker_metrics": set(NO_CIRCLE)}
PUSHED: dict[str, Any] = {**CIRCLES, "sweeps": set(UNPUSHED)}
METERS = {*NO_CIRCLE, *CONVERTED}
LAST: dict[str, Any] = {**PUSHED, "broker_metrics": METERS, "broker_topics": {*CONVERTED, *COPIED}}
COORDINATORS: dict[str, Any] = {**LAST, "broker_metrics": {*METERS, *STATES}}
QUORUM: dict[str, Any] = {**LAST, "broker_metrics": {*METERS, *STATES, *APPLIED}, "quorum_replicas": None}
DESCRIPTORS = {"open_file_descriptors", "max_file_descriptors"}
ROOM: dict[str, Any] = {**QUORUM, "broker_metrics": {*QUORUM["broker_metrics"], *DESCRIPTORS}, "disks": None}
BEFORE, WITH_QUORUM, WITH_STATES, WITH_COPIES = "raw-80f34c1", "raw-bba2508", "raw-245cc73", "raw-d9040c7"
WITH_PUSHED = "raw-1cce2c9a"
LACKS = {
    NEWEST: {},
    WITH_PUSHED: CIRCLES,
    WITH_COPIES: PUSHED,
    WITH_STATES: LAST,
    WITH_QUORUM: COORDINATORS,
    BEFORE: QUORUM,
}
LATER = {"partitions": {"previous_log_end_offset", "previous_log_start_offset"}, "sweeps": {"previous_sweep_at"}}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("golden")
    unpack(found, "raw")
    return found


def sweeps(home: Path, cluster: str) -> list[Manifest]:
    whole, damaged = manifests(home, recorded_day())
    assert damaged == []
    return [one for one in whole if one.cluster == cluster]


def rows(home: Path, cluster: str) -> dict[str, list[str]]:
    """By table, without the cluster's name; sorted, since compaction may not keep the order of tables."""
    landed = sweeps(home, cluster)
    read = {table: read_rows(home, landed, table) for table in raw_schemas()}
    return {
        table: sorted(json.dumps({**row, "cluster": "", "declaration": ""}, default=str) for row in found)
        for table, found in read.items()
    }


@pytest.fixture(scope="module")
def newest(home: Path) -> dict[str, list[str]]:
    return rows(home, NEWEST)


def nulled(found: list[str], columns: set[str]) -> list[str]:
    return sorted(json.dumps({**json.loads(row), **dict.fromkeys(columns)}) for row in found)


def test_there_is_one_of_every_version():
    assert versions("raw") == sorted(
        f"raw-{c}"
        for c in (
            "e542039",
            "c55e5ff",
            "2f1bfbb",
            "7e8db99",
            "576ba06",
            "1f62e4c",
            "babf25d",
            "8e56a68",
            "4b3ce4c",
            "80f34c1",
            "bba2508",
            "245cc73",
            "d9040c7",
            "1cce2c9a",
            "14dcb302",
        )
    )


@pytest.mark.parametrize("cluster", versions("raw"))
def test_every_row_is_read_and_what_was_not_written_is_null(home: Path, newest: dict[str, list[str]], cluster: str):
    assert len(sweeps(home, cluster)) == 3
    found = rows(home, cluster)
    before_joined = cluster in (*ABSENT, "raw-2f1bfbb")
    for table in raw_schemas():
        lacks = ABSENT.get(cluster, {}) | LACKS.get(cluster, ROOM)
        absent = lacks.get(table, set())
        expected = [] if absent is None else newest[table]
        gone = (absent or set()) | (LATER.get(table, set()) if before_joined else set())
        assert found[table] == (nulled(expected, gone) if gone else expected), table
    assert found["groups"], "the table that the first version spelled otherwise"


def test_joining_the_first_version_anew_loses_nothing(home: Path, tmp_path: Path):
    copied = Path(shutil.copytree(home, tmp_path / "home"))
    before = rows(home, "raw-e542039")
    compact(copied, recorded_day(), date.fromisoformat(recorded_day()) + timedelta(days=1))
    assert [one.joined for one in sweeps(copied, "raw-e542039")] == [True, True, False]
    assert rows(copied, "raw-e542039") == before


@pytest.mark.parametrize("cluster", [name for name in versions("raw") if name != NEWEST])
def test_old_raw_is_judged_as_new_raw_is(cluster: str):
    day: Analysed = analysed()

    def said(name: str) -> list[Row]:
        names = ("advisory", "signature", "cause", "strength", "verdict", "release", "subjects", "evidence")
        return [{key: one[key] for key in names} for one in day.findings(name)]

    def but_of_room(found: list[Row]) -> list[Row]:
        return [one for one in found if one["advisory"] != "OPS-LIMIT-NEAR"]

    newest, old = said(NEWEST), said(cluster)
    # where file descriptors were not stored: what was not measured is not said to be well
    if cluster not in (BEFORE, WITH_QUORUM, WITH_STATES, WITH_COPIES, WITH_PUSHED):
        assert [one["verdict"] for one in old if one not in but_of_room(old)] == ["unknown"]
        newest, old = but_of_room(newest), but_of_room(old)
    assert old == newest
    assert len(old) > 100


def test_raw_of_a_newer_version_is_refused_and_named(home: Path, tmp_path: Path):
    copied = Path(shutil.copytree(home, tmp_path / "home"))
    own = next(copied.glob(f"raw/manifests/*/{NEWEST}.*.json"))
    own.write_text(json.dumps({**json.loads(own.read_text()), "schema_version": 2, "more": 1}))
    joined = next(copied.glob("raw/joined/*/*.json"))
    content = json.loads(joined.read_text())
    content["sweeps"][0]["schema_version"] = 3
    joined.write_text(json.dumps(content))
    whole, damaged = manifests(copied, recorded_day())
    assert len(whole) == 3 * len(versions("raw")) - 2
    sentence = "it was written by a newer version of this program (schema_version {}, this one reads {})"
    assert sorted(one.reason for one in damaged) == [sentence.format(2, 1), sentence.format(3, 2)]
