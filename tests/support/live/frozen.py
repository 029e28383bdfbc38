"""The race of KAFKA-12686 on real brokers, at 2.8.2 and 3.0.2 alike: takes a home, lands sweeps after it.

"frozen282"  the leader waits for an answer that nobody sends: no follower gets back into the in-sync set
"thawed302"  the same steps, and the follower is taken back

The change of an in-sync set is held while leadership changes, by a debugger and signals; the brokers' code is as
published. (1) The leader's thread that sends AlterIsr stands still. (2) A follower is stopped, so that the leader
proposes a first change, which waits for that thread. (3) The other follower is shut down, so that the controller sends
a new leadership, which clears what the leader had proposed. (4) The first follower stands still yet, so that the leader
proposes a second change. (5) All go on: the first change is sent and refused, as one of an old leadership.
"""

import os
import signal
import time
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Producer
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from support.live import jdwp
from support.live.scenarios import await_that, in_sync, side_by_side, spaced, sweep_of
from support.live.zk28 import controller

FROZEN, THAWED = "frozen282", "thawed302"
RELEASES = {FROZEN: "2.8.2", THAWED: "3.0.2"}
TOPIC, RECORDS_PER_S = "orders", 50
LAG = "kafka.server:type=FetcherLagMetrics,name=ConsumerLag,clientId=ReplicaFetcherThread-0-{},topic=orders,partition=0"
MOST_LAG = 5  # records, some milliseconds of them
LAG_S, SWEEPS, EVERY_S = 3, 5, 4.0
SENDER = r"^(broker-\d+-to-controller-send-thread|BrokerToControllerChannelManager .*alterIsr)"
CONFIG = {
    "zookeeper.session.timeout.ms": 40_000,  # the stopped follower stays in the cluster
    "replica.lag.time.max.ms": 1000 * LAG_S,
    "offsets.topic.replication.factor": 1,
    "auto.leader.rebalance.enable": "false",
}
THRESHOLDS = {"isr_stagnation": {"min_frozen_s": 12}}


def _caught_up(cluster: Cluster, follower: int, lag: str) -> bool:
    try:
        return bool(cluster.jolokia(follower, lag, "Value") <= MOST_LAG)
    except LookupError:  # it has not fetched yet
        return False


def _proposed(cluster: Cluster, leader: int, many: int) -> None:
    """Wait until the leader has proposed so many shorter sets."""
    log = cluster.log_paths[leader]
    shorter = f"[Partition {TOPIC}-0 broker={leader}] Shrinking ISR from"
    await_that("a shorter set", lambda: log.read_text(errors="replace").count(shorter) >= many, 30)


def _race(cluster: Cluster, leader: int, port: int) -> int:
    """The steps above, all brokers running again; the one that was shut down."""
    stopped, rolled = [broker for broker in cluster.broker_ids if broker != leader]
    with jdwp.Debugger(port) as debugger:
        if debugger.suspend(SENDER) == 0:
            raise ClusterError(f"nothing sends AlterIsr: {sorted(debugger.threads().values())}")
        os.kill(cluster.pids[stopped], signal.SIGSTOP)
        try:
            _proposed(cluster, leader, 1)
            cluster.stop_broker(rolled)
            await_that("a new leadership", lambda: in_sync(cluster, leader, TOPIC) == 2, 20)
            _proposed(cluster, leader, 2)
        finally:
            os.kill(cluster.pids[stopped], signal.SIGCONT)
    time.sleep(LAG_S)
    cluster.start_broker(rolled)
    return rolled


def _one(home: Path, name: str) -> None:
    ports = {broker: free_port() for broker in (1, 2, 3)}
    options = {broker: jdwp.options(port) for broker, port in ports.items()}
    with Cluster(
        name, RELEASES[name], 3, racks=(), mode="zookeeper", broker_config=CONFIG, node_options=options
    ) as cluster:
        leader = controller(cluster)
        create_topic(cluster, TOPIC, replica_assignment={0: [leader, *set(cluster.broker_ids) - {leader}]})
        with Producer(cluster, TOPIC, RECORDS_PER_S, properties={"acks": "1"}) as client:
            await_that("all replicas in sync", lambda: in_sync(cluster, leader, TOPIC) == len(cluster.broker_ids))
            lag = LAG.format(leader)
            rolled = _race(cluster, leader, ports[leader])
            await_that("a follower without lag", lambda: _caught_up(cluster, rolled, lag))
            time.sleep(LAG_S)
            spaced(
                SWEEPS,
                EVERY_S,
                lambda: sweep_of(cluster, home, id=cluster.name, environment="production", thresholds=THRESHOLDS),
            )
            assert client.running, client.log.read_text(errors="replace")
            client.stop(0)


def run(home: Path) -> None:
    """Both clusters side by side; some 70 s. Raises ClusterError where a step does not come about."""
    side_by_side(home, RELEASES, _one)
