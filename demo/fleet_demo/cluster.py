"""In goes a Kafka release and a number of brokers; out comes a cluster of real, running brokers on the loopback.

    with Cluster("orders", "3.3.1", broker_config={"log.retention.hours": 1}) as cluster:
        print(cluster.bootstrap, cluster.jolokia_urls)

Every broker carries a Jolokia agent that allows reads only, like the fleets that this project watches. Nothing listens
but on 127.0.0.1, or on the one address that `host` names.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from types import TracebackType
from typing import Any

from fleet_demo.artifacts import kafka_jars
from fleet_demo.node import POLICY, Node, broker_properties, jvm, zookeeper_properties
from fleet_demo.processes import LOOPBACK, end, free_port, spawn, tail
from fleet_demo.readiness import ClusterError, await_ready, read_jolokia, read_value

__all__ = ["CONTROLLER_ID", "Cluster", "ClusterError", "read_jolokia"]

CONTROLLER_ID = 100


class Cluster:
    """One Kafka cluster of real processes, brokers numbered from 1.

    Args:
        name: the cluster's id, as in the fleet file.
        release: an Apache Kafka release, "1.1.1" to "4.x".
        brokers: how many; broker i sits in rack racks[(i - 1) % len(racks)], no racks: none is set.
        mode: "kraft" (3.3 and later are production ready) or "zookeeper" (up to 3.9).
        controllers: KRaft only. "first": broker 1 is also the controller; "all": every broker is; "dedicated": a
            process of its own with node id 100, so that every broker can be killed.
        broker_config: server.properties of all brokers; broker_configs: of single ones, by id. These win over all else.
        workdir: where data and logs go; without one a temporary folder, removed at stop().
        heap_mb: of each broker. jvm_options: further JVM options of all brokers; node_options: of single ones, by id.
        host: what everything binds to and is advertised as. first_port: of its numbered ports; without one, free ones.
        agent: further settings of the Jolokia agents, kept in a file, such as {"protocol": "https", "user": ...}.
        policy: the access policy of their agents; None for agents that answer everything.
    """

    def __init__(
        self,
        name: str,
        release: str,
        brokers: int = 2,
        racks: Sequence[str] = ("a", "b"),
        mode: str = "kraft",
        controllers: str = "first",
        broker_config: Mapping[str, object] | None = None,
        broker_configs: Mapping[int, Mapping[str, object]] | None = None,
        workdir: Path | str | None = None,
        heap_mb: int = 224,
        jvm_options: Sequence[str] = (),
        node_options: Mapping[int, Sequence[str]] | None = None,
        artifacts: Path | None = None,
        start_seconds: float = 300.0,
        host: str = LOOPBACK,
        first_port: int | None = None,
        agent: Mapping[str, object] | None = None,
        policy: Path | None = POLICY,
    ) -> None:
        if mode not in ("kraft", "zookeeper") or controllers not in ("first", "all", "dedicated") or brokers < 1:
            raise ValueError("mode is kraft or zookeeper; controllers is first, all or dedicated; brokers at least 1")
        self.name, self.release, self.mode = name, release, mode
        self.jars = kafka_jars(release, artifacts)
        self._temporary = workdir is None
        self.workdir = Path(workdir) if workdir else Path(tempfile.mkdtemp(prefix=f"kafka-{name}-"))
        # Kafka's tools take an id that begins with "-" for an option; ids like these begin with a letter
        number = uuid.uuid4().bytes
        self.cluster_id = base64.urlsafe_b64encode(bytes([number[0] & 0x7F]) + number[1:]).decode().rstrip("=")
        self._policy = policy
        self._start_seconds, self._jvm = start_seconds, (f"-Xmx{heap_mb}m", *jvm_options)
        self._node_options = node_options or {}
        self.nodes = {
            i: Node(i, ("broker",), racks[(i - 1) % len(racks)] if racks else None) for i in range(1, brokers + 1)
        }
        if mode == "kraft":
            for node in self.nodes.values():
                if controllers == "all" or (controllers == "first" and node.id == 1):
                    node.roles = ("broker", "controller")
            if controllers == "dedicated":
                self.nodes[CONTROLLER_ID] = Node(CONTROLLER_ID, ("controller",), None)
        self.zookeeper = Node(0, ("zookeeper",), None) if mode == "zookeeper" else None
        numbered = count(first_port) if first_port else iter(free_port, None)
        for node in self._processes():
            node.folder = self.workdir / node.label
            node.folder.mkdir(parents=True, exist_ok=True)
            node.port, node.controller_port, node.jolokia_port = islice(numbered, 3)
            node.host, node.agent = host, dict(agent or {})
            if agent:
                node.agent_config.touch(mode=0o600)
                node.agent_config.write_text("".join(f"{key}={value}\n" for key, value in agent.items()))
        for node in self.nodes.values():
            extra = {**(broker_config or {}), **(broker_configs or {}).get(node.id, {})}
            properties = broker_properties(node, list(self.nodes.values()), self.zookeeper) | extra
            node.config.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))

    def _processes(self) -> list[Node]:
        return [*([self.zookeeper] if self.zookeeper else []), *self.nodes.values()]

    @property
    def broker_ids(self) -> list[int]:
        """The broker ids, without a dedicated controller."""
        return [node.id for node in self.nodes.values() if "broker" in node.roles]

    @property
    def bootstrap_servers(self) -> list[str]:
        """The brokers' "host:port" addresses, in the order of their ids, running or not."""
        return [f"{self.nodes[i].host}:{self.nodes[i].port}" for i in self.broker_ids]

    @property
    def bootstrap(self) -> str:
        """The same as one comma-separated string."""
        return ",".join(self.bootstrap_servers)

    @property
    def jolokia_urls(self) -> dict[int, str]:
        """The Jolokia address of each broker, by broker id."""
        return {i: self.nodes[i].jolokia_url for i in self.broker_ids}

    @property
    def controller_jolokia_urls(self) -> dict[int, str]:
        """The Jolokia address of a dedicated controller, by node id; empty when brokers are the controllers."""
        return {node.id: node.jolokia_url for node in self.nodes.values() if "broker" not in node.roles}

    @property
    def pids(self) -> dict[int, int]:
        """The process id of each running node, by node id."""
        return {
            node.id: node.process.pid for node in self.nodes.values() if node.process and node.process.poll() is None
        }

    @property
    def log_paths(self) -> dict[int, Path]:
        """The log file of each node, by node id."""
        return {node.id: node.log for node in self.nodes.values()}

    def start(self) -> Cluster:
        """Start everything and wait until every broker serves; ClusterError (after a clean stop) when one does not."""
        try:
            if self.zookeeper:
                self.zookeeper.config.write_text(zookeeper_properties(self.zookeeper))
                self._launch(self.zookeeper)
                self._await(self.zookeeper)
            else:
                self._format_storage()
            for node in self.nodes.values():
                self._launch(node)
            for node in self.nodes.values():
                self._await(node)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End every process (brokers in order, the controller and ZooKeeper last) and remove a temporary folder."""
        running = [node for node in self._processes() if node.process]
        for node in sorted(running, key=lambda node: ("zookeeper" in node.roles, "controller" in node.roles, node.id)):
            self._end(node, grace_seconds=5.0)
        if self._temporary:
            shutil.rmtree(self.workdir, ignore_errors=True)

    def stop_broker(self, broker_id: int, grace_seconds: float = 30.0) -> None:
        """Shut one broker down in an orderly way (SIGTERM, as an operator's restart does) and wait for its end."""
        self._end(self.nodes[broker_id], grace_seconds)

    def kill_broker(self, broker_id: int) -> None:
        """Kill one broker at once (SIGKILL, as the out-of-memory killer does)."""
        self._end(self.nodes[broker_id], 0.0)

    def start_broker(self, broker_id: int, wait: bool = True) -> None:
        """Start a stopped or killed broker again on its own data and ports, and wait until it serves."""
        node = self.nodes[broker_id]
        if node.process:
            raise ClusterError(f"broker {broker_id} of {self.name} is running already")
        self._launch(node)
        if wait:
            self._await(node)

    def jolokia(self, node_id: int, mbean: str, attribute: str | None = None) -> Any:
        """Return the value that Jolokia reads from an MBean (or pattern) of a node; LookupError when there is none."""
        return read_value(self.nodes[node_id].jolokia_url, mbean, attribute)

    def fleet_entry(self, **overrides: object) -> dict[str, object]:
        """Return this cluster's block of the fleet file; overrides replace or add top-level fields."""
        entry: dict[str, object] = {
            "id": self.name,
            "environment": "development",
            "owners": [f"{self.name}-oncall@example.org"],
            "bootstrap_servers": self.bootstrap_servers,
            "jolokia": {"brokers": self.jolokia_urls, "controllers": self.controller_jolokia_urls},
        }
        return entry | overrides

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _launch(self, node: Node) -> None:
        node.started_at = node.log.stat().st_size if node.log.exists() else 0
        options = [*self._jvm, *self._node_options.get(node.id, ())]
        node.process = spawn(jvm(self.jars, node, options, policy=self._policy), node.log)

    def _end(self, node: Node, grace_seconds: float) -> None:
        if node.process:
            end(node.process, grace_seconds)
            node.process = None

    def _format_options(self, _node: Node) -> list[str]:
        """Further options of `kafka-storage.sh format`; what a cluster of another kind begins with."""
        return []

    def _format_storage(self) -> None:
        tool = ["kafka.tools.StorageTool", "format", "--cluster-id", self.cluster_id]
        fresh = [node for node in self.nodes.values() if not (node.folder / "data" / "meta.properties").exists()]
        runs = [
            (
                node,
                spawn(
                    [*jvm(self.jars, None), *tool, *self._format_options(node), "--config", str(node.config)], node.log
                ),
            )
            for node in fresh
        ]
        try:
            for node, process in runs:
                if process.wait(self._start_seconds) != 0:
                    raise ClusterError(f"{self.name}: storage of node {node.id} cannot be formatted:\n{tail(node.log)}")
        finally:
            for _, process in runs:
                end(process, 0.0)

    def _await(self, node: Node) -> None:
        await_ready(node, f"{self.name} ({self.release})", self._start_seconds)
