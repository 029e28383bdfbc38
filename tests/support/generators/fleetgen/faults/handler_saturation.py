"""Threads without idle time, request handlers that stand still, and a process that does not end."""

from support.generators.fleetgen import harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Event, Spec

NAME = "handler_saturation"
SPANS = 4  # intervals that lie within the state
FIRST = 6
BROKER = 2
STOPPING, RUNS = 7, 3


def _stand_still(does: bool) -> Event:
    """All request handlers of the broker stand still from now on, so that it answers nobody, or go on."""

    def happens(model: Model) -> None:
        one = model.brokers[BROKER]
        one.stuck = does
        one.handlers.become(0.0 if does else 0.97, model.now - one.started)

    return happens


def _base(seed: int, seconds: float) -> tuple[Spec, float, float]:
    """A cluster whose SPANS intervals are so many seconds, from just before them to just behind them."""
    spec = uneventful(seed, ("2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=4)
    spec.every_s = seconds / SPANS
    return spec, spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + SPANS) - DAY + 5.0


def _deadlock(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """No handler takes a request, nobody is answered, and the queue is at its bound."""
    spec, begins, ends = _base(seed, k * thresholds["min_stuck_s"])
    spec.events += [
        (begins, _stand_still(True)), (begins + 1, harm.gauge(BROKER, "request_queue_size", 500)),
        (ends, _stand_still(False)), (ends + 1, harm.gauge(BROKER, "request_queue_size", 0)),
    ]  # fmt: skip
    return spec


def _overload(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Handlers have a fifth of max_idle left, and requests wait."""
    spec, begins, ends = _base(seed, k * thresholds["min_busy_s"])
    wait = 20 * thresholds["min_queued_ms"]
    spec.events += [
        (begins, harm.idle(BROKER, handlers=thresholds["max_idle"] / 5, queued_ms=wait)),
        (ends, harm.idle(BROKER, handlers=0.97)),
    ]
    return spec


def _network(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Network threads have a fifth of max_network_idle left."""
    spec, begins, ends = _base(seed, k * thresholds["min_busy_s"])
    spec.events += [
        (begins, harm.idle(BROKER, network=thresholds["max_network_idle"] / 5)),
        (ends, harm.idle(BROKER, network=0.98)),
    ]
    return spec


def _stopping(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Its state is that of a shutdown, and its process lives on."""
    spec, begins, ends = _base(seed, k * thresholds["min_stopping_s"])
    spec.events += [
        (begins, harm.gauge(BROKER, "broker_state", STOPPING)), (ends, harm.gauge(BROKER, "broker_state", RUNS)),
    ]  # fmt: skip
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    lasts = "seconds of whole intervals in the state = k x {}"
    return [
        Fault(NAME, "deadlock", lasts.format("min_stuck_s"), _deadlock),
        Fault(NAME, "overload", lasts.format("min_busy_s"), _overload),
        Fault(NAME, "network", lasts.format("min_busy_s"), _network),
        Fault(NAME, "stopping", lasts.format("min_stopping_s"), _stopping),
    ]
