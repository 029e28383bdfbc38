"""The fleet that a run keeps: it reads as the fleet file did, and the judge takes it before any file."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fleet_spark.judge import _fleet
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.config.fleet import load_fleet
from kafka_fleet.store.fleet_snapshot import is_kept, keep_fleet, kept_fleet
from kafka_fleet.store.versions import NewerVersion

DS, ROOT = "2026-11-20", Path(__file__).resolve().parents[3]


@pytest.fixture
def fleet(tmp_path):
    path = tmp_path / "fleet.yaml"
    text = (ROOT / "fleet.example.yaml").read_text(encoding="utf-8")
    path.write_text(text + "\n  - {id: broken, environment: nowhere}\n", encoding="utf-8")
    return load_fleet(path)


def test_it_reads_as_the_file_did(tmp_path, fleet):
    assert fleet.clusters
    assert fleet.invalid
    assert (kept_fleet(tmp_path, DS, "g0001"), is_kept(tmp_path, DS, "g0001")) == (None, False)
    keep_fleet(tmp_path, DS, "g0001", fleet)
    found = kept_fleet(tmp_path, DS, "g0001")
    assert (found, found.invalid, is_kept(tmp_path, DS, "g0001")) == (fleet, fleet.invalid, True)


def test_the_judge_takes_it_before_the_file_and_a_replay_does_not(tmp_path, fleet):
    changed = tmp_path / "changed.yaml"
    changed.write_text("version: 1\nclusters: []\n")
    keep_fleet(tmp_path, DS, "g0001", fleet)
    run = {"home": tmp_path, "results": tmp_path, "ds": DS, "generation": "g0001", "sql": sql_dir()}
    assert _fleet(SimpleNamespace(**run), changed) == fleet
    assert _fleet(SimpleNamespace(**run), None) == fleet
    assert _fleet(SimpleNamespace(**run | {"results": tmp_path / "replays/r0001"}), changed).clusters == []
    assert _fleet(SimpleNamespace(**run | {"generation": "g0002"}), changed).clusters == []
    assert _fleet(SimpleNamespace(**run | {"generation": "g0002"}), None).clusters == []


def test_one_of_a_newer_version_is_refused(tmp_path):
    path = tmp_path / f"runs/ds={DS}/g0001.fleet"
    path.parent.mkdir(parents=True)
    path.write_text('{"schema_version": 99, "clusters": [], "errors": []}')
    with pytest.raises(NewerVersion, match="newer version"):
        kept_fleet(tmp_path, DS, "g0001")
