"""Faults of availability on three real brokers of 3.9.1, made one after the other: takes a home, lands sweeps.

"quiet391"     before anything else: the cluster's own clients alone
"protocol391"  clients that 4.0 refuses, one with a name, and one that it does not
"full391"      at one sweep broker 1 has as many connections as it may, and broker 2 nearly as many descriptors
"throttled391" a topic and a broker keep the throttle of a reassignment that there is none of
"left391"      the same cluster, whose throttle was there seven hours ago: a sweep of it is landed as one of then
"calm391"      a controlled restart: partitions below their minimum, and without a leader, at one sweep
"rotten391"    a batch header on the leader's disk is damaged, so its follower gives the partition up
"diskless391"  one of two log directories of a broker is taken away under it
"dark391"      two brokers are killed: a partition that only they hold, and one that has to have two replicas in sync

Entries have thresholds of seconds, since sweeps are seconds apart; how many sweeps it takes is as shipped.
"""

import json
import resource
import socket
import struct
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from kafka import KafkaProducer
from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType, KafkaAdminClient

from fleet_demo.cluster import Cluster
from fleet_demo.topics import create_topic
from kafka_fleet.collect.sweep import SweepResult
from support.live import old_clients
from support.live.scenarios import avoid_midnight, await_that, spaced, sweep_of
from support.live.unused import landed_before

QUIET, PROTOCOL, FULL = "quiet391", "protocol391", "full391"
THROTTLED, CALM, ROTTEN, DISKLESS, DARK = "throttled391", "calm391", "rotten391", "diskless391", "dark391"
LEFT, LEFT_HOURS = "left391", 7
FOLLOWER, ROLLED = 2, 3
SWEEPS, EVERY_S = 3, 2.5
RATE = 5_000_000  # bytes/s
CROWD, MOST = 40, 45  # connections of a client that does nothing, and max.connections
SPARE = 25  # descriptors that are left to a broker
LIMITS = "full391.json"  # in the home: broker 2's open descriptors and their limit as its host has them
THRESHOLDS = {"availability": {"min_s": 2, "min_steady_s": 4}, "old_protocol": {"min_hours": 0}}
FAILED = "kafka.server:type=ReplicaFetcherManager,name=FailedPartitionsCount,clientId=Replica"
OFFLINE = "kafka.log:type=LogManager,name=OfflineLogDirectoryCount"
CONFIG = {
    "broker.session.timeout.ms": 6000,
    "log.flush.offset.checkpoint.interval.ms": 1000,  # a directory that is gone is noticed by the next write to it
    "auto.leader.rebalance.enable": "false",
}
TOPICS = {
    "orders": ({0: [1, 2, 3], 1: [1, 3, 2]}, 2),
    "strict": ({0: [1, 2, 3]}, 3),  # each restart takes it below its minimum
    "single": ({0: [3]}, 1),
    "audit": ({0: [2, 3]}, 1),
    "ledger": ({0: [1, 2]}, 1),
}


def sweep(cluster: Cluster, home: Path, name: str) -> SweepResult:
    """One sweep under an id, with thresholds for sweeps that are seconds apart."""
    return sweep_of(cluster, home, id=name, thresholds=THRESHOLDS)


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    spaced(SWEEPS, EVERY_S, lambda: sweep(cluster, home, name))


def _topics(cluster: Cluster, home: Path) -> list[dict[str, Any]]:
    """The partitions of TOPICS by a sweep under an id that nobody reads."""
    rows = sweep(cluster, home, "waiting391").admin.tables.get("topics", [])
    return [row for row in rows if row["topic"] in TOPICS]


def _await_whole(cluster: Cluster, home: Path, but: str = "") -> None:
    def whole() -> bool:
        rows = [row for row in _topics(cluster, home) if row["topic"] != but]
        return bool(rows) and all(sorted(row["isr"]) == sorted(row["replicas"]) and row["leader"] for row in rows)

    await_that("every replica in sync", whole)


def write(cluster: Cluster, topic: str, batches: int) -> None:
    """Batches of one record each, acknowledged by the leader."""
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks=1)
    try:
        for number in range(batches):
            producer.send(topic, f"record {number}".encode()).get(timeout=30)
    finally:
        producer.close()


def damage(segment: Path) -> None:
    """Set the base offset of the last batch but one to 0: no checksum of a batch covers it."""
    content, places = segment.read_bytes(), [0]
    while places[-1] < len(content):
        (length,) = struct.unpack_from(">i", content, places[-1] + 8)
        places.append(places[-1] + 12 + length)
    begin, _end = list(pairwise(places))[-2]
    with segment.open("r+b") as file:
        file.seek(begin)
        file.write(struct.pack(">q", 0))


THROTTLE = (
    (ConfigResourceType.TOPIC, "orders", "leader.replication.throttled.replicas", "*"),
    (ConfigResourceType.BROKER, str(FOLLOWER), "leader.replication.throttled.rate", str(RATE)),
)
CONNECTIONS = ((ConfigResourceType.BROKER, "1", "max.connections", str(MOST)),)


