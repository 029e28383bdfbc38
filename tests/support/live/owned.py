"""A coordinator that loads beside compaction (KAFKA-19862), at 4.1.1 and 4.2.0 alike: takes a home, lands sweeps.

"owned411"   the load fails: a partition seems to have two owners
"loaded420"  the same steps, and the load ends well

(1) A member of a group with the new protocol has both partitions of a topic, a second one takes one of them over, a
third one has the group assigned anew, which the second learns before the first. (2) The coordinator moves to broker 2.
(3) Its loader has read the log's first segment, and is held there by a debugger, as a slow disk would; the code is as
published. (4) The log is compacted: what took the partition from the first member goes. (5) The loader goes on.
"""

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path

from kafka.admin import AlterConfigOp, ConfigResourceType, KafkaAdminClient

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Consumer, Producer
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from support.live import jdwp
from support.live.availability import alter
from support.live.coordinators import SWEEPS, THRESHOLDS
from support.live.log_lines import count_lines, served
from support.live.retries import PREFERRED
from support.live.scenarios import avoid_midnight, await_that, spaced, sweep

OWNED, LOADED = "owned411", "loaded420"
RELEASES = {OWNED: "4.1.1", LOADED: "4.2.0"}
# of the loader: what it does with each batch that it has read, before it reads the next ones
LOADER = {
    OWNED: ("kafka.coordinator.group.CoordinatorLoaderImpl", "$anonfun$doLoad$3"),
    LOADED: ("org.apache.kafka.coordinator.common.runtime.CoordinatorLoaderImpl", "processMemoryRecords"),
}
TOPIC, GROUP, OFFSETS, BROKER = "orders", "ledger", "__consumer_offsets", 2
CONFIG = {
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 2,
    "group.consumer.min.heartbeat.interval.ms": 200,
    "group.consumer.heartbeat.interval.ms": 200,
    "log.cleaner.backoff.ms": 500,
    "auto.leader.rebalance.enable": "false",
}
# segments of a second, and no compaction yet
LOG = {"cleanup.policy": "compact", "segment.ms": 1000, "min.cleanable.dirty.ratio": 1}
MEMBER = {"group.protocol": "consumer", "auto.commit.interval.ms": 500}
COMPACTED = ((ConfigResourceType.TOPIC, OFFSETS, "min.cleanable.dirty.ratio", "0"),)
SEGMENT_S = 2.5  # longer than a segment
ACTIVE_S = 4.0


def _assigned(cluster: Cluster, started: ExitStack) -> None:
    """The log as of step 1."""

    def member() -> Consumer:
        return started.enter_context(Consumer(cluster, TOPIC, GROUP, properties=MEMBER))

    started.enter_context(Producer(cluster, TOPIC, 50, properties={"batch.size": 200}))
    first = member()
    await_that("the first member reads", lambda: first.records_read > 0)
    time.sleep(SEGMENT_S)
    second = member()
    await_that("the second member reads", lambda: second.records_read > 0)
    time.sleep(SEGMENT_S)
    os.kill(first.pid, signal.SIGSTOP)
    try:
        member()
        coordinator = cluster.log_paths[1]
        assigned = f"[GroupId {GROUP}] Computed a new target assignment for epoch 3 "
        await_that("assigned anew", lambda: assigned in coordinator.read_text(errors="replace"), 40)
        time.sleep(ACTIVE_S)  # the second member asks five times a second
    finally:
        os.kill(first.pid, signal.SIGCONT)
    time.sleep(ACTIVE_S)


def _cleaned(cluster: Cluster) -> bool:
    """Whether broker 2 has compacted its copy."""
    found = [path.read_text() for path in cluster.nodes[BROKER].folder.rglob("cleaner-offset-checkpoint")]
    return any(OFFSETS in text for text in found)


def _moved(cluster: Cluster, port: int, name: str) -> None:
    """Steps 2 to 5."""
    with jdwp.Debugger(port) as debugger:
        debugger.hold_at(*LOADER[name])
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
        try:
            admin.elect_leaders(PREFERRED, {OFFSETS: [0]})
        finally:
            admin.close()
        if debugger.held(30) is None:
            raise ClusterError(f"{name}: nobody loads the partition")
        alter(cluster, COMPACTED, AlterConfigOp.SET)
        await_that("the log is compacted", lambda: _cleaned(cluster), 30)


def one(home: Path, name: str) -> None:
    """One of the two clusters; some 60 s. Raises ClusterError where a step does not come about."""
    avoid_midnight(120)
    port, folder = free_port(), home / f"textfile-{name}"
    debugged = {BROKER: jdwp.options(port)}
    folder.mkdir()
    with (
        Cluster(name, RELEASES[name], racks=(), broker_config=CONFIG, node_options=debugged) as pair,
        ExitStack() as started,
        served(folder) as url,
    ):
        create_topic(pair, TOPIC, replica_assignment={0: [1], 1: [1]})
        create_topic(pair, OFFSETS, replica_assignment={0: [BROKER, 1]}, config=LOG)
        pair.stop_broker(BROKER)  # broker 1 leads from here on
        pair.start_broker(BROKER)
        declared = {"log_marks": {"textfile": {"brokers": {BROKER: url}}}, "thresholds": THRESHOLDS}
        _assigned(pair, started)
        count_lines(pair, folder, BROKER)
        sweep(pair, home, **declared)
        began = pair.log_paths[BROKER].stat().st_size
        _moved(pair, port, name)
        ended = "Failed to load" if name == OWNED else "Finished loading of"
        log = pair.log_paths[BROKER]
        await_that(ended, lambda: f"{ended} metadata from {OFFSETS}-0" in log.read_text(errors="replace")[began:], 30)
        count_lines(pair, folder, BROKER)
        spaced(SWEEPS, 1.5, lambda: sweep(pair, home, **declared))


def run(home: Path) -> None:
    """The affected release alone."""
    one(home, OWNED)


def both(home: Path) -> None:
    """The affected release, then the one with the fix; some 150 s."""
    for name in RELEASES:
        one(home, name)
