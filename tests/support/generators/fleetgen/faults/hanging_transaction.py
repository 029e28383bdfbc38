"""Transactions that stay open: nobody has them, no marker comes, no coordinator ends them, or no producer writes."""

from support.generators.fleetgen import harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.shape import DAY, Spec, Topic
from support.generators.fleetgen.state import OpenTransaction

NAME = "hanging_transaction"
SPANS = 3  # the transaction is seen from one sweep to the third after it
FIRST = 6
HOUR_S = 3600.0


def _open(seed: int, seconds: float, one: OpenTransaction, *releases: str) -> Spec:
    """Sweeps of which SPANS intervals are so many seconds, and a transaction that is open for so long."""
    spec = uneventful(seed, releases or ("3.2.3", "3.3.2", "3.9.1", "4.1.1"), brokers=3)
    spec.every_s = seconds / SPANS
    spec.topics.append(Topic("ledger", 3, 3, 5.0))
    spec.events += [
        (spec.at(FIRST) - DAY - 5.0, harm.opened("ledger", one)),
        (spec.at(FIRST + SPANS) - DAY + 5.0, harm.ended("ledger")),
    ]
    return spec


def _hanging(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Its coordinator says that it has been aborted."""
    one = OpenTransaction("CompleteAbort", False)
    return _open(seed, k * thresholds["min_lost_s"], one, "3.2.3", "3.3.2", "3.4.1", "3.5.1")


def _no_marker(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Its coordinator has decided to commit."""
    return _open(seed, k * thresholds["min_ending_s"], OpenTransaction("PrepareCommit", True))


def _overdue(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Its coordinator has it as ongoing, beyond its timeout."""
    one = OpenTransaction("Ongoing", True)
    return _open(seed, one.timeout_s + k * thresholds["min_over_s"], one)


def _silent(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Its producer writes no more, and its timeout is longer than it is seen."""
    seconds = k * thresholds["min_silent_s"]
    return _open(seed, seconds, OpenTransaction("Ongoing", True, timeout_s=seconds + HOUR_S))


def faults() -> list[Fault]:
    """The faults of this signature."""
    seen = "seconds from the first to the last sweep that sees it = {}"
    return [
        Fault(NAME, "hanging", seen.format("k x min_lost_s"), _hanging),
        Fault(NAME, "no_marker", seen.format("k x min_ending_s"), _no_marker),
        Fault(NAME, "overdue", seen.format("its timeout and k x min_over_s"), _overdue),
        Fault(NAME, "silent", seen.format("k x min_silent_s"), _silent),
    ]
