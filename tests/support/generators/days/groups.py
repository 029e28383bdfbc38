"""Members of groups that come and go: takes who is there from when until when, gives memberships, commits, connections.

For groups too large to be worked through fetch by fetch. A member id ends in a UUID, as the coordinator makes it
(GroupMetadata.generateMemberId): behind the client id, or behind group.instance.id where there is one.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from support.generators.days.cluster import OFFSETS, Key, Sim
from support.generators.days.traffic import every, offsets_partition

JAVA = "apache-kafka-java"


class Member(NamedTuple):
    """One process of a group. instance: its group.instance.id, if it is a static member."""

    client: str
    host: str
    keys: Sequence[Key]
    since: float = float("-inf")
    until: float = float("inf")
    instance: str = ""


def attend(sim: Sim, group: str, members: Iterable[Member], commit_s: float = 30.0) -> None:
    """Memberships of a group. Who comes within the day connects to every broker, and once more to the coordinator."""
    sim.groups.setdefault(group, [])
    for one in members:
        name = f"{one.instance or one.client}-{UUID(int=sim.rng.getrandbits(128), version=4)}"
        sim.state.members[name] = one.client, f"/{one.host}"
        sim.groups[group].append((name, list(one.keys), one.since, one.until))
        if one.since > 0:
            for broker in (b for b in sim.brokers if sim.up(b, one.since)):
                many = 1 + (broker == coordinator(sim, group, one.since))
                sim.connect(broker, one.since + 0.1, JAVA, sim.release, many, to=one.until)
        for t in every(sim, 1 / commit_s, max(one.since, 0.0), min(one.until, sim.end), 0.1):
            for key in one.keys:
                log = sim.logs[key]
                sim.commits[group, key].append((t, log.end_at(t - 0.5)))
            if (broker := coordinator(sim, group, t)) is not None:
                sim.count(broker, t, ("b", "offset_commits"), len(one.keys))


def coordinator(sim: Sim, group: str, t: float) -> int | None:
    """The broker that leads the group's partition of the offsets log."""
    return sim.logs[OFFSETS, offsets_partition(group)].leader.at(t)


def rebalanced(sim: Sim, group: str, t: float, times: int = 1) -> None:
    """The coordinator completed a rebalance."""
    if (broker := coordinator(sim, group, t)) is not None:
        sim.count(broker, t, ("b", "completed_rebalances"), times)
