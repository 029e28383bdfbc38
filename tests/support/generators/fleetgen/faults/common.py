"""A seeded fault: what a module of this folder gives, and the uneventful cluster that it is planted in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from support.generators.fleetgen import events
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.shape import Event, Label, Spec
from support.generators.fleetgen.shapes import narrow
from support.generators.fleetgen.state import Log

FACTORS = (1.2, 2.0, 5.0)
Thresholds = Mapping[str, float]  # name in signature.yaml -> value in force


@dataclass(frozen=True)
class Fault:
    """`about` says which statistic is set to k times which threshold; `make` plants it (seed, k, thresholds)."""

    signature: str
    cause: str
    about: str
    make: Callable[[int, float, Thresholds], Spec]

    def spec(self, seed: int, k: float, thresholds: Thresholds) -> Spec:
        """The cluster-day with the fault, named after it, with its label."""
        made = self.make(seed, k, thresholds)
        made.cluster = f"{self.signature}-{self.cause}-{k:g}x-{seed}".replace("_", "-").replace(".", "-")
        made.truth.add(self.label)
        return made

    @property
    def label(self) -> Label:
        """What must be found."""
        return self.signature, self.cause


def uneventful(seed: int, releases: tuple[str, ...] = (), brokers: int | None = None) -> Spec:
    """A healthy cluster to which nothing happens but retention; of these releases and this size, if given."""
    spec = healthy(seed)
    spec.events = [(at, event) for at, event in spec.events if event is events.retention]
    spec.failing, spec.skipped, spec.allowed, spec.open, spec.story = set(), set(), set(), set(), []
    spec.clients = [one for one in spec.clients if one.version not in ("2.0.1", "unknown")]
    spec.return_s = 240.0
    narrow(spec)
    if releases:
        spec.release = Random(seed).choice(releases)  # noqa: S311
        spec.kraft = spec.since("4.0") or (spec.kraft and spec.since("3.3"))
    if brokers is not None:
        spec.brokers = list(range(1, brokers + 1))
    for topic in spec.topics:
        topic.rf = min(topic.rf, len(spec.brokers))
    return spec


def by_leader(name: str, weight: Callable[[Log], float]) -> tuple[float, Event]:
    """Event before the first sweep: the partitions of a topic get the weights that the function gives."""

    def weigh(model: Model) -> None:
        logs = [log for log in model.logs.values() if log.topic.name == name]
        logs[0].topic.weights = [weight(log) for log in logs]

    return -3500.0, weigh
