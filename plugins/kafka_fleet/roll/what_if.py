"""What if a broker restarts, or a rack is lost: takes a sweep, gives reasons as `ready` does; and how groups began."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from kafka_fleet.documents.readiness import NAMED, ReadinessReason
from kafka_fleet.roll.connections import listeners
from kafka_fleet.roll.coordinators import groups_by_broker
from kafka_fleet.roll.partitions import partition_rows, stopped_alone, stopped_together
from kafka_fleet.roll.processes import listed_brokers
from kafka_fleet.roll.reasons import of_connections, of_groups, of_loss, reason
from kafka_fleet.roll.topic_growth import STARTS
from kafka_fleet.store.facts import fact_rows
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import days_in
from kafka_fleet.store.raw.newest_sweep import SweepTables

LOOK_BACK = 30  # days of facts in which groups are looked for


def of_restart(tables: SweepTables, broker: int) -> Iterator[ReadinessReason]:
    """What follows from the restart of one broker, whatever else stands in its way."""
    listed = listed_brokers(tables)
    others = [one for one in listed if one != broker]
    yield from of_connections(broker, listeners(tables, len(listed)), others, False)
    if tables.unread("topics"):
        yield reason("topics_unread", "unmeasured")
        return
    rows = partition_rows(tables)
    loss = stopped_alone(rows, [broker])[broker]
    yield from of_loss(broker, loss)
    groups = groups_by_broker(tables, rows)
    if groups is None:
        yield reason("groups_unread", "unmeasured")
    elif broker in groups:
        yield from of_groups(broker, groups[broker], loss)


def brokers_of_rack(tables: SweepTables, rack: str) -> list[int]:
    """Brokers of the cluster in that rack."""
    rows = tables.table("brokers").to_pylist()
    return sorted(one["broker"] for one in rows if one["is_broker"] and one["rack"] == rack)


def of_rack(tables: SweepTables, gone: Collection[int]) -> Iterator[ReadinessReason]:
    """What follows when all of these brokers are gone at once."""
    if tables.unread("topics"):
        yield reason("topics_unread", "unmeasured")
        return
    rows = partition_rows(tables)
    loss = stopped_together(rows, gone)
    for code, some in (("rack_offline", loss.offline), ("rack_under_min_isr", loss.under)):
        if some.count:
            yield reason(code, "blocks", count=some.count, names=some.topics)
    if loss.undecided.count:
        yield reason("min_isr_unread", "unmeasured", count=loss.undecided.count, names=loss.undecided.topics)
    yield reason("rack_leaders", "notes", count=loss.leaders, limit=rows.num_rows)
    groups = groups_by_broker(tables, rows)
    if groups is None:
        yield reason("groups_unread", "unmeasured")
    else:
        own = [groups[broker] for broker in sorted(gone) if broker in groups]
        names = [name for one in own for name in one.names][:NAMED]
        yield reason("rack_groups", "notes", count=sum(one.active for one in own), names=names)
    yield from _connections(tables, gone)


def _connections(tables: SweepTables, gone: Collection[int]) -> Iterator[ReadinessReason]:
    """Connections of the lost brokers, spread over the others, against the smallest queue among these."""
    listed = listed_brokers(tables)
    left = [one for one in listed if one not in gone]
    found = listeners(tables, len(listed))
    if unread := [one for one in listed if one not in found]:
        yield reason("rack_connections_unread", "unmeasured", count=len(unread))
    held = sum(max((one.held for one in found.get(broker, ())), default=0) for broker in gone)
    limits = [one.backlog for broker in left for one in found.get(broker, ())]
    if left and limits:
        share = -(-held // len(left))
        yield reason("rack_connections", "warns" if share > min(limits) else "notes", count=share, limit=min(limits))


def group_starts(home: Path, cluster: str) -> Iterator[dict[str, Any]]:
    """How groups began on partitions, of the judged days whose facts are still kept, the newest first."""
    of = Home(home)
    for ds in days_in(of.facts("group_starts"))[: -1 - LOOK_BACK : -1]:
        folder = of.day(ds).facts("group_starts")
        if (generation := current_generation(folder)) is not None:
            yield from fact_rows(folder / generation, STARTS, cluster) or ()
