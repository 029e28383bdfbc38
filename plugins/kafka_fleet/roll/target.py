"""A release to roll to: takes a sweep and the release, gives what is in its way and which clients it would refuse."""

from collections.abc import Iterator, Sequence

import pyarrow.compute as pc

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.readiness import NAMED, ReadinessReason
from kafka_fleet.knowledge.refused_requests import FOUR
from kafka_fleet.knowledge.releases import Release, catalogue, comparable_release, parse_release
from kafka_fleet.knowledge.versions import ReleaseError
from kafka_fleet.roll.reasons import reason
from kafka_fleet.roll.target_clients import of_clients
from kafka_fleet.store.raw.newest_sweep import SweepTables
from kafka_fleet.upgrade.steps import BRIDGE

_KRAFT_READY = Release((3, 3, 0))
_LEVEL_33 = 4  # metadata.version 3.3-IV0, the oldest that 4.x starts with
_METADATA = "metadata.version"


def target_release(text: str) -> Release:
    """The release that a text names. Raises ReleaseError with a sentence where no such release is published."""
    found = parse_release(text)
    if found is None or found not in catalogue().published():
        raise ReleaseError(f"{text[:40]!r} is no release of Apache Kafka that was published by {catalogue().as_of}")
    return found


def of_target(tables: SweepTables, target: Release, report: ClusterReport | None) -> Iterator[ReadinessReason]:
    """Reasons about the way to the target. report: of the newest judged day, whose plan has what it changes."""
    texts = [one["release"] for one in tables.table("broker_metrics").to_pylist()]
    known = sorted(release for text in texts if (release := comparable_release(text)) is not None)
    if not known or len(known) < len(texts):
        yield reason("release_unread", "unmeasured", about=next((t for t in texts if not comparable_release(t)), None))
    if known and target < known[-1]:
        yield reason("target_older", "blocks", about=str(known[-1]))
    if target >= FOUR and known and known[0] < FOUR:
        yield from _to_four(tables, known)
        yield from of_clients(tables, known, target, report)
    yield from _plan(target, report)


def _to_four(tables: SweepTables, known: Sequence[Release]) -> Iterator[ReadinessReason]:
    settings = tables.table("broker_configs")
    roles = settings.filter(pc.equal(settings["name"], "process.roles"))["value"].to_pylist()
    levels = {one["feature"]: one["max_level"] for one in tables.table("features").to_pylist()}
    level = levels.get(_METADATA)
    bridge = ".".join(map(str, BRIDGE))
    if level is None and (tables.unread("features") or (not roles and not settings.num_rows)):
        yield reason("mode_unread", "unmeasured")
    elif level is None and not any(roles):
        yield reason("zookeeper", "blocks", about=bridge)
    elif known[0] < _KRAFT_READY or (level is not None and level < _LEVEL_33):
        yield reason("bridge_first", "blocks", about=bridge)
    yield reason("java_unread", "unmeasured", about="17")


def _plan(target: Release, report: ClusterReport | None) -> Iterator[ReadinessReason]:
    rows = report.plan.candidates.server if report is not None else []
    for one in rows:
        if one.release == str(target):
            yield reason("target_closes", "notes", count=len(one.closes), names=one.closes[:NAMED], about=one.release)
            if one.opens:
                yield reason("target_opens", "warns", count=len(one.opens), names=one.opens[:NAMED], about=one.release)
