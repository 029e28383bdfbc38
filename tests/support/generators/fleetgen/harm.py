"""What goes wrong in clusters: takes a model in motion and changes it as bugs, crashes and mistakes do.

Every function gives an Event, to be put on a Spec's list by the faults.
"""

from collections.abc import Callable

from support.generators.fleetgen import events
from support.generators.fleetgen.connections import connect, disconnect
from support.generators.fleetgen.draws import split
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import Event, Group
from support.generators.fleetgen.state import OFFSETS, PROCESSORS, Log, OpenTransaction, Reader, offsets_partition


def freeze(name: str, follower_of: Callable[[Log], int], lasts_s: float) -> Event:
    """The in-sync sets of a topic lose one follower that goes on fetching without a lag, and stay as they are."""

    def happens(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name == name]:
            follower = follower_of(log)
            if log.leader is None or follower == log.leader or follower not in log.isr:
                continue
            log.isr = [one for one in log.isr if one != follower]
            log.frozen.add(follower)
            model.brokers[log.leader].counters["isr_shrinks"] += 1
            model.later(lasts_s, lambda m, x=log, f=follower: _thaw(m, x, f))  # type: ignore[misc]

    return happens


def _thaw(model: Model, log: Log, follower: int) -> None:
    log.frozen.discard(follower)
    if follower not in log.isr:
        log.isr.append(follower)
        if log.leader is not None:
            model.brokers[log.leader].counters["isr_expands"] += 1


def gauge(broker: int, column: str, value: float) -> Event:
    """A gauge of a broker's process, a column of broker_metrics, shows this from now on."""

    def happens(model: Model) -> None:
        model.brokers[broker].gauges[column] = value

    return happens


def ungauge(broker: int, column: str) -> Event:
    """A gauge of a broker shows again what is so."""

    def happens(model: Model) -> None:
        model.brokers[broker].gauges.pop(column)

    return happens


def elected(model: Model) -> None:
    """The quorum elects a leader, while all voters' processes run on."""
    model.epoch += 1


def voter(node: int, fetches: bool) -> Event:
    """A voter whose process runs does not fetch from now on, or does again."""

    def happens(model: Model) -> None:
        if fetches:
            model.silent_voters.discard(node)
        else:
            model.silent_voters.add(node)

    return happens


def uncompacted(size: float, bytes_per_s: float) -> Event:
    """Each partition of the offsets log has so many bytes from now on, and grows."""

    def happens(model: Model) -> None:
        model.uncompacted = model.now, size, bytes_per_s

    return happens


def count(broker: int, column: str, many: int) -> Event:
    """A counter of a broker's process goes up at once."""

    def happens(model: Model) -> None:
        model.brokers[broker].counters[column] += many

    return happens


def idle(broker: int, handlers: float | None = None, network: float | None = None, queued_ms: float = 0.0) -> Event:
    """Threads of a broker are idle for this share of the time from now on; requests wait by this mean."""

    def happens(model: Model) -> None:
        one = model.brokers[broker]
        one.queued_ms = queued_ms
        for threads, share in ((one.handlers, handlers), (one.network, network)):
            if share is not None:
                threads.become(share, model.now - one.started)

    return happens


def listed(broker: int, is_listed: bool) -> Event:
    """The cluster lists a broker that runs from now on, or does not."""

    def happens(model: Model) -> None:
        model.brokers[broker].listed = is_listed

    return happens


def unled(name: str) -> Event:
    """The partitions of a topic lose their leaders, and no replica of theirs."""

    def happens(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name == name]:
            log.leader = None

    return happens


def led(name: str) -> Event:
    """The preferred leaders of a topic lead again."""

    def happens(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name == name]:
            log.leader = log.replicas[0]

    return happens


def opened(name: str, transaction: OpenTransaction) -> Event:
    """The first partition of a topic has this transaction from now on."""

    def happens(model: Model) -> None:
        model.transactions[name] = transaction

    return happens


def ended(name: str) -> Event:
    """The transaction of a topic is open no more."""

    def happens(model: Model) -> None:
        del model.transactions[name]

    return happens


def auth_failures(broker: int, count: int, lasts_s: float) -> Event:
    """Connections that are made, fail to authenticate and are closed."""

    def fail(model: Model, many: int) -> None:
        one = model.brokers[broker]
        connect(model, one, "PLAINTEXT", "unknown", "unknown-login", many)
        disconnect(one, "PLAINTEXT", "unknown", "unknown-login", many)
        for processor, some in enumerate(split(model.rng, many, [1.0] * PROCESSORS)):
            one.auth_failed["PLAINTEXT", processor] += some

    def happens(model: Model) -> None:
        for part in range(10):
            model.later(part * lasts_s / 10, lambda m: fail(m, round(count / 10)))

    return happens


def produce_errors(broker: int, code: str, count: int) -> Event:
    """Produce answers with an error, spread over nothing: one burst."""

    def happens(model: Model) -> None:
        model.brokers[broker].errors["Produce", code] += count
        model.brokers[broker].counters["failed_produce"] += count

    return happens


def absent(group: Group, from_s: float, until_s: float) -> tuple[tuple[float, Event], tuple[float, Event]]:
    """The group has no members between two moments of the day; afterwards it reads on."""

    def leaves(model: Model) -> None:
        group.until = model.now

    def comes(_model: Model) -> None:
        group.until = float("inf")

    return (from_s, leaves), (until_s, comes)


def expire_offsets(group: Group) -> Event:
    """The offsets of an empty group expire; when it comes back it begins at the end of the logs."""

    def happens(model: Model) -> None:
        gone = [place for place in model.readers if place[0] == group.name]
        log = model.logs[OFFSETS, offsets_partition(group.name, model.spec.offsets_partitions)]
        if log.leader is not None:
            model.brokers[log.leader].counters["offset_expirations"] += len(gone)
        for place in gone:
            del model.readers[place]

    return happens


def begin_at_end(group: Group) -> Event:
    """A group without commits begins at the end of its logs (auto.offset.reset=latest)."""

    def happens(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name in group.topics]:
            model.readers[group.name, log.key] = Reader(log.end, None)

    return happens


def rewind(group: str, records: int, reread: bool = True) -> Event:
    """Committed offsets of a group go back by so many records, not before the log starts."""

    def happens(model: Model) -> None:
        for (name, key), reader in model.readers.items():
            if name == group and reader.committed is not None:
                back = max(model.logs[key].start, reader.committed - records)
                reader.committed = back
                if reread:
                    reader.position = back

    return happens


def truncate(name: str, number: int, records: int) -> Event:
    """A replica that was not in sync is elected: the log ends so many records earlier."""

    def happens(model: Model) -> None:
        log = model.logs[name, number]
        others = [b for b in log.replicas if b != log.leader]
        log.end = max(log.start, log.end - records)
        model.brokers[model.controller].counters["unclean_leader_elections"] += 1
        events.move_leader(model, log, others[0])
        log.isr = [others[0]]
        model.later(60, lambda m: [events.caught_up(m, b) for b in log.replicas] and None)
        for (_group, key), reader in model.readers.items():
            if key == log.key:
                reader.position = min(reader.position, log.end)

    return happens
