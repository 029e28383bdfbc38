"""Exposure: takes an advisory, facts and declarations, gives exposed, not_exposed or unknown with its reasons.

Each broker is judged by its own release and settings: any exposed one makes the cluster exposed; what cannot be read
makes it unknown; only when every one is ruled out is the cluster not exposed.
"""

from kafka_fleet.knowledge.advisories import CLIENT, SERVER, Advisory
from kafka_fleet.knowledge.client_exposure import judge_clients
from kafka_fleet.knowledge.declared_clients import JAVA, version_in
from kafka_fleet.knowledge.exposure_states import Exposure, in_range, join_exposures
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts, Declared

__all__ = ["JAVA", "Exposure", "concerned", "exposure", "judge_broker", "judge_clients", "version_in"]


def judge_broker(advisory: Advisory, broker: BrokerFacts, facts: ClusterFacts, declared: Declared) -> Exposure:
    """One process: its release and every precondition that decides something."""
    inside, because = in_range(advisory, broker.release, str(broker))
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


def exposure(advisory: Advisory, facts: ClusterFacts, declared: Declared | None = None) -> Exposure:
    """Judge one advisory over one cluster; an advisory for several components is exposed when any of them is."""
    said = declared or Declared()
    parts: list[Exposure] = []
    if not set(advisory.components) <= CLIENT:
        brokers = concerned(advisory, facts)
        missing = "no controller was read" if facts.brokers else "no broker was read"
        mode = join_exposures(judge_broker(advisory, broker, facts, said) for broker in facts.brokers)
        parts += [judge_broker(advisory, broker, facts, said) for broker in brokers]
        # without any controller in sight, only what rules out every process rules out the controllers
        parts += (
            []
            if brokers
            else [mode if mode.state == "not_exposed" and facts.brokers else Exposure("unknown", (missing,))]
        )
    if set(advisory.components) & CLIENT:
        parts.append(judge_clients(advisory, facts, said))
    return join_exposures(parts)
