"""Coverage is one query a day whatever clusters override, and each cluster is held to its own thresholds."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fleet_spark import coverage, signatures
from fleet_spark.failures import running
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.detections import SignatureResult
from kafka_fleet.knowledge.signatures import load_signatures
from support.builders.cases import cases, rows_of
from support.spark_runs.analysed import spark
from support.spark_runs.fact_schemas import fact_schemas
from support.spark_runs.given_rows import give_all

pytestmark = pytest.mark.timeout(600)
SIGNATURE = "isr_stagnation"
ASKED = (SIGNATURE, "unclean_restart")
OF_OTHERS = "no two reads, so whether it was restarted is not known"


def run(
    monkeypatch: pytest.MonkeyPatch, overrides: dict[str, dict[str, float]]
) -> tuple[dict[str, SignatureResult], Counter[str]]:
    """Clusters of which one broker of three was read twice only: results of SIGNATURE, and how often each query ran."""
    case = next(one for one in cases(sql_dir() / "signatures" / SIGNATURE) if one.name == "complete_in_sync_sets")
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for table, given in rows_of(case, fact_schemas()).items():
        rows[table] = [{**row, "cluster": cluster} for row in given for cluster in overrides]
    for row in rows["broker_days"]:
        row["ok_reads"] = 2 if row["broker"] == 1 else row["ok_reads"]
    give_all(spark(), fact_schemas(), rows)
    ran: Counter[str] = Counter()

    @contextmanager
    def counted(name: str) -> Iterator[None]:
        ran[name] += 1
        with running(name):
            yield

    monkeypatch.setattr(signatures, "running", counted)
    monkeypatch.setattr(coverage, "running", counted)
    asked = {cluster: {SIGNATURE: own} for cluster, own in overrides.items()}
    found = signatures.run_signatures(spark(), [load_signatures(sql_dir())[name] for name in ASKED], asked)
    assert all(OF_OTHERS in text for one in found.values() for text in one["unclean_restart"].result.missing)
    return {cluster: one[SIGNATURE].result for cluster, one in found.items()}, ran


def test_a_cluster_has_its_own_thresholds_without_a_run_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    overrides = {"plain": {}, "lenient": {"min_coverage": 0.0}, "two-reads": {"min_sweeps": 2.0}}
    found, ran = run(monkeypatch, overrides)
    said = ("broker 1: fewer than 3 reads, so whether followers there are caught up is not known",)
    assert {cluster: (one.state, one.missing) for cluster, one in found.items()} == {
        "plain": ("not_evaluated", said),
        "lenient": ("quiet", said),
        "two-reads": ("quiet", ()),
    }
    assert ran["needs"] == 1
    assert {ran[f"unclean_restart/{view}"] for view in load_signatures(sql_dir())["unclean_restart"].steps} == {1}
    assert {ran[f"{SIGNATURE}/{view}"] for view in load_signatures(sql_dir())[SIGNATURE].steps} == {1}


def test_clusters_of_other_thresholds_are_computed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    found, ran = run(monkeypatch, {"plain": {}, "short": {"min_frozen_s": 60.0}, "long": {"min_frozen_s": 86_400.0}})
    assert {ran[f"{SIGNATURE}/{view}"] for view in load_signatures(sql_dir())[SIGNATURE].steps} == {1}
    assert ran["needs"] == 1
    assert found["short"].missing == found["plain"].missing
    assert found["long"].missing == (
        "the sweeps cover 3600 s; an in-sync set counts as frozen after 86400 s", *found["plain"].missing
    )  # fmt: skip
