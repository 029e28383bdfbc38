"""Voters of healthy quorums that fetch late: takes a home, lands sweeps.

"paused420"  of three controllers of 4.2.0 one that follows is stopped by SIGSTOP for some seconds, again and again, as
             by pauses of its JVM or disk. It asks whether it would be elected, and hears no (KIP-996)
"slow420"    the same one runs for a moment at a time, so that it is behind at every sweep, and never for long
"paused391"  one pause of a follower of 3.9.1, which begins an election when it goes on, since it has not fetched

At 4.2.0 metadata is written meanwhile: topics are made and deleted. Entries have thresholds of seconds, since sweeps
are seconds apart; what is away or behind has to be so for MIN_S, which is longer than a pause.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import CONTROLLER_ID, Cluster
from kafka_fleet.collect.connections.http import Limits
from support.live.joined_quorum import HOSTS, JoinedQuorum
from support.live.quorum import epoch_and_leader
from support.live.scenarios import avoid_midnight, await_that, beside, spaced, sweep_of

PAUSED, SLOW, OLDER = "paused420", "slow420", "paused391"
PAUSE_S, PAUSES, MIN_S, EVERY_S, SWEEPS = 6.0, 3, 30, 3.0, 14
LIMITS = Limits(read_s=2.0, deadline_s=4.0)  # a sweep waits for the agent of the one that stands still
STOPPED_S, RUNS_S = 0.9, 0.3  # of each moment of the slow one
THRESHOLDS = {"quorum_health": {"max_silent_s": 3, "min_s": MIN_S}, "availability": {"min_s": 10, "min_steady_s": 30}}
Sweep = Callable[[], object]


@contextmanager
def written(cluster: Cluster) -> Iterator[None]:
    """Topics are made and deleted all the time, for the length of the block."""
    numbers = count()
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")

    def write() -> None:
        number = next(numbers)
        admin.create_topics({f"job-{number}": {"num_partitions": 1, "replication_factor": 1}})
        if number:
            admin.delete_topics([f"job-{number - 1}"])

    try:
        with beside(write, 0.3):
            yield
    finally:
        admin.close()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process that stands still for the length of the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def slowed(pid: int) -> Iterator[None]:
    """A process that stands still for most of the time, for the length of the block."""

    def act() -> None:
        with stopped(pid):
            time.sleep(STOPPED_S)

    with beside(act, RUNS_S):
        yield


def paused(pid: int, sweep: Sweep, times: int) -> None:
    """So many pauses, with a sweep at the end of each, and some after it."""
    for _ in range(times):
        with stopped(pid):
            time.sleep(PAUSE_S)
            sweep()
        time.sleep(2)
        spaced(2, EVERY_S, sweep)


def current(home: Path) -> None:
    """Pauses of a follower, then one that is slow all the time."""
    with JoinedQuorum(PAUSED) as cluster:

        def sweep(name: str) -> set[int]:
            one = sweep_of(cluster, home, LIMITS, id=name, thresholds=THRESHOLDS, jolokia=cluster.entry())
            return {row["replica"] for row in one.admin.tables.get("quorum_replicas", []) if row["is_voter"]}

        await_that("both controllers joined", lambda: set(HOSTS) <= sweep("waiting420"))
        _epoch, leader = epoch_and_leader(cluster, 1)
        follower = next(one for one in (CONTROLLER_ID, *HOSTS) if one != leader)
        with written(cluster):
            spaced(2, EVERY_S, lambda: sweep(PAUSED))
            paused(cluster.pids[follower], lambda: sweep(PAUSED), PAUSES)
            with slowed(cluster.pids[follower]):
                spaced(SWEEPS, EVERY_S, lambda: sweep(SLOW))


def older(home: Path) -> None:
    """One pause of a follower before KIP-996."""
    with Cluster(OLDER, "3.9.1", brokers=3, racks=(), controllers="all") as cluster:
        _epoch, leader = epoch_and_leader(cluster, 1)
        follower = next(one for one in cluster.broker_ids if one != leader)

        def sweep() -> None:
            sweep_of(cluster, home, LIMITS, id=OLDER, thresholds=THRESHOLDS)

        spaced(2, EVERY_S, sweep)
        paused(cluster.pids[follower], sweep, 1)
        spaced(2, EVERY_S, sweep)


def run(home: Path) -> None:
    """One after the other; two minutes. Raises ClusterError where a node does not start or join."""
    avoid_midnight(300)
    current(home)
    older(home)
