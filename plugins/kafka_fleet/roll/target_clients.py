"""Clients that a release would refuse: takes a sweep, the release and the newest judged day, gives reasons.

Brokers count old requests by client from 3.7 on, since their process began; a judged day says which of them were of
that day. Where a broker does not count, the libraries that are connected stand in, and the owner is asked.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.old_protocol import OldProtocol
from kafka_fleet.documents.readiness import NAMED, ReadinessReason
from kafka_fleet.knowledge.declared_clients import JAVA
from kafka_fleet.knowledge.refused_requests import COUNTED_FROM, refused, refused_requests
from kafka_fleet.knowledge.releases import Release, comparable_release, parse_release
from kafka_fleet.roll.connections import nameless_connections, whole_connections
from kafka_fleet.roll.processes import listed_brokers
from kafka_fleet.roll.reasons import reason
from kafka_fleet.store.raw.newest_sweep import SweepTables
from kafka_fleet.upgrade.old_protocol import CLIENT_FLOOR

_NAMED_FROM = Release((2, 5, 0))  # brokers tell client libraries from here on (KIP-511)


def of_clients(
    tables: SweepTables, known: Sequence[Release], target: Release, report: ClusterReport | None
) -> Iterator[ReadinessReason]:
    """known: releases of the brokers, sorted. report: of the newest judged day."""
    judged = report.plan.old_protocol if report is not None else None
    since_start = _counted(tables, target)
    used = _used(judged) or ([] if judged and judged.answer is False else since_start)
    if used:
        yield reason("clients_refused", "blocks", count=len(used), names=used[:NAMED], about="requests")
    elif since_start:
        yield reason("clients_refused_once", "warns", count=len(since_start), names=since_start[:NAMED])
    brokers, counting = listed_brokers(tables), _counting(tables)
    if brokers and set(brokers) <= counting:
        if judged is not None and judged.answer is False:
            yield reason("clients_quiet", "notes", about=judged.sentence)
        elif not used:
            yield reason("clients_counted", "notes", count=len(brokers), limit=_hours(tables))
        return
    yield from _uncounted(tables, known, bool(used))
    if known[0] >= _NAMED_FROM:
        yield reason("clients_uncounted", "unmeasured", count=len(set(brokers) - counting), limit=len(brokers))


def _used(judged: OldProtocol | None) -> list[str]:
    return [one.partition(" ")[2] for one in judged.clients] if judged is not None and judged.answer else []


def _counted(tables: SweepTables, target: Release) -> list[str]:
    """`apache-kafka-java 1.1.1 (Produce 2)` of clients whose requests were counted, those with most first."""
    totals, asked = Counter[str](), defaultdict[str, set[str]](set)
    for one in tables.table("deprecated_requests").to_pylist():
        if (one["requests"] or 0) > 0 and refused(one["request"], one["version"], target):
            software, version = one["software"] or "unknown", one["software_version"] or ""
            client = software if version in ("", software) else f"{software} {version}"
            totals[client] += one["requests"]
            asked[client].add(f"{refused_requests()[one['request']].api or one['request']} {one['version']}")
    order = sorted(totals.items(), key=lambda one: (-one[1], one[0]))
    return [f"{client} ({', '.join(sorted(asked[client]))})" for client, _requests in order]


def _counting(tables: SweepTables) -> set[int]:
    """Brokers that count by client and were read wholly, or that 4.x runs on already."""
    releases = {one["broker"]: comparable_release(one["release"]) for one in tables.table("broker_metrics").to_pylist()}
    whole = {one["broker"] for one in tables.table("brokers").to_pylist() if one["outcome"] == "ok"}
    return {one for one in whole if (release := releases.get(one)) is not None and release >= COUNTED_FROM}


def _hours(tables: SweepTables) -> float | None:
    """Since the youngest process began: so long every one of them has counted."""
    at = tables.sweep.sweep_at.timestamp()
    starts = [one["jvm_start_ms"] for one in tables.table("broker_metrics").to_pylist()]
    known = [at - one / 1000 for one in starts if one is not None]
    return round(max(0.0, min(known)) / 3600, 1) if known and len(known) == len(starts) else None


def _uncounted(tables: SweepTables, known: Sequence[Release], told: bool) -> Iterator[ReadinessReason]:
    """What the connected libraries tell. told: clients are named already."""
    if known[0] < _NAMED_FROM:
        yield reason("clients_unread", "unmeasured", about=str(known[0]))
        return
    floor = parse_release(f"{CLIENT_FLOOR}.0")
    old: Counter[str] = Counter()
    for one in tables.table("client_software").to_pylist():
        count = whole_connections(one["connections"])
        release = parse_release(one["software_version"])
        if count > 0 and one["software"] == JAVA and release is not None and floor is not None and release < floor:
            old[f"{JAVA} {one['software_version']}"] += count
    if old and not told:
        names = [name for name, _count in sorted(old.items(), key=lambda one: (-one[1], one[0]))]
        yield reason("clients_refused", "blocks", count=len(old), names=names[:NAMED], about="libraries")
    if nameless := nameless_connections(tables, len(listed_brokers(tables))):
        yield reason("clients_nameless", "unmeasured", count=nameless)
