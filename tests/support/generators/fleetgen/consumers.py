"""Consumer groups in motion: takes a model and a group, moves positions, commits and fetch counters."""

from collections import defaultdict
from typing import TYPE_CHECKING

from support.generators.fleetgen import noise
from support.generators.fleetgen.draws import arrivals, whole
from support.generators.fleetgen.shape import DAY, Group
from support.generators.fleetgen.state import OFFSETS, RESERVOIR_S, WAIT_S, Broker, Log, Reader, offsets_partition

if TYPE_CHECKING:
    from support.generators.fleetgen.model import Model


def members(model: "Model", group: Group) -> dict[int, list[Log]]:
    """Partitions by member number, dealt out in turn."""
    logs = [log for name in group.topics for log in model.logs.values() if log.topic.name == name]
    dealt: dict[int, list[Log]] = {number: [] for number in range(group.members)}
    for place, log in enumerate(logs):
        dealt[place % group.members].append(log)
    return dealt


def active(model: "Model", group: Group) -> bool:
    """Whether the group has members just now: always, or while its batch job runs."""
    working = group.every_s == 0 or (model.now - DAY) % group.every_s < 0.1 * group.every_s
    return working and model.now <= group.until


def consume(model: "Model", group: Group, seconds: float) -> None:
    if (
        group.paused
        or model.now > group.until
        or (group.every_s and (model.now - DAY) % group.every_s >= seconds and not active(model, group))
    ):
        return  # no run of the batch job began in this step
    progressed = 0
    for logs in members(model, group).values():
        arriving: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])  # broker -> batches/s that wake, records
        for log in logs:
            chosen = group.serve(model, log.topic.name, log.number) if group.serve else None
            at = log.leader if chosen is None else chosen
            if at is None or not model.brokers[at].serves or log.leader is None:
                continue
            arriving[at][0] += _waking(model, group, log) if at == log.leader or group.wakes else 0.0
            records = _read(model, group, log, model.brokers[at])
            arriving[at][1] += records
            progressed += records > 0
        for at, (waking, records) in arriving.items():
            if group.every_s:  # it reads what is there in large fetches, waits a few times and leaves
                count(model, model.brokers[at], records / 500 + 3, 3, 1.0)
            else:
                _fetch(model, group, model.brokers[at], waking, seconds)
    if not group.anonymous:
        _commit(model, group, progressed, seconds)


def _waking(model: "Model", group: Group, log: Log) -> float:
    """Batches per s that wake a fetch; to readers of what is committed a transaction is one, at its end."""
    batches, every_s = model.batches.get(log.key, 0.0), log.topic.commit_every_s
    return min(batches, log.topic.producers / every_s) if group.committed and every_s else batches


def _read(model: "Model", group: Group, log: Log, broker: Broker) -> int:
    reader = model.readers.setdefault((group.name, log.key), Reader(log.start, None))
    reader.position = max(reader.position, log.start)
    records = max(0, log.end - reader.position)
    reader.position = max(reader.position, log.end)
    sent = whole(model.rng, records * log.topic.size)
    broker.counters["bytes_out"] += sent
    broker.by_topic[log.topic.name]["bytes_out"] += sent
    if group.anonymous:
        return records
    late_s = group.commit_s + (log.topic.commit_every_s if group.committed else 0.0)
    behind = whole(model.rng, log.rate * model.rng.random() * late_s) if group.every_s == 0 else 0
    reader.committed = max(reader.committed or 0, log.start, reader.position - behind)
    return records


def _commit(model: "Model", group: Group, partitions: int, seconds: float) -> None:
    """Records that a group's commits append to its partition of the offsets log."""
    log = model.logs[OFFSETS, offsets_partition(group.name, model.spec.offsets_partitions)]
    commits = whole(model.rng, partitions * (1.0 if group.every_s else max(1.0, seconds / group.commit_s)))
    model.append(log, commits, seconds)
    if log.leader is not None and model.brokers[log.leader].serves:
        model.brokers[log.leader].counters["offset_commits"] += commits


def _fetch(model: "Model", group: Group, broker: Broker, waking: float, seconds: float) -> None:
    rng = model.rng
    if group.min_bytes:
        fetches, expired = 1 / WAIT_S, rng.uniform(0.97, 1.0) / WAIT_S
    else:
        fetches, expired = arrivals(waking, WAIT_S)
        expired *= rng.uniform(*noise.idle_expiries()) if waking < 0.05 else 1.0
        fetches = expired + min(200.0, (fetches - expired) * rng.uniform(*noise.prompt_share()))
    wakes = 0.0 if group.min_bytes else waking
    broker.waits.append((model.now, wakes, fetches * min(seconds, RESERVOIR_S)))
    count(model, broker, fetches, expired, seconds)


def count(model: "Model", broker: Broker, fetches: float, expired: float, seconds: float) -> None:
    many = whole(model.rng, fetches * seconds)
    broker.requests["FetchConsumer"] += many
    broker.errors["Fetch", "NONE"] += many
    broker.counters["expired_consumer_fetches"] += min(many, whole(model.rng, expired * seconds))
