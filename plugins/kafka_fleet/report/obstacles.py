"""What is in the way of a release: takes a cluster of the fleet and a release, gives what has to come first.

The rules are those of Kafka's upgrade notes. What was not measured is said to be so: no document holds the Java version
of a broker.
"""

from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import ClientLibrary, ClusterReport
from kafka_fleet.knowledge.declared_clients import JAVA
from kafka_fleet.knowledge.refused_requests import FOUR
from kafka_fleet.knowledge.releases import Release, comparable_release, parse_line
from kafka_fleet.report.fleet_members import Member
from kafka_fleet.report.formatting import joined, number, plural
from kafka_fleet.upgrade.steps import KRAFT_READY, client_floor, java_floor

_MOST = 3  # client fleets that are named
KINDS = {
    "zookeeper": "to migrate from ZooKeeper to KRaft first, on 3.9",
    "clients": "have clients that it refuses",
    "bridge": "to go by way of 3.9, since 4.x starts only from 3.3 or later",
    "mode": "whether they run ZooKeeper was not read",
    "unnamed": "have connections that name no library, as Java clients below 2.4 do",
    "clients_unread": "client libraries were not read",
    "clients_uncounted": "have brokers that do not count which clients it refuses",
    "java": "Java of the brokers is not measured",
}


@dataclass(frozen=True)
class Obstacle:
    """One thing in the way on one cluster. certain: measured, and not merely not known. detail: what was seen."""

    kind: str
    detail: str = ""

    @property
    def certain(self) -> bool:
        """Whether it was measured to be there."""
        return self.kind in ("zookeeper", "clients", "bridge")


def _fleets(found: list[ClientLibrary]) -> str:
    found.sort(key=lambda one: (-(one.connections or 0), str(one.software), str(one.version), str(one.listener)))
    named = [f"{one.software} {one.version} on {one.listener}: {number(one.connections)}" for one in found[:_MOST]]
    more = len(found) - len(named)
    return ", ".join(named) + (f" and {plural(more, 'more fleet')}" if more else "")


def _old(one: ClientLibrary, floor: Release) -> bool:
    release = comparable_release(one.version) if one.software == JAVA else None
    return release is not None and release < floor


def _clients(report: ClusterReport, target: Release) -> list[Obstacle]:
    """By what brokers counted of the day's requests; where not all of them count, by the libraries too."""
    oldest, counted, clients = client_floor(target), report.plan.old_protocol, report.clients
    if oldest is None or (counted is not None and counted.answer is False):
        return []
    if counted is not None and counted.answer:
        named = [one.partition(" ")[2] for one in counted.clients[:_MOST]]
        more = len(counted.clients) - len(named)
        found = [Obstacle("clients", "; ".join(named) + (f" and {more:,} more" if more > 0 else ""))]
        return [*found, Obstacle("clients_uncounted")] if counted.missing else found
    return _libraries(clients, oldest) + ([Obstacle("clients_uncounted")] if counted is not None else [])


def _libraries(clients: list[ClientLibrary], oldest: str) -> list[Obstacle]:
    floor = Release(parse_line(oldest))
    if not clients:
        return [Obstacle("clients_unread")]
    connected = [one for one in clients if (one.connections or 0) > 0]
    found = []
    if old := [one for one in connected if _old(one, floor)]:
        found.append(Obstacle("clients", _fleets(old)))
    if unnamed := [one for one in connected if (one.software or "").casefold() in ("unknown", "")]:
        listeners = sorted({str(one.listener) for one in unnamed})
        found.append(Obstacle("unnamed", f"on {joined(listeners[:_MOST])}"))
    return found


def obstacles(member: Member, target: Release) -> list[Obstacle]:
    """What is in the way of the target on a cluster whose release was read; nothing where it is not known at all."""
    if member.report is None or not member.releases:
        return []
    start, mode, found = member.releases[0], member.report.mode, list[Obstacle]()
    if start < FOUR <= target:
        if mode == "ZooKeeper":
            found.append(Obstacle("zookeeper"))
        elif mode is None:
            found.append(Obstacle("mode"))
        if mode != "ZooKeeper" and start < KRAFT_READY:
            found.append(Obstacle("bridge"))
        found += _clients(member.report, target)
    java = java_floor(target)
    if java is not None and java != java_floor(start):
        found.append(Obstacle("java", f"it needs Java {java}"))
    return found
