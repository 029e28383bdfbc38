"""Whether a cluster was reached and judged on a day: takes its dossier, which says so; the judge decides it, once."""

from collections.abc import Mapping
from typing import Any


def reached(dossier: Mapping[str, Any]) -> bool:
    """Whether any part of the cluster answered at least once, if only in part.

    Dossiers of earlier versions do not say so: there it is what they count, in which an answer of the Kafka protocol
    that was not whole is none.
    """
    told = dossier.get("reached")
    if told is not None:
        return bool(told)
    coverage = dossier["coverage"]
    answers = sum(b["ok"] + b["partial"] + b["truncated"] for b in coverage["brokers"]) + coverage["admin"]["ok"]
    return bool(coverage["sweeps"]) and answers > 0


def set_aside(dossier: Mapping[str, Any]) -> str | None:
    """Why the day is judged without the cluster, one whole sentence; None where it is judged, or was not reached."""
    why: str | None = dossier.get("set_aside")
    return why


def judged(dossier: Mapping[str, Any]) -> bool:
    """Whether the cluster was reached and is not set aside: else nothing that is not found is known to be healthy."""
    return reached(dossier) and set_aside(dossier) is None
