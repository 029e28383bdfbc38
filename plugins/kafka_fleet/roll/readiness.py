"""May brokers be stopped: takes the tables of one sweep and what was judged, gives the answer with its reasons.

What was not measured is a reason like any other, and a broker with one is not ready.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.readiness import Readiness, ReadinessReason, answered
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.knowledge.evidence import iso
from kafka_fleet.knowledge.releases import Release
from kafka_fleet.roll.connections import listeners
from kafka_fleet.roll.coordinators import Groups, groups_by_broker
from kafka_fleet.roll.last_roll import of_last_roll, stormed
from kafka_fleet.roll.partitions import partition_rows, standing, stopped_alone
from kafka_fleet.roll.processes import listed_brokers, of_controllers, of_processes
from kafka_fleet.roll.reasons import of_connections, of_groups, of_loss, of_standing, reason
from kafka_fleet.roll.room import of_descriptors, of_disks
from kafka_fleet.roll.target import of_target
from kafka_fleet.store.raw.newest_sweep import SweepTables

# table -> columns that are read of it; all where none are named
READS: Mapping[str, Sequence[str]] = {
    "sweeps": (),
    "brokers": (),
    "broker_metrics": (
        "broker", "release", "broker_state", "active_controller", "offline_log_dirs", "jvm_start_ms",
        "open_file_descriptors", "max_file_descriptors",
    ),
    "recoveries": ("broker", "remaining_logs"),
    "topics": ("topic", "partition", "leader", "replicas", "isr"),
    "topic_configs": ("topic", "name", "value"),
    "broker_configs": ("broker", "name", "value"),
    "features": (),
    "groups": ("group_id", "state"),
    "group_members": ("group_id",),
    "partitions": (
        "broker", "topic", "partition", "size_bytes", "replicas_count", "log_start_offset", "log_end_offset",
        "previous_log_end_offset",
    ),
    "disks": (),
    "listeners": ("broker", "listener", "connections"),
    "client_software": (),
    "deprecated_requests": (),
    "hosts": ("broker", "somaxconn"),
}  # fmt: skip
FRESH = timedelta(minutes=30)  # three sweeps at ten minutes


@dataclass(frozen=True)
class Known:
    """What judged days say. report: of the newest; rolls: those of its day, or the last one; judged: any day was."""

    report: ClusterReport | None = None
    rolls: Sequence[RollReport] = ()
    judged: bool = True


@dataclass(frozen=True)
class Asked:
    """What is to be answered. brokers: of these alone; None: of each. checked: codes that were seen to by hand.

    now: the moment of the question; None: of the sweep's own.
    """

    brokers: Collection[int] | None = None
    target: Release | None = None
    now: datetime | None = None
    fresh: timedelta = FRESH
    checked: Collection[str] = ()


def readiness(tables: SweepTables | None, asked: Asked, known: Known) -> Readiness:
    """The answer for each broker. tables: None of a cluster without a sweep."""
    target = None if asked.target is None else str(asked.target)
    if tables is None:
        return answered(None, target, asked.brokers or (), [reason("no_sweep", "unmeasured")], asked.checked)
    listed = listed_brokers(tables)
    wanted = sorted(listed if asked.brokers is None else asked.brokers)
    reasons = [*_of_age(tables, asked), *_of_cluster(tables, asked, known), *_of_brokers(tables, listed, wanted, known)]
    return answered(iso(tables.sweep.sweep_at), target, wanted, reasons, asked.checked)


def _of_age(tables: SweepTables, asked: Asked) -> Iterator[ReadinessReason]:
    if asked.now is not None and abs(asked.now - tables.sweep.sweep_at) > asked.fresh:
        minutes = round((asked.now - tables.sweep.sweep_at).total_seconds() / 60)
        yield reason("sweep_old", "unmeasured", count=minutes, limit=round(asked.fresh.total_seconds() / 60))


def _of_cluster(tables: SweepTables, asked: Asked, known: Known) -> Iterator[ReadinessReason]:
    yield from of_processes(tables)
    listed = listed_brokers(tables)
    if not listed:
        yield reason("brokers_unread", "unmeasured")
    yield from of_disks(tables, listed, known.rolls[-1] if known.rolls else None)
    if asked.target is not None:
        yield from of_target(tables, asked.target, known.report)
    if not known.judged:
        yield reason("not_judged", "unmeasured")
    elif known.rolls:
        yield from of_last_roll(known.rolls[-1])
    elif asked.now is not None:
        yield reason("no_roll_seen", "notes")


def _of_brokers(
    tables: SweepTables, listed: Sequence[int], wanted: Sequence[int], known: Known
) -> Iterator[ReadinessReason]:
    yield from (one for one in of_controllers(tables, listed) if one.broker in wanted)
    found, storm = listeners(tables, len(listed)), stormed(known.report)
    for broker in wanted:
        yield from of_connections(broker, found, [one for one in listed if one != broker], storm)
    yield from of_descriptors(tables, listed, wanted, found)
    if tables.unread("topics"):
        yield reason("topics_unread", "unmeasured")
        return
    rows = partition_rows(tables)
    yield from of_standing(standing(rows))
    losses, groups = stopped_alone(rows, wanted), groups_by_broker(tables, rows)
    if groups is None:
        yield reason("groups_unread", "unmeasured")
    for broker in wanted:
        yield from of_loss(broker, losses[broker])
        yield from of_groups(broker, (groups or {}).get(broker, Groups()), losses[broker])
