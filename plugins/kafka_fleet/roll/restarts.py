"""Restarts of brokers one by one: takes a day's rows, gives how each ended, what it ran, how long it was away."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from kafka_fleet.documents.roll_report import BrokerRestart, Stop
from kafka_fleet.knowledge.evidence import iso
from kafka_fleet.roll.day_rows import DayRows, Row

_COUNTED = (
    "controlled_shutdown_brokers", "leaders_before", "fenced_brokers", "refused_registrations", "controlled_shutdowns",
    "stops", "possible_stops",
)  # fmt: skip
COLUMNS = ("broker", "from_sweep", "to_sweep", "from_at", "to_at", "process_start", *_COUNTED)


def stop_of(row: Row) -> Stop:
    """How the old process ended, by what controllers counted: the rule of the signature unclean_restart.

    A number that was not read is None and decides nothing.
    """
    told, fenced, counted = (
        row[name] for name in ("controlled_shutdown_brokers", "fenced_brokers", "controlled_shutdowns")
    )
    if told == 0 and (row["leaders_before"] or 0) > 0:
        return "killed"
    if told is not None and fenced is not None and told >= fenced:
        return "controlled"
    if (row["refused_registrations"] or 0) > 0:
        return "killed" if row["possible_stops"] == 1 else "some_killed"
    if counted is None:
        return "unknown"
    if counted == 0:
        return "killed"
    if counted < row["stops"]:
        return "some_killed"
    return "unknown" if counted < row["possible_stops"] else "controlled"


def stop_by_log(counted: Stop, lines: Collection[str]) -> Stop:
    """The same, with the log marks of the new process, which decide what counters leave open.

    Of a broker that was let go and then recovers its logs, the end came before they were closed. lines: ids of marks.
    """
    if "recovered_segment" in lines and "unclean_start" in lines and "clean_start" not in lines:
        return "killed"
    if "clean_start" in lines and not {"unclean_start", "recovered_segment"} & set(lines):
        return "controlled" if counted in ("unknown", "some_killed") else counted
    return counted


class Restart(NamedTuple):
    """A restart: its row of facts, what is told of it, and the sweep by which it was over."""

    row: Row
    told: BrokerRestart
    until: datetime


def restarts_of(day: DayRows) -> list[Restart]:
    """Each restart, in the order of process starts."""
    rows = day.facts("restarts", COLUMNS) or []
    starts = {
        (one["broker"], one["process_start"]): one
        for one in day.facts("broker_starts", ("broker", "process_start", "start_seconds", "remaining_logs")) or []
    }
    behind: dict[int, set[datetime]] = defaultdict(set)
    for one in day.facts("out_of_sync_replicas", ("follower", "sweep_at")) or []:
        behind[one["follower"]].add(one["sweep_at"])
    sweeps, releases = day.sweeps_with_topics(), _releases(day)
    marks = day.facts("log_marks", ("broker", "mark", "last_at")) or []
    ordered = sorted(rows, key=lambda one: (one["process_start"] or one["to_at"], one["broker"]))
    return [
        _restart(one, starts, sweeps, behind[one["broker"]], releases, _lines(one, starts, marks)) for one in ordered
    ]


def _lines(row: Row, starts: Collection[tuple[int, datetime]], marks: Sequence[Row]) -> set[str]:
    """Marks in the log of the new process, up to its broker's next start."""
    begun = row["process_start"]
    if begun is None:
        return set()
    later = [start for broker, start in starts if broker == row["broker"] and start is not None and start > begun]
    end = min(later, default=None)
    return {
        one["mark"]
        for one in marks
        if one["broker"] == row["broker"]
        and one["last_at"] is not None  # what was counted is known, and not when
        and begun <= one["last_at"]
        and (end is None or one["last_at"] < end)
    }


def _releases(day: DayRows) -> Mapping[tuple[int, datetime], str]:
    return {
        (one["broker"], one["sweep_at"]): one["release"]
        for one in day.metrics.to_pylist()
        if one["release"] is not None
    }


def _restart(
    row: Row,
    starts: Mapping[tuple[int, datetime], Row],
    sweeps: Sequence[datetime],
    behind: Collection[datetime],
    releases: Mapping[tuple[int, datetime], str],
    lines: Collection[str],
) -> Restart:
    broker, begun = row["broker"], row["process_start"] or row["to_at"]
    start = starts.get((broker, row["process_start"]), {})
    after = [at for at in sweeps if at >= row["to_sweep"]]
    whole = next((at for at in after if at not in behind), None)
    until = whole or (after[-1] if after else row["to_at"])
    told = BrokerRestart(
        broker=broker,
        stop=stop_by_log(stop_of(row), lines),
        from_release=releases.get((broker, row["from_sweep"])),
        to_release=releases.get((broker, row["to_sweep"])),
        last_seen=iso(row["from_at"]),
        process_start=iso(begun),
        first_seen=iso(row["to_at"]),
        start_seconds=start.get("start_seconds"),
        remaining_logs=start.get("remaining_logs"),
        in_sync=None if whole is None else iso(whole),
        away_seconds=max(0.0, round((until - row["from_at"]).total_seconds(), 1)),
    )
    return Restart(row, told, whole or row["to_sweep"])
