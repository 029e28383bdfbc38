"""Partitions that are not served, and brokers, fetchers, directories and controllers that are not there."""

import math
from collections.abc import Callable

from support.generators.fleetgen import events, harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.shape import DAY, Event, Spec, Topic

NAME = "availability"
SPANS = 3  # the state lasts from one sweep to the third after it
FIRST = 6
BROKER = 2
AWAY = 4
Make = Callable[[int, float, Thresholds], Spec]


def _base(seed: int, seconds: float, *releases: str) -> tuple[Spec, float, float]:
    """A cluster whose sweeps lie so that SPANS intervals are so many seconds; from when until when the state lasts."""
    spec = uneventful(seed, releases or ("2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=4)
    spec.every_s = seconds / SPANS
    return spec, spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + SPANS) - DAY + 5.0


def _gauge(column: str, broker: int, limit: str, *releases: str) -> Make:
    """A gauge shows 1 for k x the threshold between the first and the last sweep of the state."""

    def make(seed: int, k: float, thresholds: Thresholds) -> Spec:
        spec, begins, ends = _base(seed, k * thresholds[limit], *releases)
        spec.tells_controller = True
        spec.events += [(begins, harm.gauge(broker, column, 1)), (ends, harm.gauge(broker, column, 0))]
        return spec

    return make


def _offline(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The only broker that holds a topic is away."""
    spec, begins, ends = _base(seed, k * thresholds["min_s"])
    spec.topics.append(Topic("single", 4, 1, 5.0))
    spec.events.append((begins, events.restart(AWAY, ends - begins - 8.0, clean=False, startup_s=8.0)))
    spec.allowed |= {
        ("isr_stagnation", "dead_broker"), ("isr_stagnation", "catching_up"), ("unclean_restart", "killed"),
        ("retriable_errors", "election"), (NAME, "under_min_isr"),
    }  # fmt: skip
    return spec


def _not_elected(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Partitions have no leader although all their replicas are up."""
    spec, begins, ends = _base(seed, k * thresholds["min_steady_s"])
    spec.topics.append(Topic("stuck", 4, 3, 5.0))
    spec.events += [(begins, harm.unled("stuck")), (ends, harm.led("stuck"))]
    spec.allowed |= {("isr_stagnation", "frozen")}
    return spec


def _under_min_isr(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Both followers of a topic with min.insync.replicas=2 stay out of its in-sync sets."""
    spec, begins, ends = _base(seed, k * thresholds["min_s"])
    spec.topics.append(Topic("stuck", 4, 3, 5.0))
    for place in (1, 2):
        follower = harm.freeze("stuck", lambda log, place=place: log.replicas[place], ends - begins)  # type: ignore[misc]
        spec.events.append((begins, follower))
    for broker in spec.brokers:
        column = "under_min_isr_partitions"
        spec.events += [(begins, harm.gauge(broker, column, 1)), (ends, harm.gauge(broker, column, 0))]
    spec.allowed |= {("isr_stagnation", "frozen"), ("isr_stagnation", "catching_up")}
    return spec


def _log_dir(seed: int, k: float, _thresholds: Thresholds) -> Spec:
    """A broker loses directories; there is no threshold, since one is a fault."""
    spec, begins, _ends = _base(seed, 900.0)
    spec.events.append((begins, harm.gauge(BROKER, "offline_log_dirs", math.ceil(k))))
    return spec


def _outside(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A broker runs on and leaves the cluster."""
    spec, begins, ends = _base(seed, k * thresholds["min_steady_s"])
    leave: tuple[float, Event] = (begins, harm.listed(AWAY, False))
    spec.events += [leave, (ends, harm.listed(AWAY, True))]
    return spec


def _no_controller(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The controller of a ZooKeeper cluster is none any more, and nobody else is."""
    spec, begins, ends = _base(seed, k * thresholds["min_steady_s"], "2.8.2")
    controller = spec.brokers[0]
    spec.events += [
        (begins, harm.gauge(controller, "active_controller", 0)),
        (ends, harm.gauge(controller, "active_controller", 1)),
    ]
    return spec


def _unclean(seed: int, k: float, _thresholds: Thresholds) -> Spec:
    """A ZooKeeper controller counts elections; leaders and in-sync sets are whole at both sweeps around them."""
    spec, begins, _ends = _base(seed, 900.0, "2.8.2", "3.3.2", "3.9.1")
    spec.kraft = False
    spec.events.append((begins, harm.count(spec.brokers[0], "unclean_leader_elections", math.ceil(k))))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    lasts = "seconds from the first to the last sweep of the state = k x {}"
    counted = "{} = k, rounded up: one is a fault"
    failed = _gauge("fetcher_failed_partitions", BROKER, "min_steady_s")
    dead = _gauge("fetcher_dead_threads", BROKER, "min_s")
    two = _gauge("active_controller", BROKER, "min_steady_s", "2.8.2")  # beside broker 1, which is
    return [
        Fault(NAME, "offline", lasts.format("min_s"), _offline),
        Fault(NAME, "not_elected", lasts.format("min_steady_s"), _not_elected),
        Fault(NAME, "under_min_isr", lasts.format("min_s"), _under_min_isr),
        Fault(NAME, "failed_fetch", lasts.format("min_steady_s"), failed),
        Fault(NAME, "dead_fetcher", lasts.format("min_s"), dead),
        Fault(NAME, "log_dir", counted.format("offline directories"), _log_dir),
        Fault(NAME, "no_controller", lasts.format("min_steady_s"), _no_controller),
        Fault(NAME, "two_controllers", lasts.format("min_steady_s"), two),
        Fault(NAME, "outside", lasts.format("min_steady_s"), _outside),
        Fault(NAME, "unclean_election", counted.format("counted elections"), _unclean),
    ]
