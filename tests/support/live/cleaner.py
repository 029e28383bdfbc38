"""Log cleaners that get nowhere, and such that rest or wait: takes a home, lands sweeps of real brokers.

"gaps210"     a replica of 2.1.0 was fetched from a leader that had compacted its log: its segments end in offset gaps
"gaps282"     the same at 2.8.2, and a topic whose records were deleted up to the middle of its active segment
"below282"    then a log that is as dirty at each read and below its own ratio, one with min.compaction.lag.ms, and one
              that has an active segment alone
"deleted250"  records were deleted up to the middle of the active segment, at 2.5.0

All logs are compacted when a tenth of them is dirty. Entries have thresholds of seconds, since sweeps are seconds
apart.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kafka import KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster
from fleet_demo.topics import create_topic
from support.live.scenarios import avoid_midnight, await_that, spaced, sweep_of

GAPS, FIXED, BELOW, DELETED = "gaps210", "gaps282", "below282", "deleted250"
LEADER, FOLLOWER = 1, 2
SWEEPS, EVERY_S = 12, 0.4
SEGMENT_BYTES, CLOSED = 25_000, 5
DELETED_TO, WRITTEN = 50, 100
COMPACT = {"cleanup.policy": "compact", "segment.bytes": SEGMENT_BYTES}
CONFIG = {
    "log.cleaner.min.cleanable.ratio": 0.1,
    "log.cleaner.backoff.ms": 500,
    "replica.fetch.max.bytes": 8_192,  # what is fetched at once has to fit into a segment
    "offsets.topic.replication.factor": 1,
}
THRESHOLDS = {"cleaner_stuck": {"min_looks": 3, "min_loop_s": 4, "min_lasting_s": 4}}
DIRTY = "kafka.log:type=LogCleanerManager,name=max-dirty-percent"
LOG_END = "kafka.log:type=Log,name=LogEndOffset,topic={},partition=0"


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    spaced(SWEEPS, EVERY_S, lambda: sweep_of(cluster, home, id=name, thresholds=THRESHOLDS))


@contextmanager
def _writer(cluster: Cluster) -> Iterator[Callable[[str, int, int], None]]:
    """Writes to a topic so many records from an offset on, one batch each, and waits for them.

    Every other one has a key of its own, those between have the same.
    """
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers[:1], acks=1, batch_size=0)

    def write(topic: str, first: int, many: int) -> None:
        for offset in range(first, first + many):
            key = b"again" if offset % 2 else b"key-%d" % offset
            producer.send(topic, key=key, value=b"v" * 20)
        producer.flush(timeout=60)

    try:
        yield write
    finally:
        producer.close()


def _write_until_closed(cluster: Cluster, topic: str, segments: int, at_a_time: int, written: int = 0) -> int:
    """Write, from an offset on, until the leader has so many closed segments; the next offset."""
    with _writer(cluster) as write:
        while _closed(cluster, LEADER, topic) < segments:
            write(topic, written, at_a_time)
            written += at_a_time
    return written


def _closed(cluster: Cluster, broker: int, topic: str) -> int:
    """Segments of its first partition that are no longer written to."""
    return len(list((cluster.nodes[broker].folder / f"data/{topic}-0").glob("*.log"))) - 1


def cleaned_to(cluster: Cluster, broker: int, topic: str) -> int:
    """The offset up to which the broker has noted the first partition as clean; 0 where it has not."""
    noted = cluster.nodes[broker].folder / "data/cleaner-offset-checkpoint"
    lines = [line.split() for line in noted.read_text().splitlines()] if noted.exists() else []
    return next((int(line[2]) for line in lines if line[:2] == [topic, "0"]), 0)


def _with_gaps(cluster: Cluster) -> None:
    """A follower that fetches a compacted log, which lacks every other offset, and has compacted it once."""
    create_topic(cluster, "table", replica_assignment={0: [LEADER, FOLLOWER]}, config=COMPACT)
    cluster.stop_broker(FOLLOWER)
    written = _write_until_closed(cluster, "table", CLOSED, 40)  # the active segment, which keeps all, is short
    await_that("the leader compacted", lambda: cleaned_to(cluster, LEADER, "table") > written - 100)
    cluster.start_broker(FOLLOWER)
    end = LOG_END.format("table")
    await_that("the follower caught up", lambda: cluster.jolokia(FOLLOWER, end, "Value") == written)
    await_that("the follower compacted", lambda: cleaned_to(cluster, FOLLOWER, "table") > 0)


def _deleted(cluster: Cluster) -> None:
    """Records of a compacted topic are deleted up to the middle of its only segment."""
    config = {**COMPACT, "cleanup.policy": "compact,delete"}  # of others no records may be deleted
    create_topic(cluster, "deleted", replica_assignment={0: [LEADER]}, config=config)
    with _writer(cluster) as write:
        write("deleted", 0, WRITTEN)
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    try:
        admin.delete_records({TopicPartition("deleted", 0): DELETED_TO})
    finally:
        admin.close()


def _filled(cluster: Cluster, topic: str, config: Mapping[str, object], compacted: int = 0) -> None:
    """A compacted topic with two closed segments, of which the first so many were compacted before the others came."""
    create_topic(cluster, topic, replica_assignment={0: [LEADER]}, config={**COMPACT, **config})
    written = _write_until_closed(cluster, topic, compacted, 100)
    await_that(f"{topic} is compacted so far", lambda: not compacted or cleaned_to(cluster, LEADER, topic) > 0)
    _write_until_closed(cluster, topic, 2, 100, written)


def gaps(home: Path) -> None:
    """The affected release: a follower whose segments end in gaps."""
    with Cluster(GAPS, "2.1.0", racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        _with_gaps(cluster)
        _sweeps(cluster, home, GAPS)


def fixed(home: Path) -> None:
    """The same at a release with the fixes, and what is healthy and looks alike."""
    with Cluster(FIXED, "2.8.2", racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        _with_gaps(cluster)
        _deleted(cluster)
        _sweeps(cluster, home, FIXED)
        _filled(cluster, "below", {"min.cleanable.dirty.ratio": 0.9999}, compacted=1)
        _filled(cluster, "patient", {"min.compaction.lag.ms": 86_400_000})
        create_topic(cluster, "slow", replica_assignment={0: [LEADER]}, config=COMPACT)
        with _writer(cluster) as write:
            write("slow", 0, WRITTEN)
        await_that("a log is dirty", lambda: cluster.jolokia(LEADER, DIRTY, "Value") > 0)
        _sweeps(cluster, home, BELOW)


def deleted(home: Path) -> None:
    """The affected release: the active segment is taken again and again."""
    with Cluster(DELETED, "2.5.0", brokers=1, racks=(), mode="zookeeper", broker_config=CONFIG) as cluster:
        _deleted(cluster)
        await_that("the log is dirty", lambda: cluster.jolokia(LEADER, DIRTY, "Value") > 0)
        _sweeps(cluster, home, DELETED)


def run(home: Path) -> None:
    """The log that is compacted for ever. Raises ClusterError where the fault cannot be made."""
    avoid_midnight(120)
    gaps(home)


def others(home: Path) -> None:
    """The release with the fixes, then the other fault. Raises ClusterError where it cannot be made."""
    avoid_midnight(180)
    fixed(home)
    deleted(home)
