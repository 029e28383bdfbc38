"""Topics that nobody uses beside those that somebody does, on a real broker of 4.1.1: takes a home, lands sweeps.

"unused411"  topics of a broker, each with RECORDS records written at once: a group has read those of "archive"
             and is gone. "orders" is written and read all the time, "countries" is compacted, "waiting" has a member
             that waits for more, "loaded" is read on the day without a group, "errors" has no record
"recent411"  the same sweeps, without those of a week ago

A sweep of before the day's is landed as that of days ago: what lies between them is all that would have gone on.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from fleet_demo.cluster import Cluster
from fleet_demo.crowd import joined
from fleet_demo.load import Consumer, Producer
from fleet_demo.topics import create_topic
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.homes.recorded import Sweep, land_all
from support.live import scenarios
from support.live.scenarios import avoid_midnight, await_that, spaced

UNUSED, RECENT = "unused411", "recent411"
RECORDS, RECORD_BYTES = 200, 10_000
KEPT = {"retention.ms": -1}
TOPICS: dict[str, dict[str, object]] = {
    "archive": KEPT, "orders": KEPT, "waiting": KEPT, "loaded": KEPT, "countries": {"cleanup.policy": "compact"},
}  # fmt: skip
THRESHOLDS = {"unused_topics": {"min_gb": 0.001, "min_groups": 1}}
DAYS = {UNUSED: (9, 3, 1), RECENT: (3, 1)}
SWEEPS, EVERY_S = 2, 2.0
RECORDS_READ = 120  # by then it has committed, every five seconds
LANDED = ("previous_log_end_offset", "previous_log_start_offset", "previous_sweep_at")  # found out anew


def _written(cluster: Cluster, topics: Iterable[str]) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, acks="all")
    sent = [
        producer.send(topic, bytes(RECORD_BYTES), key=str(number).encode())
        for topic in topics
        for number in range(RECORDS)
    ]
    for one in sent:
        one.get(timeout=60)
    producer.close()


def _read(cluster: Cluster, topic: str, group: str | None) -> None:
    """Read partition 0 to its end; commit that, if there is a group."""
    consumer = KafkaConsumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    consumer.assign([TopicPartition(topic, 0)])
    seen = 0
    while seen < RECORDS:
        seen += sum(len(found) for found in consumer.poll(timeout_ms=5000).values())
    if group:
        consumer.commit()
    consumer.close()


def _sweeps(cluster: Cluster, home: Path, many: int) -> None:
    spaced(many, EVERY_S, lambda: [_sweep(cluster, home, name) for name in DAYS])


def _sweep(cluster: Cluster, home: Path, name: str) -> None:
    scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS)


def landed_before(swept: Path, home: Path, name: str, back: timedelta) -> None:
    """The sweeps of one home in another one, under a name, so much earlier."""
    (ds,) = (path.name.removeprefix("ds=") for path in (swept / "raw/manifests").iterdir())
    found = []
    for one in manifests(swept, ds)[0]:
        rows = {table: read_rows(swept, [one], table) for table in one.files}
        for row in (row for of_table in rows.values() for row in of_table):
            for column in ("cluster", "sweep_at", *LANDED):
                row.pop(column, None)
        found.append(Sweep(name, one.sweep_at, rows))
    for sweep in found:
        sweep.move(-back)
    land_all(home, found)


def run(home: Path) -> None:
    """Start the broker, write and read, sweep it; some 40 s. Raises ClusterError without a broker."""
    avoid_midnight(180)
    with Cluster(UNUSED, "4.1.1", brokers=1, racks=()) as cluster:
        for topic, config in TOPICS.items():
            create_topic(cluster, topic, config=config)
        create_topic(cluster, "errors")
        _written(cluster, TOPICS)
        _read(cluster, "archive", "loader")
        cluster.stop_broker(1)  # its counters forget what was before the day
        cluster.start_broker(1)
        waiting = joined(cluster.bootstrap, "waiting", "patient")
        try:
            swept = cluster.workdir / "before"
            _sweep(cluster, swept, "before")
            for name, days in DAYS.items():
                for back in days:
                    landed_before(swept, home, name, timedelta(days=back))
            with Producer(cluster, "orders", 20), Consumer(cluster, "orders", group="billing") as reader:
                await_that("orders are read", lambda: reader.records_read > RECORDS_READ)
                _sweeps(cluster, home, 1)
                _read(cluster, "loaded", None)
                _sweeps(cluster, home, SWEEPS)
        finally:
            waiting.close()
