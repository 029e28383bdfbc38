"""A cluster's verdicts as OpenVEX: takes its findings and report of a day, gives one document.

https://github.com/openvex/spec, version 0.2.0. The product is the cluster, since a verdict rests on its settings as
well; its subcomponents are the software that the issue is in. What is judged of settings and operations alone is no
defect of software and is left out.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from kafka_fleet.base.version import __version__
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.export.osv import osv_id
from kafka_fleet.export.packages import cluster_purl, is_defect, links, subcomponents
from kafka_fleet.knowledge.advisories import SERVER, Advisory
from kafka_fleet.knowledge.ranges import Affected
from kafka_fleet.knowledge.releases import comparable_release
from kafka_fleet.knowledge.verdicts import meaning

CONTEXT = "https://openvex.dev/ns/v0.2.0"
Json = dict[str, Any]


def openvex(
    report: ClusterReport, findings: Sequence[Finding], advisories: Mapping[str, Advisory], author: str, version: int
) -> Json | None:
    """The document of a cluster's day; None where no defect was judged. version: higher when it is judged again."""
    releases = sorted({one.release for one in report.coverage.brokers if one.release})
    judged = [(finding, advisories.get(finding.advisory or "")) for finding in findings]
    statements = [_statement(report, one, issue, releases) for one, issue in judged if issue and is_defect(issue)]
    if not statements:
        return None
    end = date.fromisoformat(report.ds) + timedelta(days=1)
    return {
        "@context": CONTEXT,
        "@id": f"urn:uuid:{uuid5(NAMESPACE_URL, f'kafka-fleet-health/{report.cluster}/{report.ds}')}",
        "author": author,
        "timestamp": f"{end.isoformat()}T00:00:00Z",
        "version": version,
        "tooling": f"kafka-fleet-health {__version__}",
        "statements": statements,
    }


def _statement(report: ClusterReport, finding: Finding, advisory: Advisory, releases: Sequence[str]) -> Json:
    parts = [{"@id": purl, "identifiers": {"purl": purl}} for purl in subcomponents(advisory, releases)]
    cluster = cluster_purl(report.cluster)
    product = {"@id": cluster, "identifiers": {"purl": cluster}, "subcomponents": parts}
    address = next((url for _kind, url in links(advisory)), None)
    vulnerability = {"name": advisory.id, "description": advisory.title, "aliases": [osv_id(advisory.id)]}
    return {
        "vulnerability": ({"@id": address} if address else {}) | vulnerability,
        "products": [product],
        **_status(finding, advisory, report),
    }


def _status(finding: Finding, advisory: Advisory, report: ClusterReport) -> Json:
    """The status with what the specification asks for beside it."""
    claim = meaning(finding.verdict, finding.exposure, True, finding.signature_state == "detected")
    notes = f"Verdict of {finding.ds}: {finding.verdict}."
    if finding.verdict in ("confirmed", "exposed"):
        to = f"Upgrade ({advisory.upgrade_component}) to {finding.upgrade_to}. " if finding.upgrade_to else ""
        return {
            "status": "affected",
            "status_notes": f"{notes} {claim}" if finding.verdict == "confirmed" else notes,
            "action_statement": f"{to}Until then: {advisory.workaround}" if to else advisory.workaround,
        }
    if finding.exposure != "not_exposed":
        missing = "; ".join(one.rstrip(".") for one in finding.missing[:3])
        said = f"{notes} Not known: {missing}." if missing else notes
        return {"status": "under_investigation", "status_notes": said}
    affected = advisory.affected.releases if advisory.affected else Affected(None, (), ())
    return {**_ruled_out(advisory, affected, report), "status_notes": notes}


def _ruled_out(advisory: Advisory, affected: Affected, report: ClusterReport) -> Json:
    """Why a cluster is not exposed: fixed or not yet there by its releases, else a precondition that does not hold.

    A setting is never `inline_mitigations_already_exist`: that is for what no user can switch off.
    """
    releases = [comparable_release(one.release) for one in report.coverage.brokers]
    known = [one for one in releases if one is not None]
    server = set(advisory.components) <= SERVER
    if server and known and len(known) == len(releases) and not any(one in affected for one in known):
        first = min(known)
        if any(fix <= first for fix in affected.fixed):
            return {"status": "fixed"}
        return {
            "status": "not_affected",
            "justification": "vulnerable_code_not_present",
            "impact_statement": f"No broker runs a release that has it: {', '.join(sorted({str(r) for r in known}))}.",
        }
    required = [one.description for one in advisory.preconditions if one.kind == "required"]
    if server and required:
        return {
            "status": "not_affected",
            "justification": "vulnerable_code_not_in_execute_path",
            "impact_statement": "It needs what this cluster does not have: " + " ".join(required),
        }
    return {
        "status": "not_affected",
        "impact_statement": f"By release and settings, no broker and client that was seen on {report.ds} has it.",
    }
