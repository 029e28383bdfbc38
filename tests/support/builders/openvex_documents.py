"""One cluster's verdicts as an OpenVEX document that is valid by the published schema, without a home."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.export.openvex import openvex
from kafka_fleet.knowledge.advisories import load_advisories
from support.builders.letter_rows import DS
from support.builders.published_days import dossier

SCHEMAS = Path(__file__).resolve().parents[2] / "data/schemas"
IMAGE = "pkg:oci/kafka@sha256%3A0a1b?repository_url=registry.example.org/platform/kafka"


@cache
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / "openvex.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def report(*releases: str | None, mode: str | None = None) -> ClusterReport:
    made = dossier("payments-eu", DS) | {"mode": mode}
    broker = made["coverage"]["brokers"][0]
    brokers = [{**broker, "broker": number, "release": one} for number, one in enumerate(releases)]
    return ClusterReport.model_validate(made | {"coverage": made["coverage"] | {"brokers": brokers}})


def document(
    rows: list[dict[str, Any]], *releases: str | None, mode: str | None = None, further: tuple[str, ...] = ()
) -> dict[str, Any]:
    given = [Finding.model_validate(row) for row in rows]
    found = openvex(report(*releases, mode=mode), given, load_advisories(), "Example Ltd.", 3, further)
    assert found is not None
    validator().validate(found)
    return found


def statement(row: dict[str, Any], *releases: str | None, **options: Any) -> dict[str, Any]:
    (one,) = document([row], *releases, **options)["statements"]
    return one
