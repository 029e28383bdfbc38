"""In go names of scenarios and a home; out come sweeps of real brokers under those loads, clusters still running.

Every cluster has two brokers, racks a and b, and a replica selector. Sweep 0 is taken before the load starts.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import NamedTuple

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Consumer, ConsumerCrowd, Producer
from fleet_demo.topics import create_topic
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import SweepResult, sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import parse_fleet

SELECTOR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
RECORDS_PER_S = 10
Client = Producer | Consumer | ConsumerCrowd
LED_BY_1 = {0: [1, 2]}


class Scenario(NamedTuple):
    """A release and what its clients do."""

    release: str
    load: Callable[[Cluster], list[Client]]
    mode: str = "kraft"
    config: Mapping[str, object] = SELECTOR


def follower_reads(cluster: Cluster, **consumer: object) -> list[Client]:
    """A producer of 10 records/s and a consumer in the rack of broker 2."""
    create_topic(cluster, "orders", replica_assignment=LED_BY_1)
    reader = Consumer(cluster, "orders", group="billing", rack="b", properties=consumer)
    return [Producer(cluster, "orders", RECORDS_PER_S), reader]


def modern_reads(cluster: Cluster) -> list[Client]:
    """The same by a consumer whose group has its assignment from the broker (KIP-848)."""
    return follower_reads(cluster, **{"group.protocol": "consumer"})


def mixed_reads(cluster: Cluster) -> list[Client]:
    """The same with leaders on both brokers: prompt and delayed reads in one fetch.

    A keyless producer stays with a partition for batch.size bytes, here about a second. With the default of 16 kB it
    would stay for 16 s, and chance would decide how much of a minute is delayed.
    """
    create_topic(cluster, "orders", replica_assignment={0: [1, 2], 1: [1, 2], 2: [2, 1]})
    writer = Producer(cluster, "orders", RECORDS_PER_S, properties={"batch.size": 1100})
    return [writer, Consumer(cluster, "orders", group="billing", rack="b")]


def redirected_reads(cluster: Cluster) -> list[Client]:
    """The same by a consumer that asks the leader again every 5 s where to read."""
    return follower_reads(cluster, **{"metadata.max.age.ms": 5000})


def idle_crowd(cluster: Cluster) -> list[Client]:
    """Fifty groups waiting on a topic that nobody writes to, beside a busy one: their expiries are legal."""
    for topic in ("quiet", "busy"):
        create_topic(cluster, topic, replica_assignment=LED_BY_1)
    with ExitStack() as started:
        crowds = [started.enter_context(ConsumerCrowd(cluster, "quiet", 10, f"crowd-{part}")) for part in range(5)]
        for crowd in crowds:
            crowd.wait()
        started.pop_all()  # from here on they are stopped with the other clients
    return [*crowds, Producer(cluster, "busy", 100), Consumer(cluster, "busy", group="fast")]


def slow_topic(cluster: Cluster) -> list[Client]:
    """One record a second: a healthy broker lets about half of the fetches expire."""
    create_topic(cluster, "slow", replica_assignment=LED_BY_1)
    return [Producer(cluster, "slow", 1), Consumer(cluster, "slow", group="patient")]


def greedy_reads(cluster: Cluster) -> list[Client]:
    """A consumer that asks for more bytes than arrive within its wait."""
    create_topic(cluster, "orders", replica_assignment=LED_BY_1)
    reader = Consumer(cluster, "orders", group="greedy", properties={"fetch.min.bytes": 1_000_000})
    return [Producer(cluster, "orders", RECORDS_PER_S), reader]


def nothing(_cluster: Cluster) -> list[Client]:
    """No clients at all."""
    return []


SCENARIOS = {
    "follower331": Scenario("3.3.1", follower_reads),
    "follower332": Scenario("3.3.2", follower_reads),
    "scraped331": Scenario("3.3.1", follower_reads),
    "exporter331": Scenario("3.3.1", follower_reads),
    "exporter332": Scenario("3.3.2", follower_reads),
    "example331": Scenario("3.3.1", follower_reads),
    "strimzi331": Scenario("3.3.1", follower_reads),
    "mended331": Scenario("3.3.1", follower_reads),
    "follower411": Scenario("4.1.1", modern_reads),
    "idle331": Scenario("3.3.1", nothing),
    "crowd331": Scenario("3.3.1", idle_crowd),
    "slow331": Scenario("3.3.1", slow_topic),
    "mixed331": Scenario("3.3.1", mixed_reads),
    "minbytes331": Scenario("3.3.1", greedy_reads),
    "redirect312": Scenario("3.1.2", redirected_reads),
    "redirect282": Scenario("2.8.2", redirected_reads, mode="zookeeper"),
    "ancient111": Scenario("1.1.1", nothing, mode="zookeeper", config={}),
}


LOOKS = {"brokers": 1, "seconds": 5}  # a sweep ends with its looks, and sweeps have to be close together


def sweep(cluster: Cluster, home: Path, name: str | None = None, **declared: object) -> SweepResult:
    """One sweep through the library, by default under the cluster's own name. Raises OSError when it cannot land.

    declared: further keys of its entry in the fleet file.
    """
    named = name or cluster.name
    return sweep_of(cluster, home, id=named, environment="production", looks=LOOKS, **declared)


def sweep_of(cluster: Cluster, home: Path, limits: Limits | None = None, **entry: object) -> SweepResult:
    """One sweep of an entry of the fleet file with these keys, and within these limits or those as shipped."""
    fleet = parse_fleet({"version": 1, "clusters": [cluster.fleet_entry(**entry)]}, "live")
    assert not fleet.errors, fleet.errors
    return sweep_cluster(fleet.clusters[0], home, local_credentials(), limits or Limits())


def spaced(many: int, every_s: float, act: Callable[[], object]) -> None:
    """Do it so often, with a pause between any two."""
    for left in range(many - 1, -1, -1):
        act()
        time.sleep(every_s if left else 0)


def await_that(what: str, is_so: Callable[[], bool], seconds: float = 120) -> None:
    """Wait until it is so. Raises ClusterError when it is not in time."""
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            raise ClusterError(f"{what}: not so after {seconds:.0f} s")
        time.sleep(0.3)


@contextmanager
def beside(act: Callable[[], object], pause_s: float, *spared: type[Exception]) -> Iterator[None]:
    """Do it again and again for the length of the block, with a pause between any two; `spared` may be its answer.

    Raises at the end what else it raised.
    """
    over = Event()

    def work() -> None:
        while not over.wait(pause_s):
            with suppress(*spared):
                act()

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work)
        try:
            yield
        finally:
            over.set()
        working.result(60)


def in_sync(cluster: Cluster, leader: int, topic: str) -> int:
    """How many replicas of a topic's partition 0 its leader takes for in sync. Raises LookupError where it has none."""
    bean = f"kafka.cluster:type=Partition,name=InSyncReplicasCount,topic={topic},partition=0"
    count: int = cluster.jolokia(leader, bean, "Value")
    return count


