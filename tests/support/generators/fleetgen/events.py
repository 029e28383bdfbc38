"""What happens to clusters: takes a model in motion and changes it as operators, brokers and clients do.

Every function gives an Event, to be put on a Spec's list. None of them is a fault.
"""

from dataclasses import replace

from support.generators.fleetgen.connections import connect, join, reconnect
from support.generators.fleetgen.draws import whole
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import Event, Group, Topic
from support.generators.fleetgen.state import OFFSETS, Broker, Log, Reader

RETURN_PARTS = 20
CATCH_UP_S, REBALANCE_S = 20.0, 300.0  # leader.imbalance.check.interval.seconds


def not_leader(model: Model) -> str:
    """Name of the error that a former leader answers with; renamed in 2.6."""
    return "NOT_LEADER_OR_FOLLOWER" if model.spec.since("2.6") else "NOT_LEADER_FOR_PARTITION"


def move_leader(model: Model, log: Log, leader: int | None) -> None:
    """Another leader; producers and readers of the old one, if it still answers, are told so once each."""
    if log.leader == leader:
        return
    old = model.brokers.get(log.leader) if log.leader is not None else None
    if old is not None and old.up and log.rate > 0:
        old.errors["Produce", not_leader(model)] += min(log.topic.producers, whole(model.rng, log.rate))
        old.errors["Fetch", not_leader(model)] += len(log.replicas) - 1
    log.leader = leader
    model.brokers[model.controller].counters["leader_elections"] += 1
    if log.topic.name == OFFSETS and leader is not None:
        model.brokers[leader].load_ms = max(model.brokers[leader].load_ms, model.rng.uniform(5, 400))


def stop(model: Model, broker: Broker, clean: bool) -> None:
    """The process ends. A clean one hands over its leaders first and is counted by the controller."""
    if clean and model.controller in model.brokers:
        model.brokers[model.controller].counters["controlled_shutdowns"] += 1
    broker.up = clean  # a killed process answers nobody
    for log in model.logs.values():
        if broker.id in log.isr and len(log.isr) > 1:
            log.isr = [one for one in log.isr if one != broker.id]
        if log.leader == broker.id:
            alive = [one for one in log.isr if model.brokers[one].up and one != broker.id]
            move_leader(model, log, alive[0] if alive else None)
    broker.up = False
    if model.controller == broker.id:
        model.controller = next(b.id for b in model.brokers.values() if b.up)
        model.epoch += 1


def start(model: Model, broker: Broker, startup_s: float) -> None:
    """A new process: every counter from 0. Its replicas catch up and leaders come back at the next check."""
    began = model.now - startup_s
    fresh = Broker(broker.id, began, startup_s, speed=broker.speed, host=broker.host, load_ms=5.0)
    fresh.producer_ids = broker.producer_ids
    model.brokers[broker.id] = fresh
    join(model, fresh, clients=False)
    for part in range(RETURN_PARTS if model.spec.return_s else 1):
        model.later(part * model.spec.return_s / RETURN_PARTS, lambda m: come_back(m, broker.id))
    for log in model.logs.values():
        if log.leader is None and broker.id in log.replicas:
            log.leader = broker.id
            log.isr = [broker.id]
    model.later(CATCH_UP_S, lambda m: caught_up(m, broker.id))
    model.later(REBALANCE_S * model.rng.uniform(0.2, 1.2), lambda m: prefer(m, broker.id))


