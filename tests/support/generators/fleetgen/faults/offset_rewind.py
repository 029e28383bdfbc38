"""Offsets that go backwards: an old offsets log is loaded, a log is truncated, an operator sets them back."""

import math

from support.generators.fleetgen import events, harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Group, Spec, Topic
from support.generators.fleetgen.state import OFFSETS, offsets_partition

NAME = "offset_rewind"
SWEEP = 10
PARTITIONS = 4


def _base(seed: int, rate: float) -> Spec:
    spec = uneventful(seed, ("2.4.1", "2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=3)
    spec.topics.append(Topic("rewound", PARTITIONS, 3, rate, steady=True))
    return spec


def _manual(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """An operator sets the offsets of an empty group back by k x min_rewound records, over all partitions."""
    spec = _base(seed, 5.0)
    group = Group("rewound-group", ["rewound"])
    spec.groups.append(group)
    spec.events += harm.absent(group, spec.at(4) - DAY + 60, spec.at(14) - DAY + 60)
    back = math.ceil(k * thresholds["min_rewound"] / PARTITIONS)
    spec.events.append((spec.at(SWEEP) - DAY - 300, harm.rewind(group.name, back)))
    return spec


def _stale_load(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A coordinator moves to a broker with an old offsets log; two groups go back by k x min_rewound and rebalance."""
    spec = _base(seed, 5.0)
    groups = [Group(name, ["rewound"]) for name in _neighbours(spec.offsets_partitions)]
    spec.groups += groups
    back = math.ceil(k * thresholds["min_rewound"] / PARTITIONS)

    def loads(model: Model) -> None:
        log = model.logs[OFFSETS, offsets_partition(groups[0].name, model.spec.offsets_partitions)]
        events.move_leader(model, log, next(b for b in log.isr if b != log.leader))
        for group in groups:
            harm.rewind(group.name, back)(model)

    def rebalance(_model: Model) -> None:
        for group in groups:
            group.paused = True

    def read_on(_model: Model) -> None:
        for group in groups:
            group.paused = False

    # the groups stop right before the sweep before, so that what they lose is exact
    spec.events += [(spec.at(SWEEP) - DAY - 1, rebalance), (spec.at(SWEEP) - DAY + 5, loads)]
    spec.events.append((spec.at(SWEEP + 1) - DAY + 30, read_on))
    return spec


def _neighbours(partitions: int) -> list[str]:
    """Two groups that share a partition of the offsets log."""
    names = [f"stale-{number}" for number in range(100)]
    first = offsets_partition(names[0], partitions)
    return [name for name in names if offsets_partition(name, partitions) == first][:2]


def _truncation(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A replica from outside the in-sync set leads: one log of a resting topic ends k x min_lost records earlier."""
    spec = _base(seed, 5.0)
    lost = math.ceil(k * thresholds["min_lost"])

    def rest(model: Model) -> None:
        next(t for t in model.spec.topics if t.name == "rewound").rate = 0.0

    def shrink(model: Model) -> None:
        log = model.logs["rewound", 0]
        log.isr = [log.replicas[0]]

    at = spec.at(SWEEP) - DAY
    spec.events += [(at - 2000, rest), (at - 1000, shrink), (at - 300, harm.truncate("rewound", 0, lost))]
    spec.allowed |= {("isr_stagnation", "frozen"), ("retriable_errors", "election"), (NAME, "unclean_election")}
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    rewound = "committed offsets of a group and topic go back by k x min_rewound, {}"
    return [
        Fault(NAME, "manual", rewound.format("while the group is empty"), _manual),
        Fault(NAME, "stale_load", rewound.format("as the coordinator of two groups moves"), _stale_load),
        Fault(NAME, "truncation", "records that a log ends earlier = k x min_lost", _truncation),
    ]
