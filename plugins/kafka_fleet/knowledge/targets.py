"""Choosing a release: takes what must be closed and what runs, gives the smallest published target that does no harm.

A target never trades one fault for another as bad: it may open nothing of the same or worse severity of its kind. The
kind is the fleet (brokers and controllers, or clients) and whether it is a security matter: a cure for slow reads is
not put off by a vulnerability of the next line, which the second step of the plan deals with.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.exposure import concerned
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts, Declared
from kafka_fleet.knowledge.releases import Release, catalogue
from kafka_fleet.knowledge.upgrade_steps import FOUR, mode_of


def family(advisory: Advisory) -> str:
    """`server` when brokers or controllers carry the fault, else `client`; `none` for hosts and topics."""
    return next((name for name in ("server", "client") if name in advisory.families), "none")


def affects(advisory: Advisory, release: Release) -> bool:
    """Whether the advisory depends on the release and has this one in range."""
    return advisory.affected is not None and release in advisory.affected.releases


def possible(advisory: Advisory, facts: ClusterFacts | None, start: Release, target: Release) -> bool:
    """Whether nothing that was read rules the advisory out on this cluster after an upgrade from start to target."""
    known = facts or ClusterFacts(())
    later = replace(known, mode="KRaft" if target >= FOUR else mode_of(known, start))
    nodes = concerned(advisory, later) or list(later.brokers) or [BrokerFacts(-1, None)]
    answers = [[c.ask(node, later, Declared()) for c in advisory.preconditions] for node in nodes]
    return any(all(a is None or a.holds is not False for a in node) for node in answers)


def opened(
    start: Release, target: Release, fleet: str, advisories: Mapping[str, Advisory], facts: ClusterFacts | None = None
) -> list[Advisory]:
    """What the target has and the start has not, worst first."""
    found = [
        a
        for a in advisories.values()
        if fleet in a.families and affects(a, target) and not affects(a, start) and possible(a, facts, start, target)
    ]
    return sorted(found, key=lambda a: (a.rank, a.id))


def _no_trade(closed: Sequence[Advisory], new: Iterable[Advisory]) -> bool:
    worst = {
        security: min((a.rank for a in closed if a.security is security), default=-1) for security in (True, False)
    }
    return all(advisory.rank > worst[advisory.security] for advisory in new)


def candidates(current: Sequence[Release], fleet: str) -> list[Release]:
    """Announced releases to go to: above the lowest; brokers also not below any that runs (a roll goes forward)."""
    bound = max(current) if fleet == "server" else min(current)
    return [release for release in catalogue().announced if release > min(current) and release >= bound]


def choose(
    must: Sequence[Advisory],
    current: Sequence[Release],
    fleet: str,
    advisories: Mapping[str, Advisory],
    facts: ClusterFacts | None = None,
) -> tuple[Release | None, bool]:
    """The smallest release that closes all of `must`, and whether it opens nothing as bad. (None, False): no fix."""
    fixed = [r for r in candidates(current, fleet) if not any(affects(a, r) for a in must)]
    for release in fixed:
        if _no_trade(must, opened(min(current), release, fleet, advisories, facts)):
            return release, True
    return (fixed[0], False) if fixed else (None, False)
