"""Nodes that run on and are cut off by threads that stand still: takes a home, lands sweeps.

"leaderless391" no controller hears another one, so that none is active; all of them tell so
"parted362"     the active controller is cut off from the others, and does not resign at 3.6.2 (KAFKA-15489)
"parted391"     the same steps at 3.9.1, which resigns
"unheard391"    a broker sends no heartbeats: it runs, and the cluster does not list it any more
"dead391"       a thread that fetches for replicas has ended: it is interrupted while its leader does not answer
"asleep391"     a look-alike: two of three controllers are stopped by SIGSTOP, so that only one can be asked

Threads are held by a debugger; the brokers' code is as published. Every node is controller and broker. Entries have
thresholds of seconds, since sweeps are seconds apart.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from support.live import availability, jdwp
from support.live.scenarios import avoid_midnight, await_that, in_sync, spaced
from support.live.zk28 import ACTIVE, controller

LEADERLESS, PARTED, RESIGNED = "leaderless391", "parted362", "parted391"
UNHEARD, ASLEEP, DEAD = "unheard391", "asleep391", "dead391"
SWEEPS, EVERY_S = 3, 2.5
SENDER = r"raft-outbound-request-thread"
RECEIVER = r"kafka-network-thread-\d+-ListenerName\(CONTROLLER\)"
HEARTBEATS = r"to-controller-heartbeat-channel-manager"
CONFIG = {"broker.session.timeout.ms": 6000}
PATIENT = {
    "broker.session.timeout.ms": 60_000,
    "replica.socket.timeout.ms": 1_000,
    "replica.fetch.backoff.ms": 20_000,
    "replica.lag.time.max.ms": 3_000,
    "auto.leader.rebalance.enable": "false",
}
TOPIC, LEADER = "orders", 2
FETCHER, FAILURE = r"^ReplicaFetcherThread-", "Error in response for fetch request"
FENCED = "kafka.controller:type=KafkaController,name=FencedBrokerCount"


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    spaced(SWEEPS, EVERY_S, lambda: availability.sweep(cluster, home, name))


def _active(cluster: Cluster) -> list[int]:
    """The nodes that call themselves the active controller."""
    return [node for node in cluster.broker_ids if cluster.jolokia(node, ACTIVE, "Value") == 1]


@contextmanager
def _running(release: str, name: str) -> Iterator[tuple[Cluster, Callable[[int, str], jdwp.Debugger]]]:
    """Three nodes, and what lets threads of one stand still until the debugger that it gives is closed."""
    ports = {node: free_port() for node in (1, 2, 3)}
    options = {node: jdwp.options(port) for node, port in ports.items()}

    def hold(node: int, threads: str) -> jdwp.Debugger:
        debugger = jdwp.Debugger(ports[node])
        if not debugger.suspend(threads):
            raise ClusterError(f"no thread {threads}: {sorted(debugger.threads().values())}")
        return debugger

    with Cluster(
        name, release, brokers=3, racks=(), controllers="all", broker_config=CONFIG, node_options=options
    ) as cluster:
        await_that("a controller", lambda: len(_active(cluster)) == 1)
        yield cluster, hold


def parted(home: Path, release: str, name: str) -> None:
    """The active controller takes no request of the others, and sends none, while they elect one of themselves."""
    with _running(release, name) as (cluster, hold):
        first = controller(cluster)
        with hold(first, f"{SENDER}|{RECEIVER}"):
            await_that("another controller", lambda: any(node != first for node in _active(cluster)))
            if name == RESIGNED:
                await_that("the first one resigns", lambda: first not in _active(cluster))
            _sweeps(cluster, home, name)


def cut_off(home: Path) -> None:
    """A broker without heartbeats, controllers that are stopped, then controllers that cannot send."""
    with _running("3.9.1", LEADERLESS) as (cluster, hold):
        leader = controller(cluster)
        one, other = [node for node in cluster.broker_ids if node != leader]
        with hold(one, HEARTBEATS):
            await_that("a broker is fenced", lambda: cluster.jolokia(leader, FENCED, "Value") == 1)
            _sweeps(cluster, home, UNHEARD)
        await_that("no broker is fenced", lambda: cluster.jolokia(leader, FENCED, "Value") == 0)
        with ExitStack() as stopped:
            for node in (one, other):
                os.kill(cluster.pids[node], signal.SIGSTOP)
                stopped.callback(os.kill, cluster.pids[node], signal.SIGCONT)
            await_that("no controller", lambda: cluster.jolokia(leader, ACTIVE, "Value") == 0)
            _sweeps(cluster, home, ASLEEP)
        await_that("a controller", lambda: len(_active(cluster)) == 1)
        await_that(
            "no broker is fenced any more",
            lambda: [cluster.jolokia(node, FENCED, "Value") for node in _active(cluster)] == [0],
        )
        with ExitStack() as held:
            for node in cluster.broker_ids:
                held.enter_context(hold(node, SENDER))
            await_that("no controller", lambda: not _active(cluster))
            _sweeps(cluster, home, LEADERLESS)


def interrupted(home: Path) -> None:
    """The follower's fetcher waits for its next try when it is interrupted, which ends it."""
    port = free_port()
    with Cluster(DEAD, "3.9.1", racks=(), broker_config=PATIENT, node_options={1: jdwp.options(port)}) as cluster:
        create_topic(cluster, TOPIC, replica_assignment={0: [LEADER, 1]})
        await_that("both in sync", lambda: in_sync(cluster, LEADER, TOPIC) == 2)
        failed = cluster.log_paths[1]
        os.kill(cluster.pids[LEADER], signal.SIGSTOP)
        try:
            await_that("a fetch fails", lambda: FAILURE in failed.read_text(errors="replace"))
            time.sleep(1)
            with jdwp.Debugger(port) as debugger:
                if not debugger.interrupt(FETCHER):
                    raise ClusterError(f"nothing fetches: {sorted(debugger.threads().values())}")
                await_that("it ends", lambda: not debugger.named(FETCHER), 30)
        finally:
            os.kill(cluster.pids[LEADER], signal.SIGCONT)
        availability.write(cluster, TOPIC, 6)  # a replica that lacks nothing is in sync
        await_that("a set without the follower", lambda: in_sync(cluster, LEADER, TOPIC) == 1)
        _sweeps(cluster, home, DEAD)


def run(home: Path) -> None:
    """Two clusters at a time; some three minutes. Raises ClusterError where a step does not come about."""
    avoid_midnight(300)
    with ThreadPoolExecutor(2) as pool:
        told = [pool.submit(parted, home, "3.6.2", PARTED), pool.submit(cut_off, home)]
        told += [pool.submit(parted, home, "3.9.1", RESIGNED), pool.submit(interrupted, home)]
        for one in told:
            one.result()
