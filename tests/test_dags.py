"""The DAG files: they load, say when they run, refuse what they cannot do, and isolate a dead cluster."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_SETTINGS = {
    "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
    "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
}
if "airflow" not in sys.modules:  # never the user's own Airflow: its home is read at the first import
    os.environ.update(_SETTINGS, AIRFLOW_HOME=tempfile.mkdtemp(prefix="airflow-"))
    atexit.register(shutil.rmtree, os.environ["AIRFLOW_HOME"], ignore_errors=True)
    os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] = f"sqlite:///{os.environ['AIRFLOW_HOME']}/airflow.db"

from airflow.dag_processing.dagbag import DagBag  # noqa: E402
from airflow.sdk.definitions.param import ParamsDict  # noqa: E402
from airflow.sdk.exceptions import (  # noqa: E402
    AirflowException,
    AirflowFailException,
    AirflowSkipException,
    ParamValidationError,
)
from airflow.serialization.encoders import coerce_to_core_timetable  # noqa: E402

import fleet_health as health  # noqa: E402
from fleet_mail import Outcome, should_mail  # noqa: E402
from fleet_settings import batches  # noqa: E402

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


def airflow(*arguments):
    environment = {**os.environ, **_SETTINGS}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="session")
def database():
    assert airflow("-m", "airflow", "db", "migrate").returncode == 0


@pytest.fixture(scope="session")
def bag():
    begin = time.perf_counter()
    found = DagBag(str(ROOT / "dags"))
    print(f"both DAG files parsed in {time.perf_counter() - begin:.3f} s")
    for stat in found.dagbag_stats:
        print(f"  {stat.file}: {stat.duration.total_seconds():.3f} s")
    return found


@pytest.fixture(params=["fleet_collect", "fleet_health"])
def dag(bag, request):
    return bag.dags[request.param]


def test_every_file_loads(bag):
    assert bag.import_errors == {}
    assert set(bag.dags) == {"fleet_collect", "fleet_health"}
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
    assert type(dag.timetable).__name__ == "CronDataIntervalTimetable"


def test_the_chain(bag):
    dag = bag.dags["fleet_health"]
    names = ["coverage", "compact", "facts", "judge", "letters", "render", "publish", "mail"]
    assert sorted(dag.task_dict) == sorted([*names, "tidy"])
    assert dag.get_task("tidy").upstream_task_ids == {"publish"}
    for upstream, downstream in pairwise(names):
        assert downstream in dag.get_task(upstream).get_flat_relative_ids(upstream=False)
    assert dag.get_task("publish").trigger_rule == "all_done_min_one_success"
    assert {task for task in names if dag.get_task(task).is_mapped} == {"render", "mail"}
    for task in ("facts", "judge"):
        assert dag.get_task(task).max_active_tis_per_dag == 1
        assert dag.get_task(task)._conn_id == "spark_default"
        assert Path(dag.get_task(task).application) == ROOT / "spark" / "submit.py"


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


def test_the_day_is_the_parameter_else_the_logical_date():
    midnight = datetime(2026, 11, 20, tzinfo=UTC)
    assert health.day_of("2026-11-01", midnight) == "2026-11-01"
    assert health.day_of("2026-11-01", None) == "2026-11-01"
    assert health.day_of(None, midnight) == "2026-11-20"
    assert health.day_of(None, midnight + timedelta(hours=23, minutes=59)) == "2026-11-20"
    assert health.day_of(None, datetime(2026, 11, 21, 1, tzinfo=timezone(timedelta(hours=9)))) == "2026-11-20"


@pytest.mark.parametrize(
    ("param", "sentence"), [(None, "parameter ds"), ("2026-13-01", "YYYY-MM-DD"), ("", "YYYY-MM-DD")]
)
def test_without_a_day_there_is_a_sentence(param, sentence):
    with pytest.raises(AirflowFailException, match=sentence):
        health.day_of(param, None)


@pytest.mark.parametrize("run_type", ["scheduled", "manual", "backfill", "asset_triggered"])
def test_only_scheduled_runs_mail_by_themselves(run_type):
    assert should_mail("auto", run_type) is (run_type == "scheduled")
    assert should_mail("always", run_type)
    assert not should_mail("never", run_type)


@pytest.mark.parametrize(
    ("states", "raised", "told"),
    [
        (["sent", "skipped"], None, None),
        (["skipped", "skipped"], AirflowSkipException, "c0 skipped; c1 skipped"),
        (["sent", "failed"], AirflowFailException, "c1 failed"),
        (["later", "failed", "sent"], AirflowException, "c0 later; c1 failed"),  # tried again, for the first one's sake
    ],
)
def test_a_shared_mail_task_is_as_red_as_its_worst_letter(bag, fleet_home, monkeypatch, states, raised, told):
    callable_ = bag.dags["fleet_health"].get_task("mail").python_callable
    names = [f"c{number}" for number in range(len(states))]
    found = {name: Outcome(state, f"{name} {state}") for name, state in zip(names, states, strict=True)}
    asked = []
    monkeypatch.setitem(callable_.__globals__, "this_plan", dict)
    monkeypatch.setitem(callable_.__globals__, "mail_one", lambda name, owners, plan: asked.append(name) or found[name])
    if raised is None:
        callable_(clusters=names)
    else:
        with pytest.raises(raised) as error:
            callable_(clusters=names)
        assert type(error.value) is raised
        assert str(error.value) == told
    assert asked == names


def test_a_selection_keeps_the_known_order_and_names_what_is_unknown():
    assert health.selected(None, ["a", "b"], "cluster") == ["a", "b"]
    assert health.selected(["b", "a"], ["a", "b", "c"], "cluster") == ["a", "b"]
    with pytest.raises(AirflowFailException, match=r"no such cluster: x; known: a, b"):
        health.selected(["x"], ["a", "b"], "cluster")


@pytest.mark.parametrize(("clusters", "tasks", "largest"), [(1, 1, 1), (100, 100, 1), (101, 51, 2), (1000, 100, 10)])
def test_large_fleets_share_mapped_tasks(clusters, tasks, largest):
    names = [f"c{number}" for number in range(clusters)]
    found = batches(names)
    assert [name for batch in found for name in batch] == names
    assert len(found) == tasks
    assert max(map(len, found)) == largest


def test_a_task_never_has_more_clusters_than_its_time_allows():
    assert max(map(len, batches([str(number) for number in range(20_000)]))) == 32


def test_the_plugin_loader_leaves_the_library_alone():
    """Without .airflowignore the loader puts each library file into sys.modules under its bare name."""
    code = (
        "import sys, airflow.plugins_manager as manager; manager.ensure_plugins_loaded();"
        "print(manager.get_import_errors(), sorted({'jolokia', 'inventory', 'outbox', 'mail'} & set(sys.modules)))"
    )
    done = airflow("-c", code)
    assert done.stdout.splitlines()[-1] == "{} []", done.stderr


@pytest.fixture
def fleet_home(tmp_path, monkeypatch):
    (tmp_path / "fleet.yaml").write_text(FLEET)
    monkeypatch.setenv("KAFKA_FLEET_FILE", str(tmp_path / "fleet.yaml"))
    monkeypatch.setenv("KAFKA_FLEET_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_dead_cluster_and_a_broken_entry_are_red_each_for_itself(database, bag, fleet_home):
    run = bag.dags["fleet_collect"].test()
    states = {(i.task_id, i.rendered_map_index): str(i.state) for i in run.get_task_instances()}
    assert states[("entries", None)] == "success"
    assert states[("collect", "dead-one")] == states[("collect", "broken (invalid entry)")] == "failed"
    landed = list((fleet_home / "raw/manifests").glob("ds=*/*.json"))
    assert [path.name.partition(".")[0] for path in landed] == ["dead-one"]


def test_in_a_shared_task_each_cluster_is_measured_and_told(database, bag, fleet_home, monkeypatch, caplog):
    monkeypatch.setattr("fleet_settings.MAPPED", 1)
    with caplog.at_level("INFO"):
        run = bag.dags["fleet_collect"].test()
    states = {(i.task_id, i.rendered_map_index): str(i.state) for i in run.get_task_instances()}
    assert states[("collect", "dead-one … broken (invalid entry) (2)")] == "failed"
    assert len(list((fleet_home / "raw/manifests").glob("ds=*/dead-one.*.json"))) == 1
    assert "[1/1] dead-one: 1 failed" in caplog.text
    assert "nothing was measured of dead-one" in caplog.text
    assert "broken: " in caplog.text


def test_a_backfill_of_the_collection_is_refused_and_of_the_analysis_is_not(database):
    assert airflow("-m", "airflow", "dags", "reserialize").returncode == 0
    dates = ["--from-date", "2026-11-01", "--to-date", "2026-11-02"]
    refused = airflow("-m", "airflow", "backfill", "create", "--dag-id", "fleet_collect", *dates)
    assert refused.returncode != 0
    assert "does not allow backfill runs" in refused.stderr + refused.stdout
    allowed = airflow("-m", "airflow", "backfill", "create", "--dag-id", "fleet_health", *dates, "--dry-run")
    assert allowed.returncode == 0, allowed.stderr
    assert "2026-11-01" in allowed.stdout


def test_a_day_without_a_sweep_fails_with_a_sentence(database, bag, fleet_home):
    run = bag.dags["fleet_health"].test(run_conf={"ds": "2020-01-01"})
    states = {i.task_id: str(i.state) for i in run.get_task_instances()}
    assert states["coverage"] == "failed"
    assert states["mail"] == "upstream_failed"
    assert not (fleet_home / "runs").exists()
