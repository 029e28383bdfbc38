"""A log cleaner whose map of keys is small and whose bandwidth is throttled, at 3.9.1: takes a home, lands sweeps.

"huge391"   a look-alike: one large log is compacted for the first time; the map is full in each pass, and the backlog
            shrinks
"small391"  new keys come faster than passes take them, and the topic may not be that late (max.compaction.lag.ms)

Each pass takes KEYS keys: log.cleaner.io.buffer.load.factor is low, and so is min_buffer_percent. Entries have
thresholds of seconds, since sweeps are seconds apart.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from kafka import KafkaProducer
from kafka.admin import AlterConfigOp, ConfigResourceType

from fleet_demo.cluster import Cluster
from fleet_demo.topics import create_topic
from support.live import availability, cleaner
from support.live.scenarios import avoid_midnight, await_that, beside, spaced, sweep_of

HUGE, SMALL, TOPIC = "huge391", "small391", "table"
LOAD_PERCENT, MAP_BYTES, ENTRY_BYTES = 5, 1_048_600, 24
KEYS = MAP_BYTES // ENTRY_BYTES * LOAD_PERCENT // 100
PREFILLED, MORE, PAUSE_S = 30 * KEYS, 2 * KEYS, 0.5
SWEEPS, EVERY_S, LAG_MS = 6, 4.0, 1_000
CONFIG = {
    "log.cleaner.dedupe.buffer.size": MAP_BYTES,
    "log.cleaner.io.buffer.load.factor": LOAD_PERCENT / 100,
    "log.cleaner.io.max.bytes.per.second": 1_500_000,
    "log.cleaner.min.cleanable.ratio": 0.1,
    "log.cleaner.backoff.ms": 500,
    "offsets.topic.replication.factor": 1,
}
THRESHOLDS = {
    "cleaner_stuck": {
        "min_looks": 3, "min_loop_s": 4, "min_lasting_s": 6, "min_overdue_s": 2, "min_buffer_percent": LOAD_PERCENT - 1,
    }
}  # fmt: skip
FULL = "kafka.log:type=LogCleaner,name=max-buffer-utilization-percent"


@contextmanager
def _writer(cluster: Cluster) -> Iterator[KafkaProducer]:
    made = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks=1, linger_ms=20)
    try:
        yield made
    finally:
        made.close()


def _write(producer: KafkaProducer, numbers: Iterator[int], many: int) -> None:
    """So many records, each with a key of its own."""
    for _ in range(many):
        producer.send(TOPIC, key=b"key-%09d" % next(numbers), value=b"v" * 20)
    producer.flush(timeout=60)


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    spaced(SWEEPS, EVERY_S, lambda: sweep_of(cluster, home, id=name, thresholds=THRESHOLDS))


def run(home: Path) -> None:
    """Fill the topic, let it be compacted, then write on; two minutes. Raises ClusterError where no map gets full."""
    avoid_midnight(240)
    with Cluster(SMALL, "3.9.1", brokers=1, racks=(), broker_config=CONFIG) as cluster, _writer(cluster) as producer:
        create_topic(cluster, TOPIC, config={"cleanup.policy": "compact", "segment.bytes": 100_000})
        numbers = count()
        _write(producer, numbers, PREFILLED)
        await_that("a map is full", lambda: cluster.jolokia(1, FULL, "Value") >= LOAD_PERCENT - 1)
        _sweeps(cluster, home, HUGE)
        lag = ((ConfigResourceType.TOPIC, TOPIC, "max.compaction.lag.ms", str(LAG_MS)),)
        availability.alter(cluster, lag, AlterConfigOp.SET)
        with beside(lambda: _write(producer, numbers, MORE), PAUSE_S):
            await_that("dirt", lambda: cluster.jolokia(1, cleaner.DIRTY, "Value") > 10)
            _sweeps(cluster, home, SMALL)
