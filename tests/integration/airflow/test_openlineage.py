"""A day with OpenLineage's provider in the Airflow: what it tells of the data, and what Spark is told of its parent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.airflow_runs.airflow_home import AirflowHome
from support.homes.stored_days import entries, store_day

pytestmark = [pytest.mark.timeout(1200), pytest.mark.sampled("openlineage")]
ROOT = Path(__file__).resolve().parents[3]
DAY = "2026-11-09"
CLUSTER = "follower331"
PROVIDER = "apache-airflow-providers-openlineage"


def provider_beside(folder: Path) -> Path:
    """The newest provider that goes with the locked packages, and what it needs besides them."""
    locked = [line.rstrip(" \\\n") for line in (ROOT / "requirements.lock").open() if line[:1].isalnum()]
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(locked))
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    planned = [*pip, "--dry-run", "--report", "-", "--constraint", str(constraints), PROVIDER]
    report = json.loads(subprocess.run(planned, capture_output=True, text=True, check=True).stdout)
    more = [f"{one['metadata']['name']}=={one['metadata']['version']}" for one in report["install"]]
    subprocess.run([*pip, "--no-deps", "--target", str(folder / "provider"), *more], check=True)
    return folder / "provider"


class Told(NamedTuple):
    """A judged day: its home, what was printed, and the events that OpenLineage's file transport wrote."""

    home: Path
    printed: str
    events: list[dict[str, Any]]

    def named(self, task: str, side: str) -> set[tuple[str, str]]:
        """Data that the last event of a task names as its inputs or outputs."""
        of_task = [one for one in self.events if one["job"]["name"] == f"fleet_health.{task}"]
        assert of_task[-1]["eventType"] == "COMPLETE"
        return {(one["namespace"], one["name"]) for one in of_task[-1][side]}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("openlineage")
    airflow = AirflowHome(folder, {"version": 1, "clusters": entries(CLUSTER)})
    written = folder / "events.json"
    transport = {"type": "file", "log_file_path": str(written), "append": True}
    airflow.environment |= {
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport),
        "PYTHONPATH": os.pathsep.join((airflow.environment["PYTHONPATH"], str(provider_beside(folder)))),
    }
    store_day(airflow.home, DAY, CLUSTER)
    states, printed = airflow.dag_test("fleet_health", DAY, signatures=["fetch_latency"], notify="never")
    assert states[("publish", None)] == "success"
    return Told(airflow.home, printed, [json.loads(line) for line in written.read_text().splitlines()])


def test_each_step_names_the_folders_it_reads_and_writes(told: Told) -> None:
    names = ("raw", "facts", "findings", "reports")
    raw, marts, findings, reports = (("file", f"{told.home}/{name}") for name in names)
    assert told.named("analyze", "inputs") == {raw}
    assert told.named("analyze", "outputs") == {marts, findings}
    assert told.named("publish", "inputs") == {findings}
    assert told.named("publish", "outputs") == {reports}


def test_spark_is_told_its_parent(told: Told) -> None:
    command = next(line for line in told.printed.splitlines() if "Spark-Submit cmd" in line)
    assert "spark.openlineage.parentJobName=fleet_health.analyze" in command
    analyze = next(one for one in told.events if one["job"]["name"] == "fleet_health.analyze")
    assert f"spark.openlineage.parentRunId={analyze['run']['runId']}" in command
