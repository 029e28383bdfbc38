"""Airflow on this machine: takes a home, a fleet file and a mail port, runs the DAGs on SQLite and local Spark."""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fleet_demo.artifacts import java_program
from fleet_demo.processes import LOOPBACK, end, free_port, tail
from kafka_fleet.base.driver_jvm import SMALL_DAY_JVM

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "demo" / "airflow_config"  # airflow_local_settings.py: no log servers on every interface


class AirflowError(RuntimeError):
    """An Airflow command failed; the text ends with the tail of its log."""


class Airflow:
    """One AIRFLOW_HOME with everything set by environment, so that no file of the user's takes part."""

    def __init__(self, folder: Path, home: Path, fleet_file: Path, smtp_port: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.api_port = free_port()
        smtp = {"disable_ssl": True, "disable_tls": True, "from_email": "kafka-fleet-health@example.org"}
        settings = {
            "AIRFLOW_HOME": str(folder),
            "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__PARALLELISM": "4",
            "AIRFLOW__CORE__FERNET_KEY": "",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder}/airflow.db",
            "AIRFLOW__API__HOST": LOOPBACK,
            "AIRFLOW__API__PORT": str(self.api_port),
            "AIRFLOW__API__BASE_URL": f"http://{LOOPBACK}:{self.api_port}",
            "AIRFLOW__API__SECRET_KEY": secrets.token_hex(16),
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://{LOOPBACK}:{self.api_port}/execution/",
            "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[*]"}),
            "AIRFLOW_CONN_SMTP_DEFAULT": json.dumps(
                {"conn_type": "smtp", "host": LOOPBACK, "port": smtp_port, "extra": smtp}
            ),
            "KAFKA_FLEET_HOME": str(home),
            "KAFKA_FLEET_FILE": str(fleet_file),
            "SPARK_LOCAL_IP": LOOPBACK,
            "SPARK_SUBMIT_OPTS": SMALL_DAY_JVM,
            "JAVA_HOME": str(Path(java_program()).resolve().parents[1]),
            "PYTHONPATH": os.pathsep.join(str(path) for path in (CONFIG, *(ROOT / d for d in ("plugins", "spark")))),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
        self.environment = {**kept, **settings}

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "airflow", *words]

    def _call(self, log: Path, *words: str) -> int:
        with log.open("ab") as out:
            done = subprocess.run(
                self._command(*words), env=self.environment, stdout=out, stderr=subprocess.STDOUT, check=False
            )
        return done.returncode

    def migrate(self) -> None:
        """Make the metadata database."""
        log = self.folder / "migrate.log"
        if self._call(log, "db", "migrate") != 0:
            raise AirflowError(f"airflow db migrate failed:\n{tail(log)}")

    def test(self, dag: str, ds: str | None = None, conf: dict[str, Any] | None = None) -> None:
        """One run of a DAG in one process. Tasks that fail (an unreachable cluster) do not end it; its log has them."""
        log = self.folder / f"{dag}.log"
        words = ["dags", "test", dag, *([ds] if ds else [])]
        words += ["--conf", json.dumps(conf)] if conf else []
        self._call(log, *words)

    def standalone(self, say: Callable[[str], None]) -> None:
        """Airflow's UI, scheduler and the rest until interrupted."""
        log = self.folder / "standalone.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                self._command("standalone"),
                env=self.environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        say(f"Airflow's UI: http://{LOOPBACK}:{self.api_port}")
        say(f"its user and password: {self.folder}/simple_auth_manager_passwords.json.generated; its log: {log}")
        say("unpause fleet_collect there to go on measuring; Ctrl-C stops everything")
        try:
            process.wait()
        finally:
            os.killpg(process.pid, signal.SIGTERM)  # standalone's own children share its group
            end(process)
