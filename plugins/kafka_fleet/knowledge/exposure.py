"""Exposure: takes an advisory, facts and declarations, gives exposed, not_exposed or unknown with its reasons.

Each broker is judged by its own release and settings: any exposed one makes the cluster exposed; what cannot be read
makes it unknown; only when every one is ruled out is the cluster not exposed.
"""

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kafka_fleet.knowledge.advisories import CLIENT, SERVER, Advisory
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Declared
from kafka_fleet.knowledge.releases import Release, catalogue, comparable_release, parse_release

State = Literal["exposed", "not_exposed", "unknown"]
JAVA = "apache-kafka-java"
# Libraries name themselves from 2.4.0 on (KIP-511); an unnamed Java client is older than this.
_NAMED_FROM = Release((2, 4, 0))
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
}


@dataclass(frozen=True)
class Exposure:
    """State, one sentence per reason, ids of affected brokers, and the affected releases (brokers' or clients')."""

    state: State
    reasons: tuple[str, ...]
    brokers: tuple[int, ...] = ()
    releases: tuple[str, ...] = ()


def _join(parts: Iterable[Exposure]) -> Exposure:
    """Any exposed wins and keeps its own reasons; then unknown; then not_exposed."""
    found = list(parts)
    for state in ("exposed", "unknown", "not_exposed"):
        same = [part for part in found if part.state == state]
        if same:
            reasons = tuple(dict.fromkeys(reason for part in same for reason in part.reasons))
            releases = sorted({r for part in same for r in part.releases}, key=lambda text: (parse_release(text), text))
            brokers = sorted({broker for part in same for broker in part.brokers})
            return Exposure(state, reasons, tuple(brokers), tuple(releases))
    return Exposure("unknown", ("no broker was read",))


def _in_range(advisory: Advisory, text: str | None, who: str) -> tuple[bool | None, str]:
    if advisory.affected is None:
        return True, f"{who} has it in any release"
    if text is None:
        return None, f"the release of {who} was not read"
    release = comparable_release(text)
    if release is None:
        return None, f"{who} runs {text}, an unknown build that cannot be compared"
    inside = release in advisory.affected.releases
    return inside, f"{who} runs {text}, {'an affected' if inside else 'a'} release{'' if inside else ' without it'}"


def judge_broker(advisory: Advisory, broker: BrokerFacts, facts: ClusterFacts, declared: Declared) -> Exposure:
    """One process: its release and every precondition that decides something."""
    inside, because = _in_range(advisory, broker.release, str(broker))
    answers = [(inside, because)]
    for condition in advisory.preconditions:
        answer = condition.ask(broker, facts, declared)
        answers += [(answer.holds, answer.because)] if answer is not None else []
    for holds, state in ((False, "not_exposed"), (None, "unknown")):
        reasons = tuple(text for value, text in answers if value is holds)
        if reasons:
            return Exposure("not_exposed" if state == "not_exposed" else "unknown", reasons)
    releases = (broker.release,) if broker.release is not None and advisory.affected is not None else ()
    return Exposure("exposed", tuple(text for _, text in answers), (broker.broker,), releases)


def concerned(advisory: Advisory, facts: ClusterFacts) -> list[BrokerFacts]:
    """The processes where the fault would sit: controllers for a controller's fault, else brokers."""
    if SERVER.isdisjoint(advisory.components) or "broker" in advisory.components:
        return [broker for broker in facts.brokers if broker.is_broker]
    if facts.mode == "ZooKeeper":  # any broker may be elected next
        return list(facts.brokers)
    return [broker for broker in facts.brokers if broker.is_controller]


def version_in(spec: str, release: Release) -> bool:
    """Whether a release meets a declared version: `3.2.3`, `3.2`, `3.2.x`, `<2.1`, `>=2.4,<3.3`. Raises ValueError.

    A bound with fewer numbers means the whole line: `<=2.1` takes 2.1.1 in, `<2.1` leaves 2.1.0 out.
    """
    verdicts = []
    for part in spec.split(","):
        found = re.fullmatch(r"(<=|>=|<|>|==?)?\s*(\d+(?:\.\d+){0,3})(?:\.[x*])?", part.strip())
        if not found:
            raise ValueError(f"{spec!r} is no version range such as <2.1 or >=2.4,<3.3")
        bound = tuple(map(int, found[2].split(".")))
        verdicts.append(_COMPARE[found[1] or "="](release.numbers[: len(bound)], bound))
    return all(verdicts)


