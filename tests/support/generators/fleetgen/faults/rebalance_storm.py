"""Groups that stay in a rebalance, members that are replaced all the time, and rebalances that nothing explains."""

import math
from collections.abc import Callable

from support.generators.fleetgen.connections import connect, disconnect
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.metrics import coordinator
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Event, Group, Spec, Topic

NAME = "rebalance_storm"
FIRST = 2
BROKER = 2
HOUR_S = 3600.0
ROUNDS = 4  # rebalances that one client may cause by coming and going
Make = Callable[[int, float, Thresholds], Spec]


def _in_state(group: Group, state: str) -> Event:
    """The group is in this state from now on."""

    def happens(_model: Model) -> None:
        group.state = state

    return happens


def _rejoin(group: Group, many: int) -> Event:
    """So many members of the group leave it and join anew, with a rebalance for each."""

    def happens(model: Model) -> None:
        group.joins.update(range(many))
        broker = coordinator(model, group)
        if broker is not None:
            model.brokers[broker].counters["rebalances"] += many

    return happens


def _base(seed: int, members: int, *releases: str) -> tuple[Spec, Group]:
    """A cluster with a group of so many members."""
    spec = uneventful(seed, releases or ("2.4.1", "2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=3)
    spec.topics.append(Topic("unsettled", members, 3, 5.0))
    group = Group("unsettled-group", ["unsettled"], members)
    spec.groups.append(group)
    return spec, group


def _stuck(state: str, least: str, spans: int, *releases: str) -> Make:
    """The group is in a state at each of so many sweeps and one more, which lie over k times a threshold."""

    def make(seed: int, k: float, thresholds: Thresholds) -> Spec:
        spec, group = _base(seed, 3, *releases)
        spec.every_s = k * thresholds[least] / spans
        begins, ends = spec.at(FIRST) - DAY - 5.0, spec.at(FIRST + spans) - DAY + 5.0
        spec.events += [(begins, _in_state(group, state)), (ends, _in_state(group, "Stable"))]
        return spec

    return make


def _replaced(members: int, many: int, with_connections: bool) -> Make:
    """So many members of a group join anew before each of k x min_returns sweeps of an hour."""

    def connected(model: Model) -> None:
        for broker in model.brokers.values():
            connect(model, broker, "PLAINTEXT", "apache-kafka-java", "3.6.1", 4)
            disconnect(broker, "PLAINTEXT", "apache-kafka-java", "3.6.1", 4)

    def make(seed: int, k: float, thresholds: Thresholds) -> Spec:
        spec, group = _base(seed, members)
        times = math.ceil(k * thresholds["min_returns"])
        spec.every_s = 0.8 * HOUR_S / (times - 1)
        for sweep in range(FIRST, FIRST + times):
            at = spec.at(sweep) - DAY - 5.0
            spec.events += [(at, _rejoin(group, many))] + ([(at, connected)] if with_connections else [])
        return spec

    return make


def _same_members(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A coordinator completes so many rebalances more than new clients may have caused, for longer than min_busy_s."""
    spec, _group = _base(seed, 3)
    spans = 2 + math.ceil(thresholds["min_busy_s"] / spec.every_s)
    per_interval = k * thresholds["max_rebalances_per_hour"] * len(spec.groups) * spec.every_s / HOUR_S
    made = 0  # connections of the broker's process at the sweep before

    def looks(model: Model) -> None:
        nonlocal made
        made = sum(model.brokers[BROKER].sockets_made.values())

    def rebalances(model: Model) -> None:
        before = made
        looks(model)
        model.brokers[BROKER].counters["rebalances"] += math.ceil(per_interval + ROUNDS * (made - before))

    for sweep in range(FIRST - 1, FIRST + spans):
        spec.events.append((spec.at(sweep) - DAY - 0.001, looks if sweep < FIRST else rebalances))
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    stuck = "seconds in the state at every sweep = k x {}"
    times = "sweeps of an hour before which {} anew = k x min_returns"
    besides = "rebalances by hour and group, beyond four for each new connection = k x {}"
    return [
        Fault(NAME, "completing", stuck.format("min_stuck_s"), _stuck("CompletingRebalance", "min_stuck_s", 3)),
        Fault(NAME, "preparing", stuck.format("min_stuck_s"), _stuck("PreparingRebalance", "min_stuck_s", 3)),
        Fault(NAME, "reconciling", stuck.format("min_unsure_s"), _stuck("Reconciling", "min_unsure_s", 6, "4.1.1")),
        Fault(NAME, "slow_members", times.format("all members join"), _replaced(20, 20, with_connections=False)),
        Fault(NAME, "restarts", times.format("one of four members joins"), _replaced(4, 1, with_connections=True)),
        Fault(NAME, "same_members", besides.format("max_rebalances_per_hour"), _same_members),
    ]
