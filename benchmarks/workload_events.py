"""Workloads in which something happens: takes a running cluster and a way to sweep it, does it, sweeps.

All are healthy: no finding on them may be conclusive.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from kafka.admin import KafkaAdminClient

from benchmarks.workload_cases import LEADERS, TOPIC
from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Consumer, Producer
from fleet_demo.processes import tail
from fleet_demo.topics import create_topic

Json = dict[str, Any]
Sweep = Callable[[], None]


class Tools(NamedTuple):
    """What an event is given: how to sweep now, how to start clients, and the seconds between sweeps."""

    sweep: Sweep
    clients: Callable[[Json], "Clients"]
    every_s: float


class Clients:
    """A process of workload_clients. `stop` is called by whoever made it."""

    def __init__(self, process: Any, out: Any, log: Any) -> None:
        self.process, self._out, self._log = process, out, log

    def counts(self) -> tuple[int, int, int]:
        """Records sent and read, connections held. ClusterError when the process has ended."""
        if self.process.poll() is not None:
            raise ClusterError(f"the clients have ended: {tail(self._log)}")
        lines = [line.split() for line in self._out.read_text().splitlines()]
        whole = [[int(word) for word in words] for words in lines if len(words) == 3]
        sent, read, held = whole[-1] if whole else (0, 0, 0)
        return sent, read, held

    def wait(self, ready: Callable[[tuple[int, int, int]], bool], seconds: float = 300.0) -> None:
        """Return when the counts are so. ClusterError when they are not in time."""
        deadline = time.monotonic() + seconds
        while not ready(self.counts()):
            if time.monotonic() > deadline:
                raise ClusterError(f"after {seconds:.0f} s the clients have {self.counts()}: {tail(self._log)}")
            time.sleep(0.5)


class Event(NamedTuple):
    """One workload of this kind. `options` are those of the Cluster."""

    about: str
    releases: tuple[str, ...]
    options: Mapping[str, Any]
    run: Callable[[Cluster, Tools], None]


HELD, BACK_S = 900, 90.0  # idle connections of each broker, and how long they take to come back


def roll(cluster: Cluster, tools: Tools) -> None:
    """Each broker is stopped in a controlled way and started, one after the other; its clients come back in time."""
    create_topic(cluster, TOPIC, replica_assignment=LEADERS)
    held = [{"host": "127.0.0.1", "port": cluster.nodes[i].port, "connections": HELD, "back_s": BACK_S}
            for i in cluster.broker_ids]  # fmt: skip
    clients = tools.clients({"held": held, "writers": [{"topic": TOPIC, "per_s": 20}]})
    clients.wait(lambda now: now[2] >= HELD * len(held))
    for _ in range(2):
        tools.sweep()
        time.sleep(tools.every_s)
    for broker in cluster.broker_ids:
        cluster.stop_broker(broker)
        cluster.start_broker(broker)
        began = time.monotonic()
        while time.monotonic() - began < BACK_S + tools.every_s:
            tools.sweep()
            time.sleep(tools.every_s)
        clients.wait(lambda now: now[2] >= 0.98 * HELD * len(held), 120)
    tools.sweep()


def pinned(cluster: Cluster, tools: Tools) -> None:
    """Most records are pinned to the partitions of broker 1, which answers late because its follower fetches late."""
    for topic in (TOPIC, "trickle"):
        create_topic(cluster, topic, replica_assignment=LEADERS)
    hot = [p for p, brokers in LEADERS.items() if brokers[0] == 1]
    writer = {"topic": TOPIC, "per_s": 200, "hot": hot, "hot_share": 0.7, "keys": 500}
    with Producer(cluster, "trickle", 2, 200, {"linger.ms": 0, "acks": "all"}, "3.2.3"):
        clients = tools.clients({"writers": [writer]})
        clients.wait(lambda now: now[0] > 500)
        for _ in range(7):
            tools.sweep()
            time.sleep(tools.every_s)


def eos_growth(cluster: Cluster, tools: Tools) -> None:
    """The output of short transactions gets more partitions; its one group begins new ones at their start."""
    create_topic(cluster, TOPIC, replica_assignment={p: LEADERS[p] for p in range(6)})
    reading = {"auto.offset.reset": "earliest", "isolation.level": "read_committed", "metadata.max.age.ms": 20_000}
    with Consumer(cluster, TOPIC, group="billing", properties=reading):
        clients = tools.clients({"writers": [{"topic": TOPIC, "per_s": 120, "commit_s": 0.1}]})
        clients.wait(lambda now: now[0] > 500)
        for _ in range(3):
            tools.sweep()
            time.sleep(tools.every_s)
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, client_id="growth")
        try:
            admin.create_partitions({TOPIC: 12})
        finally:
            admin.close()
        for _ in range(5):
            tools.sweep()
            time.sleep(tools.every_s)


LATE = {3: {"replica.fetch.min.bytes": 50_000_000, "replica.fetch.wait.max.ms": 300}}
EVENTS = {
    "roll": Event(
        f"a clean roll of brokers with {HELD} idle connections each, which come back within {BACK_S:.0f} s",
        ("3.1.2", "3.3.1"), {"controllers": "all"}, roll,
    ),
    "pinned": Event("records pinned to the leader that is slow", ("3.3.2",), {"broker_configs": LATE}, pinned),
    "eos-growth": Event("partitions added to the output of transactions", ("3.3.2",), {}, eos_growth),
}  # fmt: skip
