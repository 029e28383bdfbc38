"""The DAG files as Airflow reads them, in an Airflow home of their own: fixtures for the folders that want them."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
_SETTINGS = {
    "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
}
if "airflow" not in sys.modules:  # never the user's own Airflow: its home is read at the first import
    os.environ.update(_SETTINGS, AIRFLOW_HOME=tempfile.mkdtemp(prefix="airflow-"))
    atexit.register(shutil.rmtree, os.environ["AIRFLOW_HOME"], ignore_errors=True)
    os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] = f"sqlite:///{os.environ['AIRFLOW_HOME']}/airflow.db"

FLEET = """
version: 1
clusters:
  - id: dead-one
    environment: development
    owners: [a@example.org]
    bootstrap_servers: ["127.0.0.1:9"]
    kafka_connection: no_such_connection
    jolokia: {brokers: {1: "http://127.0.0.1:9/jolokia"}}
  - {id: broken, environment: nowhere}
"""

Program = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def python() -> Program:
    """Runs Python with the given arguments in that Airflow home."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **_SETTINGS}
        return subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300
        )

    return run


@pytest.fixture(scope="session")
def bag() -> Any:
    """The DAG files, parsed."""
    from airflow.dag_processing.dagbag import DagBag  # two seconds, which only the worker of these tests pays

    begin = time.perf_counter()
    found = DagBag(str(ROOT / "dags"))
    print(f"the DAG files parsed in {time.perf_counter() - begin:.3f} s")
    for stat in found.dagbag_stats:
        print(f"  {stat.file}: {stat.duration.total_seconds():.3f} s")
    return found


@pytest.fixture
def fleet_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Home of a fleet of one dead cluster and one broken entry."""
    (tmp_path / "fleet.yaml").write_text(FLEET)
    monkeypatch.setenv("KAFKA_FLEET_FILE", str(tmp_path / "fleet.yaml"))
    monkeypatch.setenv("KAFKA_FLEET_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
