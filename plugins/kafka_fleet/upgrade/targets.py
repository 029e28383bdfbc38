"""Choosing a release: takes what must be closed and what runs, gives the smallest published target that does no harm.

A target is the newest patch of its line. It reopens no security hole that the release in use has closed, and opens no
critical fault. A line with support comes before one without, but for 3.9, the bridge to 4.x; an older line without
support is a target only where nothing else serves.

Nor does a target trade one fault for another as bad: it may open nothing of the same or worse severity of its kind. The
kind is the fleet (brokers and controllers, or clients) and whether it is a security matter: a cure for slow reads is
not put off by a vulnerability that is newer than the release in use, which the second step of the plan deals with. A
trap of a setting (CFG-), and what no release fixes, do not count: they are reported and rule no release out.
"""

import datetime as dt
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from kafka_fleet.knowledge.advisories import CLIENT, Advisory
from kafka_fleet.knowledge.exposure import concerned
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts, Declared
from kafka_fleet.knowledge.preconditions import Precondition
from kafka_fleet.knowledge.predicates import BrokerConfig
from kafka_fleet.knowledge.refused_requests import FOUR
from kafka_fleet.knowledge.releases import Release, catalogue
from kafka_fleet.upgrade.steps import BRIDGE, mode_of


def family(advisory: Advisory) -> str:
    """`server` when brokers or controllers carry the fault, else `client`; `none` for hosts and topics."""
    return next((name for name in ("server", "client") if name in advisory.families), "none")


def upgrade_cures(advisory: Advisory, fleet: str) -> bool:
    """Whether an upgrade of this fleet fixes it."""
    if fleet == "server":
        return "server" in advisory.families
    return family(advisory) == "client" or advisory.upgrade_component in CLIENT


def affects_release(advisory: Advisory, release: Release) -> bool:
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


def still_possible(
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


def opened_issues(
    start: Release, target: Release, fleet: str, advisories: Mapping[str, Advisory], facts: ClusterFacts | None = None
) -> list[Advisory]:
    """What the target has and the start has not, worst first."""
    found = [
        a
        for a in advisories.values()
        if fleet in a.families
        and affects_release(a, target)
        and not affects_release(a, start)
        and still_possible(a, facts, start, target, fleet)
    ]
    return sorted(found, key=lambda a: (a.rank, a.id))


def is_harmless(new: Iterable[Advisory], start: Release) -> bool:
    """Whether nothing of what a release opens forbids it, whatever it closes.

    Forbidden are a security hole that the release in use has closed already, and any critical fault. A trap of a
    setting is its owner's choice.
    """
    return not any(a.rank == 0 or (a.security and _closed(a, start)) for a in new if not a.setting)


def _closed(advisory: Advisory, release: Release) -> bool:
    """Whether a release is free of it by a fix, and not because it is older than the fault."""
    if advisory.affected is None:
        return False
    affected = advisory.affected.releases
    return release not in affected and any(r in affected for r in catalogue().dates if r < release)


def _no_trade(closed: Sequence[Advisory], new: Iterable[Advisory]) -> bool:
    worst = {
        security: min((a.rank for a in closed if a.security is security), default=-1) for security in (True, False)
    }
    # neither a setting nor what no release fixes is a reason to stay
    weighed = (a for a in new if not a.setting and a.affected is not None and a.affected.fixed)
    return all(a.rank > worst[a.security] for a in weighed)


def candidates(current: Sequence[Release], fleet: str, on: dt.date | None = None) -> list[Release]:
    """Releases to go to that were published on a day: above the lowest; brokers also not below any that runs."""
    bound = max(current) if fleet == "server" else min(current)  # a roll goes forward; fleets of clients are many
    return [release for release in catalogue().published(on) if release > min(current) and release >= bound]


def in_order(current: Sequence[Release], fleet: str, on: dt.date | None = None) -> list[Release]:
    """The newest patch of each line, from the smallest line up: first those with support and the bridge, then the rest.

    The bridge is 3.9, the last line with ZooKeeper and with Java 8: it is on the way to every later one.
    """
    known = catalogue()
    newest = [r for r in candidates(current, fleet, on) if r == known.latest_patch(r.line, on)]
    return sorted(newest, key=lambda r: (not (known.supported(r, on) or r.line == BRIDGE), r))


def choose_release(
    must: Sequence[Advisory],
    current: Sequence[Release],
    fleet: str,
    advisories: Mapping[str, Advisory],
    facts: ClusterFacts | None = None,
    on: dt.date | None = None,
) -> tuple[Release | None, bool]:
    """The first release in that order that closes all of `must` and does no harm, and whether it opens nothing as bad.

    (None, False): no release has the fix, or each of them does harm.
    """
    start = min(current)
    fixed = [r for r in in_order(current, fleet, on) if not any(affects_release(a, r) for a in must)]
    harmless = None
    for release in fixed:
        new = opened_issues(start, release, fleet, advisories, facts)
        if is_harmless(new, start):
            if _no_trade(must, new):
                return release, True
            harmless = harmless or release
    return harmless, False
