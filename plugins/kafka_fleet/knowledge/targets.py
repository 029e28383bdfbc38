"""Choosing a release: takes what must be closed and what runs, gives the smallest published target that does no harm.

A target never trades one fault for another as bad: it may open nothing of the same or worse severity of its kind. The
kind is the fleet (brokers and controllers, or clients) and whether it is a security matter: a cure for slow reads is
not put off by a vulnerability of the next line, which the second step of the plan deals with. A trap of a setting
(CFG-) is of no such kind: it is told, and puts nothing off.
"""

import datetime as dt
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kafka_fleet.knowledge.advisories import CLIENT, Advisory
from kafka_fleet.knowledge.conditions import BrokerConfig
from kafka_fleet.knowledge.exposure import concerned
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts, Declared
from kafka_fleet.knowledge.preconditions import Precondition
from kafka_fleet.knowledge.releases import Release, catalogue
from kafka_fleet.knowledge.upgrade_steps import FOUR, mode_of


def family(advisory: Advisory) -> str:
    """`server` when brokers or controllers carry the fault, else `client`; `none` for hosts and topics."""
    return next((name for name in ("server", "client") if name in advisory.families), "none")


def concerns(advisory: Advisory, fleet: str) -> bool:
    """Whether an upgrade of this fleet is what cures it."""
    if fleet == "server":
        return "server" in advisory.families
    return family(advisory) == "client" or advisory.upgrade_component in CLIENT


def affects(advisory: Advisory, release: Release) -> bool:
    """Whether the advisory depends on the release and has this one in range."""
    return advisory.affected is not None and release in advisory.affected.releases


def _after(facts: ClusterFacts, start: Release, target: Release) -> Iterator[ClusterFacts]:
    """The cluster while the upgrade is not finished, and when protocol and metadata versions are the target's."""
    during = replace(facts, mode="KRaft" if target >= FOUR else mode_of(facts, start))
    yield during
    level: dict[str, str | None] = {"inter.broker.protocol.version": target.line_text}
    brokers = tuple(replace(b, configs=ChainMap(level, dict(b.configs)) if b.configs else {}) for b in facts.brokers)
    yield replace(during, brokers=brokers, metadata_version=target.line_text)


def _ruled_out(condition: Precondition, node: BrokerFacts, facts: ClusterFacts) -> bool:
    """Whether a condition does not hold. A setting that the broker does not know yet is off until somebody sets it."""
    test = condition.test
    if (
        isinstance(test, BrokerConfig)
        and test.is_ == "equals"
        and node.configs
        and test.broker_config not in node.configs
    ):
        return True
    answer = condition.ask(node, facts, Declared())
    return answer is not None and answer.holds is False


def possible(
    advisory: Advisory, facts: ClusterFacts | None, start: Release, target: Release, fleet: str = "server"
) -> bool:
    """Whether nothing that was read rules the advisory out on this cluster after an upgrade from start to target."""
    if not advisory.preconditions:
        return True
    known = facts or ClusterFacts(())
    for view in _after(known, start, target) if fleet == "server" else [known]:  # clients change nothing of brokers
        nodes = concerned(advisory, view) or list(view.brokers) or [BrokerFacts(-1, None)]
        if any(not any(_ruled_out(c, node, view) for c in advisory.preconditions) for node in nodes):
            return True
    return False


def opened(
    start: Release, target: Release, fleet: str, advisories: Mapping[str, Advisory], facts: ClusterFacts | None = None
) -> list[Advisory]:
    """What the target has and the start has not, worst first."""
    found = [
        a
        for a in advisories.values()
        if fleet in a.families
        and affects(a, target)
        and not affects(a, start)
        and possible(a, facts, start, target, fleet)
    ]
    return sorted(found, key=lambda a: (a.rank, a.id))


def _no_trade(closed: Sequence[Advisory], new: Iterable[Advisory]) -> bool:
    worst = {
        security: min((a.rank for a in closed if a.security is security), default=-1) for security in (True, False)
    }
    # a setting is chosen by its owner: no release brings it, and none is avoided for it
    return all(a.rank > worst[a.security] for a in new if not a.id.startswith("CFG-"))


def candidates(current: Sequence[Release], fleet: str, on: dt.date | None = None) -> list[Release]:
    """Releases to go to that were published on a day: above the lowest; brokers also not below any that runs."""
    bound = max(current) if fleet == "server" else min(current)  # a roll goes forward; fleets of clients are many
    return [release for release in catalogue().published(on) if release > min(current) and release >= bound]


def choose(
    must: Sequence[Advisory],
    current: Sequence[Release],
    fleet: str,
    advisories: Mapping[str, Advisory],
    facts: ClusterFacts | None = None,
    on: dt.date | None = None,
) -> tuple[Release | None, bool]:
    """The smallest release that closes all of `must`, and whether it opens nothing as bad. (None, False): no fix."""
    fixed = [r for r in candidates(current, fleet, on) if not any(affects(a, r) for a in must)]
    for release in fixed:
        if _no_trade(must, opened(min(current), release, fleet, advisories, facts)):
            return release, True
    return (fixed[0], False) if fixed else (None, False)
