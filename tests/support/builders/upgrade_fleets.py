"""Clusters that could be upgraded: gives documents with candidates, and members of a fleet made of them."""

from collections.abc import Sequence
from typing import Any

from kafka_fleet.documents.finding import parsed_findings
from kafka_fleet.report.fleet_members import Member, member
from support.builders.documents import report
from support.builders.letter_rows import broker, finding
from support.builders.letter_samples import payments

Json = dict[str, Any]
BUG, HOLE, TRAP = "KAFKA-14334", "CVE-2024-31141", "KAFKA-17076"


def candidate(release: str, closes: Sequence[str], opens: Sequence[str] = (), supported: bool = True) -> Json:
    return {"release": release, "supported": supported, "closes": list(closes), "leaves": [], "opens": list(opens)}


def document(cluster: str, candidates: Sequence[Json], release: str | None = "3.3.1", **more: Any) -> Json:
    """A cluster's document with these candidates. more: other members of it."""
    made = payments() | {"cluster": cluster}
    made["coverage"] = made["coverage"] | {"brokers": [broker(1, release=release), broker(2, release=release)]}
    made["plan"] = made["plan"] | {"candidates": {"server": list(candidates), "client": []}}
    return made | more


def rows(cluster: str, **verdicts: str) -> list[Json]:
    """Findings by advisory; underscores stand for hyphens."""
    return [finding(key.replace("_", "-"), verdict, cluster) for key, verdict in verdicts.items()]


def fleet_member(cluster: str, made: Json | None, findings: Sequence[Json]) -> Member:
    return member(cluster, report(made) if made else None, parsed_findings(list(findings)))


def three() -> list[Member]:
    """a: confirmed and a hole, ZooKeeper and an old client; b: a hole alone, KRaft 3.3.1; c: nothing; d: at 4.4.0."""
    old = [{"software": "apache-kafka-java", "version": "1.1.0", "listener": "PLAIN<b>", "connections": 3}]
    a = document(
        "a",
        [
            candidate("3.3.2", [BUG], supported=False),
            candidate("3.9.2", [BUG, HOLE], [TRAP], supported=False),
            candidate("4.4.0", [BUG, HOLE]),
        ],
        mode="ZooKeeper",
        clients=old,
    )
    b = document("b", [candidate("3.9.2", [HOLE], supported=False), candidate("4.4.0", [HOLE])], clients=[])
    d = document("d", [], release="4.4.0")
    return [
        fleet_member("a", a, rows("a", KAFKA_14334="confirmed", CVE_2024_31141="exposed")),
        fleet_member("b", b, rows("b", CVE_2024_31141="exposed", KAFKA_17076="unknown")),
        fleet_member("c", None, []),
        fleet_member("d", d, []),
    ]
