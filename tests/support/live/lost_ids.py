"""Producer ids lost as KAFKA-12964 loses them, at 2.8.2 and by the same steps at 3.0.2: takes a home, lands sweeps.

"lost282"  a follower forgets producers whose records it has
"kept302"  it knows them still

(1) EARLY producers write a record each and keep quiet; another one fills segments behind them. (2) The follower is
killed, then the leader. The follower's first segment ends with zeros, as a file system leaves it when power fails
before the bytes are there. (3) The follower starts without its leader: it cuts the zeros off, lets go of the segments
behind them, and writes what it knows of producers to a snapshot at the offset where these began. Their files are
deleted a moment later, by offset, and the new snapshot with them. (4) It is shut down and started again: at a clean
start without any snapshot it takes an empty one. (5) The leader starts.
"""

import json
from pathlib import Path

from kafka import KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.topics import create_topic
from support.live.scenarios import await_that, in_sync, side_by_side, spaced, sweep_of

LOST, KEPT = "lost282", "kept302"
RELEASES = {LOST: "2.8.2", KEPT: "3.0.2"}
TOPIC, LEADER, FOLLOWER = "orders", 1, 2
EARLY, LATE = 6, 4  # producers, and records of one more
EARLY_BYTES, LATE_BYTES, SEGMENT_BYTES = 1000, 16_000, 20_000
ZEROS = bytes(4096)
CONFIG = {
    "zookeeper.session.timeout.ms": 6000,
    "log.segment.delete.delay.ms": 1000,
    "log.flush.offset.checkpoint.interval.ms": 600_000,  # all of the log is looked at after a kill
    "replica.fetch.max.bytes": 1,  # one batch at a time, so that a follower's segments are those of its leader
    "offsets.topic.replication.factor": 1,
}


def result(home: Path, name: str) -> dict[str, list[int]]:
    """At the end: the ids of the early producers, and those that each broker names."""
    found: dict[str, list[int]] = json.loads((home / f"{name}.json").read_text())
    return found


def _producer(cluster: Cluster) -> KafkaProducer:
    servers = cluster.bootstrap_servers
    return KafkaProducer(bootstrap_servers=servers, enable_idempotence=True, acks="all", batch_size=2 * LATE_BYTES)


def _write(producer: KafkaProducer, size: int) -> None:
    producer.send(TOPIC, bytes(size)).get(timeout=60)


def _ids(cluster: Cluster, broker: int) -> list[int]:
    client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    try:
        place = TopicPartition(TOPIC, 0)
        return sorted(one.producer_id for one in client.describe_producers([place], broker)[place].active_producers)
    finally:
        client.close()


def _await_in_sync(cluster: Cluster, many: int) -> None:
    await_that(f"{many} in sync", lambda: in_sync(cluster, LEADER, TOPIC) == many)


def _power_fails(cluster: Cluster, late: KafkaProducer) -> None:
    """Both brokers killed, the follower first; its first segment ends with zeros."""
    cluster.kill_broker(FOLLOWER)
    _await_in_sync(cluster, 1)
    _write(late, LATE_BYTES)
    cluster.kill_broker(LEADER)
    first = min((cluster.nodes[FOLLOWER].folder / "data" / f"{TOPIC}-0").glob("*.log"))
    with first.open("ab") as segment:
        segment.write(ZEROS)


def _starts_twice(cluster: Cluster) -> None:
    """The follower recovers its log without its leader, and is started again once the deleted files are gone."""
    folder = cluster.nodes[FOLLOWER].folder / "data" / f"{TOPIC}-0"
    cluster.start_broker(FOLLOWER)
    await_that("deleted segments are gone", lambda: not list(folder.glob("*.deleted")), 30)
    cluster.stop_broker(FOLLOWER)
    cluster.start_broker(FOLLOWER)


def _one(home: Path, name: str) -> None:
    def sweep() -> None:
        sweep_of(cluster, home, id=name, environment="production")

    with Cluster(name, RELEASES[name], racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        segments = {"segment.bytes": SEGMENT_BYTES}
        create_topic(cluster, TOPIC, replica_assignment={0: [LEADER, FOLLOWER]}, config=segments)
        _await_in_sync(cluster, 2)
        spaced(2, 1.0, sweep)  # no replica knows of any producer, and log ends are known before that is told
        early = [_producer(cluster) for _ in range(EARLY)]
        late = _producer(cluster)
        try:
            for one in early:
                _write(one, EARLY_BYTES)
            known = _ids(cluster, LEADER)
            for _ in range(LATE):
                _write(late, LATE_BYTES)
            sweep()
            _power_fails(cluster, late)
            _starts_twice(cluster)
            cluster.start_broker(LEADER)
            _write(late, LATE_BYTES)
            _await_in_sync(cluster, 2)
            spaced(2, 3.0, sweep)
        finally:
            for one in [*early, late]:
                one.close(timeout=5)
        if len(known) != EARLY:
            raise ClusterError(f"{name}: {len(known)} of {EARLY} producers")
        told = {"early": known, "leader": _ids(cluster, LEADER), "follower": _ids(cluster, FOLLOWER)}
        (home / f"{name}.json").write_text(json.dumps(told))


def run(home: Path) -> None:
    """Both clusters side by side; some 60 s. Raises ClusterError where a step does not come about."""
    side_by_side(home, RELEASES, _one)
