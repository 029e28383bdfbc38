"""What clients and remote storage cost brokers: takes a home, lands sweeps of brokers that are well, then are not.

"within282"  2.8.2: a producer within its quota, and readers of today
"beyond282"  the same brokers: the quota is a tenth of what the producer sends to broker 1, and a client reads `old`,
             which broker 2 leads, by Fetch requests of version 3, which this release does not count (KAFKA-14295)
"tiered391"  3.9.1: closed segments of two topics get their remote copies, and clients are of today
"behind391"  the same broker: remote storage takes no more copies of one topic, and a client reads `old` in that way

Entries have thresholds of seconds and of a megabyte, since sweeps are seconds apart.
"""

import socket
import struct
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.load import Consumer, Producer
from fleet_demo.node import jvm
from fleet_demo.topics import create_topic
from support.live import scenarios, tiered
from support.live.old_clients import FETCH, Request, asked
from support.live.scenarios import avoid_midnight, beside, spaced

WITHIN, BEYOND, TIERED, BEHIND = "within282", "beyond282", "tiered391", "behind391"
QUOTED, OLD, COPIED, REFUSED = "quoted", "old", "copied", "refused"
CLIENT = "greedy"
SENT_PER_S, RECORD_BYTES = 100, 1000
SWEEPS, EVERY_S = 4, 3.0
THRESHOLDS = {
    "clients_throttled": {"min_hours": 0.001},
    "remote_copies_behind": {"min_hours": 0.001, "min_gb": 0.002, "min_behind_s": 10},
}  # fmt: skip
SEGMENT = 1_048_576  # bytes, the least that 3.9 takes
LOCAL = {"remote.storage.enable": "true", "segment.bytes": SEGMENT, "local.retention.ms": 1000, "retention.ms": -1}


def _sweeps(cluster: Cluster, home: Path, name: str) -> None:
    spaced(SWEEPS, EVERY_S, lambda: scenarios.sweep(cluster, home, name, thresholds=THRESHOLDS))


def _limit(cluster: Cluster, bytes_per_s: int) -> None:
    """What the client may send to each broker a second. Raises ClusterError with the words of Kafka's own tool."""
    command = [*jvm(cluster.jars, None, ["-Xmx64m"], "WARN"), "kafka.admin.ConfigCommand", "--alter"]
    command += ["--bootstrap-server", cluster.bootstrap, "--entity-type", "clients", "--entity-name", CLIENT]
    command += ["--add-config", f"producer_byte_rate={bytes_per_s}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise ClusterError(f"{cluster.name}: no quota for {CLIENT}:\n{done.stdout}{done.stderr}")


@contextmanager
def _old_reader(cluster: Cluster, broker: int, topic: str) -> Iterator[None]:
    """Somebody who reads the beginning of partition 0 by Fetch requests of 0.10, some five times a second."""
    name = topic.encode()
    body = struct.pack(f">iiiiih{len(name)}s", -1, 100, 1, 1_000_000, 1, len(name), name)
    body += struct.pack(">iiqi", 1, 0, 0, 1_000_000)
    address = "127.0.0.1", cluster.nodes[broker].port
    with socket.create_connection(address, 30) as line, beside(lambda: asked(line, Request(FETCH, 3, body)), 0.2):
        yield


def limited(home: Path) -> None:
    """Quotas and formats; some 60 s."""
    with Cluster("usage282", "2.8.2", brokers=2, racks=(), mode="zookeeper") as cluster:
        create_topic(cluster, QUOTED, replica_assignment={0: [1]})
        create_topic(cluster, OLD, replica_assignment={0: [2]})
        _limit(cluster, 20 * SENT_PER_S * RECORD_BYTES)
        sending = {"client.id": CLIENT, "linger.ms": 0}
        with ExitStack() as clients:
            for topic in (QUOTED, OLD):
                clients.enter_context(Producer(cluster, topic, SENT_PER_S, RECORD_BYTES, sending))
                clients.enter_context(Consumer(cluster, topic, group=f"of-{topic}"))
            _sweeps(cluster, home, WITHIN)
        _limit(cluster, SENT_PER_S * RECORD_BYTES // 10)
        with Producer(cluster, QUOTED, SENT_PER_S, RECORD_BYTES, sending), _old_reader(cluster, 2, OLD):
            _sweeps(cluster, home, BEYOND)


def copied(home: Path) -> None:
    """Remote copies; some 40 s."""
    folder = home / "remote"
    folder.mkdir()
    with Cluster("usage391", tiered.RELEASE, brokers=1, racks=(), broker_config=tiered.settings(folder)) as cluster:
        for topic in (COPIED, REFUSED):
            create_topic(cluster, topic, replica_assignment={0: [1]}, config=LOCAL)
        create_topic(cluster, OLD, replica_assignment={0: [1]})
        with ExitStack() as clients:
            for topic in (COPIED, REFUSED, OLD):
                clients.enter_context(Producer(cluster, topic, 500, RECORD_BYTES))
            scenarios.await_that("both topics have a remote copy", lambda: len(tiered.copies(folder)) == 2)
            _sweeps(cluster, home, TIERED)
            tiered.refuse(folder, REFUSED)
            with _old_reader(cluster, 1, OLD):
                _sweeps(cluster, home, BEHIND)


def run(home: Path) -> None:
    """Both side by side. Raises what the first of them raises."""
    avoid_midnight(240)
    with ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(limited, home), pool.submit(copied, home)]:
            one.result()
