"""Every signature on its own cases: given rows, expected state, causes, strengths, subjects and missing inputs."""

import json
import os
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from fleet_spark.cluster_report import detection_report
from fleet_spark.facts import fact_queries
from fleet_spark.signatures import Measured, run_signatures
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.schema.raw_tables import raw_schemas
from support.builders.cases import Case, cases, rows_of
from support.builders.detected_cases import DETECTED
from support.spark_runs.analysed import spark
from support.spark_runs.fact_schemas import fact_schemas
from support.spark_runs.given_rows import give_all

pytestmark = pytest.mark.timeout(1800)
SIGNATURES = load_signatures(sql_dir())
ALL = [case for name in SIGNATURES for case in cases(sql_dir() / "signatures" / name)]


@cache
def measured(signature: str) -> dict[str, Measured]:
    """Cluster -> result: all cases of a signature are clusters of one run."""
    own = [case for case in ALL if case.signature == signature]
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in own:
        for table, found in rows_of(case, fact_schemas()).items():
            rows[table] += found
    give_all(spark(), fact_schemas(), rows)
    overrides = {case.cluster: {signature: case.thresholds} for case in own}
    found = run_signatures(spark(), [SIGNATURES[signature]], overrides)
    return {cluster: one[signature] for cluster, one in found.items() if one}


@pytest.mark.fault(31, 33, 36, 37)
@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.signature}/{case.name}")
def test_case(case: Case) -> None:
    result = measured(case.signature)[case.cluster].result
    wanted = case.expect.get("detections", [])
    assert result.state == case.expect["state"], result
    assert [(d.cause, d.strength) for d in result.detections] == [(d["cause"], d["strength"]) for d in wanted]
    for found, expected in zip(result.detections, wanted, strict=True):
        assert list(found.subjects) == expected["subjects"]
        assert found.evidence
        assert expected.get("bounds", found.bounds) == found.bounds
        told = {line["metric"]: line["value"] for line in found.evidence}
        metrics = {line.value: line.metric for line in SIGNATURES[case.signature].evidence}
        for name, value in expected.get("evidence", {}).items():  # null: nothing is told of it
            assert told.get(metrics[name]) == value, name
    assert list(result.missing) == case.expect.get("missing", [])


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_signature_has_cases_of_every_kind(signature: str) -> None:
    own = [case for case in ALL if case.signature == signature]
    assert {case.kind for case in own} == {"fires", "healthy", "look_alike", "missing"}
    for case in own:
        assert (case.expect["state"] == "detected") == bool(case.expect.get("detections")), case.name
        if case.kind == "fires":
            assert case.expect["detections"]
        if case.kind == "healthy":
            assert case.expect["state"] == "quiet"
        if case.kind == "missing":
            assert case.expect.get("missing")


def test_no_step_of_a_signature_hides_a_fact_table() -> None:
    steps = {step for one in SIGNATURES.values() for step in one.steps}
    assert not steps & (set(fact_queries(sql_dir())) | {f"raw_{table}" for table in raw_schemas()})


def test_detections_of_cases_are_those_that_letters_are_tested_on() -> None:
    """One of each cause, strength and main figure. UPDATE_GOLDEN=1 writes the file; look at the difference."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for case in ALL:
        for one in measured(case.signature)[case.cluster].result.detections:
            kind = (case.signature, one.cause, one.strength, str(one.evidence[0]["metric"]))
            found.setdefault(kind, {"signature": case.signature, "case": case.name, **detection_report(one).plain()})
    text = "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False, sort_keys=True) for one in found.values()) + "\n]\n"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        DETECTED.write_text(text, encoding="utf-8")
    assert text == DETECTED.read_text(encoding="utf-8")
