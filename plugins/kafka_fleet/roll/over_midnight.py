"""Rolls that span midnight: takes what each day tells of its rolls, gives those of one day, whole.

A stored day tells of the restarts that it saw, whatever other days are judged, so that its bytes rest on it alone.
The parts are put together here, where they are read: the later day has the whole roll, the earlier one says that it
goes on.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from kafka_fleet.documents.readiness import NAMED
from kafka_fleet.documents.roll_report import (
    Bounds,
    BrokerRestart,
    ErrorCount,
    Leadership,
    RollReport,
    SymptomChange,
)
from kafka_fleet.roll.rolls import APART, kind_of

FURTHEST = 7  # days that a roll is followed back
RollsOf = Callable[[str], Sequence[RollReport] | None]  # of a day; None: not known


def whole_rolls(rolls_of: RollsOf, ds: str) -> list[RollReport] | None:
    """The rolls of a day: the first with its parts of the days before, the last with the day on which it goes on."""
    own = rolls_of(ds)
    if not own:
        return None if own is None else []
    found = list(own)
    later = rolls_of(_beside(ds, 1)) or ()
    if later and _follows(found[-1], later[0]):
        found[-1] = found[-1].model_copy(update={"goes_on": _beside(ds, 1)})
    for back in range(1, FURTHEST):
        earlier = rolls_of(_beside(ds, -back)) or ()
        if not earlier or not _follows(earlier[-1], found[0]):
            break
        found[0] = _joined(earlier[-1], found[0])
        if len(earlier) > 1:
            break
    return found


def _beside(ds: str, days: int) -> str:
    return (date.fromisoformat(ds) + timedelta(days=days)).isoformat()


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _follows(earlier: RollReport, later: RollReport) -> bool:
    """Whether the restarts of both are no further apart than those of one roll."""
    last = max(_at(one.first_seen) for one in earlier.restarts)
    return timedelta(0) <= max(_at(later.begin) - last, timedelta(0)) <= APART


def _joined(earlier: RollReport, later: RollReport) -> RollReport:
    restarts = [*(_in_sync_later(one, later) for one in earlier.restarts), *later.restarts]
    groups = list(dict.fromkeys([*earlier.groups, *later.groups]))
    moved = [one.groups_moved for one in (earlier, later) if one.groups_moved is not None]
    told = earlier.rebalances is not None and later.rebalances is not None
    return RollReport(
        kind=kind_of(restarts),
        begin=earlier.begin,
        end=max(later.end, *(one.in_sync or one.first_seen for one in restarts), key=_at),
        restarts=restarts,
        under_min_isr=_bounds(earlier, later),
        errors=_errors(earlier, later),
        reconnects=sorted([*earlier.reconnects, *later.reconnects], key=lambda r: (-r.created, r.broker, r.listener)),
        rebalances=(earlier.rebalances or 0) + (later.rebalances or 0) if told else None,
        groups_moved=max(moved) if len(moved) == 2 else None,
        groups=groups[:NAMED],
        rebalancing=list(dict.fromkeys([*earlier.rebalancing, *later.rebalancing]))[:NAMED],
        leadership=_leadership(restarts, later),
        symptoms=_symptoms(earlier, later),
        since=earlier.since or earlier.begin[:10],
        goes_on=later.goes_on,
        first_in_sync=earlier.first_in_sync,
    )


def _in_sync_later(one: BrokerRestart, later: RollReport) -> BrokerRestart:
    """A restart after which the earlier day saw no whole set: in sync by the first sweep of the later one that did."""
    if one.in_sync is not None:
        return one
    whole = next((seen.at for seen in later.first_in_sync if seen.broker == one.broker), None)
    until = _at(whole or later.end)
    away = max(one.away_seconds, round((until - _at(one.last_seen)).total_seconds(), 1))
    return one.model_copy(update={"in_sync": whole, "away_seconds": away})


def _bounds(earlier: RollReport, later: RollReport) -> Bounds | None:
    """What lies between the two parts counts into the upper bound."""
    first, second = earlier.under_min_isr, later.under_min_isr
    if first is None or second is None:
        known = first or second
        return known if known is not None and known.most else None
    between = max(0.0, (_at(later.begin) - _at(earlier.end)).total_seconds()) if first.most or second.most else 0.0
    most = round(first.at_most + second.at_most + between, 1)
    return Bounds(at_least=round(first.at_least + second.at_least, 1), at_most=most, most=max(first.most, second.most))


def _errors(earlier: RollReport, later: RollReport) -> list[ErrorCount]:
    """Before the first part, in both, after the last one."""
    before = {(one.request, one.error): one for one in earlier.errors}
    after = {(one.request, one.error): one for one in later.errors}
    found = []
    for request, error in sorted({*before, *after}):
        first, second = before.get((request, error)), after.get((request, error))
        found.append(
            ErrorCount(
                request=request,
                error=error,
                before=first.before if first else 0,
                during=sum(one.during for one in (first, second) if one),
                after=second.after if second else 0,
            )
        )
    return sorted(found, key=lambda one: (-one.during, one.request, one.error))


def _leadership(restarts: Sequence[BrokerRestart], later: RollReport) -> Leadership | None:
    """Of the brokers of both parts, by the last sweep of the later day; None where that day tells of its own alone."""
    found = later.leadership
    if found is None or {one.broker for one in restarts} == {one.broker for one in later.restarts}:
        return found
    if found.preferred is None:
        return None
    brokers = {one.broker for one in restarts}
    own = [one for one in found.preferred if one.broker in brokers]
    topics = list(dict.fromkeys(name for one in own for name in one.topics))[:NAMED]
    return found.model_copy(
        update={"away": sum(one.away for one in own), "out_of_sync": sum(one.out_of_sync for one in own),
                "topics": topics}
    )  # fmt: skip


def _symptoms(earlier: RollReport, later: RollReport) -> list[SymptomChange]:
    """Before the first part, after the last; during both by the length of each."""
    first = {(one.signature, one.title): one for one in earlier.symptoms}
    found = []
    for one in later.symptoms:
        before = first.get((one.signature, one.title))
        parts = [
            (part.during, max(1.0, (_at(roll.end) - _at(roll.begin)).total_seconds()))
            for part, roll in ((before, earlier), (one, later))
            if part is not None and part.during is not None
        ]
        weight = sum(seconds for _value, seconds in parts)
        during = round(sum((value or 0.0) * seconds for value, seconds in parts) / weight, 4) if parts else None
        found.append(one.model_copy(update={"before": before.before if before else None, "during": during}))
    return found
