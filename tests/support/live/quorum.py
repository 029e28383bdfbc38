"""Faults of a KRaft quorum of three real nodes of 4.1.1, each controller and broker: takes a home, lands sweeps.

"elected411"  the active controller is stopped by SIGSTOP before each sweep, and goes on when another one is elected
"missing411"  one of the others is killed, and stays away

Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import os
import signal
import time
from pathlib import Path

from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster, ClusterError
from kafka_fleet.collect.admin.faults import FAULTS
from kafka_fleet.collect.admin.quorum import read_quorum
from kafka_fleet.collect.sweep import SweepResult
from support.live import scenarios

RAFT = "kafka.server:type=raft-metrics"
ELECTED, MISSING, RELEASE = "elected411", "missing411", "4.1.1"
ELECTIONS, SWEEPS, EVERY_S = 3, 4, 3.0
THRESHOLDS = {"quorum_health": {"max_silent_s": 3, "min_s": 4}}


def sweep(cluster: Cluster, home: Path, name: str, **declared: object) -> SweepResult:
    """One sweep under an id."""
    return scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS, **declared)


def epoch_and_leader(cluster: Cluster, asked: int, seconds: float = 60.0) -> tuple[int, int]:
    """What the leader of the quorum says of itself, asked through a broker. Raises ClusterError where nobody leads."""
    until = time.monotonic() + seconds
    server = f"{cluster.nodes[asked].host}:{cluster.nodes[asked].port}"
    admin = KafkaAdminClient(bootstrap_servers=[server], client_id="fleet-demo", request_timeout_ms=5000)
    try:
        while time.monotonic() < until:
            try:
                rows = read_quorum(admin)
                return rows[0]["leader_epoch"], rows[0]["leader"]
            except FAULTS:  # an election is under way
                time.sleep(0.3)
        raise ClusterError("nobody leads the quorum")
    finally:
        admin.close()


def elect(cluster: Cluster) -> None:
    """Stop the active controller by SIGSTOP until another one leads, and let it go on."""
    epoch, leader = epoch_and_leader(cluster, cluster.broker_ids[0])
    other = next(node for node in cluster.broker_ids if node != leader)
    os.kill(cluster.pids[leader], signal.SIGSTOP)
    try:
        scenarios.await_that("an election", lambda: cluster.jolokia(other, RAFT, "current-epoch") > epoch)
    finally:
        os.kill(cluster.pids[leader], signal.SIGCONT)
    scenarios.await_that("a new leader", lambda: epoch_and_leader(cluster, other)[0] > epoch)


def run(home: Path) -> None:
    """Three elections, then a voter that is killed. Raises ClusterError when a node does not start."""
    scenarios.avoid_midnight(180)
    with Cluster("quorum411", RELEASE, brokers=3, racks=(), controllers="all") as cluster:
        sweep(cluster, home, ELECTED)
        for _ in range(ELECTIONS):
            elect(cluster)
            sweep(cluster, home, ELECTED)
        _epoch, leader = epoch_and_leader(cluster, 1)
        cluster.kill_broker(next(node for node in (3, 2) if node != leader))
        time.sleep(THRESHOLDS["quorum_health"]["max_silent_s"] + 2)
        for _ in range(SWEEPS):
            sweep(cluster, home, MISSING)
            time.sleep(EVERY_S)
