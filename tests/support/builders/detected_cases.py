"""What the cases of signatures detect, as recorded: gives a judged day for each, without Spark.

`UPDATE_GOLDEN=1 python -m pytest tests/sql/checks/test_signature_cases.py -k letters` records them again.
"""

import json
from pathlib import Path
from typing import Any

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.verdicts import rival_advisories
from support.builders.letter_rows import DS, broker, finding, signature, step
from support.builders.letter_samples import payments

DETECTED = Path(__file__).resolve().parents[2] / "data" / "detections.json"
Json = dict[str, Any]


def detected() -> list[Json]:
    """Each detection with `signature` and `case`."""
    content: list[Json] = json.loads(DETECTED.read_text(encoding="utf-8"))
    return content


def judged(one: Json, release: str = "3.3.1") -> tuple[ClusterReport, list[Finding]]:
    """A day on which this was detected, on a production cluster of three brokers.

    Confirmed where a known issue shows itself by it and the detection is conclusive, else a look-alike.
    """
    words = load_signatures()[one["signature"]]
    rivals = rival_advisories(load_advisories(), one["signature"], one["cause"])
    advisory = next(iter(rivals.values()), None) if one["strength"] == "conclusive" else None
    row = finding(
        advisory.id if advisory else None,
        "confirmed" if advisory else "look_alike",
        signature=one["signature"],
        cause=one["cause"],
        strength=one["strength"],
        severity=advisory.severity if advisory else "info",
        components=list(advisory.components) if advisory else None,
        exposure="exposed" if advisory else None,
        signature_state="detected",
        release=release if advisory else None,
        subjects=one["subjects"],
        upgrade_to="4.2.2" if advisory and not advisory.setting else None,
        workaround=advisory.workaround if advisory else None,
        evidence=one["evidence"],
        bounds=one["bounds"],
    )
    rest = [finding(name, "exposed", severity=known.severity, components=list(known.components))
            for name, known in load_advisories().items() if advisory is None or name != advisory.id][:25]  # fmt: skip
    keys = [row["advisory"]] if advisory else []
    closes = [*keys, *(other["advisory"] for other in rest[:12])]
    content = payments() | {
        "signatures": [signature(words.id, words.title, "detected", detections=[])],
        "plan": {
            "now": step("broker", "3.3.2", keys) if advisory else None,
            "next": step("broker", "4.2.2", closes),
            "clients": step("client", "4.2.2", [other["advisory"] for other in rest[12:20]]),
        },
    }
    content["coverage"] |= {"brokers": [broker(number) for number in (1, 2, 3)]}
    return ClusterReport.model_validate(content | {"ds": DS}), [Finding.model_validate(each) for each in (row, *rest)]
