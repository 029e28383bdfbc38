"""What a Spark job is at: its lines reach the task's state store, and the hook that logs them."""

from typing import Any

import pytest
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

from fleet_airflow import spark_submit
from fleet_airflow.spark_submit import UNDER_WAY, FleetSparkSubmit, watched

LINES = [
    "WARN of Spark\n",
    "facts of D: 2 sweeps\n",
    "facts of D: intervals: 3 rows\n",
    "judge D: a: 0 of 8\n",
    "end\n",
]


def test_the_first_line_of_each_stage_is_told_and_all_are_handed_on() -> None:
    told: list[str] = []
    assert list(watched(LINES, told.append)) == LINES
    assert told == ["facts of D: 2 sweeps", "judge D: a: 0 of 8"]


def test_a_long_stage_tells_its_latest_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_submit, "EVERY_S", 0.0)
    told: list[str] = []
    list(watched(LINES, told.append))
    assert told == ["facts of D: 2 sweeps", "facts of D: intervals: 3 rows", "judge D: a: 0 of 8"]


class Store(dict[str, Any]):
    """A state store; one that is broken refuses."""

    broken = False

    def set(self, key: str, value: Any) -> None:
        if self.broken:
            raise RuntimeError("no state store here")
        self[key] = value


@pytest.mark.parametrize("broken", [False, True])
def test_the_hook_of_the_operator_tells_the_state_store(broken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Airflow runs it: the operator's execute() makes the hook, which reads the lines of spark-submit."""
    store, read = Store(), list[str]()
    store.broken = broken
    monkeypatch.setattr(SparkSubmitHook, "__init__", lambda hook, **_options: None)
    monkeypatch.setattr(SparkSubmitHook, "_process_spark_submit_log", lambda hook, lines: read.extend(lines))

    def submit(operator: FleetSparkSubmit, _context: Any) -> None:
        operator._get_hook()._process_spark_submit_log(iter(LINES))

    monkeypatch.setattr(spark_submit.SparkSubmitOperator, "execute", submit)
    monkeypatch.setenv("AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local[1]"}')
    FleetSparkSubmit(task_id="analyze", application="submit.py").execute({"task_state_store": store})
    assert read == LINES
    assert store == ({} if broken else {UNDER_WAY: "judge D: a: 0 of 8"})
