"""One real Kafka broker with many partitions that carries both agents: Jolokia and the Prometheus JMX exporter.

The exporter is tuned as far as its configuration allows: it asks the JVM for the five object names only that a sweep
reads per partition, in the spelling that the JVM matches fastest, and it caches which rule a name matched.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient

from fleet_demo.artifacts import exporter_agent
from fleet_demo.cluster import Cluster
from fleet_demo.node import POLICY
from fleet_demo.processes import LOOPBACK, free_port
from kafka_fleet.schema import mbeans

RELEASE = "3.9.1"
PER_TOPIC = 100
# what the demo's brokers spare is what a long-running one has: the optimizing compiler and the default collector
SERVER_JVM = ("-XX:-UseSerialGC", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=4")


def exporter_config() -> str:
    """The exporter's YAML: allow-list of object names, one cached rule for each MBean type."""
    names = "".join(f"  - '{mbeans.requested_name(bean)}'\n" for bean in mbeans.tables()["partitions"].beans)
    rules = "".join(
        f"  - pattern: '{domain}<type={kind}, name=(.+), topic=(.+), partition=(.+)><>Value'\n"
        f"    name: {kind}_$1\n    type: GAUGE\n    cache: true\n    labels: {{topic: '$2', partition: '$3'}}\n"
        for domain, kind in (("kafka.log", "Log"), ("kafka.cluster", "Partition"))
    )
    return f"lowercaseOutputName: true\nincludeObjectNames:\n{names}rules:\n{rules}"


@contextmanager
def broker(
    partitions: int, workdir: Path, guarded: bool = False, rules: str | None = None
) -> Iterator[tuple[Cluster, str]]:
    """A broker with that many partitions (in topics of 100, a few records in each) and the exporter's URL.

    guarded: with the access policy of docs/jolokia-access.xml; the exporter has nothing like it.
    rules: of the exporter, in the place of those that show what a sweep reads per partition.
    """
    port, config = free_port(), workdir / "exporter.yaml"
    config.write_text(exporter_config() if rules is None else rules, encoding="utf-8")
    agent = f"-javaagent:{exporter_agent()}={LOOPBACK}:{port}:{config}"
    settings = {"log.index.size.max.bytes": 65_536, "num.partitions": 1}
    made = Cluster(
        "benchmark",
        RELEASE,
        brokers=1,
        racks=(),
        broker_config=settings,
        workdir=workdir / "kafka",
        heap_mb=1024,
        jvm_options=(*SERVER_JVM, agent),
        policy=POLICY if guarded else None,
    )
    with made as cluster:
        _fill(cluster, partitions)
        yield cluster, f"http://{LOOPBACK}:{port}/metrics"


def _fill(cluster: Cluster, partitions: int) -> None:
    topics = {
        f"orders-{number:04d}": {"num_partitions": min(PER_TOPIC, partitions - number * PER_TOPIC)}
        for number in range(-(-partitions // PER_TOPIC))
    }
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, request_timeout_ms=120_000)
    try:
        admin.create_topics(
            {name: {**one, "replication_factor": 1} for name, one in topics.items()}, wait_for_metadata=True
        )
    finally:
        admin.close()
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, linger_ms=50)
    for name, one in topics.items():
        for partition in range(one["num_partitions"]):
            for _ in range(partition % 7):
                producer.send(name, b"x" * 100, partition=partition)
    producer.flush()
    producer.close()
