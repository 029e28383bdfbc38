"""Runs of the DAGs with Airflow's database and without Spark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.airflow_runs.dag_files import Program, bag, fleet_home, python
from support.airflow_runs.dag_runs import Runs, smtp_default, without_waiting
from support.marks import marked
from support.servers.mail_server import Mailbox

pytest_collection_modifyitems = marked(__file__, pytest.mark.xdist_group("dags"))


@pytest.fixture(scope="session")
def database(python: Program) -> None:
    """Airflow's metadata database."""
    assert python("-m", "airflow", "db", "migrate").returncode == 0


@pytest.fixture
def run(
    database: None,
    bag: Any,
    fleet_home: Path,
    box: Mailbox,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Runs]:
    """Runs of fleet_health on the sample day of two clusters; `box` says how the mail server answers."""
    dag = bag.dags["fleet_health"]
    without_waiting(dag, monkeypatch)
    with smtp_default(box, monkeypatch):
        yield Runs(dag, fleet_home, box, caplog, monkeypatch)
