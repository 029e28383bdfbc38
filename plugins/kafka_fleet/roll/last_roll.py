"""What of the last roll went wrong, and what overflowed: takes judged documents, gives reasons before the next one."""

from collections.abc import Iterator

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.readiness import NAMED, ReadinessReason
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.roll.reasons import reason

# a client meets these wherever leadership moves, and asks again
_OF_ANY_ROLL = frozenset(
    {"NOT_LEADER_OR_FOLLOWER", "NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "FENCED_LEADER_EPOCH",
     "UNKNOWN_LEADER_EPOCH"}
)  # fmt: skip
_STORM, _OF_RESTARTS = "reconnect_storm", ("restart", "leader_move")


def of_last_roll(last: RollReport) -> Iterator[ReadinessReason]:
    """A warning for each thing that went wrong; a note where nothing did."""
    day = last.begin[:10]
    found = list(_wrong(last, day))
    yield from found
    if not found:
        yield reason("last_roll_fine", "notes", count=len(last.restarts), about=day)


def _wrong(last: RollReport, day: str) -> Iterator[ReadinessReason]:
    killed = [one.broker for one in last.restarts if one.stop in ("killed", "some_killed")]
    if killed:
        yield reason("last_roll_killed", "warns", count=len(killed), names=_brokers(killed), about=day)
    unknown = [one.broker for one in last.restarts if one.stop == "unknown"]
    if unknown:
        yield reason("last_roll_untold", "warns", count=len(unknown), names=_brokers(unknown), about=day)
    loading = [one for one in last.restarts if (one.remaining_logs or 0) > 0]
    if loading:
        longest = max(loading, key=lambda one: one.start_seconds or 0)
        limit = None if longest.start_seconds is None else round(longest.start_seconds)
        names = _brokers([one.broker for one in loading])
        yield reason("last_roll_recovery", "warns", None, len(loading), names, limit, day)
    if last.under_min_isr is not None and last.under_min_isr.most:
        limit = round(last.under_min_isr.at_most)
        yield reason("last_roll_under_min_isr", "warns", None, last.under_min_isr.most, (), limit, day)
    more = [one for one in last.errors if one.during > one.before and one.error not in _OF_ANY_ROLL]
    if more:
        names = [f"{one.request} {one.error}" for one in more[:NAMED]]
        yield reason("last_roll_errors", "warns", count=sum(one.during for one in more), names=names, about=day)
    dropped = [one for one in last.reconnects if (one.overflows or 0) > 0]
    if dropped:
        names = _brokers([one.broker for one in dropped])
        yield reason("last_roll_overflow", "warns", None, max(one.overflows or 0 for one in dropped), names, None, day)
    if last.leadership is not None and last.leadership.away:
        yield reason("last_roll_leadership", "warns", None, last.leadership.away, last.leadership.topics, None, day)


def _brokers(ids: list[int]) -> list[str]:
    return [str(one) for one in sorted(set(ids))][:NAMED]


def stormed(report: ClusterReport | None) -> bool:
    """Whether the day proves that a queue of new connections overflowed as brokers were restarted or leaders moved."""
    found = [one for one in report.signatures if one.signature == _STORM] if report is not None else []
    return any(
        one.cause in _OF_RESTARTS and one.strength == "conclusive" for state in found for one in state.detections
    )
