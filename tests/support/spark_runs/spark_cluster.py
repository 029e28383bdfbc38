"""A Spark standalone cluster from the pyspark package, on loopback or on hosts of a network: gives its address.

Its settings are those of spark/conf, a secret, and what makes a small day quick; its own record says who did what.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark

from fleet_demo.artifacts import java_program
from fleet_demo.processes import end, free_port, spawn
from support.spark_runs.network_hosts import Host

SHIPPED = Path(__file__).resolve().parents[3] / "spark/conf/spark-defaults.conf"
SPARK_HOME = Path(pyspark.__file__).parent
NO_PYTHON = "/nowhere/python"  # what executors would start for Python code: a job that needs it fails


class Cluster:
    """One master, two workers of one core each; the workers' folders are `worker1` and `worker2` below `folder`.

    The settings, with the secret in them, are in a folder of their own.
    """

    def __init__(self, folder: Path, settings: Path, master: Host, workers: Sequence[Host]) -> None:
        self.folder, self.port, self.master, self.workers = folder, free_port(), master, workers
        self.events, self.settings = folder / "events", settings
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        for made in (self.events, self.settings):
            made.mkdir(parents=True)

    @property
    def url(self) -> str:
        """What spark-submit is given as the master."""
        return f"spark://{self.master.address}:{self.port}"

    def configure(self, secret: str, jars: list[Path]) -> None:
        """Write the spark-defaults.conf that a site would have."""
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m"
        settings = {
            "spark.authenticate.secret": secret,
            "spark.jars": ",".join(map(str, jars)),
            "spark.cores.max": "2",
            "spark.executor.cores": "1",
            "spark.executor.memory": "700m",
            "spark.executor.extraJavaOptions": quick,
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
            "spark.pyspark.python": NO_PYTHON,
            "spark.pyspark.driver.python": sys.executable,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.sql.maxPlanStringLength": "200",  # what the events are asked for is who ran the tasks
        }
        lines = "".join(f"{name} {value}\n" for name, value in settings.items())
        (self.settings / "spark-defaults.conf").write_text(SHIPPED.read_text() + lines)

    def recorded(self) -> list[dict[str, Any]]:
        """Events of all jobs of the cluster, as Spark itself wrote them down."""
        logs = [path for path in self.events.iterdir() if not path.name.startswith(".")]
        return [json.loads(line) for path in logs for line in path.read_text().splitlines()]

    def executors(self) -> dict[str, list[Path]]:
        """Folders of the executors that each worker ran, by the worker's name."""
        return {name: sorted((self.folder / name).glob("app-*/*")) for name in ("worker1", "worker2")}

    def answers(self) -> bool:
        """Whether the master has its port."""
        return "Starting Spark master at" in (self.folder / "master.log").read_text()

    def registered(self) -> bool:
        """Whether both workers have found the master."""
        return all("Successfully registered" in (self.folder / f"worker{n}.log").read_text() for n in (1, 2))


def _wait(done: Callable[[], bool], what: str, seconds: float = 300) -> None:
    begin = time.monotonic()
    while not done():
        assert time.monotonic() - begin < seconds, f"{what}: not after {seconds:.0f} s"
        time.sleep(0.2)


@contextmanager
def spark_cluster(
    folder: Path, settings: Path, master: Host, workers: Sequence[Host], secret: str, jars: Sequence[Path] = (),
    without: str = "",
) -> Iterator[Cluster]:  # fmt: skip
    """The cluster for the length of the block. Its processes have none of this one's environment.

    without: the worker (`worker2`) on a host of its own that has another folder than the others at `folder`/shared.
    """
    cluster = Cluster(folder, settings, master, workers)
    cluster.configure(secret, list(jars))
    known = {
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_CONF_DIR": str(cluster.settings),
        "JAVA_HOME": str(Path(java_program()).resolve().parents[1]),
        "PATH": os.defpath,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }

    def start(name: str, host: Host, kind: str, *words: str) -> None:
        given = {**known, "SPARK_LOCAL_IP": host.address}
        command = ["env", "-i", "-C", "/", *(f"{key}={value}" for key, value in given.items())]
        if name == without:  # a namespace's mounts are its own
            other = f'mkdir -p {folder}/shared && mount -t tmpfs tmpfs {folder}/shared && exec "$@"'
            command += ["sh", "-c", other, name]
        command += [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        command += ["--host", host.address, "--webui-port", str(free_port()), *words]
        cluster.processes[name] = spawn(host.runs(command), folder / f"{name}.log")

    try:
        start("master", master, "master.Master", "--port", str(cluster.port))
        _wait(cluster.answers, "the master")
        for number, host in enumerate(workers, 1):
            words = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"worker{number}"), cluster.url]
            start(f"worker{number}", host, "worker.Worker", *words)
        _wait(cluster.registered, "two workers")
        yield cluster
    finally:
        for process in reversed(cluster.processes.values()):
            end(process)
