"""Three quarters of an hour of each of six clusters, at thresholds as shipped: takes a home, lands a sweep a minute.

"hour282" … "hour420"  four healthy clusters from 2.8.2 (ZooKeeper) to 4.2.0: bursts, transactions, compaction and
                       steady writing, read by groups and by a reader without one. On each the applications are deployed
                       anew, every broker is restarted in a controlled way, replicas are moved, and the load is five
                       times as high for a minute
"hour-dead381"         the same, and a broker is killed and stays away for a quarter of an hour
"hour-churn391"        the same, and one of three members of a group ends and comes back, again and again

Other scenarios shorten thresholds of time to seconds. Here none is, so that they show what a day would.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from kafka import TopicPartition
from kafka.admin import KafkaAdminClient

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import end, spawn
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.scenarios import avoid_midnight, await_that, beside

ROOT = Path(__file__).resolve().parents[3]
MINUTE, LENGTH = 60.0, 45  # seconds, and minutes of a cluster's recording
RACKS = ("a", "b", "c")
SAFE = {
    "min.insync.replicas": 2, "offsets.topic.replication.factor": 3, "transaction.state.log.replication.factor": 3,
    "transaction.state.log.min.isr": 2,
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}  # fmt: skip
TOPICS: Mapping[str, tuple[int, Mapping[str, object]]] = {
    "orders": (12, {}),
    "payments": (6, {}),
    "clicks": (6, {}),
    "customers": (3, {"cleanup.policy": "compact", "segment.ms": 300_000, "min.cleanable.dirty.ratio": 0.1}),
}
STARTING = Lock()  # one cluster starts at a time: the JVMs of all would hold up each other's
Json = dict[str, Any]


class Hour(NamedTuple):
    """A release, how it is run, and what is done to the cluster besides."""

    release: str
    mode: str = "kraft"
    in_racks: bool = True  # whether readers read in their own rack: releases to 3.3.1 hold them up (KAFKA-14334)
    also: str = ""  # "dead" or "churn"


HOURS = {
    "hour282": Hour("2.8.2", "zookeeper", False),
    "hour332": Hour("3.3.2"),
    "hour411": Hour("4.1.1"),
    "hour420": Hour("4.2.0"),
    "hour-dead381": Hour("3.8.1", also="dead"),
    "hour-churn391": Hour("3.9.1", also="churn"),
}


def _clients(in_racks: bool, times: float = 1.0) -> Json:
    """What workload_clients runs for one cluster. times: how much more than usual is written."""
    racks = RACKS if in_racks else (None, None, None)
    return {
        "writers": [
            {"topic": "orders", "per_s": 12 * times, "keys": 400},
            {"topic": "payments", "per_s": 5 * times, "commit_s": 5},
            {"topic": "clicks", "per_s": 8 * times, "shape": "bursts"},
            {"topic": "customers", "per_s": 4 * times, "shape": "random", "keys": 200},
        ],
        "readers": [
            *({"topic": "orders", "group": "billing", "rack": rack} for rack in racks),
            *({"topic": "payments", "group": "ledger", "isolation": "read_committed"} for _ in range(2)),
            {"topic": "clicks", "group": "analytics"},
            {"topic": "customers", "group": None},
        ],
    }


class Applications:
    """The clients of one cluster, which are deployed anew by ending them and starting them again."""

    def __init__(self, cluster: Cluster, in_racks: bool) -> None:
        self._cluster, self._in_racks = cluster, in_racks
        self._process: subprocess.Popen[Any] | None = None
        self._deployed = 0

    def deploy(self, times: float = 1.0) -> None:
        """Run them, with so much more to write than usual. Raises ClusterError when they do not begin."""
        self.end()
        self._deployed += 1
        out, log = (self._cluster.workdir / f"clients-{self._deployed}.{kind}" for kind in ("out", "log"))
        out.touch()
        told = json.dumps({"bootstrap": self._cluster.bootstrap_servers, **_clients(self._in_racks, times)})
        command = [sys.executable, "-m", "benchmarks.workload_clients", told]
        self._process = spawn(command, log, out, {"PYTHONPATH": str(ROOT)})
        await_that(f"{self._cluster.name}: every reader has its partitions", lambda: "ready" in out.read_text(), 300)

    def end(self) -> None:
        """They end as a container does that is told to: without a word to their groups."""
        if self._process:
            end(self._process, 0.0)


@contextmanager
def _churn(cluster: Cluster) -> Iterator[None]:
    """Two members of a group that stay, and one that ends and comes back every twenty seconds."""
    words = {"bootstrap": cluster.bootstrap_servers, "readers": [{"topic": "orders", "group": "flapping"}]}
    place = cluster.workdir

    def member(name: str) -> subprocess.Popen[Any]:
        out = place / f"{name}.out"
        out.touch()
        command = [sys.executable, "-m", "benchmarks.workload_clients", json.dumps(words)]
        return spawn(command, place / f"{name}.log", out, {"PYTHONPATH": str(ROOT)})

    def once() -> None:
        with ExitStack() as one:
            one.callback(end, member("comes-and-goes"), 0.0)
            time.sleep(15)

    with ExitStack() as staying, beside(once, 5.0):
        for number in range(2):
            staying.callback(end, member(f"stays-{number}"), 0.0)
        yield


def _roll(cluster: Cluster) -> None:
    """Every broker is stopped in a controlled way and started, a minute after the one before."""
    for broker in cluster.broker_ids:
        cluster.stop_broker(broker)
        cluster.start_broker(broker)
        time.sleep(MINUTE)


def _move(cluster: Cluster) -> None:
    """The replicas of a topic change their places, so that others lead. Raises ClusterError where they do not."""
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="operator")
    try:
        wanted = {TopicPartition("clicks", n): [1 + (n + 2) % 3, 1 + n % 3, 1 + (n + 1) % 3] for n in range(6)}
        answered = admin.alter_partition_reassignments(wanted)
        await_that(f"{cluster.name}: replicas are moved: {answered}", lambda: not admin.list_partition_reassignments())
    finally:
        admin.close()
    create_topic(cluster, "refunds", partitions=3, replication_factor=3)


def _dead(cluster: Cluster) -> None:
    """A broker dies, and a quarter of an hour later it is back."""
    cluster.kill_broker(3)
    time.sleep(15 * MINUTE)
    cluster.start_broker(3)


def _record(home: Path, name: str) -> None:
    hour = HOURS[name]
    options: Json = {"controllers": "all"} if hour.mode == "kraft" else {}
    with ExitStack() as open_:
        with STARTING:
            cluster = open_.enter_context(
                Cluster(name, hour.release, brokers=3, racks=RACKS, mode=hour.mode, broker_config=SAFE, **options)
            )
            for topic, (partitions, config) in TOPICS.items():
                create_topic(cluster, topic, partitions=partitions, replication_factor=3, config=config)
            applications = Applications(cluster, hour.in_racks)
            open_.callback(applications.end)
            applications.deploy()
        begun = time.monotonic()

        def at(minute: float) -> None:
            time.sleep(max(0.0, begun + minute * MINUTE - time.monotonic()))

        open_.enter_context(beside(lambda: scenarios.sweep(cluster, home), MINUTE, ClusterError))
        if hour.also == "churn":
            open_.enter_context(_churn(cluster))
        acts: list[tuple[float, Callable[[], object]]] = [
            (5, applications.deploy),
            (10, lambda: _roll(cluster)),
            (18, lambda: _move(cluster)),
            (22, lambda: applications.deploy(5)),
            (23, applications.deploy),
        ]
        if hour.also == "dead":
            acts.append((27, lambda: _dead(cluster)))
        for minute, act in acts:
            at(minute)
            act()
        at(LENGTH)


def run(home: Path) -> None:
    """All of them at once; some fifty minutes. Raises what the first of them raises."""
    avoid_midnight((LENGTH + 20) * MINUTE)
    with ThreadPoolExecutor(len(HOURS)) as pool:
        for one in [pool.submit(_record, home, name) for name in HOURS]:
            one.result()
