"""In-sync sets that stay short: frozen, of a dead broker, of a follower that comes no nearer, of a reassignment."""

from support.generators.fleetgen import events, harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Spec, Topic
from support.generators.fleetgen.state import Log

SPANS = 3  # the state lasts from one sweep to the third after it
FIRST = 6


def _base(seed: int, seconds: float) -> tuple[Spec, float, float]:
    """A cluster whose sweeps lie so that SPANS intervals are so many seconds; from when until when the state lasts."""
    spec = uneventful(seed, ("2.4.1", "2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=4)
    spec.every_s = seconds / SPANS
    begins, ends = spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + SPANS) - DAY + 5.0
    spec.topics.append(Topic("stuck", 4, 3, 20.0))
    return spec, begins, ends


def _follower(log: Log) -> int:
    return next(one for one in log.replicas if one != log.leader)


def _frozen(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Caught-up followers stay out of the in-sync sets for k x min_frozen_s between the first and the last sweep."""
    spec, begins, ends = _base(seed, k * thresholds["min_frozen_s"])
    spec.events.append((begins, harm.freeze("stuck", _follower, ends - begins)))
    return spec


def _dead_broker(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A broker is away for k x min_dead_s between the first and the last sweep."""
    spec, begins, ends = _base(seed, k * thresholds["min_dead_s"])
    spec.events.append((begins, events.restart(4, ends - begins - 8.0, clean=False, startup_s=8.0)))
    spec.allowed |= {("isr_stagnation", "catching_up"), ("unclean_restart", "killed"), ("retriable_errors", "election")}
    return spec


def _stuck(spec: Spec, begins: float, ends: float, reassigning: bool) -> None:
    """One follower of each partition of a topic stays far behind and comes no nearer."""

    def lag(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name == "stuck"]:
            follower = _follower(log)
            log.isr = [one for one in log.isr if one != follower]
            log.lag[follower] = (log.end - log.start) // 2
            log.frozen.add(follower)
            log.adding = {follower} if reassigning else set()

    def cured(model: Model) -> None:
        for log in [one for one in model.logs.values() if one.topic.name == "stuck"]:
            follower = _follower(log)
            log.lag.pop(follower, None)
            log.frozen.discard(follower)
            log.adding = set()
            log.isr.append(follower)

    spec.events += [(begins, lag), (ends, cured)]


def _catching_up(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A follower is far behind for k x min_lagging_s and comes no nearer."""
    spec, begins, ends = _base(seed, k * thresholds["min_lagging_s"])
    _stuck(spec, begins, ends, reassigning=False)
    return spec


def _reassignment(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The same of a replica that a reassignment adds."""
    spec, begins, ends = _base(seed, k * thresholds["min_lagging_s"])
    spec.release, spec.kraft = "3.9.1", True
    _stuck(spec, begins, ends, reassigning=True)
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    lasts = "seconds from the first to the last sweep of the state = k x {}"
    return [
        Fault("isr_stagnation", "frozen", lasts.format("min_frozen_s"), _frozen),
        Fault("isr_stagnation", "dead_broker", lasts.format("min_dead_s"), _dead_broker),
        Fault("isr_stagnation", "catching_up", lasts.format("min_lagging_s"), _catching_up),
        Fault("isr_stagnation", "reassignment", lasts.format("min_lagging_s"), _reassignment),
    ]
