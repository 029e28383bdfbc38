"""A Spark standalone cluster on loopback, from the pyspark package: gives its address, and what its workers did."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from fleet_demo.artifacts import java_program
from fleet_demo.processes import LOOPBACK, end, free_port, spawn

SPARK_HOME = Path(pyspark.__file__).parent
NO_PYTHON = "/nowhere/python"  # what executors would start for Python code: a job that needs it fails


class Cluster:
    """One master, two workers of one core each; the workers' folders are `worker1` and `worker2` below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.events, self.settings = folder / "events", folder / "conf"
        for made in (self.events, self.settings):
            made.mkdir(parents=True)

    @property
    def url(self) -> str:
        """What spark-submit is given as the master."""
        return f"spark://{LOOPBACK}:{self.port}"

    def configure(self, python: str, jars: list[Path]) -> None:
        """Write the spark-defaults.conf that a site would have."""
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m"
        settings = {
            "spark.jars": ",".join(map(str, jars)),
            "spark.cores.max": "2",
            "spark.executor.cores": "1",
            "spark.executor.memory": "700m",
            "spark.executor.extraJavaOptions": quick,
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
            "spark.pyspark.python": NO_PYTHON,
            "spark.pyspark.driver.python": python,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self.events.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.sql.maxPlanStringLength": "200",  # what the events are asked for is who ran the tasks
        }
        lines = "".join(f"{name} {value}\n" for name, value in settings.items())
        (self.settings / "spark-defaults.conf").write_text(lines)

    def executors(self) -> dict[str, list[Path]]:
        """Folders of the executors that each worker ran, by the worker's name."""
        return {name: sorted((self.folder / name).glob("app-*/*")) for name in ("worker1", "worker2")}

    def answers(self) -> bool:
        """Whether the master takes connections."""
        with socket.socket() as probe:
            return probe.connect_ex((LOOPBACK, self.port)) == 0

    def registered(self) -> bool:
        """Whether both workers have found the master."""
        return all("Successfully registered" in (self.folder / f"worker{n}.log").read_text() for n in (1, 2))


def _wait(done: Callable[[], bool], what: str, seconds: float = 300) -> None:
    begin = time.monotonic()
    while not done():
        assert time.monotonic() - begin < seconds, f"{what}: not after {seconds:.0f} s"
        time.sleep(0.2)


@contextmanager
def spark_cluster(folder: Path) -> Iterator[Cluster]:
    """The cluster for the length of the block. Its processes have none of this one's environment."""
    cluster = Cluster(folder)
    known = {
        "SPARK_HOME": str(SPARK_HOME),
        "JAVA_HOME": str(Path(java_program()).resolve().parents[1]),
        "PATH": os.defpath,
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    bare = ["env", "-i", "-C", "/", *(f"{name}={value}" for name, value in known.items())]
    program = [*bare, str(SPARK_HOME / "bin" / "spark-class"), "org.apache.spark.deploy.{0}"]
    started = []

    def start(log: str, kind: str, *words: str) -> None:
        command = [word.format(kind) for word in program]
        command += ["--host", LOOPBACK, "--webui-port", str(free_port()), *words]
        started.append(spawn(command, folder / log))

    try:
        start("master.log", "master.Master", "--port", str(cluster.port))
        _wait(cluster.answers, "the master")
        for name in ("worker1", "worker2"):
            words = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / name), cluster.url]
            start(f"{name}.log", "worker.Worker", *words)
        _wait(cluster.registered, "two workers")
        yield cluster
    finally:
        for process in reversed(started):
            end(process)
