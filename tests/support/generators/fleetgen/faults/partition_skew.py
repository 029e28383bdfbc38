"""Uneven topics: the slow leader gets more, one key is hot, or the slow leader gets less."""

from support.generators.fleetgen.faults.common import Fault, Thresholds, by_leader, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import Clients, Spec, Topic

SLOW = 2  # the slow broker


def _base(seed: int) -> Spec:
    spec = uneventful(seed, ("2.8.2", "3.2.3", "3.3.2", "3.9.1"), brokers=3)
    spec.topics.append(Topic("uneven", 9, 3, 120.0))
    spec.clients.append(Clients("apache-kafka-java", "3.2.3", 4))
    return spec


def _slow(spec: Spec, thresholds: Thresholds) -> None:
    """Broker 2 takes far longer for Produce than the others, in a tenth of its answers."""

    def slow(model: Model) -> None:
        for broker in model.brokers.values():
            broker.speed = 1.0
        model.brokers[SLOW].slow_ms = 10 * thresholds["slow_ms"] + 100

    spec.events.append((-3500.0, slow))


def _leader_bound(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Partitions of the slow leader get k x min_leader_ratio of what the others get."""
    spec = _base(seed)
    _slow(spec, thresholds)
    ratio = k * thresholds["min_leader_ratio"]
    spec.events.append(by_leader("uneven", lambda log: ratio if log.leader == SLOW else 1.0))
    return spec


def _adaptive(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Partitions of the slow leader get max_adaptive_ratio / k of what the others get."""
    spec = _base(seed)
    _slow(spec, thresholds)
    ratio = thresholds["max_adaptive_ratio"] / k
    spec.events.append(by_leader("uneven", lambda log: ratio if log.leader == SLOW else 1.0))
    return spec


def _key_bound(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """One partition gets k x hot_ratio of what each other partition gets, whoever leads it."""
    spec = _base(seed)
    ratio = k * thresholds["hot_ratio"]
    spec.events.append(by_leader("uneven", lambda log: ratio if log.number == 4 else 1.0))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    about = "records/s of partitions of the slow leader over those of timely leaders = {}"
    return [
        Fault("partition_skew", "leader_bound", about.format("k x min_leader_ratio"), _leader_bound),
        Fault("partition_skew", "adaptive", about.format("max_adaptive_ratio / k"), _adaptive),
        Fault(
            "partition_skew", "key_bound", "records/s of the hot partition over the median = k x hot_ratio", _key_bound
        ),
    ]
