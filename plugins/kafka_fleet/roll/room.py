"""Room that a roll needs: takes a sweep, gives reasons about disks and file descriptors.

While a broker is away the others write on, and as it comes back it has to fetch what they wrote: each disk must hold
the writes of that time. Clients of the broker turn to the others meanwhile: each connection takes a file descriptor.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.documents.readiness import NAMED, Level, ReadinessReason
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.roll.arrow_rows import exploded
from kafka_fleet.roll.connections import Listener
from kafka_fleet.roll.reasons import reason
from kafka_fleet.store.raw.newest_sweep import SweepTables

AWAY_S = 3600.0  # that a broker may be away; the longest of the last roll where that was longer
NEAR = 0.9  # of the limit: from so many open descriptors on it is told
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Room:
    """The log directory of a broker with the least room. sum: of all of them; two of one volume count twice there."""

    broker: int
    log_dir: str
    usable: int
    sum: int


def of_disks(tables: SweepTables, brokers: Collection[int], last: RollReport | None) -> Iterator[ReadinessReason]:
    """Whether the disk of each broker holds what is written while one is away."""
    rooms = _rooms(tables)
    if unread := [str(one) for one in sorted(brokers) if one not in rooms]:
        yield reason("disk_unread", "unmeasured", count=len(unread), names=unread[:NAMED])
    rates = growth(tables)
    if rates is None:
        if not tables.unread("topics"):  # which says it, too
            yield reason("growth_unread", "unmeasured")
        return
    seconds = max([AWAY_S, *(one.away_seconds for one in (last.restarts if last else ()))])
    short, left = False, []
    for broker in sorted(set(brokers) & rooms.keys()):
        room, need = rooms[broker], rates.get(broker, 0.0) * seconds
        # which directory the writes go to is not known, so that one alone may be the one that fills
        if room.usable < need:
            short = True
            level: Level = "blocks" if room.sum < need or room.sum == room.usable else "warns"
            yield reason("disk_short", level, None, broker, [room.log_dir], room.usable, str(round(need)))
        else:
            left.append((room.usable - need, room, need))
    if left and not short:
        _rest, room, need = min(left, key=lambda one: (one[0], one[1].broker))
        yield reason("disk_fits", "notes", None, room.broker, [room.log_dir], room.usable, str(round(need)))


def _rooms(tables: SweepTables) -> Mapping[int, Room]:
    found: dict[int, list[Row]] = defaultdict(list)
    for one in tables.table("disks").to_pylist():
        if one["usable_bytes"] is not None and one["broker"] is not None:
            found[one["broker"]].append(one)
    rooms = {}
    for broker, rows in found.items():
        least = min(rows, key=lambda one: (one["usable_bytes"], one["log_dir"] or ""))
        total = sum(one["usable_bytes"] for one in rows)
        rooms[broker] = Room(broker, least["log_dir"] or "", least["usable_bytes"], total)
    return rooms


def growth(tables: SweepTables) -> Mapping[int, float] | None:
    """Bytes/s that each broker has to write, by what leaders took since the sweep before; None: not measured.

    A record counts with the mean size of those that its partition keeps. What retention and compaction delete is not
    taken off. Followers that catch up do not count: only what was new to leaders does.
    """
    sweep = tables.table("sweeps").to_pylist()
    before = sweep[0]["previous_sweep_at"] if sweep else None
    if before is None or tables.unread("topics"):
        return None
    seconds = (tables.sweep.sweep_at - before).total_seconds()
    rows = tables.table("partitions")
    rows = rows.filter(pc.and_(pc.greater(rows["replicas_count"], 0), pc.is_valid(rows["previous_log_end_offset"])))
    if not rows.num_rows or seconds <= 0:
        return None
    new = pc.max_element_wise(pc.subtract(rows["log_end_offset"], rows["previous_log_end_offset"]), pa.scalar(0))
    kept = pc.max_element_wise(pc.subtract(rows["log_end_offset"], rows["log_start_offset"]), pa.scalar(1))
    each = pc.divide(_floats(rows["size_bytes"]), _floats(kept))
    grown = rows.select(["topic", "partition"]).append_column("bytes", pc.multiply(_floats(new), each))
    grown = grown.group_by(["topic", "partition"]).aggregate([("bytes", "max")])
    held = exploded(tables.table("topics"), "replicas", "broker", ("topic", "partition"))
    joined = held.join(grown, ["topic", "partition"]).group_by(["broker"]).aggregate([("bytes_max", "sum")])
    return {one["broker"]: (one["bytes_max_sum"] or 0.0) / seconds for one in joined.to_pylist()}


def _floats(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(numbers, pa.float64(), safe=False)


def of_descriptors(
    tables: SweepTables,
    brokers: Collection[int],
    wanted: Sequence[int],
    found: Mapping[int, Sequence[Listener]],
) -> Iterator[ReadinessReason]:
    """Whether each other broker has descriptors for the clients of the one that is away, and how many it has itself."""
    states = {one["broker"]: one for one in tables.table("broker_metrics").to_pylist()}
    known = {broker: one for broker, one in states.items() if _told(one)}
    if unread := [str(one) for one in sorted(brokers) if one in states and one not in known]:
        yield reason("descriptors_unread", "unmeasured", count=len(unread), names=unread[:NAMED])
    for broker in wanted:
        others = [one for one in brokers if one != broker]
        held = sum(one.held for one in found.get(broker, ()))
        share = -(-held // len(others)) if others else 0
        full = [one for one in others if one in known and _open(known[one]) + share > _most(known[one])]
        if full:
            worst = min(full, key=lambda one: (_most(known[one]) - _open(known[one]), one))
            limit, about = _most(known[worst]), str(_open(known[worst]))
            yield reason("descriptors_short", "blocks", broker, share, [str(worst)], limit, about)
        own = known.get(broker)
        if own is not None and _open(own) > NEAR * _most(own):
            yield reason("descriptors_near", "warns", broker, _open(own), (), _most(own))
        elif own is not None:
            yield reason("descriptors_fit", "notes", broker, _open(own), (), _most(own))


def _told(one: Row) -> bool:
    return (one["open_file_descriptors"] or 0) > 0 and (one["max_file_descriptors"] or 0) > 0


def _open(one: Row) -> int:
    return int(one["open_file_descriptors"])


def _most(one: Row) -> int:
    return int(one["max_file_descriptors"])
