"""The known issues as OSV: takes an advisory and the published releases, gives one document.

https://ossf.github.io/osv-schema/, version 1.7.5. Ids begin with `x_`, which the schema has for databases that
osv.dev does not collect: these records say what this project found in Kafka's history, under the ids of others. A CVE
is an alias of its record, so that scanners take both for one.
"""

from itertools import pairwise
from typing import Any

from kafka_fleet.export.packages import GROUP, artifacts, cve, links, maven_purl
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.ranges import Affected
from kafka_fleet.knowledge.releases import Catalogue, catalogue

SCHEMA = "1.7.5"
PREFIX = "x_KAFKA-FLEET-"
Json = dict[str, Any]


def osv_id(advisory: str) -> str:
    """The id of an advisory's record."""
    return f"{PREFIX}{advisory}"


def events(affected: Affected, known: Catalogue) -> list[Json]:
    """The affected releases as OSV's events, by version: exact for every release that is known.

    A line that got the fix ends a range, and the next line without it begins another. Releases before the first known
    one have what that has.
    """
    releases = sorted({*known.dates, *known.expected})
    inside = [release in affected for release in releases]
    found: list[Json] = [{"introduced": "0"}] if inside[0] else []
    for (_was, had), (release, has) in pairwise(zip(releases, inside, strict=True)):
        if has and not had:
            found.append({"introduced": str(release)})
        elif had and not has:
            found.append({"fixed": str(release)})
    return found


def osv_record(advisory: Advisory) -> Json:
    """The document of one issue that is a defect (packages.is_defect). Raises ValueError for another.

    `modified` is the day up to which the table of releases is complete: what is affected can change with it.
    """
    if advisory.affected is None:
        raise ValueError(f"{advisory.id} is in no release")
    known = catalogue()
    related = sorted({text for text in advisory.sources if cve(text)} - {advisory.id})
    ranges = [{"type": "ECOSYSTEM", "events": events(advisory.affected.releases, known)}]
    packages = [
        {"ecosystem": "Maven", "name": f"{GROUP}:{name}", "purl": maven_purl(name)} for name in artifacts(advisory)
    ]
    return {
        "schema_version": SCHEMA,
        "id": osv_id(advisory.id),
        "modified": f"{known.as_of.isoformat()}T00:00:00Z",
        **({"aliases": [advisory.id]} if cve(advisory.id) else {}),
        **({"related": related} if related else {}),
        "summary": advisory.title,
        "details": "\n\n".join(
            (advisory.summary, advisory.mechanism, f"Until then: {advisory.workaround}", advisory.why_upgrade)
        ),
        "affected": [{"package": package, "ranges": ranges} for package in packages],
        "references": [{"type": kind, "url": url} for kind, url in links(advisory)],
        "database_specific": {
            "severity": advisory.severity,
            "category": advisory.category,
            "components": list(advisory.components),
            "confidence": advisory.confidence,
            "preconditions": [one.description for one in advisory.preconditions],
            "signature": advisory.signature.id if advisory.signature else None,
            "sources": list(advisory.sources),
        },
    }