def come_back(model: Model, broker: int) -> None:
    """A part of the clients connects to a broker that has started again; those left over come with the last part."""
    one = model.brokers[broker]
    for clients in model.spec.clients if one.up else ():
        name = clients.software, clients.version
        held = sum(many for key, many in one.sockets.items() if key[0] == "PLAINTEXT" and key[2:] == name)
        if name == ("apache-kafka-java", model.spec.release) and not model.spec.own_listener:
            held -= 1  # the controller's own connection
        part = -(-clients.connections // RETURN_PARTS) if model.spec.return_s else clients.connections
        connect(model, one, "PLAINTEXT", *name, max(0, min(part, clients.connections - held)))


def caught_up(model: Model, broker: int) -> None:
    """The replicas of a broker are in sync again; each leader adds them to the ISR."""
    for log in model.logs.values():
        if broker in log.replicas and broker not in log.isr and broker not in log.frozen and model.brokers[broker].up:
            log.isr.append(broker)
            log.lag.pop(broker, None)
            if log.leader is not None:
                model.brokers[log.leader].counters["isr_expands"] += 1


def prefer(model: Model, broker: int) -> None:
    """Leadership goes back to the preferred replica."""
    for log in model.logs.values():
        if log.replicas[0] == broker and broker in log.isr and model.brokers[broker].up:
            move_leader(model, log, broker)


def restart(broker: int, down_s: float, clean: bool = True, startup_s: float | None = None) -> Event:
    """One broker is stopped and comes back after so many seconds, its start-up included."""

    def happens(model: Model) -> None:
        old = model.brokers[broker]
        took = old.startup_s if startup_s is None else startup_s
        stop(model, old, clean)
        model.later(down_s + took, lambda m: start(m, old, took))

    return happens


def rolling_restart(apart_s: float, down_s: float) -> Event:
    """Broker after broker, cleanly, each after the leaders of the one before are back."""

    def happens(model: Model) -> None:
        for place, broker in enumerate(model.spec.brokers):
            model.later(1 + place * apart_s, restart(broker, down_s))

    return happens


def deploy(index: int, over_s: float) -> Event:
    """One application is deployed anew, instance by instance: its connections close and are made again."""

    def happens(model: Model) -> None:
        clients = model.spec.clients[index]
        parts = min(5, max(1, clients.connections))
        for part in range(parts):
            some = replace(clients, connections=max(1, clients.connections // parts))
            model.later(1 + part * over_s / parts, lambda m, some=some: reconnect(m, some))  # type: ignore[misc]

    return happens


def retention(model: Model) -> None:
    """Segments beyond the retention are deleted: log starts move forward, by whole segments of an hour."""
    for log in model.logs.values():
        if log.rate > 0 and log.topic.name != OFFSETS and model.rng.random() < 0.5:
            kept = log.rate * log.topic.retention_s
            log.start = max(log.start, min(log.end, whole(model.rng, log.end - kept)))


def recreate(name: str) -> Event:
    """A topic is deleted and created anew: another id, empty logs; the groups' offsets went with the old one."""

    def happens(model: Model) -> None:
        topic = next(one for one in model.spec.topics if one.name == name)
        for key in [key for key in model.logs if key[0] == name]:
            del model.logs[key]
        for place in [place for place in model.readers if place[1][0] == name]:
            del model.readers[place]
        for broker in model.brokers.values():
            broker.by_topic.pop(name, None)  # Kafka drops a topic's meters with it
        model.create(topic)

    return happens


def reassign(name: str, lasts_s: float) -> Event:
    """One replica of each partition of a topic moves to another broker; copying takes a while."""

    def happens(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name == name]:
            others = [b for b in model.spec.brokers if b not in log.replicas]
            if not others:
                continue
            new, gone = model.rng.choice(others), log.replicas[-1]
            if gone == log.replicas[0]:
                continue
            log.replicas = [*log.replicas[:-1], gone, new]
            log.adding = {new}
            log.lag[new] = max(1, (log.end - log.start) // 2)
            model.later(lasts_s * model.rng.uniform(0.5, 1), lambda m, x=log, n=new, g=gone: _moved(m, x, n, g))  # type: ignore[misc]

    return happens


def _moved(model: Model, log: Log, new: int, gone: int) -> None:
    log.adding, log.lag = set(), {k: v for k, v in log.lag.items() if k != new}
    log.replicas = [one for one in log.replicas if one != gone]
    log.isr = [one for one in [*log.isr, new] if one != gone]
    if log.leader == gone:
        move_leader(model, log, log.replicas[0])


def new_group(group: Group, from_start: bool = True) -> Event:
    """A group commits for the first time; it began at the log start, or (latest) at the end."""

    def happens(model: Model) -> None:
        model.spec.groups.append(group)
        for log in [one for one in model.logs.values() if one.topic.name in group.topics]:
            model.readers[group.name, log.key] = Reader(log.start if from_start else log.end, None)

    return happens


def grow(name: str, more: int, unseen_s: float = 0.0) -> Event:
    """Partitions are added. Groups read them from the start, or begin at the end when they notice after `unseen_s`."""

    def happens(model: Model) -> None:
        topic = next(one for one in model.spec.topics if one.name == name)
        first = topic.partitions
        topic.partitions += more
        topic.weights = [*topic.weights, *[sum(topic.weights) / first] * more] if topic.weights else []
        model.create(topic, numbers=list(range(first, first + more)))
        for group in [one for one in model.spec.groups if name in one.topics]:
            for number in range(first, first + more):
                hidden = Reader(1 << 60, None) if unseen_s else Reader(0, None)
                model.readers[group.name, (name, number)] = hidden
        if unseen_s:
            model.later(unseen_s, lambda m: noticed(m, topic, first))

    return happens


def noticed(model: Model, topic: Topic, first: int) -> None:
    """Groups see the added partitions after a metadata refresh and begin at their ends."""
    for (_group, key), reader in model.readers.items():
        if key[0] == topic.name and key[1] >= first and reader.position == 1 << 60:
            reader.position = model.logs[key].end