def alter(cluster: Cluster, settings: Sequence[tuple[ConfigResourceType, str, str, str]], op: AlterConfigOp) -> None:
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="fleet-demo")
    try:
        for kind, name, setting, value in settings:
            admin.alter_configs([ConfigResource(kind, name, configs={setting: (op, value)})], raise_on_unknown=False)
    finally:
        admin.close()


def old_requests(cluster: Cluster, home: Path) -> None:
    """A client with a name and one without send old requests to broker 1 between two sweeps; another newer ones."""
    for name in (QUIET, QUIET, PROTOCOL):
        sweep(cluster, home, name)
    old_clients.told(cluster, home)
    old_clients.answered(cluster.nodes[1].port, old_clients.OLD[:1])
    sweep(cluster, home, PROTOCOL)


def full(cluster: Cluster, home: Path) -> None:
    """A sweep with a crowd at a broker that may have few connections, and few descriptors at another; one after it."""
    process = cluster.pids[FOLLOWER]
    before = resource.prlimit(process, resource.RLIMIT_NOFILE)
    alter(cluster, CONNECTIONS, AlterConfigOp.SET)
    with ExitStack() as crowd:
        crowd.callback(resource.prlimit, process, resource.RLIMIT_NOFILE, before)
        for _ in range(CROWD):
            crowd.enter_context(socket.create_connection(("127.0.0.1", cluster.nodes[1].port), 10))
        opened = len(list(Path(f"/proc/{process}/fd").iterdir()))
        resource.prlimit(process, resource.RLIMIT_NOFILE, (opened + SPARE, before[1]))
        (home / LIMITS).write_text(json.dumps([opened, opened + SPARE]))
        sweep(cluster, home, FULL)
    sweep(cluster, home, FULL)
    alter(cluster, CONNECTIONS, AlterConfigOp.DELETE)


def throttle(cluster: Cluster, home: Path) -> None:
    """Two sweeps with a throttle between two without; one of hours ago and two of now, all with it."""
    sweep(cluster, home, THROTTLED)
    alter(cluster, THROTTLE, AlterConfigOp.SET)
    before = cluster.workdir / "before"
    sweep(cluster, before, "before")
    landed_before(before, home, LEFT, timedelta(hours=LEFT_HOURS))
    for _ in range(2):
        sweep(cluster, home, THROTTLED)
        sweep(cluster, home, LEFT)
    alter(cluster, THROTTLE, AlterConfigOp.DELETE)


def controlled_restart(cluster: Cluster, home: Path) -> None:
    """One sweep before, one without the broker, two after it is back."""
    sweep(cluster, home, CALM)
    cluster.stop_broker(ROLLED)
    await_that("nobody leads", lambda: any(row["leader"] is None for row in _topics(cluster, home)))
    sweep(cluster, home, CALM)
    cluster.start_broker(ROLLED)
    _await_whole(cluster, home)
    for _ in range(2):
        sweep(cluster, home, CALM)


def damaged_batch(cluster: Cluster, home: Path) -> None:
    """A follower is away while its leader takes batches, one of which is damaged before the follower is back."""
    cluster.stop_broker(FOLLOWER)
    write(cluster, "ledger", 6)
    damage(cluster.nodes[1].folder / "data/ledger-0/00000000000000000000.log")
    cluster.start_broker(FOLLOWER)
    await_that("a partition is given up", lambda: cluster.jolokia(FOLLOWER, FAILED, "Value") > 0)
    _sweeps(cluster, home, ROTTEN)


def lost_directory(cluster: Cluster, home: Path) -> None:
    """The second log directory of the follower is moved away."""
    more = cluster.nodes[FOLLOWER].folder / "more"
    more.rename(more.with_name("gone"))
    write(cluster, "orders", 6)
    await_that("a directory is offline", lambda: cluster.jolokia(FOLLOWER, OFFLINE, "Value") > 0)
    _sweeps(cluster, home, DISKLESS)


def two_killed(cluster: Cluster, home: Path) -> None:
    """Brokers 2 and 3 are killed; the controller fences them when their sessions end."""
    for broker in (FOLLOWER, ROLLED):
        cluster.kill_broker(broker)
    await_that("nobody leads", lambda: sum(row["leader"] is None for row in _topics(cluster, home)) == 2)
    _sweeps(cluster, home, DARK)


def run(home: Path) -> None:
    """Start the cluster, harm it, stop it; some 50 s. Raises ClusterError when a fault does not come about."""
    avoid_midnight(200)
    folder = home / "availability"
    dirs = ",".join(str(folder / f"broker-{FOLLOWER}" / name) for name in ("data", "more"))
    own = {FOLLOWER: {"log.dirs": dirs}}
    with Cluster(
        "faults391", "3.9.1", brokers=3, racks=(), broker_config=CONFIG, broker_configs=own, workdir=folder
    ) as one:
        for topic, (assignment, minimum) in TOPICS.items():
            create_topic(one, topic, replica_assignment=assignment, config={"min.insync.replicas": minimum})
        _await_whole(one, home)
        old_requests(one, home)
        full(one, home)
        throttle(one, home)
        controlled_restart(one, home)
        damaged_batch(one, home)
        lost_directory(one, home)
        two_killed(one, home)
