"""Records skipped under auto.offset.reset=latest: on added partitions, at a first start, after offsets expired."""

from support.generators.fleetgen import events, harm
from support.generators.fleetgen.faults.common import Fault, Thresholds, uneventful
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import DAY, Group, Spec, Topic

SWEEP = 10
BEFORE_S = 450.0  # from the growth to the first sweep after it
UNSEEN_S = 300.0  # metadata.max.age.ms of the consumers
ADDED = 3


def _base(seed: int) -> Spec:
    spec = uneventful(seed, ("2.4.1", "2.8.2", "3.3.2", "3.9.1", "4.1.1"), brokers=3)
    spec.groups.append(Group("skippers", ["skipped"]))
    return spec


def _growth(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """Three partitions are added; the group begins at their ends, and commits k x min_skipped past their starts."""
    spec, before = _base(seed), 6
    per_partition = k * thresholds["min_skipped"] / ADDED / BEFORE_S
    spec.topics.append(Topic("skipped", before, 3, per_partition * before, steady=True))

    def grow(model: Model) -> None:
        events.grow("skipped", ADDED, UNSEEN_S)(model)
        next(t for t in model.spec.topics if t.name == "skipped").rate = per_partition * (before + ADDED)

    spec.events.append((spec.at(SWEEP) - DAY - BEFORE_S, grow))
    return spec


def _first_start(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A group begins at the end of a log that holds k x min_skipped records."""
    spec = _base(seed)
    newcomer = spec.groups.pop()
    spec.topics.append(Topic("skipped", 1, 3, 0.02, steady=True))
    held = round(k * thresholds["min_skipped"])

    def begin(model: Model) -> None:
        log = model.logs["skipped", 0]
        log.end = max(log.end, held)
        log.start = log.end - held
        events.new_group(newcomer, from_start=False)(model)

    # the log has to be so long before the last sweep without the group
    spec.events += [(-3000.0, lambda m: _lengthen(m, held)), (spec.at(SWEEP) - DAY - BEFORE_S, begin)]
    return spec


def _lengthen(model: Model, held: int) -> None:
    log = model.logs["skipped", 0]
    log.end, log.start = max(log.end, held), max(log.end, held) - held


def _offsets_expired(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """A group is away for eight sweeps, its offsets expire, and it begins k x min_skipped past its last commit."""
    spec = _base(seed)
    leaves, returns = spec.at(4) - DAY + 60, spec.at(12) - DAY - 60
    spec.topics.append(Topic("skipped", 1, 3, k * thresholds["min_skipped"] / (returns - leaves), steady=True))
    group = spec.groups[-1]
    spec.events += harm.absent(group, leaves, returns)
    spec.events += [(leaves + 3600, harm.expire_offsets(group)), (returns - 1, harm.begin_at_end(group))]
    return spec


def _expired_in_use(seed: int, k: float, thresholds: Thresholds) -> Spec:
    """The group's offsets expire in a rebalance, and it goes on past k x min_skipped."""
    spec = uneventful(seed, ("2.8.1", "3.0.0", "3.1.0"), brokers=3)
    group = Group("skippers", ["skipped"])
    spec.groups.append(group)
    stops, returns = spec.at(SWEEP) - DAY + 60, spec.at(SWEEP + 1) - DAY + 60
    spec.topics.append(Topic("skipped", 1, 3, k * thresholds["min_skipped"] / (returns - stops), steady=True))

    def stop(model: Model) -> None:
        group.paused = True
        for broker in model.brokers.values():
            broker.requests["OffsetCommit"] += 1

    def come_back(model: Model) -> None:
        group.paused = False
        harm.begin_at_end(group)(model)

    spec.events += [(stops, stop), (stops + 1, harm.expire_offsets(group)), (returns, come_back)]
    return spec


def faults() -> list[Fault]:
    """The faults of this signature."""
    about = "first commit less {} = k x min_skipped"
    return [
        Fault("partition_growth", "growth", about.format("the starts of the added logs"), _growth),
        Fault("partition_growth", "first_start", about.format("the log's start"), _first_start),
        Fault("partition_growth", "offsets_expired", about.format("the commit that expired"), _offsets_expired),
        Fault("partition_growth", "expired_in_use", about.format("the commit that expired"), _expired_in_use),
    ]
