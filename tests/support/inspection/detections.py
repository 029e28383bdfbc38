"""What a signature detected on a cluster, as the live tests compare it: takes what was measured, gives plain values."""

from typing import Any

from support.live.measured import Measured


def by_cause(measured: Measured, cluster: str, signature: str) -> dict[str, dict[str, Any]]:
    """Detections by cause."""
    return {one["cause"]: one for one in measured.state(cluster, signature)["detections"]}


def figures(detection: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in detection["evidence"]}
