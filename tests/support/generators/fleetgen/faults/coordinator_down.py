"""Coordinators that are not there: partitions that failed to load, loads without end, none at all, a log that grows."""

from support.generators.fleetgen import harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Event, Spec

NAME = "coordinator_down"
FIRST, SPANS = 2, 6
BROKER = 2
OLD = ("1.1.1", "2.3.1", "2.8.2", "3.3.2", "3.9.1", "4.1.1")


def _base(seed: int, seconds: float, spans: int, *releases: str) -> tuple[Spec, float, float]:
    """A cluster whose so many intervals take so many seconds, from just before them to just behind them."""
    spec = uneventful(seed, releases, brokers=3)
    spec.every_s = seconds / spans
    return spec, spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + spans) - DAY + 5.0


def _failed(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """One partition is in the failed state at each sweep."""
    spec, begins, ends = _base(seed, k * thresholds["min_failed_s"], SPANS, "4.0.0", "4.1.1")
    column = "offsets_failed"
    return _between(spec, begins, harm.gauge(BROKER, column, 1.0), ends, harm.ungauge(BROKER, column))


def _between(spec: Spec, begins: float, begin: Event, ends: float, end: Event) -> Spec:
    spec.events += [(begins, begin), (ends, end)]
    return spec


def _answered(code: str, request: str) -> Event:
    """A request was answered so, ten times."""

    def happens(model: Model) -> None:
        model.brokers[BROKER].errors[request, code] += 10

    return happens


def _loading(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Clients are told so in each interval."""
    spec, _begins, _ends = _base(seed, k * thresholds["min_lasting_s"], SPANS, *OLD)
    told = _answered("COORDINATOR_LOAD_IN_PROGRESS", "JoinGroup")
    spec.events += [(spec.at(FIRST + n) - DAY - 5.0, told) for n in range(1, SPANS + 1)]
    return spec


def _unavailable(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Clients are told so in each interval; no partition lacks its leader."""
    spec, _begins, _ends = _base(seed, k * thresholds["min_lasting_s"], SPANS, *OLD)
    told = _answered("COORDINATOR_NOT_AVAILABLE", "FindCoordinator")
    spec.events += [(spec.at(FIRST + n) - DAY - 5.0, told) for n in range(1, SPANS + 1)]
    return spec


def _growing(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Each partition of the offsets log has more bytes at each sweep, beyond all that may be live."""
    spec, begins, _ends = _base(seed, k * thresholds["min_growing_s"], 2 * SPANS, *OLD)
    large = 3e9 * max(1.0, thresholds["min_log_gb"])
    spec.events.append((begins, harm.uncompacted(large, 1e6)))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    seen = "seconds from the first to the last sweep that sees it = k x {}"
    return [
        Fault(NAME, "failed", seen.format("min_failed_s"), _failed),
        Fault(NAME, "loading", seen.format("min_lasting_s"), _loading),
        Fault(NAME, "unavailable", seen.format("min_lasting_s"), _unavailable),
        Fault(NAME, "growing", seen.format("min_growing_s"), _growing),
    ]
