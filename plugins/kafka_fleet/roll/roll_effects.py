"""What a roll did: takes a day's rows and the sweeps around the roll, gives errors, connections, groups, leadership."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.documents.readiness import NAMED
from kafka_fleet.documents.roll_report import Bounds, ErrorCount, Leadership, PreferredAway, Reconnects
from kafka_fleet.knowledge.evidence import iso
from kafka_fleet.roll.day_rows import DayRows, Row

_REBALANCING = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")  # the last two: KIP-848
AROUND = timedelta(minutes=30)  # at least so much before and after a roll is held beside it


def errors_of(day: DayRows, begin: datetime, end: datetime) -> list[ErrorCount]:
    """Error codes of intervals up to a sweep within the roll, and within as long a time before and after it."""
    beside = max(AROUND, end - begin)
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in day.facts("error_counters", ("request", "error", "errors", "to_sweep")) or []:
        if one["error"] == "NONE":
            continue
        at, when = one["to_sweep"], None
        if begin < at <= end:
            when = "during"
        elif begin - beside < at <= begin:
            when = "before"
        elif end < at <= end + beside:
            when = "after"
        if when:
            found[one["request"] or "", one["error"] or ""][when] += one["errors"] or 0
    rows = [
        ErrorCount(request=key[0], error=key[1], before=n["before"], during=n["during"], after=n["after"])
        for key, n in found.items()
    ]
    return sorted(rows, key=lambda one: (-one.during, one.request, one.error))


def reconnects_of(day: DayRows, restarts: Collection[Row]) -> list[Reconnects]:
    """Connections that each restarted broker was given up to its first read."""
    kernel = {
        (one["broker"], one["to_sweep"]): one
        for one in day.facts(
            "host_counters", ("broker", "to_sweep", "listen_overflows", "listen_drops", "syncookies_sent")
        )
        or []
    }
    began = {(one["broker"], one["to_sweep"]) for one in restarts}
    columns = ("broker", "listener", "kind", "to_sweep", "created", "held_before", "seconds", "ran_back")
    found = [
        Reconnects(
            broker=one["broker"],
            listener=one["listener"] or "",
            created=round(one["created"]),
            held_before=None if one["held_before"] is None else round(one["held_before"]),
            seconds=round(one["seconds"] or 0.0, 1),
            overflows=_overflows(kernel.get((one["broker"], one["to_sweep"]))),
        )
        for one in day.facts("listener_connections", columns) or []
        if one["kind"] == "start"
        and (one["broker"], one["to_sweep"]) in began
        and one["created"] is not None
        and not one["ran_back"]
    ]
    return sorted(found, key=lambda one: (-one.created, one.broker, one.listener))


def _overflows(row: Row | None) -> int | None:
    """Every overflow is a drop too; a cookie is a connection that found no place either."""
    if row is None:
        return None
    drops = [row[name] for name in ("listen_overflows", "listen_drops") if row[name] is not None]
    if not drops and row["syncookies_sent"] is None:
        return None
    return int(max(drops, default=0) + (row["syncookies_sent"] or 0))


def groups_moved(day: DayRows, begin: datetime, end: datetime) -> tuple[int, list[str]] | None:
    """How many groups changed their coordinator, and those with the most members; None where it was not read."""
    rows = day.facts("group_coordinators", ("group_id", "sweep_at", "coordinator", "members"))
    if rows is None or not any(one["coordinator"] is not None for one in rows):
        return None
    before = max((one["sweep_at"] for one in rows if one["sweep_at"] <= begin), default=begin)
    seen: dict[str, set[int]] = defaultdict(set)
    members: Counter[str] = Counter()
    for one in rows:
        group = one["group_id"]
        if before <= one["sweep_at"] <= end and one["coordinator"] is not None and group is not None:
            seen[group].add(one["coordinator"])
            members[group] = max(members[group], one["members"] or 0)
    moved = sorted((g for g, own in seen.items() if len(own) > 1), key=lambda g: (-members[g], g))
    return len(moved), moved[:NAMED]


def groups_rebalancing(day: DayRows, begin: datetime, end: datetime) -> list[str]:
    """Groups that a sweep of the roll saw amid a rebalance, those with the most members."""
    rows = day.facts("group_coordinators", ("group_id", "sweep_at", "group_state", "members")) or []
    seen: Counter[str] = Counter()
    for one in rows:
        if begin < one["sweep_at"] <= end and one["group_state"] in _REBALANCING and one["group_id"] is not None:
            seen[one["group_id"]] = max(seen[one["group_id"]], one["members"] or 0)
    return sorted(seen, key=lambda group: (-seen[group], group))[:NAMED]


def under_min_isr(metrics: pa.Table, begin: datetime, end: datetime) -> Bounds | None:
    """How long partitions were under min ISR, by the leaders' gauge at the sweeps; None where no broker told."""
    told = metrics.filter(pc.is_valid(metrics["under_min_isr_partitions"]))
    series = told.group_by("sweep_at").aggregate([("under_min_isr_partitions", "sum")]).sort_by("sweep_at").to_pylist()
    if not series:
        return None
    times = [one["sweep_at"] for one in series]
    bad = [one["under_min_isr_partitions_sum"] > 0 and begin <= one["sweep_at"] <= end for one in series]
    least = sum((b - a).total_seconds() for a, b, x, y in zip(times, times[1:], bad, bad[1:], strict=False) if x and y)
    most = sum((b - a).total_seconds() for a, b, x, y in zip(times, times[1:], bad, bad[1:], strict=False) if x or y)
    worst = max(
        (one["under_min_isr_partitions_sum"] for one, is_bad in zip(series, bad, strict=True) if is_bad), default=0
    )
    return Bounds(at_least=round(least, 1), at_most=round(most, 1), most=worst)