def side_by_side(home: Path, names: Iterable[str], act: Callable[[Path, str], object]) -> None:
    """Make the same of several clusters at once, on one day. Raises what the first of them raises."""
    avoid_midnight(300)
    with ThreadPoolExecutor() as pool:
        for one in [pool.submit(act, home, name) for name in names]:
            one.result()


def avoid_midnight(seconds: float) -> None:
    """Wait for the next UTC day when this one ends sooner than that, so that one scenario lies on one day."""
    now = datetime.now(UTC)
    left = (now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1) - now).total_seconds()
    if left < seconds:
        time.sleep(left + 1)


@contextmanager
def running(
    names: Sequence[str],
    home: Path,
    sweeps: int,
    every_s: float,
    workdir: Path | None = None,
    agents: Mapping[str, Mapping[int, Sequence[str]]] | None = None,
    swept: Callable[[Cluster, Path], object] = sweep,
) -> Iterator[dict[str, Cluster]]:
    """Start the scenarios' clusters at once, sweep each `sweeps` times, and hand over the clusters under load.

    agents: further JVM options by scenario and broker. swept: makes what is one sweep of a cluster.

    Raises ArtifactError when a release cannot be had, ClusterError when a broker does not start.
    """
    clusters = {}
    for name in names:
        one = SCENARIOS[name]
        place, options = workdir / name if workdir else None, (agents or {}).get(name)
        clusters[name] = Cluster(
            name, one.release, mode=one.mode, broker_config=one.config, workdir=place, node_options=options
        )
    with ThreadPoolExecutor(len(names)) as pool:
        loads: list[Client] = []
        try:
            for started in [pool.submit(cluster.start) for cluster in clusters.values()]:
                started.result()
            avoid_midnight(60 + sweeps * every_s)
            list(pool.map(lambda cluster: swept(cluster, home), clusters.values()))
            made = [pool.submit(SCENARIOS[name].load, cluster) for name, cluster in clusters.items()]
            for future in wait(made).done:  # what did start is stopped, also when another load did not
                loads += [] if future.exception() else future.result()
            for future in made:
                future.result()
            for _ in range(sweeps - 1):
                time.sleep(every_s)
                # side by side: one after the other would be further apart than counters alone can judge
                list(pool.map(lambda cluster: swept(cluster, home), clusters.values()))
            stopped = [client.log.read_text(errors="replace") for client in loads if not client.running]
            assert not stopped, f"a client ended by itself: {stopped}"
            yield clusters
        finally:
            list(pool.map(lambda client: client.stop(0), loads))
            list(pool.map(lambda cluster: cluster.stop(), clusters.values()))
