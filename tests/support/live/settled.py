"""Groups that rebalance for good reasons, at 3.9.1, which look like a storm: takes a home, lands sweeps.

"deployed391" a rolling deployment: each client of a group is replaced once, one between any two sweeps
"scaled391"   an autoscaler: another client comes before each sweep, and the oldest one goes
"static391"   a member with a group.instance.id is started anew before each sweep, within its session timeout
"rolled391"   both brokers are restarted in an orderly way under a group, with a sweep while each is away

A group without members is there all the time. Entries have thresholds of seconds, since sweeps are seconds apart.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.crowd import joined
from fleet_demo.topics import create_topic
from support.live.rebalances import TOPIC, sweep, working
from support.live.scenarios import avoid_midnight

DEPLOYED, SCALED, STATIC, ROLLED = "deployed391", "scaled391", "static391", "rolled391"
GROUP, EMPTY = "billing", "former"
MEMBERS, STARTS, SESSION_MS = 6, 6, 30_000


def _worker(cluster: Cluster, name: str, **settings: object) -> ExitStack:
    """A member of the group under a client.id, until what it gives is closed."""
    stack = ExitStack()
    stack.enter_context(working([joined(cluster.bootstrap, TOPIC, GROUP, client_id=name, **settings)], 0.2))
    return stack


@contextmanager
def _workers(cluster: Cluster, names: list[str]) -> Iterator[deque[ExitStack]]:
    """So many members, and what is done with them; those that are left are ended."""
    members: deque[ExitStack] = deque()
    try:
        members.extend(_worker(cluster, name) for name in names)
        yield members
    finally:
        for one in members:
            one.close()


def _deploy(cluster: Cluster, look: Callable[[str], object]) -> None:
    names = [f"web-{number}" for number in range(MEMBERS)]
    with _workers(cluster, names) as members:
        look(DEPLOYED)
        for name in names:
            members.append(_worker(cluster, name))
            members.popleft().close()
            look(DEPLOYED)


def _scale(cluster: Cluster, look: Callable[[str], object]) -> None:
    with _workers(cluster, ["pod-0", "pod-1"]) as members:
        look(SCALED)
        for number in range(STARTS):
            members.append(_worker(cluster, f"pod-{number + 2}"))
            if number % 2:
                members.popleft().close()
            look(SCALED)


def _restart_static(cluster: Cluster, look: Callable[[str], object]) -> None:
    named = {"group_instance_id": "machine-7", "session_timeout_ms": SESSION_MS}
    with _workers(cluster, ["web-0", "web-1"]):
        one = _worker(cluster, "static", **named)
        try:
            look(STATIC)
            for _ in range(STARTS):
                one.close()
                one = _worker(cluster, "static", **named)
                look(STATIC)
        finally:
            one.close()


def _roll(cluster: Cluster, look: Callable[[str], object]) -> None:
    with _workers(cluster, [f"web-{number}" for number in range(MEMBERS)]):
        look(ROLLED)
        for broker in cluster.broker_ids[::-1]:
            cluster.stop_broker(broker)
            look(ROLLED)
            cluster.start_broker(broker)
            look(ROLLED)
        look(ROLLED)


def run(home: Path) -> None:
    """One after the other, some two minutes. Raises ClusterError when a broker does not start."""
    avoid_midnight(300)
    config = {"offsets.topic.num.partitions": 1}
    with Cluster("settled391", "3.9.1", racks=(), controllers="dedicated", broker_config=config) as cluster:
        create_topic(cluster, TOPIC, partitions=2 * MEMBERS)  # enough for a member more
        joined(cluster.bootstrap, TOPIC, EMPTY).close(autocommit=True, timeout_ms=5_000)
        for act in (_deploy, _scale, _restart_static, _roll):
            act(cluster, lambda name: sweep(cluster, home, name))
