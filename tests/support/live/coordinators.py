"""Coordinators that are not there, on real brokers: takes a home, lands sweeps.

"stuck111"   1.1.1 loads a partition of __consumer_offsets with a batch above offsets.load.buffer.size (KAFKA-7286)
"loaded210"  the same at 2.1.0, which has the fix: it was restarted and is quiet
"nobody210"  the same broker, without a cleaner, while commits go on and a producer asks for a topic that cannot be made
"failed400"  4.0.0 loads a partition in which records of a consumer group follow those of a classic one (KAFKA-21117);
             they are written as compaction would leave them
"calm400"    the same broker before, after a restart

Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kafka import KafkaConsumer, KafkaProducer, TopicPartition, errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.metadata.find_coordinator import CoordinatorType
from kafka.structs import OffsetAndMetadata

from fleet_demo.cluster import Cluster
from fleet_demo.crowd import joined
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.log_lines import count_lines, served
from support.live.scenarios import avoid_midnight, await_that, beside, spaced

STUCK, LOADED, NOBODY, FAILED, CALM = "stuck111", "loaded210", "nobody210", "failed400", "calm400"
TOPIC, GROUP, OFFSETS = "orders", "billing", "__consumer_offsets"
BROKER, PARTITIONS, SWEEPS, EVERY_S = 1, 50, 4, 1.5  # sweeps: one more than the thresholds need
BUFFER = 1_000  # bytes, of 5 MiB: what takes a group of a hundred members otherwise is a commit of 50 partitions here
NOTE = "n" * 1_000  # metadata of a committed offset
FAILED_PARTITIONS = "kafka.server:type=group-coordinator-metrics,state=failed"
THRESHOLDS = {
    "coordinator_down": {
        "min_looks": 2, "min_lasting_s": 3, "min_failed_s": 3, "min_growing_s": 3, "min_log_gb": 0,
    }
}  # fmt: skip
CONFIG = {
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.segment.bytes": 100_000,
    "offsets.load.buffer.size": BUFFER,
    "transaction.state.log.replication.factor": 3,  # of one broker
    "log.cleaner.enable": "false",
}


def _sweeps(cluster: Cluster, home: Path, name: str, **declared: object) -> None:
    spaced(SWEEPS, EVERY_S, lambda: scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS, **declared))


def _commit(cluster: Cluster, times: int) -> None:
    """The group commits all partitions so often, without members."""
    consumer = KafkaConsumer(bootstrap_servers=cluster.bootstrap_servers, group_id=GROUP, enable_auto_commit=False)
    try:
        places = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
        consumer.assign(places)
        for offset in range(times):
            consumer.commit({place: OffsetAndMetadata(offset, NOTE, -1) for place in places})
    finally:
        consumer.close(autocommit=False, timeout_ms=2_000)


def _restarted(cluster: Cluster) -> None:
    """The broker leads again what it led, so that the first sweep is not before that."""
    led = _led(cluster)
    cluster.stop_broker(BROKER)
    cluster.start_broker(BROKER)
    await_that(f"broker {BROKER} leads {led} partitions", lambda: _led(cluster) == led)


def _led(cluster: Cluster) -> int:
    """Partitions that the broker leads by its own count."""
    count: int = cluster.jolokia(BROKER, "kafka.server:type=ReplicaManager,name=LeaderCount", "Value")
    return count


def buffered(release: str, home: Path, name: str) -> None:
    """A group commits more in one batch than the load buffer holds; the broker is restarted."""
    with Cluster(name, release, brokers=1, racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        create_topic(cluster, TOPIC, partitions=PARTITIONS)
        _commit(cluster, 1)
        _restarted(cluster)
        _sweeps(cluster, home, name)
        if name == STUCK:
            return
        _commit(cluster, 60)
        client = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
        try:
            with beside(lambda: _coordinator_of_producer(client), 0.05, errors.KafkaError):
                spaced(SWEEPS, EVERY_S, lambda: _committed_and_swept(cluster, home))
        finally:
            client.close()


def _coordinator_of_producer(client: KafkaAdminClient) -> None:
    """Asked of the broker, as a transactional producer does when it begins. Raises what it answers."""
    client._manager.run(client._find_coordinator_ids, ["payments"], CoordinatorType.TRANSACTION)


def _committed_and_swept(cluster: Cluster, home: Path) -> None:
    _commit(cluster, 5)
    scenarios.sweep(cluster, home, NOBODY, thresholds=THRESHOLDS)


def stuck(home: Path) -> None:
    """The affected release alone; some 25 s."""
    avoid_midnight(90)
    buffered("1.1.1", home, STUCK)


def mixed(home: Path) -> None:
    """The log has records of a consumer group after those of a classic one, which its coordinator had loaded before."""
    config, folder = {"offsets.topic.num.partitions": 1}, home / "textfile-mixed"
    folder.mkdir()
    with (
        Cluster("coordinators400", "4.0.0", brokers=1, racks=(), broker_config=config) as one,
        served(folder) as url,
    ):
        marked = {"log_marks": {"textfile": {"brokers": {BROKER: url}}}}
        create_topic(one, TOPIC)
        joined(one.bootstrap, TOPIC, GROUP).close()
        _restarted(one)
        count_lines(one, folder)
        _sweeps(one, home, CALM, **marked)
        # the key and value of ConsumerGroupMetadata; brokers let nobody else write to the topic
        writer = KafkaProducer(bootstrap_servers=one.bootstrap_servers, client_id="__admin_client", acks="all")
        vars(writer)["_partition"] = lambda *_record: 0  # the library itself finds no partition of an internal topic
        try:
            name = GROUP.encode()
            key = struct.pack(f">hh{len(name)}s", 3, len(name), name)
            writer.send(OFFSETS, key=key, value=struct.pack(">hib", 0, 7, 0)).get(30)
        finally:
            writer.close()
        _restarted(one)
        await_that("the load has failed", lambda: one.jolokia(BROKER, FAILED_PARTITIONS, "num-partitions") == 1, 30)
        count_lines(one, folder)
        _sweeps(one, home, FAILED, **marked)


def others(home: Path) -> None:
    """The release with the fix beside 4.0.0; a minute. Raises ClusterError where a fault cannot be made."""
    avoid_midnight(180)
    with ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(buffered, "2.1.0", home, LOADED), pool.submit(mixed, home)]:
            one.result()
