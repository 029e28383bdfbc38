"""Software that a known issue is in, as package managers know it: takes components, gives Maven names and package URLs.

https://github.com/package-url/purl-spec
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from kafka_fleet.base.text import one_line
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
_SIGNS = r"(?:[\w.~:+!$*()',;=-]|%[0-9A-Fa-f]{2})"
_PURL = re.compile(
    rf"pkg:[A-Za-z][\w.+-]*(?:/{_SIGNS}+)+(?:@{_SIGNS}+)?(?:\?(?:{_SIGNS}|[/&@])+)?(?:#(?:{_SIGNS}|/)+)?", re.ASCII
)


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


def checked_purl(text: str) -> str:
    """A package URL as it is. Raises ValueError for what is none."""
    if len(text) > 2000 or not _PURL.fullmatch(text):
        example = "pkg:oci/kafka?repository_url=registry.example.org/kafka"
        raise ValueError(f"{one_line(text, 100)!r} is no package URL, pkg:type/name, such as {example}")
    return text


def products(
    cluster: str, advisory: Advisory, releases: Sequence[str | None], further: Sequence[str]
) -> list[dict[str, Any]]:
    """OpenVEX's products: the cluster with all software that the issue is in, and what else its brokers are.

    further: package URLs of that, such as an image's; named where brokers or controllers have the issue. One that is a
    package of Kafka's is that software itself, and named where it is of one of the releases.
    """
    parts = subcomponents(advisory, releases)
    server = [one for one in parts if one.startswith(maven_purl(SERVER[0]))]
    found = [_product(cluster_purl(cluster), parts)]
    for purl in dict.fromkeys(further) if server else ():
        if not purl.startswith(maven_purl("")):
            found.append(_product(purl, server))
        elif _of_any_scala(purl) in {maven_purl(SERVER[0], one) for one in releases if one}:
            found.append(_component(purl))
    return found


def _product(purl: str, parts: Sequence[str]) -> dict[str, Any]:
    return {**_component(purl), "subcomponents": [_component(one) for one in parts]}


def _component(purl: str) -> dict[str, Any]:
    return {"@id": purl, "identifiers": {"purl": purl}}


def _of_any_scala(purl: str) -> str:
    """A package URL without qualifiers, of the newest line of Scala."""
    builds = "|".join(map(re.escape, SERVER))
    return re.sub(rf"/(?:{builds})(?=@|$)", f"/{SERVER[0]}", re.sub(r"[?#].*$", "", purl))


def subcomponents(advisory: Advisory, releases: Sequence[str | None]) -> list[str]:
    """Package URLs of a cluster's software that the issue is in.

    releases: of its brokers that may have it; None: not known. Those of clients vary.
    """
    known = sorted({one for one in releases if one})
    found = []
    for name in artifacts(advisory):
        if name == SERVER[0] and releases:
            found += [maven_purl(name, release) for release in known] or [maven_purl(name)]
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
