"""A fleet of simulated clusters on real sockets: takes what ails each, lands the same sweeps twice, one run without it.

Time is given: every sweep of either run happens at the same moment by the collector's clock, and the brokers' values
are those of the sweep's number. So what differs between two runs is the faults, and nothing else.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.collect import sweep as module
from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia import bulks as jolokia
from kafka_fleet.collect.sweep import SweepResult, sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import Cluster, parse_fleet
from kafka_fleet.schema.mbeans import Bean, properties
from support.servers.jolokia_simulator import Agent, Json, agent

FIRST, EVERY, SWEEPS = datetime(2026, 11, 20, 10, tzinfo=UTC), timedelta(minutes=10), 3
DS = FIRST.date().isoformat()
# short for those that answer never, long for all others: this machine may have much else to do
SHORT = Limits(connect_s=0.3, read_s=0.6, deadline_s=0.8, max_bytes=1_000_000)
LONG = SHORT._replace(connect_s=20.0, read_s=40.0, deadline_s=60.0)
PARTITIONS, HOT = 6, 3  # of the one topic; this one takes eight times the records of the others
STARTED_MS = round((FIRST - timedelta(days=20)).timestamp() * 1000)


class Broker(Agent):
    """One broker of a cluster; `number` of its sweep decides its counters. It leads each second partition."""

    def __init__(self, cluster: str, broker: int, brokers: int, partitions: int = PARTITIONS) -> None:
        super().__init__({"orders": partitions})
        self.cluster, self.broker, self.brokers, self.number = cluster, broker, brokers, 0
        self.led: dict[int, set[int]] = {}  # by the number of a sweep, where it is not as usual
        self.records = 1000  # per partition and sweep

    def healthy(self, bean: Bean) -> Json:
        """The agent's answer with values that go on from sweep to sweep."""
        given, mbean = super().healthy(bean), bean.mbean
        given["timestamp"] = (FIRST + self.number * EVERY).timestamp()
        value = given["value"]
        if "name=" in mbean and mbean.startswith(("kafka.log:type=Log,", "kafka.cluster:type=Partition,")):
            for name, one in value.items():
                one["Value"] = self._of_partition(properties(name))
        elif mbean == "java.lang:type=Runtime":
            value["StartTime"] = STARTED_MS
        elif "app-info" in mbean:
            for one in value.values():
                one["StartTimeMs"] = STARTED_MS + 900
        elif "request=Produce" in mbean and "TimeMs" in mbean:
            times = {"Count": 6000 * (self.number + 1), "Mean": 2.0, "50thPercentile": 2.0, "99thPercentile": 14.0}
            ((name, one),) = value.items()
            given["value"] = {name.replace("sampleTimeMs", "TotalTimeMs"): one | times}
        return given

    def leads(self, partition: int) -> bool:
        """Whether this broker leads a partition."""
        led = self.led.get(self.number)
        return partition in led if led is not None else partition % self.brokers == self.broker - 1

    def _of_partition(self, found: dict[str, str]) -> int:
        partition = int(found["partition"])
        if found["name"] in ("InSyncReplicasCount", "ReplicasCount"):
            return self.brokers if self.leads(partition) else 0
        each = (8 if partition == HOT else 1) * self.records
        return {"LogEndOffset": each * (self.number + 1), "LogStartOffset": 0}.get(found["name"], 10**6)


class Fleet:
    """Clusters by id: their brokers, which are dead to Kafka, URLs not their own, who gets short limits."""

    def __init__(self, sizes: dict[str, int]) -> None:
        self.brokers = {name: [Broker(name, b + 1, size) for b in range(size)] for name, size in sizes.items()}
        self.urls: dict[tuple[str, int], str] = {}
        self.dead: set[tuple[str, int]] = set()
        self.unreachable: set[str] = set()
        self.impatient: set[str] = set()

    def limits(self, name: str) -> Limits:
        """Those of a cluster's sweeps."""
        return SHORT if name in self.impatient else LONG

    def entries(self) -> list[Cluster]:
        """The fleet file's entries; the bootstrap server is the place of a cluster in the fleet."""
        made = [
            {"id": name, "environment": "production", "owners": ["oncall@example.org"],
             "bootstrap_servers": [f"127.0.0.1:{place}"],
             "jolokia": {"brokers": {one.broker: self.urls.get((name, one.broker), one.url) for one in members},
                         "connection": "agents"}}
            for place, (name, members) in enumerate(self.brokers.items(), start=1)
        ]  # fmt: skip
        fleet = parse_fleet({"version": 1, "clusters": made}, "fleet.yaml")
        assert fleet.errors == []
        return fleet.clusters

    def admin(self, servers: Sequence[str], *_more: object) -> AdminSweep:
        """What the admin protocol says of a cluster: a server in the real one's place, which takes 15 s to refuse."""
        name = list(self.brokers)[int(servers[0].rpartition(":")[2]) - 1]
        if name in self.unreachable:
            return AdminSweep("failed", "KafkaConnectionError: connection refused", ["every table"], None, None, {})
        members = [one.broker for one in self.brokers[name]]
        up = [b for b in members if (name, b) not in self.dead]
        listed = [{"broker": b, "host": "127.0.0.1", "port": 9092, "rack": None} for b in up]
        topics = [
            {"topic": "orders", "topic_id": "AAAAAAAAAAAAAAAAAAAAAQ", "partition": p, "leader": up[p % len(up)],
             "replicas": members, "isr": up, "internal": False}
            for p in range(PARTITIONS)
        ]  # fmt: skip
        return AdminSweep("ok", None, [], f"id-of-{name}", up[0], {"brokers": listed, "topics": topics})


@contextmanager
def serving(fleet: Fleet) -> Iterator[Fleet]:
    """Every broker's agent listens on 127.0.0.1 until the end."""
    with ExitStack() as stack:
        for members in fleet.brokers.values():
            for one in members:
                stack.enter_context(agent(one))
        yield fleet


def collect(fleet: Fleet, home: Path, each: Callable[[int], None] = lambda number: None) -> list[SweepResult]:
    """SWEEPS sweeps of every cluster, all clusters at once; `each` is called before a sweep with its number."""
    resolver = local_credentials({"AIRFLOW_CONN_AGENTS": '{"login": "canary-login", "password": "canary-password"}'})
    results: list[SweepResult] = []
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(16) as pool:
        patch.setattr(module, "sweep_admin", fleet.admin)
        patch.setattr(jolokia, "_middle", lambda sent, _begun: sent)  # of a clock that stands still
        for number in range(SWEEPS):
            given = type("Given", (datetime,), {"now": classmethod(_at(FIRST + number * EVERY))})
            patch.setattr(module, "datetime", given)
            patch.setattr(jolokia, "datetime", given)
            for one in (one for members in fleet.brokers.values() for one in members):
                one.number = number
            each(number)
            results += pool.map(lambda one: sweep_cluster(one, home, resolver, fleet.limits(one.id)), fleet.entries())
    return results


def _at(moment: datetime) -> Callable[..., Any]:
    return lambda _kind, _zone=None: moment
