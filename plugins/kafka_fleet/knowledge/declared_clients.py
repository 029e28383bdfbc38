"""Client fleets that an owner declares: takes version ranges of the fleet file, gives exposures over all within them.

`client_configs.producers` names software, version and listener. Software `apache-kafka-java` is the Java library;
`kafka-streams` and `kafka-connect` say that the Java library runs inside one of these.
"""

import operator
import re
from collections.abc import Callable
from typing import Any

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.exposure_states import Exposure
from kafka_fleet.knowledge.facts import ClientSoftware, ClusterFacts, Declared, Scalar
from kafka_fleet.knowledge.releases import Release, catalogue, comparable_release

JAVA = "apache-kafka-java"
SOFTWARE = {JAVA: {"client-producer", "client"}, "kafka-streams": {"streams"}, "kafka-connect": {"connect"}}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
}


def version_in(spec: str, release: Release) -> bool:
    """Whether a release meets a declared version: `3.2.3`, `3.2`, `3.2.x`, `<2.1`, `>=2.4,<3.3`. Raises ValueError.

    A bound with fewer numbers means the whole line: `<=2.1` takes 2.1.1 in, `<2.1` leaves 2.1.0 out.
    """
    verdicts = []
    for part in spec.split(","):
        found = re.fullmatch(r"(<=|>=|<|>|==?)?\s*([0-9]{1,6}(?:\.[0-9]{1,6}){0,3})(?:\.[x*])?", part.strip())
        if not found:
            raise ValueError(f"{spec!r} is no version range such as <2.1 or >=2.4,<3.3")
        bound = tuple(map(int, found[2].split(".")))
        verdicts.append(_COMPARE[found[1] or "="](release.numbers[: len(bound)], bound))
    return all(verdicts)


def judge_fleet(advisory: Advisory, software: str, spec: str, listener: str) -> Exposure:
    """One declared fleet: exposed when every published release within its range is affected."""
    fleet = ClientSoftware(software, spec, listener, 0.0, declared=True)
    who = "declared producers" if software == JAVA else f"declared {software}"
    if advisory.affected is None:
        return Exposure("exposed", (f"{who} {spec} have it in any release",), fleets=(fleet,))
    try:
        within = [release for release in catalogue().announced if version_in(spec, release)]
    except ValueError as error:
        return Exposure("unknown", (f"the declared producer version {error}",), fleets=(fleet,))
    hit = tuple(str(release) for release in within if release in advisory.affected.releases)
    if not within:
        return Exposure("unknown", (f"{who} {spec} matches no published release",), fleets=(fleet,))
    if len(hit) == len(within):
        return Exposure("exposed", (f"{who} {spec} are affected",), (), (), (fleet,), hit)
    if hit:
        return Exposure("unknown", (f"{who} {spec} may or may not be affected",), (), (), (fleet,))
    return Exposure("not_exposed", (f"{who} {spec} are not affected",), fleets=(fleet,))


def _may_be_connected(entry: dict[str, Scalar], facts: ClusterFacts) -> bool:
    """Whether connections without a comparable release, on its listener if it names one, may be this fleet's."""
    if facts.clients is None:
        return True
    listener = entry.get("listener")
    unclear = [
        c
        for c in facts.clients
        if c.connections > 0
        and (c.software.casefold() in ("unknown", "") or c.software == JAVA)
        and comparable_release(c.version) is None
    ]
    return any(listener in (None, c.listener) for c in unclear)


def judge_declared(advisory: Advisory, facts: ClusterFacts, declared: Declared) -> list[Exposure]:
    """Declared fleets of the advisory's components.

    Where brokers name every client, a declaration of the Java library adds nothing: what is not connected is not there.
    """
    found = []
    for entry in declared.producers:
        software, version = str(entry.get("software")), entry.get("version")
        wanted = SOFTWARE.get(software, set()) & set(advisory.components)
        if not wanted or version is None or (software == JAVA and not _may_be_connected(dict(entry), facts)):
            continue
        found.append(judge_fleet(advisory, software, str(version), str(entry.get("listener") or "")))
    return found
