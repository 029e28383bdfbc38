"""Offsets that expire in a rebalance, as KAFKA-13636 has it, at 2.8.1 and by the same steps at 2.8.2.

"expired281"  a group that came back within seconds finds no offset, and skips what arrived meanwhile
"unseen281"   the same cluster, without the sweep that found the group amid its rebalance
"kept282"     it reads on where it had left
"other281"    the group reads another topic meanwhile: then its old offsets on this one expire, as they should

(1) A group commits, and is there for longer than offsets.retention.minutes without a need to commit again: nothing
arrives. (2) Its only member goes, records arrive, and it comes back; the group's first rebalance waits
group.initial.rebalance.delay.ms for others. (3) The coordinator looks for what has expired in the middle of that.
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path

from kafka import KafkaConsumer, KafkaProducer

from fleet_demo.cluster import Cluster
from fleet_demo.topics import create_topic
from support.live.scenarios import side_by_side, sweep_of

EXPIRED, UNSEEN, KEPT, OTHER = "expired281", "unseen281", "kept282", "other281"
RELEASES = {EXPIRED: "2.8.1", KEPT: "2.8.2", OTHER: "2.8.1"}
TOPIC, ELSEWHERE, GROUP = "orders", "refunds", "billing"
READ, MEANWHILE = 100, 300  # records before the group stands still, and while it is away
RETENTION_S, DELAY_S = 60, 12
CLIENT_CONFIGS = {"groups": {GROUP: {"auto.offset.reset": "latest"}}}
CONFIG = {
    "offsets.retention.minutes": 1,
    "offsets.retention.check.interval.ms": 1000,
    "group.initial.rebalance.delay.ms": 1000 * DELAY_S,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
}


def result(home: Path, name: str) -> int:
    """How many of the records that arrived while the group was away it read."""
    found: int = json.loads((home / f"{name}.json").read_text())
    return found


def _write(cluster: Cluster, many: int) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks="all")
    try:
        for sent in [producer.send(TOPIC, bytes(100)) for _ in range(many)]:
            sent.get(timeout=60)
    finally:
        producer.close()


def _consumer(cluster: Cluster, topic: str = TOPIC) -> KafkaConsumer:
    return KafkaConsumer(
        topic,
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=GROUP,
        enable_auto_commit=False,
        auto_offset_reset="latest",
    )


def _read(consumer: KafkaConsumer, seconds: float) -> int:
    """Records that come within so many seconds."""
    until, many = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        many += sum(len(records) for records in consumer.poll(timeout_ms=500).values())
    return many


def _read_elsewhere(cluster: Cluster) -> None:
    """The group reads another topic, for longer than the coordinator takes to look for what has expired."""
    create_topic(cluster, ELSEWHERE)
    consumer = _consumer(cluster, ELSEWHERE)
    try:
        _read(consumer, DELAY_S + 6)
    finally:
        consumer.close(autocommit=False)


def _one(home: Path, name: str) -> None:
    def sweep(seen_by: Sequence[str] = (name, *([UNSEEN] if name == EXPIRED else []))) -> None:
        for one in seen_by:
            sweep_of(cluster, home, id=one, environment="production", client_configs=CLIENT_CONFIGS)

    with Cluster(name, RELEASES[name], 1, racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        create_topic(cluster, TOPIC)
        first = _consumer(cluster)
        try:
            _read(first, DELAY_S + 4)  # at the end of an empty log
            _write(cluster, READ)
            read = _read(first, 3)
            first.commit()
            sweep()
            _read(first, RETENTION_S / 2)
            sweep()
            _read(first, RETENTION_S / 2 + 4)
            sweep()
        finally:
            first.close(autocommit=False)
        if name == OTHER:
            _read_elsewhere(cluster)
        _write(cluster, MEANWHILE)
        again = _consumer(cluster)
        try:
            meanwhile = _read(again, DELAY_S / 2)
            sweep([name])
            meanwhile += _read(again, DELAY_S / 2 + 5)
            again.commit()
            sweep()
            _read(again, 3)
            sweep()
        finally:
            again.close(autocommit=False)
        assert read == READ, f"{name}: {read} of {READ} records"
        (home / f"{name}.json").write_text(json.dumps(meanwhile))


def run(home: Path) -> None:
    """All clusters side by side; some 150 s. Raises ClusterError where a step does not come about."""
    side_by_side(home, RELEASES, _one)
