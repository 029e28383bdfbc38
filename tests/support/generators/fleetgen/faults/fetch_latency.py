"""Delayed consumer fetches: followers that do not wake them, redirects that wait, and fetch.min.bytes out of reach."""

import math
from collections.abc import Callable

from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Group, Spec, Topic
from support.generators.fleetgen.state import WAIT_S, Reader

BATCHES_PER_S = 30.0
CLOSE_S = 30.0  # every other fleet is swept so often, since counters of longer intervals prove nothing


def _swept(spec: Spec, seed: int) -> Spec:
    if seed % 2:
        spec.every_s = CLOSE_S
    return spec


def _served_by(broker: int) -> Callable[[Model, str, int], int]:
    return lambda _model, _topic, _number: broker


def _follower(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """One reader at broker 2, which leads so few of the batches that e^(-led * wait) of its fetches expire."""
    spec = _swept(uneventful(seed, ("2.8.2", "3.1.2", "3.2.3", "3.3.1"), brokers=3), seed)
    ratio = min(0.95, k * thresholds["min_ratio"])
    led = -math.log(ratio) / WAIT_S / BATCHES_PER_S
    spec.topics.append(Topic("delayed", 6, 3, BATCHES_PER_S))
    spec.groups = [Group("delayed-readers", ["delayed"], serve=_served_by(2), wakes=False)]

    def share(model: Model) -> None:
        logs = [log for log in model.logs.values() if log.topic.name == "delayed"]
        mine = sum(log.leader == 2 for log in logs)
        logs[0].topic.weights = [led / mine if x.leader == 2 else (1 - led) / (len(logs) - mine) for x in logs]

    spec.events.append((-3500.0, share))
    return spec


def _redirect(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A reader served by a follower; the leader lets so many redirects of the day wait out their time."""
    spec = _swept(uneventful(seed, ("2.4.1", "2.8.2", "3.1.2"), brokers=3), seed)
    spec.topics.append(Topic("redirected", 1, 3, BATCHES_PER_S))
    spec.groups = [Group("redirected-readers", ["redirected"])]

    def away(model: Model, topic: str, number: int) -> int | None:
        log = model.logs[topic, number]
        return log.replicas[1] if log.leader == log.replicas[0] else None

    def redirected(model: Model) -> None:
        broker = model.brokers[model.logs["redirected", 0].leader or 0]
        broker.requests["FetchConsumer"] += 1
        broker.counters["expired_consumer_fetches"] += 1

    spec.groups[0].serve = away
    many = math.ceil(k * thresholds["min_redirects"])
    spec.events += [
        (spec.at(1) - DAY + 60 + n * (spec.sweeps - 2) * spec.every_s / many, redirected) for n in range(many)
    ]
    return spec


def _min_bytes(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A reader at the leader whose fetches only end by time, for as long as so many expiries take."""
    spec = uneventful(seed, brokers=3)
    spec.topics.append(Topic("greedy", 1, 3, 40.0))
    spec.groups = []
    spec.allowed.add(("partition_growth", "first_start"))  # they do begin at the end
    lasts = math.ceil(k * thresholds["min_expired"]) * WAIT_S / 0.97

    def reads(model: Model) -> None:
        log = model.logs["greedy", 0]
        model.readers["greedy-readers", log.key] = Reader(log.end, log.end)
        model.spec.groups.append(Group("greedy-readers", ["greedy"], min_bytes=True, until=model.now + lasts + 0.5))
        model.later(lasts, lambda _model: None)

    spec.events.append((3 * 3600.0 + 30, reads))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    return [
        Fault(
            "fetch_latency",
            "follower",
            "expired / fetches at the broker = k x min_ratio; every other fleet is swept every 30 s",
            _follower,
        ),
        Fault(
            "fetch_latency",
            "redirect",
            "expired redirects of the day = k x min_redirects; every other fleet is swept every 30 s",
            _redirect,
        ),
        Fault("fetch_latency", "min_bytes", "expired fetches = k x min_expired, ratio 0.97 to 1", _min_bytes),
    ]