def _declared_fleet(advisory: Advisory, spec: str) -> Exposure:
    """A producer fleet that the owner declares by a version range: judged over all published releases within it."""
    who = f"declared producers {spec}"
    if advisory.affected is None:
        return Exposure("exposed", (f"{who} have it in any release",))
    try:
        within = [release for release in catalogue().announced if version_in(spec, release)]
    except ValueError as error:
        return Exposure("unknown", (f"the declared producer version {error}",))
    hit = [str(release) for release in within if release in advisory.affected.releases]
    if within and len(hit) == len(within):
        return Exposure("exposed", (f"{who} are affected",), (), tuple(hit))
    if not within:
        return Exposure("unknown", (f"{who} matches no published release",))
    return (
        Exposure("unknown", (f"{who} may or may not be affected",))
        if hit
        else Exposure("not_exposed", (f"{who} are not affected",))
    )


def _client(advisory: Advisory, client: ClientSoftware) -> Exposure | None:
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
        return Exposure("unknown", (f"{client.connections:g} connections on {client.listener} name no library",))
    inside, because = _in_range(advisory, client.version, who)
    if inside and set(advisory.components) & CLIENT <= {"streams", "connect"}:
        return Exposure(
            "unknown", (f"{because}; brokers cannot tell whether it is {' or '.join(advisory.components)}",)
        )
    states: dict[bool | None, State] = {True: "exposed", False: "not_exposed", None: "unknown"}
    return Exposure(states[inside], (because,), (), (client.version,) if inside and advisory.affected else ())


def judge_clients(advisory: Advisory, facts: ClusterFacts, declared: Declared) -> Exposure:
    """Client fleets by library and version, as the brokers see them or as the owner declares producers."""
    unread: list[str] = []
    for condition in advisory.preconditions:
        answers = [answer for broker in facts.brokers if (answer := condition.ask(broker, facts, declared)) is not None]
        if answers and all(answer.holds is False for answer in answers):
            return Exposure("not_exposed", (answers[0].because,))
        if answers and not any(answer.holds for answer in answers):
            unread += [answer.because for answer in answers if answer.holds is None][:1]
    seen = [one for client in facts.clients or () if (one := _client(advisory, client)) is not None]
    if set(advisory.components) & {"client-producer", "client"}:
        specs = [str(p["version"]) for p in declared.producers if p.get("software") == JAVA and "version" in p]
        seen += [_declared_fleet(advisory, spec) for spec in specs]
    if seen:
        found = _join(seen)
        return Exposure("unknown", tuple(unread)) if unread and found.state == "exposed" else found
    cannot = "the brokers cannot tell client versions" if facts.clients is None else "no Java client names its version"
    return Exposure("unknown", (cannot,))


def exposure(advisory: Advisory, facts: ClusterFacts, declared: Declared | None = None) -> Exposure:
    """Judge one advisory over one cluster; an advisory for several components is exposed when any of them is."""
    said = declared or Declared()
    parts: list[Exposure] = []
    if not set(advisory.components) <= CLIENT:
        brokers = concerned(advisory, facts)
        missing = "no controller was read" if facts.brokers else "no broker was read"
        mode = _join(judge_broker(advisory, broker, facts, said) for broker in facts.brokers)
        parts += [judge_broker(advisory, broker, facts, said) for broker in brokers]
        # without any controller in sight, only what rules out every process rules out the controllers
        parts += (
            []
            if brokers
            else [mode if mode.state == "not_exposed" and facts.brokers else Exposure("unknown", (missing,))]
        )
    if set(advisory.components) & CLIENT:
        parts.append(judge_clients(advisory, facts, said))
    return _join(parts)
