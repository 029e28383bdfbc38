"""In goes a running cluster and a topic; out come real producers and consumers, of its own or another Kafka release.

Producers and consumers are the programs that Kafka itself ships, each a process of its own: what the broker measures of
them (software name and version, fetch waits, retries) is what it would measure of a real client of that release.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from fleet_demo.artifacts import has_tools, kafka_jars, release_tuple
from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.node import jvm
from fleet_demo.processes import end, spawn, tail
from fleet_demo.topics import create_topic

__all__ = ["Client", "Consumer", "ConsumerCrowd", "Producer", "create_topic"]

PACKAGE_ROOT = Path(__file__).resolve().parents[1]
_SENT = re.compile(rb"^(\d+) records sent,", re.MULTILINE)


class Client:
    """A client process with a folder of its own, for configuration and logs, inside the cluster's folder."""

    def __init__(self, cluster: Cluster, kind: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=cluster.workdir))
        self.log, self.out = self.folder / "client.log", self.folder / "client.out"

    def write_config(self, properties: Mapping[str, object]) -> str:
        """The path of a file with these properties."""
        path = self.folder / "client.properties"
        path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        return str(path)

    def start(self, command: list[str], env: Mapping[str, str] | None = None) -> None:
        """Run its command."""
        self._process = spawn(command, self.log, self.out, env)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is still there; when it is not, tail(self.log) tells why."""
        return self._process.poll() is None

    def stop(self, grace_seconds: float = 10.0) -> None:
        """Ask the client to end (it leaves its group, flushes), kill it after the grace; 0 kills at once."""
        end(self._process, grace_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


LAST_TOOLS = "4.1.1"  # clients for clusters whose own release publishes none


def _client_jars(cluster: Cluster, release: str | None) -> Path:
    wanted = release or cluster.release
    return kafka_jars(wanted if has_tools(wanted) else LAST_TOOLS)


class Producer(Client):
    """A ProducerPerformance process that sends keyless records of random letters until it is stopped.

    Args:
        cluster, topic: where to.
        records_per_second: throttle; -1 for none.
        record_bytes: size of each record's value.
        properties: producer configuration, such as {"linger.ms": 0, "acks": "all"}.
        release: of the client; the cluster's own when absent.
        options: further options of its JVM, such as a Java agent.
    """

    def __init__(
        self,
        cluster: Cluster,
        topic: str,
        records_per_second: int,
        record_bytes: int = 100,
        properties: Mapping[str, object] | None = None,
        release: str | None = None,
        heap_mb: int = 64,
        options: Sequence[str] = (),
    ) -> None:
        jars = _client_jars(cluster, release)
        super().__init__(cluster, "producer")
        config = self.write_config({"bootstrap.servers": cluster.bootstrap, **(properties or {})})
        # A billion records: for ever at any rate used here, and small enough for the tool's own statistics.
        command = jvm(jars, None, [f"-Xmx{heap_mb}m", *options], "WARN")
        command += ["org.apache.kafka.tools.ProducerPerformance"]
        command += ["--topic", topic, "--num-records", "1000000000", "--record-size", str(record_bytes)]
        command += ["--throughput", str(records_per_second), "--producer.config", config]
        self.start(command)

    @property
    def records_sent(self) -> int:
        """Records sent so far, as the tool reports them every five seconds."""
        return sum(int(count) for count in _SENT.findall(self.out.read_bytes()))


class Consumer(Client):
    """A ConsoleConsumer process that reads a topic until it is stopped; its records are the lines of self.out.

    Args:
        cluster, topic: where from.
        group: group id; without one the tool makes one up (console-consumer-N) and does not commit.
        rack: client.rack, for reads from the closest replica (client and broker from 2.4 on).
        properties: consumer configuration.
        release: of the client; the cluster's own when absent.
    """

    def __init__(
        self,
        cluster: Cluster,
        topic: str,
        group: str | None = None,
        rack: str | None = None,
        properties: Mapping[str, object] | None = None,
        release: str | None = None,
        heap_mb: int = 64,
    ) -> None:
        jars = _client_jars(cluster, release)
        settings = {"group.id": group, "client.rack": rack}
        wanted = {key: value for key, value in settings.items() if value is not None} | dict(properties or {})
        super().__init__(cluster, "consumer")
        config = self.write_config(wanted)
        moved = release_tuple(release or cluster.release) >= (3, 8, 0)  # rewritten in Java and moved to the tools jar
        main = "org.apache.kafka.tools.consumer.ConsoleConsumer" if moved else "kafka.tools.ConsoleConsumer"
        command = [*jvm(jars, None, [f"-Xmx{heap_mb}m"], "WARN"), main, "--bootstrap-server", cluster.bootstrap]
        self.start([*command, "--topic", topic, "--consumer.config", config])

    @property
    def records_read(self) -> int:
        """Records read so far."""
        return self.out.read_bytes().count(b"\n")


class ConsumerCrowd(Client):
    """Many consumer groups in one small Python process, each with a fetch open all the time; see crowd.py.

    They are started one after the other; `wait` returns when every group has its partitions. Threads of one Python
    process share one core: beyond some ten groups, take another process.
    """

    def __init__(self, cluster: Cluster, topic: str, groups: int = 10, prefix: str = "crowd") -> None:
        super().__init__(cluster, "crowd")
        self._about = f"{groups} groups did not all start on {cluster.name}"
        script = [sys.executable, "-m", "fleet_demo.crowd", cluster.bootstrap, topic, prefix, str(groups)]
        self.start(script, {"PYTHONPATH": str(PACKAGE_ROOT)})

    def wait(self, seconds: float = 600.0) -> None:
        """Return when all groups read; ClusterError when they do not in time."""
        deadline = time.monotonic() + seconds
        while b"ready" not in self.out.read_bytes():
            if not self.running or time.monotonic() > deadline:
                raise ClusterError(f"{self._about}:\n{tail(self.log)}")
            time.sleep(0.2)
