"""The corpus of real days: labels are of scenarios and causes that there are, every cluster is there, counts."""

from pathlib import Path

import pytest

from benchmarks.corpus import counted
from docs_generator.corpus_table import corpus_table
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from support.homes.corpus import FOLDER, MOST_BYTES, Label, archive, clusters_in, keep, labels, open_corpus
from support.live.record_corpus import RECORDED


def test_labels_name_scenarios_signatures_and_causes_that_there_are() -> None:
    known = {name: set(one.causes) for name, one in load_signatures(sql_dir()).items()}
    for cluster, one in labels().items():
        assert one.scenario in RECORDED, cluster
        for causes in (one.faults, one.beside):
            assert causes.keys() <= known.keys(), cluster
            assert all(set(named) <= known[signature] for signature, named in causes.items()), cluster


def test_every_signature_has_a_real_fault_and_more_clusters_without_it() -> None:
    for name in load_signatures(sql_dir()):
        faults = [one for one in labels().values() if name in one.faults]
        healthy = [one for one in labels().values() if name not in {**one.faults, **one.beside}]
        assert faults, name
        assert len(healthy) > 40, name


def test_every_labelled_cluster_is_in_the_corpus_and_no_other(tmp_path: Path) -> None:
    open_corpus(tmp_path)
    assert clusters_in(tmp_path) == set(labels())
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES
    assert {path.name for path in FOLDER.glob("*.tar.xz")} == {archive(one.scenario).name for one in labels().values()}


def test_only_what_is_labelled_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.homes.corpus.FOLDER", tmp_path / "kept")
    home = tmp_path / "home"
    for cluster in ("mine", "waiting"):
        for folder in ("manifests", "topics"):
            path = home / f"raw/{folder}/ds=2026-11-20/{cluster}.20261120T100000.000000Z.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")
    (home / "truth.json").write_text("{}")
    keep(home, "storms", ["mine"])
    again = tmp_path / "again"
    assert open_corpus(again) == ["2026-11-20"]
    assert clusters_in(again) == {"mine"}
    assert [path.name for path in again.iterdir()] == ["raw"]


KNOWN = {
    "well": Label("storms", "nothing"),
    "also-well": Label("storms", "nothing"),
    "ill": Label("storms", "a restart", {"reconnect_storm": ["restart"]}),
    "ill-too": Label("storms", "a restart", {"reconnect_storm": ["restart"]}, {"unclean_restart": ["killed"]}),
    "beside": Label("storms", "a roll", {}, {"reconnect_storm": ["restart"]}),
}


def row(cluster: str, state: str, *detections: tuple[str, str]) -> dict[str, object]:
    found = [{"cause": cause, "strength": strength} for cause, strength in detections]
    return {"cluster": cluster, "signature": "reconnect_storm", "state": state, "detections": found}


def test_what_no_label_allows_is_false_whatever_its_strength_and_on_faulty_clusters_too() -> None:
    rows = [
        row("well", "detected", ("deploy", "suggestive")),
        row("also-well", "not_evaluated"),
        row("ill", "detected", ("restart", "conclusive"), ("auth_failures", "suggestive")),
        row("ill-too", "quiet"),
        row("beside", "detected", ("restart", "suggestive")),
        row("stranger", "detected", ("deploy", "conclusive")),
    ]
    assert counted("reconnect_storm", rows, KNOWN) == {
        "clusters": 5,
        "healthy": 2,
        "evaluated": 1,
        "false": ["ill: auth_failures suggestive", "well: deploy suggestive"],
        "faults": 2,
        "found": 1,
        "sure": 1,
        "missed": ["ill-too"],
    }


def test_a_row_of_other_queries_is_stale_and_one_that_is_missing_says_so() -> None:
    rows = [row("ill", "detected", ("restart", "conclusive"))]
    one = {"on": "2026-11-26", "commit": "abc", "queries": "others", **counted("reconnect_storm", rows, KNOWN)}
    shown = {
        line.split("|")[1].strip(): line for line in corpus_table({"reconnect_storm": one}, sql_dir()).splitlines()
    }
    assert "**stale**" in shown["`reconnect_storm`"]
    assert "1 of 2; not ill-too" in shown["`reconnect_storm`"]
    assert "not measured" in shown["`availability`"]
