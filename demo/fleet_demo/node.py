"""In goes the description of one process of a cluster; out come its configuration and its Java command line."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fleet_demo.artifacts import java_program, jolokia_agent
from fleet_demo.processes import LOOPBACK

LOG_SETTINGS = Path(__file__).parent / "logging"
# what the documentation gives to owners: every sweep of a demonstration or a live test passes through it
POLICY = Path(__file__).resolve().parents[2] / "docs" / "jolokia-access.xml"
# One idle Kafka JVM per core is already much for a laptop: the serial collector and the first compiler alone halve what
# a broker costs, and demonstrations need seconds of real behaviour, not throughput.
FRUGAL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Djava.net.preferIPv4Stack=true")


@dataclass
class Node:
    """A broker, controller or ZooKeeper process: its id, roles, rack, ports, folder, address and agent's settings."""

    id: int
    roles: tuple[str, ...]
    rack: str | None
    folder: Path = field(default_factory=Path)
    port: int = 0
    controller_port: int = 0
    jolokia_port: int = 0
    process: subprocess.Popen[bytes] | None = None
    host: str = LOOPBACK
    agent: Mapping[str, object] = field(default_factory=dict)
    started_at: int = 0  # bytes of the log that are of earlier starts

    @property
    def label(self) -> str:
        """A word for folders and messages, such as broker-1."""
        return f"{self.roles[0]}-{self.id}"

    @property
    def config(self) -> Path:
        """The properties file that the process reads."""
        return self.folder / "server.properties"

    @property
    def log(self) -> Path:
        """The file that takes everything the process prints, over all its starts."""
        return self.folder / "server.log"

    @property
    def agent_config(self) -> Path:
        """The properties file of its Jolokia agent, where it has settings of its own."""
        return self.folder / "jolokia.properties"

    @property
    def jolokia_url(self) -> str:
        """The address of the Jolokia agent inside the process."""
        return f"{self.agent.get('protocol', 'http')}://{self.host}:{self.jolokia_port}/jolokia"


def broker_properties(node: Node, nodes: Sequence[Node], zookeeper: Node | None) -> dict[str, object]:
    """Return the server.properties of a node among the nodes of its cluster, as key and value."""
    brokers = [other for other in nodes if "broker" in other.roles]
    copies = min(2, len(brokers))
    properties: dict[str, object] = {
        "log.dirs": node.folder / "data",
        "num.network.threads": 2,
        "num.io.threads": 4,
        "offsets.topic.num.partitions": 3,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.num.partitions": 2,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": 1,
        "default.replication.factor": copies,
        "group.initial.rebalance.delay.ms": 0,
        # The log cleaner's default buffer is 128 MB, taken from the heap at start.
        "log.cleaner.dedupe.buffer.size": 4 * 1024 * 1024,
    }
    if node.rack:
        properties["broker.rack"] = node.rack
    listeners = [f"PLAINTEXT://{node.host}:{node.port}"] if "broker" in node.roles else []
    if zookeeper:
        properties |= {"broker.id": node.id, "zookeeper.connect": f"{LOOPBACK}:{zookeeper.port}"}
    else:
        voters = [other for other in nodes if "controller" in other.roles]
        listeners += [f"CONTROLLER://{node.host}:{node.controller_port}"] if node in voters else []
        properties |= {
            "process.roles": ",".join(node.roles),
            "node.id": node.id,
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.quorum.voters": ",".join(f"{v.id}@{v.host}:{v.controller_port}" for v in voters),
        }
    properties["listeners"] = ",".join(listeners)
    if "broker" in node.roles:
        properties["advertised.listeners"] = listeners[0]
    return properties


def zookeeper_properties(node: Node) -> str:
    """Return the configuration of a stand-alone ZooKeeper without its HTTP admin server."""
    return (
        f"dataDir={node.folder / 'data'}\nclientPort={node.port}\nclientPortAddress={LOOPBACK}\n"
        "tickTime=2000\nmaxClientCnxns=0\nadmin.enableServer=false\n"
    )


def access_policy(node: Node, policy: Path = POLICY) -> Path:
    """The policy as it is; in a container without its address, since who may ask is its network's to say."""
    if node.host == LOOPBACK:
        return policy
    path = node.folder / policy.name
    path.write_text(re.sub(r"\s*<remote>.*?</remote>", "", policy.read_text(encoding="utf-8"), flags=re.DOTALL))
    return path


def jvm(
    jars: Path,
    node: Node | None,
    options: Sequence[str] = (),
    log_level: str = "INFO",
    policy: Path | None = POLICY,
) -> list[str]:
    """Return the Java command line of a node with its Jolokia agent, or (no node) the start of a tool's.

    Args:
        jars: the folder of the release, as kafka_jars() returns it.
        node: the process to run; for a tool, the caller appends the main class and its arguments.
        options: JVM options; later ones win.
        log_level: of the root logger.
        policy: the access policy of the agent; None for an agent that answers everything.
    """
    logging = [
        f"-Dlog4j.configuration={(LOG_SETTINGS / 'log4j.properties').as_uri()}",
        f"-Dlog4j2.configurationFile={(LOG_SETTINGS / 'log4j2.properties').as_uri()}",
        f"-Dfleet.log.level={log_level}",
    ]
    command = [java_program(), *FRUGAL, *logging]
    if node is None:
        return [*command, *options, "-cp", f"{jars}/*"]
    if "zookeeper" in node.roles:
        main = ["-Xmx64m", "-Dzookeeper.jmx.log4j.disable=true", "-cp", f"{jars}/*"]
        return [*command, *main, "org.apache.zookeeper.server.quorum.QuorumPeerMain", str(node.config)]
    # discoveryEnabled=false: otherwise the agent also answers multicast requests from the network.
    agent = f"-javaagent:{jolokia_agent(jars)}=host={node.host},port={node.jolokia_port},discoveryEnabled=false"
    agent += f",policyLocation={access_policy(node, policy).as_uri()}" if policy else ""
    agent += f",config={node.agent_config}" if node.agent else ""  # a file: a process list shows the command line
    options = ["-Dsun.net.httpserver.nodelay=true", *options, agent]
    return [*command, *options, "-cp", f"{jars}/*", "kafka.Kafka", str(node.config)]
