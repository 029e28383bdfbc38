"""One fleet of a cluster before an upgrade: takes its releases and the day's findings, gives what a release changes.

A scene is that of the brokers (`server`) or of the Java clients (`client`). What a release closes, leaves and opens is
given for the findings of the day; what it would open is looked for among all advisories.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.declared_clients import JAVA
from kafka_fleet.knowledge.facts import ClusterFacts
from kafka_fleet.knowledge.predicates import MeasuredCondition
from kafka_fleet.knowledge.releases import Release, catalogue, comparable_release
from kafka_fleet.upgrade.targets import (
    affects_release,
    candidates,
    choose_release,
    family,
    is_harmless,
    opened_issues,
    still_possible,
    upgrade_cures,
)


class Outcome(TypedDict):
    """What a release changes: ids of advisories, the worst first."""

    closes: list[str]
    leaves: list[str]
    opens: list[str]


class Candidate(Outcome):
    """A release that could be chosen."""

    release: str
    supported: bool


# measured facts that go with any complete roll, or with a roll to a supported release
_ENDED_BY_ROLL = frozenset({"mixed_releases", "not_rolled_for_long"})
_ENDED_BY_SUPPORT = "unsupported_release"


def ids(advisories: Iterable[Advisory]) -> list[str]:
    """Their ids, worst first."""
    return [a.id for a in sorted(advisories, key=lambda a: (a.rank, a.id))]


def java_releases(facts: ClusterFacts) -> tuple[Release, ...]:
    """The Java client releases that are connected, sorted; unknown builds left out."""
    texts = {c.version for c in facts.clients or () if c.software == JAVA and c.connections > 0}
    return tuple(sorted({release for text in texts if (release := comparable_release(text)) is not None}))


@dataclass(frozen=True)
class UpgradeContext:
    """confirmed, present (confirmed or exposed): advisories of the day's findings. current: sorted, never empty."""

    fleet: str
    facts: ClusterFacts
    advisories: Mapping[str, Advisory]
    confirmed: tuple[Advisory, ...]
    present: tuple[Advisory, ...]
    current: tuple[Release, ...]
    on: dt.date | None

    @property
    def low(self) -> Release:
        """Where the upgrade starts."""
        return self.current[0]

    def candidates(self) -> list[Release]:
        """Releases that the fleet could go to, sorted."""
        return candidates(self.current, self.fleet, self.on)

    def has(self, advisory: Advisory) -> bool:
        """Whether a release that runs has it."""
        return any(affects_release(advisory, release) for release in self.current)

    def must(self) -> list[Advisory]:
        """What is confirmed of this fleet and cured by some release that it could go to."""
        own = [a for a in self.confirmed if family(a) == self.fleet and self.has(a)]
        return [a for a in own if any(not affects_release(a, release) for release in self.candidates())]

    def choose(self, must: Sequence[Advisory]) -> tuple[Release | None, bool]:
        """The smallest release that closes all of them, and whether it opens nothing as bad."""
        return choose_release(must, self.current, self.fleet, self.advisories, self.facts, self.on)

    def harmless(self, target: Release) -> bool:
        """Whether it reopens no security hole and opens no critical fault."""
        return is_harmless(opened_issues(self.low, target, self.fleet, self.advisories, self.facts), self.low)

    def cures(self, advisory: Advisory, target: Release) -> bool:
        """Whether going to the target ends a finding of this fleet."""
        if not upgrade_cures(advisory, self.fleet):
            return False
        if advisory.affected is not None:
            return self.has(advisory) and not affects_release(advisory, target)
        asked = {c.test.measured for c in advisory.preconditions if isinstance(c.test, MeasuredCondition)}
        if asked == {_ENDED_BY_SUPPORT}:
            return catalogue().supported(target, self.on)
        return bool(asked) and asked <= _ENDED_BY_ROLL

    def opens(self, target: Release) -> list[Advisory]:
        """What the target has and the day's findings do not, worst first."""
        new = opened_issues(self.low, target, self.fleet, self.advisories, self.facts)
        present = {advisory.id for advisory in self.present}
        return [advisory for advisory in new if advisory.id not in present]

    def outcome(self, target: Release) -> Outcome:
        """`{"closes": [id], "leaves": [id], "opens": [id]}`, each worst first. Leaves: every finding that stays."""
        closed = {a.id for a in self.present if self.cures(a, target)}
        return {
            "closes": ids(a for a in self.present if a.id in closed),
            "leaves": ids(a for a in self.present if a.id not in closed),
            "opens": ids(self.opens(target)),
        }

    def here(self, target: Release) -> list[Advisory]:
        """Every known issue of this fleet that the target has and nothing that was read rules out."""
        return [
            a
            for a in self.advisories.values()
            if family(a) == self.fleet
            and affects_release(a, target)
            and still_possible(a, self.facts, self.low, target, self.fleet)
        ]

    def burden(self, target: Release) -> tuple[int, ...]:
        """What a release would leave: confirmed faults, then security by severity, then new faults of high severity."""
        confirmed = sum(family(a) == self.fleet and affects_release(a, target) for a in self.confirmed)
        here = self.here(target)
        security = [sum(a.security and a.rank == rank for a in here) for rank in range(5)]
        return (confirmed, *security, sum(not a.security and a.rank <= 1 for a in self.opens(target)))

    def table(self, chosen: Iterable[str]) -> list[Candidate]:
        """What each candidate would change: the newest patch of every line, and those of `chosen` whatever they are."""
        known, named = catalogue(), set(chosen)
        rows: list[Candidate] = []
        for release in self.candidates():
            if release == known.latest_patch(release.line, self.on) or str(release) in named:
                supported = known.supported(release, self.on)
                rows.append({"release": str(release), "supported": supported, **self.outcome(release)})
        return rows
