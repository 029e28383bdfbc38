"""A roll in words: takes its report, gives a table of restarts and one sentence for each thing that it did.

What was not measured is a sentence too. Names come from Kafka and are made visible here; templates escape them.
"""

from collections.abc import Iterator, Mapping

from kafka_fleet.documents.roll_report import BrokerRestart, Kind, RollReport, Stop
from kafka_fleet.report.formatting import clock, moment, number, plural, quantity
from kafka_fleet.report.sanitize import displayed

STOP_WORDS: Mapping[Stop, str] = {
    "controlled": "controlled", "killed": "not controlled", "some_killed": "not all controlled", "unknown": "not known",
}  # fmt: skip
KIND_WORDS: Mapping[Kind, str] = {"restart": "Restart", "roll": "Roll", "upgrade": "Upgrade"}
RESTART_HEAD = ("broker", "last seen", "started", "start-up", "in sync", "away at most", "shutdown", "release")
_LONGEST, _LISTED = 80, 5


def duration(seconds: float | None) -> str:
    """`48 s`, `15 min`, `2.5 h`; an en dash where it is not known."""
    if seconds is None:
        return number(None)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def roll_title(roll: RollReport, ds: str) -> str:
    """`Roll of 3 brokers, 10:00 to 10:42 UTC`, with both releases where they differ."""
    brokers = plural(len({one.broker for one in roll.restarts}), "broker")
    old = sorted({one.from_release for one in roll.restarts if one.from_release})
    new = roll.to_releases
    releases = f" from {', '.join(old)} to {', '.join(new)}" if roll.kind == "upgrade" else ""
    when = f"{clock(moment(roll.begin), ds)} to {clock(moment(roll.end), ds)} UTC"
    return displayed(f"{KIND_WORDS[roll.kind]} of {brokers}{releases}, {when}", 4 * _LONGEST)


def restart_cells(one: BrokerRestart, ds: str) -> list[str]:
    """One row under RESTART_HEAD."""
    release = one.to_release or number(None)
    if one.from_release and one.to_release and one.from_release != one.to_release:
        release = f"{one.from_release} to {one.to_release}"
    return [
        str(one.broker),
        clock(moment(one.last_seen), ds),
        clock(moment(one.process_start), ds),
        duration(one.start_seconds),
        clock(moment(one.in_sync), ds) if one.in_sync else "not that day",
        duration(one.away_seconds),
        STOP_WORDS[one.stop],
        displayed(release, _LONGEST),
    ]


def roll_lines(roll: RollReport) -> list[str]:
    """Sentences without a full stop, what went wrong among them."""
    parts = (_days, _writes, _errors, _connections, _groups, _leadership, _symptoms)
    return [one for part in parts for one in part(roll)]


def _days(roll: RollReport) -> Iterator[str]:
    if roll.since:
        yield f"It began on {roll.since} and is told here as a whole"
    if roll.goes_on:
        yield f"It goes on after midnight: {roll.goes_on} tells the whole roll"


def _writes(roll: RollReport) -> Iterator[str]:
    found = roll.under_min_isr
    if found is None:
        yield "Partitions under min.insync.replicas: not measured"
    elif not found.most:
        yield "No sweep showed a partition under min.insync.replicas"
    else:
        bounds = f"{duration(found.at_least)} at least, {duration(found.at_most)} at most"
        yield f"Up to {plural(found.most, 'partition')} under min.insync.replicas, for {bounds}"
    for one in roll.restarts:
        if one.remaining_logs:
            yield f"Broker {one.broker} recovered up to {plural(one.remaining_logs, 'log')} before it was up"


def _errors(roll: RollReport) -> Iterator[str]:
    for one in roll.errors[:_LISTED]:
        name = displayed(f"{one.request} {one.error}", _LONGEST)
        beside = "for a shorter time before" if roll.since else "as long before"
        yield f"{name}: {one.during:,} responses; {beside}: {one.before:,}, after: {one.after:,}"
    if len(roll.errors) > _LISTED:
        yield f"{len(roll.errors) - _LISTED} more error codes"
    if not roll.errors:
        yield "No error code of Produce or Fetch was counted around it"


def _connections(roll: RollReport) -> Iterator[str]:
    for one in roll.reconnects[:_LISTED]:
        held = "" if one.held_before is None else f", {one.held_before:,} were held before"
        lost = "" if one.overflows is None else f"; {plural(one.overflows, 'connection')} found the kernel's queue full"
        name = displayed(one.listener, _LONGEST)
        made = plural(one.created, "connection")
        yield f"Broker {one.broker}, listener {name}: {made} in its first {duration(one.seconds)}{held}{lost}"
    if len(roll.reconnects) > _LISTED:
        yield f"{len(roll.reconnects) - _LISTED} more listeners of restarted brokers"
    if not roll.reconnects:
        yield "Connections to the new processes: not measured"


def _groups(roll: RollReport) -> Iterator[str]:
    yield (
        "Rebalances of groups: not measured"
        if roll.rebalances is None
        else f"Coordinators completed {_least(roll)}{plural(roll.rebalances, 'rebalance')}"
    )
    if roll.rebalancing:
        yield f"Seen amid a rebalance: group {', '.join(displayed(one, _LONGEST) for one in roll.rebalancing)}"
    if roll.groups_moved is None:
        yield "Groups whose coordinator moved: not measured"
    elif roll.groups_moved:
        names = ", ".join(displayed(one, _LONGEST) for one in roll.groups)
        yield f"{_least(roll)}{plural(roll.groups_moved, 'group')} had another coordinator for a time: {names}"


def _least(roll: RollReport) -> str:
    """Of a roll over midnight what both days counted together is not more than there was."""
    return "at least " if roll.since else ""


def _leadership(roll: RollReport) -> Iterator[str]:
    found = roll.leadership
    if found is None:
        yield "Whether leadership returned: not measured, no sweep came after it"
    elif not found.away:
        yield "All leadership returned"
    else:
        names = ", ".join(displayed(one, _LONGEST) for one in found.topics)
        sync = f"; {found.out_of_sync:,} of them wait for a replica that is out of sync" if found.out_of_sync else ""
        yield f"Leadership of {plural(found.away, 'partition')} did not return: topic {names}{sync}"


def _symptoms(roll: RollReport) -> Iterator[str]:
    for one in roll.symptoms:
        figures = [quantity(value, one.unit, one.threshold) for value in (one.before, one.during, one.after)]
        name = displayed(f"{one.signature}: {one.title}", 2 * _LONGEST)
        yield f"{name}: {figures[0]} before, {figures[1]} during, {figures[2]} after"
