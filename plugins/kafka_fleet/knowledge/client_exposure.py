"""Exposure of clients: takes an advisory, the libraries that brokers saw and what owners declare, gives an exposure.

Brokers name a client's library and release, not what runs on it: producers, consumers, Streams and Connect are all
`apache-kafka-java`. Groups show whether Streams and Connect are there at all.
"""

from kafka_fleet.domain import ExposureState
from kafka_fleet.knowledge.advisories import CLIENT, Advisory
from kafka_fleet.knowledge.declared_clients import JAVA, judge_declared
from kafka_fleet.knowledge.exposure_states import Exposure, in_range, join_exposures
from kafka_fleet.knowledge.facts import ClientSoftware, ClusterFacts, Declared
from kafka_fleet.knowledge.releases import Release, catalogue

# Libraries name themselves from 2.4.0 on (KIP-511); an unnamed Java client is older than this.
_NAMED_FROM = Release((2, 4, 0))
_STATES: dict[bool | None, ExposureState] = {True: "exposed", False: "not_exposed", None: "unknown"}
_FRAMEWORKS = {"streams": "Streams", "connect": "Connect"}


def _seen(advisory: Advisory, client: ClientSoftware) -> Exposure | None:
    """One library and version with open connections; None when it says nothing of this Java issue."""
    who = f"{client.software} on listener {client.listener}"
    unnamed = client.software.casefold() in ("unknown", "")
    if client.connections <= 0 or not (client.software == JAVA or unnamed):
        return None
    if unnamed:
        if advisory.affected is not None and not any(
            release in advisory.affected.releases for release in catalogue().dates if release < _NAMED_FROM
        ):
            return None
        because = f"{client.connections:g} connections on {client.listener} name no library"
        return Exposure("unknown", (because,), fleets=(client,))
    inside, because = in_range(advisory, client.version, who)
    releases = (client.version,) if inside and advisory.affected else ()
    return Exposure(_STATES[inside], (because,), (), (), (client,) if inside is not False else (), releases)


def _framework(advisory: Advisory, parts: list[Exposure], facts: ClusterFacts) -> list[Exposure]:
    """The same for an issue of Streams or Connect alone: which of the Java clients they are is not to be seen.

    They are exposed where groups show them and every Java client is in range; without any in range they are not.
    Streams cannot run without being in a group; Connect can, as a stand-alone worker.
    """
    wanted = sorted(set(advisory.components) & set(_FRAMEWORKS))
    names = " or ".join(_FRAMEWORKS[name] for name in wanted)
    present = sorted({m.framework for m in facts.members or () if m.framework in wanted})
    if facts.members is not None and not present and wanted == ["streams"]:
        return [Exposure("not_exposed", ("no member of any group was a Streams application",))]
    if not parts or all(part.state == "not_exposed" for part in parts):
        return parts
    if present and all(part.state == "exposed" for part in parts):
        shown = " and ".join(_FRAMEWORKS[name] for name in present if name)
        return [*parts, Exposure("exposed", (f"groups show {shown}, and every Java client is in range",))]
    reason = f"brokers cannot tell which of the Java clients are {names}"
    if facts.members is not None and not present:
        reason = f"no member of a group shows itself as {names}"
    fleets = tuple(fleet for part in parts for fleet in part.fleets)
    reasons = tuple(reason for part in parts if part.state != "not_exposed" for reason in part.reasons)
    return [Exposure("unknown", (*reasons, reason), fleets=fleets)]


def _provide(advisory: Advisory) -> str:
    """What would decide it: one sentence for the owner."""
    components = set(advisory.components)
    if components & {"client-producer", "client"}:
        return (
            "declare software apache-kafka-java and its version under client_configs.producers in the fleet file where "
            "brokers cannot name it"
        )
    if components & CLIENT <= set(_FRAMEWORKS):
        software = " or ".join(f"kafka-{name}" for name in sorted(components & set(_FRAMEWORKS)))
        return f"declare software {software} and its version under client_configs.producers in the fleet file"
    return "brokers from 2.5 on name the release of consumers from 2.4 on; the fleet file has no entry for it"


def _covered(part: Exposure, declared: list[Exposure]) -> bool:
    """Whether a declaration decides what the brokers could only guess at: it is for all listeners, or for this one."""
    listeners = {listener for exposure in declared for listener in exposure.listeners}
    return part.state == "unknown" and bool(listeners) and ("" in listeners or set(part.listeners) <= listeners)


def _told(advisory: Advisory, facts: ClusterFacts) -> list[Exposure]:
    """Producers that tell their own release; nothing where it is no issue of theirs."""
    if not set(advisory.components) & {"client-producer", "client"}:
        return []
    found = []
    for one in facts.producers:
        inside, because = in_range(advisory, one.version, f"producer {one.client_id}")
        releases = (one.version,) if inside and advisory.affected else ()
        found.append(Exposure(_STATES[inside], (because,), (), (), (one,) if inside is not False else (), releases))
    return found


def judge_clients(advisory: Advisory, facts: ClusterFacts, declared: Declared) -> Exposure:
    """Client fleets by library and version, as the brokers see them or as the owner declares producers."""
    unread: list[str] = []
    for condition in advisory.preconditions:
        answers = [answer for broker in facts.brokers if (answer := condition.ask(broker, facts, declared)) is not None]
        if answers and all(answer.holds is False for answer in answers):
            return Exposure("not_exposed", (answers[0].because,))
        if answers and not any(answer.holds for answer in answers):
            unread += [answer.because for answer in answers if answer.holds is None][:1]
    parts = [part for client in facts.clients or () if (part := _seen(advisory, client)) is not None]
    if set(advisory.components) & CLIENT <= set(_FRAMEWORKS):
        parts = _framework(advisory, parts, facts)
    said = judge_declared(advisory, facts, declared)
    parts = [part for part in parts if not _covered(part, said)] + said + _told(advisory, facts)
    if not parts:
        cannot = (
            "the brokers cannot tell client versions" if facts.clients is None else "no Java client names its version"
        )
        return Exposure("unknown", (cannot, _provide(advisory)))
    found = join_exposures(parts)
    if unread and found.state == "exposed":
        return Exposure("unknown", tuple(unread), fleets=found.fleets)
    if found.state == "unknown":
        return Exposure("unknown", (*found.reasons, _provide(advisory)), fleets=found.fleets)
    return found
