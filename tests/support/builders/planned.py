"""Clusters to plan for: takes releases and settings, gives facts, and the plan for what is confirmed on them."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Mode
from kafka_fleet.knowledge.releases import catalogue
from kafka_fleet.upgrade.plan import plan

ADVISORIES = load_advisories()
KNOWN = list(catalogue().announced)
CONFIGS: dict[str, str | None] = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "listeners": "PLAINTEXT://:9092",
    "sasl.enabled.mechanisms": "GSSAPI",
}


def facts(
    *releases: str | None, mode: Mode | None = "KRaft", level: str | None = None, java: str | None = None
) -> ClusterFacts:
    """Brokers of these releases with the settings of CONFIGS, and Java clients of one release, or none asked for."""
    brokers = tuple(BrokerFacts(n, text, "a", True, CONFIGS) for n, text in enumerate(releases, start=1))
    clients = None if java is None else (ClientSoftware("apache-kafka-java", java, "PLAINTEXT", 4),)
    return ClusterFacts(brokers, mode, clients, level)


class Judged(NamedTuple):
    advisory: str | None
    verdict: str


def plan_of(cluster: ClusterFacts, findings: Sequence[Mapping[str, Any]], on: date | None = None) -> dict[str, Any]:
    """The plan from the advisories and verdicts of findings."""
    return plan(cluster, [Judged(one["advisory"], one["verdict"]) for one in findings], ADVISORIES, on)


def planned(cluster: ClusterFacts, *confirmed: str) -> dict[str, Any]:
    """The plan when these are confirmed and everything else has the verdict of its exposure."""
    findings = [
        {"advisory": key, "verdict": "confirmed" if key in confirmed else exposure(advisory, cluster).state}
        for key, advisory in ADVISORIES.items()
    ]
    findings = [{**f, "verdict": "not_affected" if f["verdict"] == "not_exposed" else f["verdict"]} for f in findings]
    return plan_of(cluster, [*findings, {"advisory": None, "verdict": "look_alike"}])
