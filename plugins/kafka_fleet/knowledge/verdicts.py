"""Verdicts: takes exposures and the day's signature results, gives a row per advisory and per unexplained symptom.

The table of docs/verdicts.md, as pure functions. "Detected" means: detected with one of the advisory's causes.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kafka_fleet.domain import ExposureState, SignatureState, Strength, Verdict
from kafka_fleet.knowledge.advisories import Advisory, ShownBy
from kafka_fleet.knowledge.client_populations import (
    connected_during,
    fleet_evidence,
    fleet_subjects,
    upgrade_side,
    whereabouts,
    with_fleets,
)
from kafka_fleet.knowledge.detections import Detection, SignatureResult, merge_detections
from kafka_fleet.knowledge.exposure_states import Exposure
from kafka_fleet.knowledge.facts import GroupMember
from kafka_fleet.knowledge.signatures import load_signatures

_DETECTED: dict[tuple[ExposureState, Strength], Verdict] = {
    ("exposed", "conclusive"): "confirmed",
    ("exposed", "suggestive"): "exposed",  # footnote 1: the row carries evidence and bounds
    ("unknown", "conclusive"): "look_alike",  # footnote 2
    ("unknown", "suggestive"): "unknown",
    ("not_exposed", "conclusive"): "look_alike",  # footnote 3
    ("not_exposed", "suggestive"): "look_alike",  # footnote 3
}
_OTHERWISE: dict[ExposureState, Verdict] = {
    "exposed": "exposed",
    "unknown": "unknown",
    "not_exposed": "not_affected",
}
_SHARES_FIRST = 3


@dataclass(frozen=True)
class Row:
    """A finding without its texts. advisory None: a symptom that no confirmed advisory explains.

    subjects: of a client issue its fleets first, then those of the symptom, which `symptom` holds alone.
    """

    advisory: str | None
    signature: str | None
    cause: str | None
    strength: Strength | None
    verdict: Verdict
    exposure: ExposureState | None
    signature_state: SignatureState | None
    subjects: tuple[str, ...] = ()
    evidence: tuple[Mapping[str, Any], ...] = ()
    bounds: Any = None
    missing: tuple[str, ...] = ()
    symptom: tuple[str, ...] = ()


def verdict(
    exposure: ExposureState, state: SignatureState | None, strength: Strength | None, has_signature: bool
) -> Verdict:
    """The table. `state` detected: with one of the advisory's causes; another cause is passed as quiet.

    Raises ValueError for a detection without strength: that would silently become a weaker verdict.
    """
    if not has_signature or state != "detected":
        return _OTHERWISE[exposure]
    if strength is None:
        raise ValueError("a detection has a strength: conclusive or suggestive")
    return _DETECTED[exposure, strength]


def meaning(found: Verdict, exposure: ExposureState | None, advisory: bool, signature: bool) -> str:
    """What a finding with this verdict claims, in one sentence. advisory, signature: whether it names one."""
    match found, exposure:
        case "confirmed", _:
            return "The release is affected and the symptom was measured."
        case "exposed", _ if signature:
            return "The release is affected and the measurement points to the bug, but does not prove it."
        case "exposed", _:  # a condition of the cluster: measured, and no symptom
            return "This was read from the cluster on this day; the figures below are what it rests on."
        case "look_alike", _ if not advisory:
            return "The symptom was measured; no known bug of this cluster's releases is proven to cause it."
        case "look_alike", "unknown":
            return "The symptom was measured; this build cannot be compared and may well have the bug."
        case "look_alike", _:
            return "The symptom was measured, but this release has the fix: look for another cause."
        case "unknown", _:
            return "The measurement points to it, but whether this build is affected could not be decided."
    return "This release has the fix or lacks a condition."


def rival_advisories(
    advisories: Mapping[str, Advisory], signature: str | None, cause: str | None
) -> dict[str, Advisory]:
    """Advisories that a symptom with this cause could show, by id and sorted."""
    known = sorted(advisories.items())
    return {key: one for key, one in known if one.signature and one.signature.id == signature and cause in _causes(one)}


def _own(
    advisory: Advisory, exposed: Exposure, result: SignatureResult | None, rivals: Collection[str]
) -> Detection | None:
    """The advisory's strongest detection: one cause and strength, all its subjects and evidence.

    rivals: lines of evidence that prove another issue. What has one of these, and not that of its own, is the other's.
    """
    if advisory.signature is None or result is None or result.state != "detected":
        return None
    causes = advisory.signature.causes
    found = [d for d in result.detections if d.cause in causes]
    if advisory.signature.where == "affected_broker" and exposed.brokers:
        hit = {f"broker {number}" for number in exposed.brokers}
        named = [{s for s in d.subjects if s.startswith("broker ")} for d in found]
        found = [d for d, brokers in zip(found, named, strict=True) if not brokers or brokers & hit]
    if upgrade_side(advisory, exposed) == "client":  # a fleet that was not connected then did not do it
        found = [d for d in found if connected_during(exposed, d.evidence)]
    proof = _proof(advisory.signature)
    if proof is not None:
        found = [d for d in found if _has(d, proof) or not any(_has(d, other) for other in rivals)]
    found = [d if _proves(advisory.signature, d) else replace(d, strength="suggestive") for d in found]
    return merge_detections(found, causes)


def _proves(shown: ShownBy, found: Detection) -> bool:
    """Whether a conclusive detection is this issue's, and no other's that shows the same."""
    in_circle = not shown.cycle or any(cycle.issuperset(shown.cycle) for cycle in found.cycles)
    return shown.strength == "conclusive" and in_circle and _has(found, _proof(shown))


def _proof(shown: ShownBy) -> str | None:
    """The line of evidence without which the symptom does not prove the issue."""
    if shown.proven_by is None:
        return None
    return next(line.metric for line in load_signatures()[shown.id].evidence if line.value == shown.proven_by)


def _proofs(advisories: Mapping[str, Advisory]) -> dict[str, set[str]]:
    """By signature the lines of evidence that prove some issue."""
    found: dict[str, set[str]] = {}
    for shown in (one.signature for one in advisories.values() if one.signature):
        if (proof := _proof(shown)) is not None:
            found.setdefault(shown.id, set()).add(proof)
    return found


def _has(found: Detection, metric: str | None) -> bool:
    return metric is None or any(line["metric"] == metric and line["value"] > 0 for line in found.evidence)


def _row(
    advisory: Advisory,
    exposed: Exposure,
    results: Mapping[str, SignatureResult],
    members: Sequence[GroupMember] | None,
    rivals: Collection[str],
) -> Row:
    name = advisory.signature.id if advisory.signature else None
    result = results.get(name) if name else None
    missing = exposed.reasons if exposed.state == "unknown" else ()
    if name and result is None:
        missing += (f"signature {name} is not installed",)
    elif result is not None:
        missing += result.missing
    state: SignatureState | None = (result.state if result else "not_evaluated") if name else None
    own = _own(advisory, exposed, result, rivals)
    judged: SignatureState | None = "quiet" if state == "detected" and own is None else state
    found = verdict(exposed.state, judged, own.strength if own else None, name is not None)
    detail = own or Detection("", "suggestive")
    fleets = fleet_subjects(advisory, exposed, detail.subjects)
    evidence = detail.evidence
    if own is not None and fleets:
        shares = fleet_evidence(advisory, exposed)
        # a letter shows the first rows only: the symptom's main figure, then who causes it
        evidence = (*evidence[:1], *shares[:_SHARES_FIRST], *evidence[1:], *shares[_SHARES_FIRST:])
        missing += (whereabouts(advisory, members),)
    return Row(
        advisory.id, name, own.cause if own else None, own.strength if own else None, found, exposed.state, state,
        with_fleets(fleets, detail.subjects), evidence, detail.bounds, missing, symptom=detail.subjects,
    )  # fmt: skip


def _explained(row: Row, confirmed: Sequence[Row]) -> bool:
    return row.exposure == "not_exposed" and any(
        (c.signature, c.cause) == (row.signature, row.cause) and set(row.symptom) <= set(c.symptom) for c in confirmed
    )


def _causes(advisory: Advisory) -> list[str]:
    return advisory.signature.causes if advisory.signature else []


def _unexplained(result: SignatureResult, cause: str) -> Row:
    """The null row of one detected cause."""
    found = merge_detections([d for d in result.detections if d.cause == cause], [cause]) or Detection(
        cause, "suggestive"
    )
    return Row(
        None, result.signature, cause, found.strength, "look_alike", None, "detected",
        found.subjects, found.evidence, found.bounds, result.missing, found.subjects,
    )  # fmt: skip


def judge(
    advisories: Mapping[str, Advisory],
    exposed: Mapping[str, Exposure],
    results: Mapping[str, SignatureResult],
    members: Sequence[GroupMember] | None = None,
) -> list[Row]:
    """All rows of one cluster and day, sorted by (advisory with null last, signature, cause).

    members: of groups, to say where a client fleet may be found; None when they were not read. Raises KeyError when an
    advisory has no exposure.
    """
    rivals = _proofs(advisories)
    rows = [
        _row(one, exposed[key], results, members, rivals.get(one.signature.id, ()) if one.signature else ())
        for key, one in advisories.items()
    ]
    confirmed = [row for row in rows if row.verdict == "confirmed"]
    rows = [
        replace(row, verdict="not_affected") if row.verdict == "look_alike" and _explained(row, confirmed) else row
        for row in rows
    ]
    explained = {
        (row.signature, d.cause)
        for row in confirmed
        for d in results[row.signature or ""].detections
        if d.strength == "conclusive" and d.cause in _causes(advisories[row.advisory or ""])
    }
    rows += [
        _unexplained(result, cause)
        for result in results.values()
        if result.state == "detected"
        for cause in sorted({d.cause for d in result.detections})
        if (result.signature, cause) not in explained
    ]
    return sorted(rows, key=lambda r: (r.advisory is None, r.advisory or "", r.signature or "", r.cause or ""))
