"""One line of evidence: takes a number and what it was measured over, gives it as findings have it."""

from datetime import UTC, datetime
from math import isfinite
from typing import Any, Protocol


class Worded(Protocol):
    """What a line of evidence is: of a signature or of a condition."""

    metric: str
    unit: str

    @property
    def mbean(self) -> str:
        """Where the number was read."""


def iso(moment: datetime) -> str:
    """A moment as documents have it, UTC to the second. Spark hands out naive times of the session's zone, UTC."""
    return moment.replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def figure(
    line: Worded, value: Any, threshold: float | None, where: str | None, from_at: Any, to_at: Any
) -> dict[str, Any] | None:
    """One line of evidence (docs/reference/findings.md); None where there is no number, or no moment that it is of."""
    if value is None or not isfinite(value) or from_at is None or to_at is None:
        return None
    return {
        "metric": line.metric,
        "value": round(float(value), 4),
        "unit": line.unit,
        "threshold": threshold,
        "where": where or "",
        "from": iso(from_at),
        "to": iso(to_at),
        "mbean": line.mbean,
    }
