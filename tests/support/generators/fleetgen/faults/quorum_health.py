"""The KRaft quorum: elections without a restart, a voter that is away, a node behind, errors, endless assignments."""

import math
from collections.abc import Callable

from support.generators.fleetgen import harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.shape import DAY, Spec

NAME = "quorum_health"
SPANS = 3  # the state lasts from one sweep to the third after it
FIRST = 6
VOTER, BROKER = 3, 4
Make = Callable[[int, float, Thresholds], Spec]


def _base(seed: int, seconds: float, *releases: str) -> tuple[Spec, float, float]:
    """A KRaft cluster whose sweeps lie so that SPANS intervals are so many seconds; from when until when it lasts."""
    spec = uneventful(seed, releases or ("3.3.2", "3.9.1", "4.1.1"), brokers=4)
    spec.kraft = spec.tells_controller = True
    spec.every_s = seconds / SPANS
    return spec, spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + SPANS) - DAY + 5.0


def _elections(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The epoch rises before each of so many sweeps."""
    spec, _begins, _ends = _base(seed, 2700.0)
    many = math.ceil(k * thresholds["min_elections"])
    spec.events += [(spec.at(FIRST + n) - DAY - 5.0, harm.elected) for n in range(many)]
    return spec


def _missing(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A voter does not fetch."""
    spec, begins, ends = _base(seed, k * thresholds["min_s"])
    spec.events += [(begins, harm.voter(VOTER, False)), (ends, harm.voter(VOTER, True))]
    return spec


def _lag(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A broker applies nothing any more, since a sweep before the first that shows it."""
    spec, begins, ends = _base(seed, k * thresholds["min_s"])
    spec.events += [
        (begins, harm.gauge(BROKER, "applied_metadata_offset", 7)),
        (ends, harm.ungauge(BROKER, "applied_metadata_offset")),
    ]
    return spec


def _errors(seed: int, k: float, _thresholds: Thresholds) -> Spec:
    """A broker counts errors; there is no threshold, since one is a fault."""
    spec, begins, _ends = _base(seed, 900.0)
    spec.events.append((begins, harm.gauge(BROKER, "metadata_apply_errors", math.ceil(k))))
    return spec


def _assignments(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A queue is not empty at any sweep for so long."""
    spec, begins, ends = _base(seed, k * thresholds["min_s"], "3.9.1", "4.1.1")
    column = "queued_directory_assignments"
    spec.events += [(begins, harm.gauge(BROKER, column, 3)), (ends, harm.ungauge(BROKER, column))]
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    lasts = "seconds from the first to the last sweep of the state = k x min_s"
    return [
        Fault(NAME, "elections", "sweeps that find another epoch = k x min_elections, rounded up", _elections),
        Fault(NAME, "missing_voter", lasts, _missing),
        Fault(NAME, "lag", lasts, _lag),
        Fault(NAME, "metadata_errors", "counted errors = k, rounded up: one is a fault", _errors),
        Fault(NAME, "assignments", lasts, _assignments),
    ]
