"""Groups that lose their coordinator with brokers: takes a sweep, gives groups by broker and how they would move.

A group's coordinator leads its partition of __consumer_offsets. When it stops, the next leader reads that partition
from its beginning before it answers the group. One with no other in-sync replica has no next leader.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.documents.readiness import NAMED
from kafka_fleet.store.raw.newest_sweep import SweepTables

OFFSETS = "__consumer_offsets"
SLOW_BYTES = 2**30  # segments have 100 MB and compaction keeps a few of them: a log of this size is not compacted
_IDLE = ("Empty", "Dead")


@dataclass(frozen=True)
class Groups:
    """Groups of one broker. active: those with members. stuck: no other in-sync replica could coordinate them.

    largest: bytes of the largest of their partitions of offsets; None: not read.
    """

    all: int = 0
    active: int = 0
    names: tuple[str, ...] = ()
    stuck: int = 0
    stuck_names: tuple[str, ...] = ()
    largest: int | None = None


def java_hash(text: str) -> int:
    """String.hashCode of Java: over UTF-16 code units, in 32 bits with a sign."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for place in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[place : place + 2], "big")) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def offsets_partition(group: str, partitions: int) -> int:
    """The partition of __consumer_offsets that keeps a group; the least hash has no absolute value and counts as 0."""
    return (abs(java_hash(group)) & 0x7FFFFFFF) % partitions


def groups_by_broker(tables: SweepTables, rows: pa.Table) -> Mapping[int, Groups] | None:
    """Groups of each broker that coordinates any; None where groups, or the partitions of offsets, were not read.

    rows: of partition_rows.
    """
    if tables.unread("groups") or tables.unread("topics"):
        return None
    groups = {
        one["group_id"]: one["state"] for one in tables.table("groups").to_pylist() if one["group_id"] is not None
    }
    own = rows.filter(pc.and_(pc.equal(rows["topic"], OFFSETS), pc.is_valid(rows["partition"])))
    offsets = {one["partition"]: one for one in own.to_pylist()}
    if not groups:
        return {}
    if not offsets:
        return None
    members = Counter(tables.table("group_members")["group_id"].to_pylist())
    sizes = _sizes(tables)
    found: dict[int, list[tuple[int, str, int]]] = defaultdict(list)
    for group in groups:
        place = offsets_partition(group, len(offsets))
        leader = offsets[place]["leader"] if place in offsets else None
        if leader is not None:
            found[leader].append((members[group], group, place))
    return {broker: _groups(own, groups, offsets, sizes) for broker, own in found.items()}


def _groups(
    own: list[tuple[int, str, int]],
    states: Mapping[str, str | None],
    offsets: Mapping[int, Mapping[str, int | None]],
    sizes: Mapping[int, int],
) -> Groups:
    ordered = sorted(own, key=lambda one: (-one[0], one[1]))
    active = [one for one in ordered if one[0] or (states[one[1]] or "Empty") not in _IDLE]
    stuck = [one for one in ordered if (offsets[one[2]]["in_sync"] or 0) <= 1]
    large = [sizes[place] for _members, _group, place in ordered if place in sizes]
    return Groups(len(ordered), len(active), _names(active), len(stuck), _names(stuck), max(large) if large else None)


def _names(groups: Collection[tuple[int, str, int]]) -> tuple[str, ...]:
    return tuple(group for _members, group, _place in list(groups)[:NAMED])


def _sizes(tables: SweepTables) -> Mapping[int, int]:
    """Bytes of each partition of offsets, of the largest replica."""
    logs = tables.table("partitions")
    own = logs.filter(pc.equal(logs["topic"], OFFSETS))
    sizes: dict[int, int] = {}
    for one in own.select(["partition", "size_bytes"]).to_pylist():
        if one["size_bytes"] is not None and one["partition"] is not None:
            sizes[one["partition"]] = max(one["size_bytes"], sizes.get(one["partition"], 0))
    return sizes
