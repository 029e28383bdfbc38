"""What a signature detected on a cluster, as the live tests compare it: takes what was measured, gives plain values."""

from typing import Any

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from support.live.measured import Measured


def by_cause(measured: Measured, cluster: str, signature: str) -> dict[str, dict[str, Any]]:
    """Detections by cause."""
    return {one["cause"]: one for one in measured.state(cluster, signature)["detections"]}


def figures(detection: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in detection["evidence"]}


def told_for_sure(measured: Measured, cluster: str) -> list[tuple[str, str]]:
    """Signature and cause of every conclusive detection, of all signatures."""
    return [
        (signature, one["cause"])
        for signature in load_signatures(sql_dir())
        for one in measured.state(cluster, signature)["detections"]
        if one["strength"] == "conclusive"
    ]
