"""Brokers that a check wants to see closely: agents whose counters grow with time, and a cluster that has them."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kafka_fleet.collect.close_looks import broker_look, leader_reads, sweep_looks
from kafka_fleet.collect.close_looks.broker_look import Taken
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import SweepResult, sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import parse_fleet
from kafka_fleet.knowledge.close_looks import asked_looks
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.servers import wire_broker
from support.servers.jolokia_simulator import START_MS, Agent, agent

EXPIRED = "kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=consumer"
FETCHES = "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=FetchConsumer,*"
OUT = "kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec"
END = "kafka.log:type=Log,name=LogEndOffset"
LIMITS = Limits(connect_s=2.0, read_s=15.0, deadline_s=60.0, max_bytes=2_000_000)
BEGUN = time.monotonic() - (time.time() - START_MS / 1000)  # when the counters began, with the simulated processes
Row = dict[str, Any]


class Suspected(Agent):
    """Broker of `orders` and `payments`. rates: per second, by MBean; the topic that is read is orders."""

    def __init__(self, **changes: float) -> None:
        super().__init__({"orders": 2, "payments": 1})
        self.rates: dict[str, float] = {EXPIRED: 2.0, FETCHES: 4.0, OUT: 5000.0, END: 100.0}
        self.rates |= {globals()[name]: rate for name, rate in changes.items()}
        self.entry = self._grown
        self.stopped: dict[str, float] = {}

    def count(self, mbean: str) -> int:
        """What a counter has come to."""
        rate = next((rate for name, rate in self.rates.items() if mbean.startswith(name)), None)
        grown = 0.0 if rate is None else rate * (self.stopped.get(mbean, time.monotonic()) - BEGUN)
        return int(grown)

    def stop(self, mbean: str) -> None:
        """From now on it stays what it is."""
        self.stopped[mbean] = time.monotonic()

    def _grown(self, mbean: str, found: Row) -> Row:
        value = found["value"]
        if mbean.startswith((EXPIRED, FETCHES, OUT, END)) and "*" not in mbean:
            value |= {name: self.count(mbean) for name in value}
        elif mbean == FETCHES:
            found["value"] = {
                f"{FETCHES.removesuffix(',*')},version={v}": {"Count": self.count(mbean) // 2} for v in (12, 13)
            }
        elif mbean.startswith(OUT):
            found["value"] = {
                f"{OUT},topic={topic}": {"Count": self.count(OUT) if topic == "orders" else 0} for topic in self.topics
            }
        return found


class Swept(NamedTuple):
    """A sweep and its rows."""

    result: SweepResult
    home: Path

    def rows(self, table: str) -> list[Row]:
        """Of this sweep alone."""
        manifest = self.result.manifest
        assert manifest is not None
        found, damaged = manifests(self.home, manifest.sweep_at.date())
        assert damaged == []
        return read_rows(self.home, [one for one in found if one.sweep == manifest.sweep], table)


class Cluster(NamedTuple):
    """Broker 7 by wire, whose topics have replicas at every broker, and an agent for each."""

    server: str
    wire: Any
    agents: Mapping[int, Agent]

    def entry(self, **more: Any) -> Row:
        """Of the fleet file."""
        urls = {broker: one.url for broker, one in self.agents.items()}
        about = {"id": "payments-eu", "environment": "production", "owners": ["oncall@example.org"]}
        return {
            **about,
            "bootstrap_servers": [self.server],
            "jolokia": {"brokers": urls},
            "looks": {"seconds": 1},
        } | more

    def sweep(self, home: Path, limits: Limits = LIMITS, **more: Any) -> Swept:
        """One sweep, looks of a second unless `more` says otherwise."""
        fleet = parse_fleet({"version": 1, "clusters": [self.entry(**more)]}, "f")
        assert fleet.errors == []
        return Swept(sweep_cluster(fleet.clusters[0], home, local_credentials({}), limits), home)


class Wire(wire_broker.Broker):
    """The brokers of `ids` have all replicas; broker 7 leads them."""

    ids: tuple[int, ...] = (7,)

    def _MetadataRequest(self, request: Any, version: int) -> Any:
        made = super()._MetadataRequest(request, version)
        for topic in made.topics:
            for partition in topic.partitions:
                partition.replica_nodes = list(self.ids)
        return made


@contextmanager
def suspected(agents: Mapping[int, Agent]) -> Iterator[Cluster]:
    """Serve the agents and the cluster."""
    with ExitStack() as stack:
        for one in agents.values():
            stack.enter_context(agent(one))
        server, wire = stack.enter_context(wire_broker.running({}, kind=Wire))
        wire.ids = tuple(agents)
        yield Cluster(server, wire, agents)


WAIT = Taken.wait


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks of fetch_latency alone, in slots of 250 ms, none of which a machine that is busy elsewhere leaves out."""
    own = asked_looks()["fetch_latency"]
    made = own.model_copy(update={"slot_ms": own.slot_ms.model_copy(update={"value": 250.0})})
    monkeypatch.setattr(sweep_looks, "asked_looks", lambda: {"fetch_latency": made})
    monkeypatch.setattr(Taken, "wait", lambda taken, slot: max(0.0, taken.begun + slot * 0.25 - time.monotonic()))
    monkeypatch.setattr(broker_look, "READ_S", 10.0)
    monkeypatch.setattr(leader_reads, "READ_S", 10.0)
