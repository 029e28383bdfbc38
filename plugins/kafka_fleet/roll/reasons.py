"""Reasons by what they are about: each function takes what was found and gives the reasons that speak of it."""

from collections.abc import Iterator, Mapping, Sequence

from kafka_fleet.documents.readiness import Level, ReadinessReason
from kafka_fleet.roll.connections import Listener
from kafka_fleet.roll.coordinators import OFFSETS, SLOW_BYTES, Groups
from kafka_fleet.roll.partitions import Loss, Some, Standing


def reason(
    code: str,
    level: Level,
    broker: int | None = None,
    count: int | None = None,
    names: Sequence[str] = (),
    limit: float | None = None,
    about: str | None = None,
) -> ReadinessReason:
    """A reason with all of its members."""
    return ReadinessReason(
        code=code, level=level, broker=broker, names=list(names), count=count, limit=limit, about=about
    )


def _of(code: str, level: Level, some: Some, broker: int | None = None) -> Iterator[ReadinessReason]:
    if some.count:
        yield reason(code, level, broker, some.count, some.topics)


def of_standing(now: Standing) -> Iterator[ReadinessReason]:
    """How the cluster stands before anything is stopped."""
    yield from _of("offline_now", "blocks", now.leaderless)
    yield from _of("under_min_isr_now", "blocks", now.under)
    yield from _of("partitions_unread", "unmeasured", now.unread)
    yield from _of("out_of_sync_now", "warns", now.out_of_sync)
    yield from _of("leadership_away", "warns", now.away)


def of_loss(broker: int, loss: Loss) -> Iterator[ReadinessReason]:
    """What partitions lose with the broker."""
    yield from _of("offline", "blocks", loss.offline, broker)
    yield from _of("under_min_isr", "blocks", loss.under, broker)
    yield from _of("min_isr_unread", "unmeasured", loss.undecided, broker)
    if loss.leaders:
        yield reason("leaders_move", "notes", broker, loss.leaders)


def of_groups(broker: int, own: Groups, loss: Loss) -> Iterator[ReadinessReason]:
    """What groups lose with their coordinator. Commits fail while their log is under min ISR, which `loss` tells."""
    if own.stuck:
        yield reason("coordinator_lost", "blocks", broker, own.stuck, own.stuck_names)
    elif OFFSETS in loss.under.topics and own.all:
        yield reason("commits_fail", "blocks", broker, own.all, own.names)
    if own.largest is not None and own.largest > SLOW_BYTES:
        yield reason("coordinator_slow", "blocks", broker, own.all, own.names, SLOW_BYTES, str(own.largest))
    elif own.largest is None and own.all:
        yield reason("offsets_log_unread", "unmeasured", broker, own.all, own.names)
    if own.active and not own.stuck:
        yield reason("coordinator_moves", "notes", broker, own.active, own.names)


def of_connections(
    broker: int, found: Mapping[int, Sequence[Listener]], others: Sequence[int], stormed: bool
) -> Iterator[ReadinessReason]:
    """Connections that come at once, to the broker as it comes back and to the others while it is away.

    stormed: restarts of this cluster have overflowed a queue, as the newest judged day shows.
    """
    own = found.get(broker)
    if not own:
        yield reason("connections_unread", "unmeasured", broker)
        return
    worst = own[0]
    if any(one.assumed for one in own):
        yield reason("backlog_unread", "unmeasured", broker, worst.held, [worst.listener], worst.backlog)
    elif worst.beyond:
        level: Level = "blocks" if stormed else "warns"
        kernel = None if worst.kernel else "somaxconn"
        yield reason("reconnects", level, broker, worst.held, [worst.listener], worst.backlog, kernel)
    else:
        kernel = None if worst.kernel else "somaxconn"
        yield reason("reconnects_fit", "notes", broker, worst.held, [worst.listener], worst.backlog, kernel)
    limits = [one.backlog for other in others for one in found.get(other, ()) if one.listener == worst.listener]
    share = -(-worst.held // len(others)) if others else 0
    if limits and share > min(limits):
        yield reason("reconnects_elsewhere", "warns", broker, share, [worst.listener], min(limits))
