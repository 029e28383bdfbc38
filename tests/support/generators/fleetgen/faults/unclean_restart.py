"""Restarts that were no clean roll: a killed process, and a start that takes far too long."""

from support.generators.fleetgen import events
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.shape import DAY, Spec

SWEEP = 10
BROKER = 2  # broker 1 is the controller


def _base(seed: int) -> Spec:
    """ZooKeeper: KRaft brokers of the recorded releases count no controlled shutdowns."""
    spec = uneventful(seed, ("2.4.1", "2.8.2", "3.2.3", "3.4.1"), brokers=3)
    spec.kraft = False
    return spec


def _killed(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A process ends without a controlled shutdown. There is no more or less of it: k changes nothing but the seed."""
    spec = _base(seed + round(100 * k))
    spec.events.append((spec.at(SWEEP) - DAY - 400.0, events.restart(BROKER, 60.0, clean=False)))
    spec.allowed |= {("isr_stagnation", "catching_up"), ("retriable_errors", "election")}
    return spec


def _long_recovery(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A start takes k x min_start_s from the JVM's start to the end of the broker's, after a clean shutdown."""
    spec = _base(seed)
    took = k * thresholds["min_start_s"]
    assert thresholds["min_start_factor"] * 30 < thresholds["min_start_s"], "usual starts take up to 27 s here"
    spec.events.append((spec.at(SWEEP) - DAY - 1.0 - took, events.restart(BROKER, 0.5, startup_s=took)))
    spec.allowed |= {("isr_stagnation", "catching_up")}
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    return [
        Fault("unclean_restart", "killed", "controlled shutdowns counted = 0 for one restart (no magnitude)", _killed),
        Fault("unclean_restart", "long_recovery", "start-up duration = k x min_start_s", _long_recovery),
    ]
