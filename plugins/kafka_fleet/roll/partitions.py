"""What partitions lose with brokers: takes a sweep's metadata and settings, gives partitions by what becomes of them.

A partition whose last in-sync replica goes is offline. One with fewer in-sync replicas than min.insync.replicas takes
no more writes with acks=all. Both are counted from the in-sync sets of the sweep.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.documents.readiness import NAMED
from kafka_fleet.roll.arrow_rows import counts, exploded, looked_up, whole_numbers
from kafka_fleet.store.raw.newest_sweep import SweepTables

MIN_ISR = "min.insync.replicas"


@dataclass(frozen=True)
class Some:
    """Partitions of which something is true: how many, and the topics with the most of them."""

    count: int = 0
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Loss:
    """What follows when brokers stop. undecided: of partitions whose min.insync.replicas was not read.

    offline: their last in-sync replica is gone; under: too few are left for acks=all, and were enough before;
    leaders: partitions that another broker has to lead.
    """

    offline: Some = field(default_factory=Some)
    under: Some = field(default_factory=Some)
    undecided: Some = field(default_factory=Some)
    leaders: int = 0


def partition_rows(tables: SweepTables) -> pa.Table:
    """Every partition: topic, partition, leader, replicas, isr, and `in_sync` replicas, of which it needs `least`.

    least is the topic's own setting in force, else the one that all brokers have alike; null where neither was read.
    """
    topics = tables.table("topics").select(["topic", "partition", "leader", "replicas", "isr"])
    settings = tables.table("topic_configs")
    settings = settings.filter(pc.equal(settings["name"], MIN_ISR))
    settings = settings.append_column("least", whole_numbers(settings["value"]))
    least = looked_up(topics["topic"], settings, "topic", "least")
    brokers = tables.table("broker_configs")
    common = pc.unique(whole_numbers(brokers.filter(pc.equal(brokers["name"], MIN_ISR))["value"])).to_pylist()
    if len(common) == 1 and common[0] is not None:
        least = pc.fill_null(least, pa.scalar(common[0], pa.int64()))
    in_sync = pc.cast(pc.list_value_length(topics["isr"]), pa.int64())
    return topics.append_column("in_sync", in_sync).append_column("least", least)


def _some(rows: pa.Table) -> Some:
    found = counts(rows, ["topic"])
    return Some(rows.num_rows, tuple(one["topic"] for one in found[:NAMED]))


def _by_broker(rows: pa.Table) -> dict[int, Some]:
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for one in counts(rows, ["broker", "topic"]):
        found[one["broker"]].append((one["count"], one["topic"]))
    return {b: Some(sum(n for n, _t in own), tuple(t for _n, t in own[:NAMED])) for b, own in found.items()}


def stopped_alone(rows: pa.Table, brokers: Collection[int]) -> Mapping[int, Loss]:
    """What follows when one broker stops and all others go on, for each of these."""
    led = pc.is_valid(rows["leader"])
    each = exploded(rows.filter(led), "isr", "broker", ["topic", "in_sync", "least", "leader"])
    each = each.filter(pc.is_in(each["broker"], pa.array(sorted(brokers), pa.int32())))
    last = pc.equal(each["in_sync"], 1)
    several = pc.invert(last)
    falls = pc.equal(each["in_sync"], each["least"])  # one fewer would be too few, and were not before
    offline, under = _by_broker(each.filter(last)), _by_broker(each.filter(pc.and_(several, falls)))
    undecided = _by_broker(each.filter(pc.and_(several, pc.is_null(each["least"]))))
    leads = {one["leader"]: one["count"] for one in counts(rows.filter(led), ["leader"])}
    return {
        b: Loss(offline.get(b, Some()), under.get(b, Some()), undecided.get(b, Some()), leads.get(b, 0))
        for b in sorted(brokers)
    }


def stopped_together(rows: pa.Table, brokers: Collection[int]) -> Loss:
    """What follows when all of these are gone at once."""
    gone = pa.array(sorted(brokers), pa.int32())
    led = rows.filter(pc.is_valid(rows["leader"]))
    number = led.append_column("row", pa.array(range(led.num_rows), pa.int64()))
    each = exploded(number, "isr", "broker", ["row"])
    lost = each.filter(pc.is_in(each["broker"], gone)).group_by("row").aggregate([("row", "count")])
    hit = led.take(lost["row"]).append_column("left", pc.subtract(led.take(lost["row"])["in_sync"], lost["row_count"]))
    none = pc.less_equal(hit["left"], 0)
    some = pc.invert(none)
    falls = pc.and_(pc.less(hit["left"], hit["least"]), pc.greater_equal(hit["in_sync"], hit["least"]))
    return Loss(
        _some(hit.filter(none)),
        _some(hit.filter(pc.and_(some, falls))),
        _some(hit.filter(pc.and_(some, pc.is_null(hit["least"])))),
        led.filter(pc.is_in(led["leader"], gone)).num_rows,
    )


@dataclass(frozen=True)
class Standing:
    """How partitions stand before anything is stopped. unread: partitions that metadata does not tell the sets of."""

    leaderless: Some
    under: Some
    out_of_sync: Some
    away: Some
    unread: Some


def standing(rows: pa.Table) -> Standing:
    """Partitions without a leader, under min ISR, with replicas out of sync, or led by another than the preferred."""
    size = pc.cast(pc.list_value_length(rows["replicas"]), pa.int64())
    first = pc.list_element(rows.filter(pc.greater(size, 0))["replicas"], 0)
    placed = rows.filter(pc.greater(size, 0))
    led = pc.is_valid(rows["leader"])
    unread = pc.or_(pc.is_null(rows["isr"]), pc.is_null(rows["replicas"]))
    return Standing(
        _some(rows.filter(pc.is_null(rows["leader"]))),
        _some(rows.filter(pc.and_(led, pc.less(rows["in_sync"], rows["least"])))),
        _some(rows.filter(pc.less(rows["in_sync"], size))),
        _some(placed.filter(pc.not_equal(placed["leader"], first))),
        _some(rows.filter(unread)),
    )
