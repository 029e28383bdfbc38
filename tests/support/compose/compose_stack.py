"""docker-compose.yml without containers: its services as processes on loopback, with its commands and its environment.

What is exchanged is what a container engine would give: host names become 127.0.0.1 with ports that are free, folders
of the image and volumes become the test's. PostgreSQL, Spark's master and worker and the mail server are real ones.
"""

import base64
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from fleet_demo.airflow_run import CONFIG
from fleet_demo.artifacts import java_program
from fleet_demo.processes import LOOPBACK, end, free_port, spawn, tail
from kafka_fleet.base.driver_jvm import SMALL_DAY_JVM
from support.airflow_runs.airflow_home import WAITS, AirflowHome, Standalone, guarded
from support.compose import compose_file
from support.compose.compose_file import ROOT
from support.servers.postgres_server import postgres_server, with_database
from support.spark_runs.network_hosts import Host

# the test's day is over soon
QUICK = "spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=256m\n"
PARTS = ("airflow-apiserver", "airflow-scheduler", "airflow-dag-processor", "airflow-triggerer")


class ComposeHome(AirflowHome):
    """The Airflow of docker-compose.yml; the stored days are in `home`. Made by `compose_stack`."""

    def __init__(self, folder: Path, fleet: dict[str, Any], smtp_port: int, postgres_port: int, given: dict[str, str]):
        self.folder, self.home, self.fleet_file = folder, folder / "home", folder / "etc/fleet.yaml"
        self.place, self.given, self.host = folder / "airflow", given, Host()
        for made in ("home", "etc", "airflow/logs", "airflow/secrets", "airflow/spark"):
            (folder / made).mkdir(parents=True)
        self.fleet_file.write_text(yaml.safe_dump(fleet))
        self.api_port, self.health_port, self.master_port, self.master_page, self.worker_page = (
            free_port() for _ in range(5)
        )
        self.postgres_port = postgres_port
        exchanged = {
            "@postgres/airflow": f"@{LOOPBACK}:{postgres_port}/airflow",
            '"host": "mailpit", "port": 1025': f'"host": "{LOOPBACK}", "port": {smtp_port}',
            "http://airflow-apiserver:8080/": f"http://{LOOPBACK}:{self.api_port}/",
            "http://127.0.0.1:8080/": f"http://{LOOPBACK}:{self.api_port}/",
            "http://127.0.0.1:8974/": f"http://{LOOPBACK}:{self.health_port}/",
            '"spark://spark-master", "port": 7077': f'"spark://{LOOPBACK}", "port": {self.master_port}',
            "spark://spark-master:7077": f"spark://{LOOPBACK}:{self.master_port}",
            "http://spark-master:8080/": f"http://{LOOPBACK}:{self.master_page}/",
            "http://spark-worker:8081/": f"http://{LOOPBACK}:{self.worker_page}/",
            "/tmp/spark": str(folder / "spark-work"),
            "/opt/airflow": str(self.place),
            "/opt/kafka-fleet": str(ROOT),
            "/etc/kafka-fleet": str(folder / "etc"),
            "/var/lib/kafka-fleet": str(self.home),
        }
        image = dict(re.findall(r"^(?:ENV|   ) (\w+)=(\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
        seen: set[str] = set()
        self.services: dict[str, Any] = _exchange(compose_file.load(given)["services"], exchanged, seen)
        self.image: dict[str, str] = _exchange(image, exchanged, seen)
        assert seen == set(exchanged), f"docker-compose.yml has no {set(exchanged) - seen}"
        self.more: dict[str, str] = {}  # a test's own settings, for all services
        self.cluster: list[Standalone] = []

    @property
    def environment(self) -> dict[str, str]:
        """That of commands by hand."""
        return self.environment_of("airflow-apiserver")

    def environment_of(self, service: str) -> dict[str, str]:
        """What a container of that service would have, and what loopback instead of containers asks for."""
        own = {name: str(value) for name, value in self.services[service].get("environment", {}).items()}
        here = {
            "AIRFLOW__API__HOST": LOOPBACK,
            "AIRFLOW__API__PORT": str(self.api_port),
            "AIRFLOW__API__BASE_URL": f"http://{LOOPBACK}:{self.api_port}",
            "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_SERVER_HOST": LOOPBACK,
            "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_SERVER_PORT": str(self.health_port),
            "JAVA_HOME": str(Path(java_program()).resolve().parents[1]),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_SUBMIT_OPTS": SMALL_DAY_JVM,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "PYTHONPATH": os.pathsep.join(map(str, (CONFIG, ROOT / "plugins", ROOT / "spark"))),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.defpath]),
            "HOME": str(self.folder),
            "HOSTNAME": socket.gethostname(),
        }
        if "SPARK_LOCAL_HOSTNAME" in own:
            own["SPARK_LOCAL_HOSTNAME"] = LOOPBACK
        return {**self.image, **own, **here, **WAITS, **self.more}

    def command_of(self, service: str) -> list[str]:
        """Its command line; its own host name is 127.0.0.1 here, and the ports are this test's."""
        ports = {"7077": self.master_port, "8080": self.master_page, "8081": self.worker_page}
        return [
            LOOPBACK if word == service else str(ports.get(word, word)) for word in self.services[service]["command"]
        ]

    def healthy(self, service: str) -> subprocess.CompletedProcess[str]:
        """Run its health check."""
        kind, *words = self.services[service]["healthcheck"]["test"]
        command = words if kind == "CMD" else ["sh", "-c", *words]
        environment = self.environment_of(service)
        command[0] = shutil.which(command[0], path=environment["PATH"]) or command[0]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)

    @property
    def passwords(self) -> dict[str, str]:
        """Of the users of the UI."""
        found: dict[str, str] = json.loads(
            Path(self.environment_of("airflow-init")["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"]).read_text()
        )
        return found

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        password = self.given["POSTGRES_PASSWORD"]
        return with_database(self.postgres_port, password, "airflow", query.replace("?", "%s"), *values)

    def initialise(self) -> None:
        """Run airflow-init."""
        done = subprocess.run(
            self.services["airflow-init"]["command"], env=self.environment_of("airflow-init"), capture_output=True,
            text=True, check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        with (self.place / "spark/spark-defaults.conf").open("a") as settings:
            settings.write(QUICK)

    @contextmanager
    def spark(self) -> Iterator[None]:
        """Master and worker for the length of the block, once their health checks pass."""
        started = []
        try:
            for service in ("spark-master", "spark-worker"):
                bare = ["env", "-i", "-C", "/", *(f"{k}={v}" for k, v in self.environment_of(service).items())]
                log = self.folder / f"{service}.log"
                process = spawn([*bare, *self.command_of(service)], log)
                started.append(process)
                self.cluster.append(Standalone(process))
                begin = time.monotonic()
                while (checked := self.healthy(service)).returncode != 0:
                    assert process.poll() is None, f"{service} has ended:\n{tail(log)}"
                    assert time.monotonic() - begin < 180, f"{service}: {checked.stderr[-1000:]}\n{tail(log)}"
                    time.sleep(0.5)
            yield
        finally:
            for process in reversed(started):
                end(process)

    @contextmanager
    def standalone(self) -> Iterator[Standalone]:
        """The services of Airflow, each a process of one session; nothing of it is left behind."""
        specification = [
            {
                "command": self.command_of(part),
                "environment": self.environment_of(part),
                "log": str(self.folder / f"{part}.log"),
            }
            for part in PARTS
        ]
        path = self.folder / "services.json"  # it holds secrets: whoever reads it removes it
        path.touch(mode=0o600)
        path.write_text(json.dumps(specification))
        found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with guarded([sys.executable, __file__, str(path)], found, self.folder / "services.log") as running:
            running.wait(self.answers, "the API server")
            yield running

    def answers(self) -> bool:
        """Whether the API server's health check passes."""
        return self.healthy("airflow-apiserver").returncode == 0


@contextmanager
def compose_stack(folder: Path, fleet: dict[str, Any], smtp_port: int) -> Iterator[ComposeHome]:
    """Database, Spark cluster and an initialised Airflow for the length of the block; `standalone` starts its parts."""
    given = {name: f"canary{secrets.token_hex(12)}" for name in compose_file.variables()}
    given["AIRFLOW_FERNET_KEY"] = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    with ExitStack() as running:
        port = running.enter_context(postgres_server(folder, given["POSTGRES_PASSWORD"]))
        stack = ComposeHome(folder, fleet, smtp_port, port, given)
        stack.initialise()
        running.enter_context(stack.spark())
        yield stack


def _exchange(node: Any, words: dict[str, str], seen: set[str]) -> Any:
    """The same with every word exchanged in every text; notes in `seen` which ones there were."""
    if isinstance(node, dict):
        return {key: _exchange(value, words, seen) for key, value in node.items()}
    if isinstance(node, list):
        return [_exchange(value, words, seen) for value in node]
    if isinstance(node, str):
        for old, new in words.items():
            if old in node:
                seen.add(old)
                node = node.replace(old, new)
    return node


def _serve(specification: list[dict[str, Any]]) -> int:
    """Start every part and wait for the first that ends."""
    started = []
    for part in specification:
        with Path(part["log"]).open("ab") as log:
            started.append(
                subprocess.Popen(
                    part["command"], env=part["environment"], stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
            )
    while all(process.poll() is None for process in started):
        time.sleep(0.2)
    return 1


if __name__ == "__main__":
    given_path = Path(sys.argv[1])
    parts = json.loads(given_path.read_text())
    given_path.unlink()
    sys.exit(_serve(parts))
