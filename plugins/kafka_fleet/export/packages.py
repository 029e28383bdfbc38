"""Software that a known issue is in, as package managers know it: takes components, gives Maven names and package URLs.

https://github.com/package-url/purl-spec
"""

from collections.abc import Sequence
from urllib.parse import quote

from kafka_fleet.knowledge.advisories import Advisory

GROUP = "org.apache.kafka"
# one build of the brokers for each line of Scala; the newest first
SERVER = ("kafka_2.13", "kafka_2.12", "kafka_2.11")
_ARTIFACTS = {
    "broker": SERVER,
    "controller": SERVER,
    "client-producer": ("kafka-clients",),
    "client-consumer": ("kafka-clients",),
    "client": ("kafka-clients",),
    "streams": ("kafka-streams",),
    "connect": ("connect-runtime",),
}


def artifacts(advisory: Advisory) -> list[str]:
    """Artifacts of org.apache.kafka that the issue is in; none where it is in a host's or a topic's settings alone."""
    return list(dict.fromkeys(name for part in advisory.components for name in _ARTIFACTS.get(part, ())))


def is_defect(advisory: Advisory) -> bool:
    """Whether it is a defect of published software: no risk of an owner's settings or operations."""
    released = advisory.affected is not None and not advisory.affected.never_released
    return released and not advisory.setting and bool(artifacts(advisory))


def maven_purl(artifact: str, version: str | None = None) -> str:
    """The package URL of an artifact, of a version or of any."""
    return f"pkg:maven/{GROUP}/{artifact}" + (f"@{quote(version, safe='')}" if version else "")


def cluster_purl(cluster: str) -> str:
    """The package URL that stands for a cluster, which is in no registry."""
    return f"pkg:generic/kafka-cluster/{quote(cluster, safe='')}"


def subcomponents(advisory: Advisory, releases: Sequence[str]) -> list[str]:
    """Package URLs of a cluster's software that the issue is in. releases: of its brokers; those of clients vary."""
    found = []
    for name in artifacts(advisory):
        if name == SERVER[0]:
            found += [maven_purl(name, release) for release in releases] or [maven_purl(name)]
        elif name not in SERVER:
            found.append(maven_purl(name))
    return found


def links(advisory: Advisory) -> list[tuple[str, str]]:
    """OSV's kind and the address of each source that has one: the issue's own first."""
    found = []
    for text in dict.fromkeys([advisory.id, *advisory.sources]):
        if text.startswith("KAFKA-") and text[6:].isdigit():
            found.append(("REPORT", f"https://issues.apache.org/jira/browse/{text}"))
        elif cve(text):
            found.append(("ADVISORY", f"https://www.cve.org/CVERecord?id={text}"))
        elif text.startswith("https://") and " " not in text:
            found.append(("WEB", text))
    return found


def cve(text: str) -> bool:
    """Whether a text is the id of a CVE record."""
    return text.startswith("CVE-") and text[4:].replace("-", "").isdigit()
