"""What a signature found on one cluster and day: plain data, and the joining of detections that say the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kafka_fleet.domain import SignatureState, Strength


@dataclass(frozen=True)
class Detection:
    """One cause found on some subjects ("broker 2", "topic orders").

    evidence: as findings have it (docs/reference/findings.md). cycles: class.method on the stacks of each circle of
    threads that wait for each other for ever, where the JVM found one.
    """

    cause: str
    strength: Strength
    subjects: tuple[str, ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    bounds: Any = None
    cycles: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True)
class SignatureResult:
    """A signature on one cluster and day. `missing` names absent inputs, also when it was evaluated in part."""

    signature: str
    state: SignatureState
    detections: tuple[Detection, ...] = ()
    missing: tuple[str, ...] = ()


def merge_detections(found: Sequence[Detection], causes: Sequence[str]) -> Detection | None:
    """Join the detections of the best cause: conclusive before suggestive, then in the order of `causes`."""
    ranked = sorted(found, key=lambda d: (d.strength != "conclusive", causes.index(d.cause)))
    if not ranked:
        return None
    cause, strength = ranked[0].cause, ranked[0].strength
    same = [d for d in found if (d.cause, d.strength) == (cause, strength)]
    subjects = tuple(dict.fromkeys(subject for d in same for subject in d.subjects))
    bounds = next((d.bounds for d in same if d.bounds is not None), None)
    cycles = tuple(cycle for d in same for cycle in d.cycles)
    return Detection(cause, strength, subjects, tuple(row for d in same for row in d.evidence), bounds, cycles)