def rebalances(metrics: pa.Table, begin: datetime, end: datetime) -> int | None:
    """Rebalances that coordinators completed, counted within each process; None where no release tells (before 2.4)."""
    reads: dict[tuple[int, int | None], list[tuple[datetime, float]]] = defaultdict(list)
    for one in metrics.sort_by("sweep_at").to_pylist():
        if one["completed_rebalances"] is not None:
            reads[one["broker"], one["jvm_start_ms"]].append((one["sweep_at"], one["completed_rebalances"]))
    if not reads:
        return None
    first = min(metrics["sweep_at"].to_pylist())
    total = 0.0
    for series in reads.values():
        # a process that was not there at the first sweep began at 0 within the day
        value = series[0][1] if series[0][0] == first else 0.0
        for to, count in series:
            if begin < to <= end:
                total += max(0.0, count - value)
            value = count
    return round(total)


def leadership(day: DayRows, brokers: Sequence[int], end: datetime) -> Leadership | None:
    """Partitions that restarted brokers should lead again and do not, by the day's last sweep if it is later."""
    if day.last is None or day.last.unread("topics") or day.last.sweep.sweep_at < end:
        return None
    rows = day.last.table("topics")
    rows = rows.filter(pc.greater(pc.list_value_length(rows["replicas"]), 0))
    first = pc.list_element(rows["replicas"], 0)
    away = rows.filter(pc.fill_null(pc.not_equal(rows["leader"], first), True))
    by_broker: dict[int, list[Row]] = defaultdict(list)
    for one in away.select(["topic", "replicas", "isr"]).to_pylist():
        by_broker[one["replicas"][0]].append(one)
    every = [_away(broker, by_broker[broker]) for broker in sorted(by_broker)]
    own = [one for one in every if one.broker in brokers]
    named = Counter(row["topic"] for one in own for row in by_broker[one.broker])
    return Leadership(
        at=iso(day.last.sweep.sweep_at),
        away=sum(one.away for one in own),
        out_of_sync=sum(one.out_of_sync for one in own),
        topics=_most(named),
        preferred=every,
    )


def _away(broker: int, rows: Sequence[Row]) -> PreferredAway:
    outside = sum(broker not in (one["isr"] or ()) for one in rows)
    topics = _most(Counter(one["topic"] for one in rows))
    return PreferredAway(broker=broker, away=len(rows), out_of_sync=outside, topics=topics)


def _most(names: Counter[str]) -> list[str]:
    return sorted(names, key=lambda name: (-names[name], name))[:NAMED]
