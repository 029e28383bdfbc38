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
COUNTING = ("1.1.1", "2.4.1", "2.8.2")  # controllers count unclean elections, of which there are none
FORGOTTEN, ELSEWHERE = 6, 12  # groups of the coordinator that loads, and of others: 1 in 729 by chance
PASSED = 5.0  # records in half an hour: fewer than a group goes back by, so that it had passed there before


def _base(
    seed: int, rate: float, partitions: int = PARTITIONS,
    releases: tuple[str, ...] = ("2.4.1", "2.8.2", "3.3.2", "3.9.1", "4.1.1"),
) -> Spec:  # fmt: skip
    spec = uneventful(seed, releases, brokers=3)
    spec.topics.append(Topic("rewound", partitions, 3, rate, steady=True))
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
    """A coordinator moves to a broker that loads old offsets: its groups go back by k x min_rewound, and rebalance.

    As at 0.11.0.0 (tests/live/test_old_loads.py): groups with members, which had committed past there half an hour
    before, while as many and more groups of coordinators that stand still keep theirs.
    """
    spec = _base(seed, PASSED / 1800, 1, COUNTING)
    here, elsewhere = _by_coordinator(spec.offsets_partitions)
    groups = [Group(name, ["rewound"]) for name in here]
    spec.groups += [*groups, *(Group(name, ["rewound"]) for name in elsewhere)]
    back = math.ceil(k * thresholds["min_rewound"])

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


def _by_coordinator(partitions: int) -> tuple[list[str], list[str]]:
    """Groups that share a partition of the offsets log, and groups of other partitions."""
    names = [f"stale-{number}" for number in range(100)]
    first = offsets_partition(names[0], partitions)
    here = [name for name in names if offsets_partition(name, partitions) == first]
    return here[:FORGOTTEN], [name for name in names if name not in here][:ELSEWHERE]


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
        Fault(NAME, "stale_load", rewound.format("as the coordinator of six of eighteen groups moves"), _stale_load),
        Fault(NAME, "truncation", "records that a log ends earlier = k x min_lost", _truncation),
    ]
