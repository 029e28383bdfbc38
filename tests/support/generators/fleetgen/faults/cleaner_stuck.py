"""A log cleaner that gets nowhere: the same log again, a full map of keys, late compaction, an open transaction."""

from support.generators.fleetgen import harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.shape import DAY, Spec, Topic
from support.generators.fleetgen.state import OpenTransaction

NAME = "cleaner_stuck"
SPANS = 11  # the state is seen at one sweep and the eleven after it
FIRST = 2
BROKER = 2
HOUR_S = 3600.0
DIRTY = 60.0  # more than min.cleanable.dirty.ratio, 0.5


def _base(seed: int, seconds: float, *releases: str) -> tuple[Spec, float, float]:
    """A cluster whose SPANS intervals are so many seconds, from just before them to just behind them."""
    spec = uneventful(seed, releases or ("2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=4)
    spec.every_s = seconds / SPANS
    return spec, spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + SPANS) - DAY + 5.0


def _loop(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The dirtiest log is as dirty at each sweep."""
    spec, begins, ends = _base(seed, k * thresholds["min_loop_s"])
    column = "cleaner_max_dirty_percent"
    spec.events += [(begins, harm.gauge(BROKER, column, DIRTY)), (ends, harm.ungauge(BROKER, column))]
    return spec


def _buffer(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The map is full, and the dirtiest log gets dirtier."""
    spec, begins, ends = _base(seed, k * thresholds["min_lasting_s"])
    spec.events += [
        (begins, harm.gauge(BROKER, "cleaner_max_buffer_percent", thresholds["min_buffer_percent"] + 4)),
        (ends, harm.ungauge(BROKER, "cleaner_max_buffer_percent")),
        (ends, harm.ungauge(BROKER, "cleaner_max_dirty_percent")),
    ]
    column = "cleaner_max_dirty_percent"
    spec.events += [
        (begins + n * spec.every_s, harm.gauge(BROKER, column, DIRTY + n)) for n in range(SPANS + 1)
    ]  # fmt: skip
    return spec


def _overdue(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Compaction is late, and later at each sweep."""
    spec, begins, ends = _base(seed, k * thresholds["min_lasting_s"])
    column, late = "cleaner_max_compaction_delay_seconds", thresholds["min_overdue_s"]
    spec.events += [
        (begins + n * spec.every_s, harm.gauge(BROKER, column, late + n * spec.every_s)) for n in range(SPANS + 1)
    ]  # fmt: skip
    spec.events.append((ends, harm.ungauge(BROKER, column)))
    return spec


def _held_back(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A transaction is open in a compacted topic; that it is silent as well is another symptom of it."""
    seconds = k * thresholds["min_lasting_s"]
    spec, begins, ends = _base(seed, seconds, "3.2.3", "3.3.2", "3.9.1", "4.1.1")
    spec.topics.append(Topic("__ledger", 1, 3, 2 * thresholds["min_held_records"] / seconds))
    one = OpenTransaction("Ongoing", True, timeout_s=seconds + HOUR_S)
    spec.events += [(begins, harm.opened("__ledger", one)), (ends, harm.ended("__ledger"))]
    spec.allowed.add(("hanging_transaction", "silent"))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    seen = "seconds from the first to the last sweep that sees it = k x {}"
    return [
        Fault(NAME, "loop", seen.format("min_loop_s"), _loop),
        Fault(NAME, "buffer", seen.format("min_lasting_s"), _buffer),
        Fault(NAME, "overdue", seen.format("min_lasting_s"), _overdue),
        Fault(NAME, "held_back", seen.format("min_lasting_s"), _held_back),
    ]
