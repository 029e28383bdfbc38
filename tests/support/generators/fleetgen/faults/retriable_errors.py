"""Produce errors that a retry mends, while clients that do not retry are connected."""

import math
from collections.abc import Callable

from support.generators.fleetgen import events, harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Clients, Spec

SWEEP = 10
BROKER = 2


def _errors(code: Callable[[Model], str]) -> Callable[[int, float, Thresholds], Spec]:
    """Partition batches of one interval are refused with this code: k x min_errors of them, rounded up."""

    def make(seed: int, k: float, thresholds: Thresholds) -> Spec:
        spec = uneventful(seed, ("2.8.2", "3.2.3", "3.3.2", "3.9.1"), brokers=3)
        spec.clients.append(Clients("apache-kafka-java", "2.0.1", 3))
        many = math.ceil(k * thresholds["min_errors"])
        at = spec.at(SWEEP) - DAY - 400.0
        spec.events.append((at, lambda model: harm.produce_errors(BROKER, code(model), many)(model)))
        return spec

    return make


def faults() -> list[Fault]:
    """The faults of this signature."""
    about = "{} answers of the day = k x min_errors, rounded up"
    codes: dict[str, Callable[[Model], str]] = {
        "election": events.not_leader,
        "min_isr": lambda _model: "NOT_ENOUGH_REPLICAS",
        "timeout": lambda _model: "REQUEST_TIMED_OUT",
    }
    names = {"election": "NOT_LEADER", "min_isr": "NOT_ENOUGH_REPLICAS", "timeout": "REQUEST_TIMED_OUT"}
    return [
        Fault("retriable_errors", cause, about.format(names[cause]), _errors(code)) for cause, code in codes.items()
    ]
