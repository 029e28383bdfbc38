"""Who has to upgrade: takes an advisory, its exposure and group members, gives side, releases, subjects and evidence.

An issue that clients cure names client fleets (library, release, listener), never brokers. How many of a fleet are
producers no broker tells, so its share of a listener's connections is an upper bound.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from kafka_fleet.knowledge.advisories import CLIENT, Advisory
from kafka_fleet.knowledge.declared_clients import JAVA
from kafka_fleet.knowledge.exposure_states import Exposure
from kafka_fleet.knowledge.facts import ClusterFacts, GroupMember
from kafka_fleet.knowledge.releases import parse_release
from kafka_fleet.schema.mbeans import mbean_of

Side = Literal["server", "client"]
ITSELF = " (by its own metrics)"  # of a subject of retriable_errors
MOST_FLEETS, MOST_HOSTS, MOST_IDS = 20, 8, 3
_WHO = {"client-producer": "producers", "client-consumer": "consumers", "streams": "Streams applications"}


def upgrade_side(advisory: Advisory, exposed: Exposure) -> Side:
    """The side that must upgrade: the advisory's own choice if that side is affected, else the one that is."""
    wanted: Side = "client" if advisory.upgrade_component in CLIENT else "server"
    affected = {"server"} if exposed.brokers else set()
    affected |= {"client"} if exposed.fleets else set()
    if exposed.state != "exposed" or not affected or wanted in affected:
        return wanted
    return "client" if wanted == "server" else "server"


def affected_releases(advisory: Advisory, exposed: Exposure) -> tuple[str, ...]:
    """The affected releases of that side, for which an upgrade target is looked for."""
    return exposed.client_releases if upgrade_side(advisory, exposed) == "client" else exposed.releases


def release_text(advisory: Advisory | None, exposed: Exposure | None, facts: ClusterFacts) -> str | None:
    """Releases that a finding is about: of the client fleets it names, else all that the side runs. None: not read."""
    if advisory is not None and exposed is not None and upgrade_side(advisory, exposed) == "client":
        named = exposed.fleets if exposed.state == "exposed" else facts.clients or ()
        own = [c for c in named if c.declared or c.client_id or (c.connections > 0 and c.software == JAVA)]
        texts = {c.version for c in own if c.version}  # a library that names itself may give no version
    else:
        texts = {broker.release for broker in facts.brokers if broker.release}
    ordered = sorted(texts, key=lambda text: (found.numbers if (found := parse_release(text)) else (), text))
    return ", ".join(ordered) or None


def fleet_subjects(advisory: Advisory, exposed: Exposure, symptom: Collection[str] = ()) -> tuple[str, ...]:
    """`client apache-kafka-java 3.2.3 on listener EXTERNAL`, the largest share first; empty for an issue of brokers.

    symptom: its subjects; where producers tell it of themselves, others that tell their release are not named.
    """
    if exposed.state != "exposed" or upgrade_side(advisory, exposed) != "client":
        return ()
    telling = {one.removesuffix(ITSELF).removeprefix("client ") for one in symptom if one.endswith(ITSELF)}
    named = [fleet for fleet in exposed.fleets if not (telling and fleet.client_id) or fleet.client_id in telling]
    names = tuple(str(fleet) for fleet in named)
    rest = len(names) - MOST_FLEETS
    return names if rest <= 1 else (*names[:MOST_FLEETS], f"and {rest:,} more client fleets")


def with_fleets(fleets: Sequence[str], symptom: Sequence[str]) -> tuple[str, ...]:
    """Fleets and then the symptom's subjects; who is named with its release is not named again as telling itself."""
    named = [f"{one} ({JAVA} " for one in (subject.removesuffix(ITSELF) for subject in symptom)]
    again = [any(fleet.startswith(name) for fleet in fleets) for name in named]
    return tuple(dict.fromkeys((*fleets, *(one for one, known in zip(symptom, again, strict=True) if not known))))


def fleet_evidence(advisory: Advisory, exposed: Exposure) -> tuple[Mapping[str, Any], ...]:
    """One row of evidence per fleet that was seen, as findings have it (docs/reference/findings.md)."""
    if not fleet_subjects(advisory, exposed):
        return ()
    return tuple(
        {
            "metric": f"share of connections on listener {fleet.listener}, at most",
            "value": fleet.share,
            "unit": "ratio",
            "threshold": None,
            "where": f"client {fleet.software} {fleet.version}",
            "from": fleet.first_seen,
            "to": fleet.last_seen,
            "mbean": mbean_of("client_software", "connections", ""),
        }
        for fleet in exposed.fleets[:MOST_FLEETS]
        if fleet.share is not None and fleet.first_seen is not None and fleet.last_seen is not None
    )


def connected_during(exposed: Exposure, evidence: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an affected fleet was connected while the symptom was measured; unknown times do not deny it."""
    spans = [(fleet.first_seen, fleet.last_seen) for fleet in exposed.fleets]
    if not spans or not evidence or any(first is None or last is None for first, last in spans):
        return True
    begin, end = min(row["from"] for row in evidence), max(row["to"] for row in evidence)
    return any(first is not None and last is not None and first <= end and begin <= last for first, last in spans)


def whereabouts(advisory: Advisory, members: Sequence[GroupMember] | None) -> str:
    """Where to ask for the fleet: hosts and client ids of group members. Producers are members of no group."""
    who = _WHO.get(advisory.upgrade_component, "clients")
    start = f"brokers do not tell which hosts run these {who}"
    if members is None:
        return f"{start}, and the members of groups were not read"
    hosts: dict[str, set[str]] = defaultdict(set)
    for member in members:
        hosts[member.host].add(member.client_id)
    if not hosts:
        return f"{start}, and no group had members"
    ordered = sorted(hosts.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    shown = []
    for host, ids in ordered[:MOST_HOSTS]:
        named = sorted(ids)
        more = f" and {len(named) - MOST_IDS} more" if len(named) > MOST_IDS else ""
        shown.append(f"{host} (client ids {', '.join(named[:MOST_IDS])}{more})")
    rest = f" and {len(ordered) - MOST_HOSTS:,} more hosts" if len(ordered) > MOST_HOSTS else ""
    return f"{start}; members of groups connect from {', '.join(shown)}{rest}: ask there first"
