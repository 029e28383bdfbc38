"""Groups that do not settle in other ways, on real brokers: takes a home, lands sweeps.

"unready282"     a member at 2.8.2 sends heartbeats and does not join again, while another one waits to get in
"spinning282"    the same broker: the one member of a group joins again some times a second, over its one connection
"unrevoked411"   a member of the consumer protocol (KIP-848) at 4.1.1 is stopped, and gives nothing up to one that came
"redeployed411"  a look-alike on the same broker: each member of such a group is ended and another one comes
"flapping411"    another one there: one member ends and comes back between any two sweeps, beside one that stays

Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fleet_demo.cluster import Cluster
from fleet_demo.crowd import joined
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from support.live.rebalances import TOPIC, member, sweep, working
from support.live.scenarios import avoid_midnight, await_that, spaced

UNREADY, SPINNING = "unready282", "spinning282"
UNREVOKED, REDEPLOYED, FLAPPING = "unrevoked411", "redeployed411", "flapping411"
GROUP = "billing"
SWEEPS, EVERY_S, RETURNS = 8, 2.0, 6
LENGTH_S = SWEEPS * (EVERY_S + 2)  # a sweep takes up to two seconds
SPINNING_SWEEPS = 14  # longer than a busy group has to be
NEW = {"group.protocol": "consumer"}
CONFIG = {"group.consumer.min.heartbeat.interval.ms": 500, "group.consumer.heartbeat.interval.ms": 500}


def _unready(cluster: Cluster, home: Path) -> None:
    """The coordinator waits for the member until the longest rebalance timeout ends, five minutes."""
    with member(cluster, GROUP) as silent, ThreadPoolExecutor(2) as pool:
        silent.assign()
        kept = pool.submit(silent.heartbeats, LENGTH_S + 10, "RebalanceInProgressError")
        waiting = pool.submit(joined, cluster.bootstrap, TOPIC, GROUP)
        await_that("the group is in a rebalance", lambda: silent.told == "RebalanceInProgressError", 60)
        spaced(SWEEPS, EVERY_S, lambda: sweep(cluster, home, UNREADY))
        kept.result()
        waiting.result(120).close(autocommit=False, timeout_ms=2_000)  # the session of the silent one has ended


def _spinning(cluster: Cluster, home: Path) -> None:
    """Rebalances that no new connection explains."""
    with member(cluster, "spinning") as leader, ThreadPoolExecutor(1) as pool:
        turns = pool.submit(leader.rebalance, SPINNING_SWEEPS * (EVERY_S + 1), 0.0, 0.1)
        time.sleep(1)
        spaced(SPINNING_SWEEPS, EVERY_S, lambda: sweep(cluster, home, SPINNING))
        turns.result()
        leader.assign()


def _reading(cluster: Cluster, number: int) -> Consumer:
    one = Consumer(cluster, TOPIC, GROUP, properties={**NEW, "client.id": f"web-{number}"})
    await_that("the member reads", lambda: one.records_read > 0)
    return one


@contextmanager
def _readers(cluster: Cluster, many: int) -> Iterator[list[Consumer]]:
    """Members of the group, and whoever takes their place; those that are left are ended."""
    found: list[Consumer] = []
    try:
        found.extend(_reading(cluster, number) for number in range(many))
        yield found
    finally:
        for one in found:
            one.stop()


def _unrevoked(cluster: Cluster, home: Path) -> None:
    """The group waits for the member that is stopped, until its session ends (45 s)."""
    with _readers(cluster, 1) as (first,), ExitStack() as second:
        os.kill(first.pid, signal.SIGSTOP)
        try:
            second.enter_context(Consumer(cluster, TOPIC, GROUP, properties={**NEW, "client.id": "web-1"}))
            time.sleep(4)  # a JVM that starts, and a heartbeat
            spaced(SWEEPS, EVERY_S, lambda: sweep(cluster, home, UNREVOKED))
        finally:
            os.kill(first.pid, signal.SIGCONT)


def _redeployed(cluster: Cluster, home: Path) -> None:
    """A sweep before, one after each of three that are replaced, and some when all is done."""
    with _readers(cluster, 3) as members:
        sweep(cluster, home, REDEPLOYED)
        for number in range(3):
            members.pop(0).stop()
            members.append(_reading(cluster, number))
            sweep(cluster, home, REDEPLOYED)
        spaced(SWEEPS // 2, EVERY_S, lambda: sweep(cluster, home, REDEPLOYED))


def _flapping(cluster: Cluster, home: Path) -> None:
    """Sweeps at which the same client is another member each time."""
    stays = joined(cluster.bootstrap, TOPIC, "shipping", client_id="stays")
    with working([stays], 0.2):
        for _ in range(RETURNS):
            comes = joined(cluster.bootstrap, TOPIC, "shipping", client_id="comes")
            sweep(cluster, home, FLAPPING)
            comes.close(autocommit=False, timeout_ms=2_000)
            time.sleep(EVERY_S)


def _classic(home: Path) -> None:
    with Cluster("unsettled282", "2.8.2", brokers=1, racks=(), mode="zookeeper") as cluster:
        create_topic(cluster, TOPIC, partitions=2)
        _spinning(cluster, home)
        _unready(cluster, home)


def _modern(home: Path) -> None:
    with Cluster("unsettled411", "4.1.1", brokers=1, racks=(), broker_config=CONFIG) as cluster:
        create_topic(cluster, TOPIC, partitions=6)
        _flapping(cluster, home)
        with Producer(cluster, TOPIC, 50, properties={"batch.size": 200}):
            _redeployed(cluster, home)
            _unrevoked(cluster, home)


def run(home: Path) -> None:
    """Both clusters at once; two minutes. Raises ClusterError when a broker does not start."""
    avoid_midnight(300)
    with ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(_classic, home), pool.submit(_modern, home)]:
            one.result()
