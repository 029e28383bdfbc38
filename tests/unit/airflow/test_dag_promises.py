"""What the DAG files promise: they load, say when they run, keep the house rules and check their parameters."""

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from airflow.sdk.definitions.param import ParamsDict
from airflow.sdk.exceptions import ParamValidationError
from airflow.serialization.encoders import coerce_to_core_timetable
from airflow.timetables.interval import CronDataIntervalTimetable

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(params=["fleet_collect", "fleet_health", "fleet_replay"])
def dag(bag, request):
    return bag.dags[request.param]


def test_every_file_loads(bag):
    assert bag.import_errors == {}
    assert set(bag.dags) == {"fleet_collect", "fleet_health", "fleet_replay"}
    assert all(stat.warning_num in (0, None) for stat in bag.dagbag_stats)


def test_house_rules(dag):
    assert dag.catchup is False
    assert dag.max_active_runs == 1
    assert dag.tags
    assert len(dag.doc_md) > 200
    for task in dag.tasks:
        assert task.owner == "kafka-platform"
        assert task.retries >= 1
        assert task.on_failure_callback
        assert task.execution_timeout
        assert task.start_date.utcoffset() == timedelta(0)
        assert task.pool == "default_pool"  # a pool of its own would have to be made first, or nothing runs


def test_collection_is_live_only(bag):
    dag = bag.dags["fleet_collect"]
    assert {kind.value for kind in dag.allowed_run_types} == {"scheduled", "manual"}
    assert type(dag.timetable).__name__ == "CronTriggerTimetable"
    assert coerce_to_core_timetable(dag.timetable).summary == "*/10 * * * *"


def test_analysis_runs_over_a_daily_interval_and_may_be_backfilled(bag):
    dag = bag.dags["fleet_health"]
    assert dag.allowed_run_types is None
    assert isinstance(dag.timetable, CronDataIntervalTimetable)
    assert dag.timetable.summary == "0 0 * * *"


def test_the_chain(bag):
    dag = bag.dags["fleet_health"]
    names = ["collected", "coverage", "compact", "analyze", "letters", "render", "publish", "mail", "mailed"]
    assert sorted(dag.task_dict) == sorted([*names, "digest", "tidy", "tell_set_aside", "late_sweeps"])
    for task in ("digest", "tidy", "tell_set_aside"):
        assert dag.get_task(task).upstream_task_ids == {"publish"}
    assert dag.get_task("late_sweeps").upstream_task_ids == {"coverage"}
    for upstream, downstream in pairwise(names):
        assert downstream in dag.get_task(upstream).get_flat_relative_ids(upstream=False)
    assert dag.get_task("publish").trigger_rule == "all_done_min_one_success"
    assert {task for task in names if dag.get_task(task).is_mapped} == {"render", "mail"}
    analyze = dag.get_task("analyze")
    assert (analyze.max_active_tis_per_dag, analyze._conn_id) == (1, "spark_default")
    assert Path(analyze.application) == ROOT / "spark" / "submit.py"


@pytest.mark.parametrize(
    ("params", "valid"),
    [
        ({}, True),
        ({"ds": "2026-11-20", "clusters": ["payments-eu"], "signatures": ["fetch_latency"], "notify": "never"}, True),
        ({"ds": "yesterday"}, False),
        ({"ds": 20261120}, False),
        ({"notify": "sometimes"}, False),
        ({"clusters": ["../x"]}, False),
        ({"signatures": ["--conf"]}, False),
        ({"clusters": "payments-eu"}, False),
    ],
)
def test_parameters_are_checked_before_a_run_begins(bag, params, valid):
    merged = ParamsDict(dict(bag.dags["fleet_health"].params.items()))
    if valid:
        merged.update(params)
        assert merged.validate()["notify"] == params.get("notify", "auto")
    else:
        with pytest.raises(ParamValidationError):
            merged.update(params)
