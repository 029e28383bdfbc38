"""Why a cluster is not exposed to a defect: takes an advisory and the day's report, gives what OpenVEX says of it.

The verdict does not say what ruled it out, so this says no more than its releases and its mode show: where several
preconditions may be the one that does not hold, it names them all and says that one of them is it.
"""

from collections.abc import Sequence
from typing import Any

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.knowledge.advisories import SERVER, Advisory
from kafka_fleet.knowledge.exposure_states import in_range
from kafka_fleet.knowledge.predicates import ClientConfig, ClusterMode
from kafka_fleet.knowledge.releases import Release, comparable_release

Json = dict[str, Any]


def ruled_out(advisory: Advisory, report: ClusterReport) -> Json:
    """Fixed or not yet there by its releases, else a precondition that does not hold.

    A setting is never `inline_mitigations_already_exist`: that is for what no user can switch off.
    """
    if set(advisory.components) <= SERVER:
        texts = [one.release for one in report.coverage.brokers]
        inside = [in_range(advisory, one, "")[0] for one in texts]
        if inside and all(one is False for one in inside):
            return _without_it(advisory, [one for one in texts if one is not None])
        if said := _lacking(advisory, report.mode, inside):
            return {
                "status": "not_affected",
                "justification": "vulnerable_code_not_in_execute_path",
                "impact_statement": said,
            }
    return {
        "status": "not_affected",
        "impact_statement": f"No broker and client that was seen on {report.ds} has it, by releases, roles, settings "
        "and what the cluster's owner declares.",
    }


def _without_it(advisory: Advisory, texts: Sequence[str]) -> Json:
    """Every broker's release is without it. texts: the releases."""
    known = [one for one in map(comparable_release, texts) if one is not None]
    fixed: Sequence[Release] = advisory.affected.releases.fixed if advisory.affected else ()
    if len(known) == len(texts) and any(fix <= min(known) for fix in fixed):
        return {"status": "fixed"}
    names = [str(one) for one in sorted(set(known))]
    names += sorted({one for one in texts if comparable_release(one) is None})
    return {
        "status": "not_affected",
        "justification": "vulnerable_code_not_present",
        "impact_statement": f"No broker runs a release that has it: {', '.join(names)}.",
    }


def _lacking(advisory: Advisory, mode: str | None, inside: Sequence[bool | None]) -> str | None:
    """Which preconditions may be the one that does not hold; None where none is known that could be.

    inside: of each broker, whether its release has the issue; None: not known.
    """
    candidates = []
    for one in advisory.preconditions:
        if isinstance(one.test, ClusterMode) and mode is not None:
            if one.test.mode != mode:  # enough by itself, and known
                return f"It needs this, which does not hold here: {one.description}"
        elif one.kind == "required" or isinstance(one.test, ClientConfig):  # the latter is what an owner may declare
            candidates.append(one.description)
    if not candidates:
        return None
    alone, where = len(candidates) == 1, "here"
    if False in inside:  # those are ruled out by their release, so nothing is known of their settings
        unread = " or is not known" if None in inside else ""
        nodes = " or ".join(sorted(set(advisory.components)))
        where = f"on {'any' if alone else 'each'} {nodes} whose release has it{unread}"
    begun = "It needs this, which does" if alone else "It needs all of these, and at least one does"
    return f"{begun} not hold {where}: {' '.join(candidates)}"
