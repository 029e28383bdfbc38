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
from kafka_fleet.export.packages import is_defect, links, products
from kafka_fleet.export.ruled_out import ruled_out
from kafka_fleet.knowledge.advisories import CLIENT, Advisory
from kafka_fleet.knowledge.exposure_states import in_range
from kafka_fleet.knowledge.verdicts import meaning

CONTEXT = "https://openvex.dev/ns/v0.2.0"
Json = dict[str, Any]


def openvex(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    author: str,
    version: int,
    further: Sequence[str] = (),
) -> Json | None:
    """The document of a cluster's day; None where no defect was judged.

    version: higher when it is judged again. further: package URLs of products beside the cluster.
    """
    judged = [(finding, advisories.get(finding.advisory or "")) for finding in findings]
    statements = [_statement(report, one, issue, further) for one, issue in judged if issue and is_defect(issue)]
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


def _statement(report: ClusterReport, finding: Finding, advisory: Advisory, further: Sequence[str]) -> Json:
    status = _status(finding, advisory, report)
    releases = [one.release for one in report.coverage.brokers] or [None]
    if status["status"] in ("affected", "under_investigation"):  # it is not in a release without it
        having = [one for one in releases if in_range(advisory, one, "")[0] is not False]
        releases = having if having or set(advisory.components) & CLIENT else releases
    address = next((url for _kind, url in links(advisory)), None)
    vulnerability = {"name": advisory.id, "description": advisory.title, "aliases": [osv_id(advisory.id)]}
    return {
        "vulnerability": ({"@id": address} if address else {}) | vulnerability,
        "products": products(report.cluster, advisory, releases, further),
        **status,
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
    return {**ruled_out(advisory, report), "status_notes": notes}
