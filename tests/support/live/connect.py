"""Kafka Connect beside a healthy cluster, both of 4.1.1: takes a home, lands sweeps.

"connect411"  two distributed workers copy the lines of a file to a topic, through a transformation, and from there to
              another file. One worker is stopped in an orderly way, its tasks wait for it and move to the other one
              (KIP-415), and it is started again: the tasks are spread anew. Beside them "orders" is written and read

The workers' offsets, configurations and states are in compacted topics, which each worker reads without a group.
Entries have thresholds of seconds, since sweeps are seconds apart.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import requests

from fleet_demo.cluster import Cluster
from fleet_demo.load import Client, Consumer, Producer
from fleet_demo.node import jvm
from fleet_demo.processes import LOOPBACK, free_port
from fleet_demo.topics import create_topic
from support.live import scenarios
from support.live.further_jars import CONNECT, class_path
from support.live.scenarios import avoid_midnight, await_that, beside, spaced

NAME, RELEASE, TOPIC = "connect411", "4.1.1", "copied-lines"
WORKERS, SINK = "connect-cluster", "connect-lines-sink"  # groups: of the workers, and of the sink's tasks
INTERNAL = ("connect-configs", "connect-offsets", "connect-status")
RESULT = f"{NAME}.json"  # in the home: what became of the tasks
LINES_PER_S, DELAY_MS = 20, 8_000
SWEEPS, EVERY_S = 4, 4.0
TASKS = 4
THRESHOLDS = {
    "rebalance_storm": {
        "min_stuck_s": 10, "min_unsure_s": 15, "min_unsynced_s": 20, "min_busy_s": 30,
        "max_rebalances_per_hour": 30 * 300_000 / DELAY_MS,  # everything happens as many times as fast
    },
    "availability": {"min_s": 4, "min_steady_s": 6},
    "handler_saturation": {"warm_up_s": 0, "min_busy_s": 10, "min_stuck_s": 10},
    "isr_stagnation": {"min_frozen_s": 10},
    "coordinator_down": {"min_lasting_s": 10, "min_failed_s": 10},
}  # fmt: skip
FILE = "org.apache.kafka.connect.file.FileStream"
CONNECTORS: dict[str, dict[str, object]] = {
    "lines-source": {
        "connector.class": f"{FILE}SourceConnector", "topic": TOPIC, "transforms": "wrap",
        "transforms.wrap.type": "org.apache.kafka.connect.transforms.HoistField$Value", "transforms.wrap.field": "line",
    },
    "lines-sink": {"connector.class": f"{FILE}SinkConnector", "topics": TOPIC, "tasks.max": TASKS - 1},
}  # fmt: skip
STORAGES = {
    f"{kind}.storage.{key}": value
    for kind, topic in zip(("config", "offset", "status"), INTERNAL, strict=True)
    for key, value in {"topic": topic, "replication.factor": 2, "partitions": 3}.items()
    if (kind, key) != ("config", "partitions")
}


class Worker(Client):
    """A distributed worker with a REST listener of its own."""

    def __init__(self, cluster: Cluster, number: int) -> None:
        super().__init__(cluster, f"worker-{number}")
        self.url = f"http://{LOOPBACK}:{free_port()}"
        json_without_schemas = {
            f"{side}.converter{key}": value
            for side in ("key", "value")
            for key, value in {"": "org.apache.kafka.connect.json.JsonConverter", ".schemas.enable": "false"}.items()
        }
        config = self.write_config({
            "bootstrap.servers": cluster.bootstrap, "group.id": WORKERS, "listeners": self.url,
            "scheduled.rebalance.max.delay.ms": DELAY_MS, "offset.flush.interval.ms": 2_000,
            "plugin.discovery": "service_load",  # a class path that is scanned takes a minute
            **STORAGES, **json_without_schemas,
        })  # fmt: skip
        command = [*jvm(cluster.jars, None, ["-Xmx128m"]), "-cp", class_path(RELEASE, CONNECT)]
        self.start([*command, "org.apache.kafka.connect.cli.ConnectDistributed", config])

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """What its REST API answers; None where it does not, or refuses during a rebalance."""
        try:
            answer = requests.request(method, f"{self.url}/{path}", json=body, timeout=10)
        except requests.RequestException:
            return None
        return answer.json() if answer.ok else None

    def places(self) -> dict[str, str]:
        """Which worker runs which task, of those that run."""
        found = {}
        for name in CONNECTORS:
            for task in (self.ask("GET", f"connectors/{name}/status") or {}).get("tasks", []):
                if task["state"] == "RUNNING":
                    found[f"{name}-{task['id']}"] = task["worker_id"]
        return found


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Lines are appended to a file, for the length of the block."""
    numbers = count()

    def write() -> None:
        with path.open("a") as file:
            print(f"line {next(numbers)}", file=file)

    with beside(write, 1 / LINES_PER_S):
        yield


def _sweeps(cluster: Cluster, home: Path) -> None:
    spaced(SWEEPS, EVERY_S, lambda: scenarios.sweep(cluster, home, thresholds=THRESHOLDS))


def _spread(worker: Worker, over: int) -> bool:
    found = worker.places()
    return len(found) == TASKS and len(set(found.values())) == over


def copying(cluster: Cluster, home: Path) -> None:
    """Two workers, one, and two again, with sweeps of each; where the tasks ran and how much was copied is kept."""
    source, sink = cluster.workdir / "lines.txt", cluster.workdir / "copied.txt"
    source.touch()
    seen = []

    def copied() -> int:
        return sink.read_bytes().count(b"\n") if sink.exists() else 0

    with written(source), Worker(cluster, 1) as first:
        await_that("the first worker answers", lambda: first.ask("GET", "connectors") is not None)
        for name, config in CONNECTORS.items():
            file = source if "source" in name else sink
            wanted = {**config, "file": str(file)}
            await_that(
                f"{name} is taken", lambda n=name, w=wanted: first.ask("PUT", f"connectors/{n}/config", w) is not None
            )
        for stops in (True, False):
            with Worker(cluster, 2):
                await_that("tasks on both workers", lambda: _spread(first, 2))
                before = copied()
                _sweeps(cluster, home)
                await_that("lines are copied", lambda b=before: copied() > b)
                seen.append(first.places())
            if stops:
                _sweeps(cluster, home)
                await_that("every task on one worker", lambda: _spread(first, 1))
                seen.append(first.places())
                _sweeps(cluster, home)
        (home / RESULT).write_text(json.dumps({"places": seen, "copied": copied()}))


def run(home: Path) -> None:
    """Start brokers and workers; two minutes. Raises ClusterError where one does not start."""
    avoid_midnight(300)
    with Cluster(NAME, RELEASE, racks=()) as cluster:
        create_topic(cluster, "orders", partitions=3)
        create_topic(cluster, TOPIC, partitions=TASKS - 1)
        with Producer(cluster, "orders", 20, properties={"batch.size": 500}), Consumer(cluster, "orders", "billing"):
            time.sleep(2)
            _sweeps(cluster, home)
            copying(cluster, home)
