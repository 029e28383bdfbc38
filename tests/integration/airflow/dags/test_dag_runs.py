"""What runs of the DAGs do without any cluster: each dead one is red for itself, and a day without data says so."""

import json
import os
from pathlib import Path

import pytest

from support.inspection.canaries import hits
from support.servers.s3_server import BUCKET, s3_server


@pytest.mark.fault(1, 15, 39)
def test_a_dead_cluster_and_a_broken_entry_are_red_each_for_itself(database, bag, fleet_home):
    run = bag.dags["fleet_collect"].test()
    states = {(i.task_id, i.rendered_map_index): str(i.state) for i in run.get_task_instances()}
    assert states[("entries", None)] == "success"
    assert states[("collect", "dead-one")] == states[("collect", "broken (invalid entry)")] == "failed"
    landed = list((fleet_home / "raw/manifests").glob("ds=*/*.json"))
    assert [path.name.partition(".")[0] for path in landed] == ["dead-one"]


def test_in_a_shared_task_each_cluster_is_measured_and_told(database, bag, fleet_home, monkeypatch, caplog):
    monkeypatch.setattr("fleet_airflow.settings.MAPPED", 1)
    with caplog.at_level("INFO"):
        run = bag.dags["fleet_collect"].test()
    states = {(i.task_id, i.rendered_map_index): str(i.state) for i in run.get_task_instances()}
    assert states[("collect", "dead-one … broken (invalid entry) (2)")] == "failed"
    assert len(list((fleet_home / "raw/manifests").glob("ds=*/dead-one.*.json"))) == 1
    assert "[1/1] dead-one: 1 failed" in caplog.text
    assert "nothing was measured of dead-one" in caplog.text
    assert "broken: " in caplog.text


@pytest.mark.sampled("dag-backfills")
def test_a_backfill_of_the_collection_is_refused_and_of_the_analysis_is_not(database, python):
    assert python("-m", "airflow", "dags", "reserialize").returncode == 0
    dates = ["--from-date", "2026-11-01", "--to-date", "2026-11-02"]
    refused = python("-m", "airflow", "backfill", "create", "--dag-id", "fleet_collect", *dates)
    assert refused.returncode != 0
    assert "does not allow backfill runs" in refused.stderr + refused.stdout
    allowed = python("-m", "airflow", "backfill", "create", "--dag-id", "fleet_health", *dates, "--dry-run")
    assert allowed.returncode == 0, allowed.stderr
    assert "2026-11-01" in allowed.stdout


def test_a_day_without_a_sweep_fails_with_a_sentence(run):
    run.land("2019-12-31", "archive-eu")
    seen = run(ds="2020-01-01")
    assert seen.tasks[("coverage", None)] == "failed"
    assert seen.tasks[("mail", None)] == "upstream_failed"
    assert "2020-01-01 has no stored sweep; a day cannot be measured afterwards" in seen.log
    assert not (run.home / "runs").exists()


def test_the_first_run_of_an_installation_that_has_collected_nothing_yet_is_skipped_with_a_sentence(run):
    run.land("2026-02-02", "archive-eu")
    seen = run.scheduled("2026-02-01")
    assert len(seen.tasks) == len(run.dag.tasks)
    assert seen.state == "success"
    assert {state for task, state in seen.tasks.items() if task[0] != "collected"} == {"skipped"}
    assert "2026-02-01 has no stored sweep, nor has any day before it: nothing was collected yet" in seen.log
    assert not (run.home / "runs").exists()
    assert run.box.recipients == []


@pytest.mark.fault(56)
def test_a_bucket_that_refuses_the_key_is_one_sentence_without_the_secret(
    database, bag, fleet_home, monkeypatch, caplog
):
    secret, home = "canary-71c0-of-the-bucket", f"s3a://{BUCKET}/kafka/home"
    with s3_server() as server:
        for name in server.variables(secret):
            monkeypatch.setenv(name, "to be forgotten")  # what the DAG sets ends with the test
        extra = {"endpoint_url": server.url, "region_name": "eu-central-1"}
        bucket = {"conn_type": "aws", "login": "AKIDOTHER", "password": secret, "extra": extra}
        monkeypatch.setenv("AIRFLOW_CONN_KAFKA_FLEET_HOME", json.dumps(bucket))
        monkeypatch.setenv("KAFKA_FLEET_HOME", home)
        with caplog.at_level("DEBUG"):
            run = bag.dags["fleet_health"].test(run_conf={"ds": "2026-11-20", "clusters": None})
    states = {i.task_id: str(i.state) for i in run.get_task_instances()}
    assert (states["coverage"], states["analyze"]) == ("failed", "upstream_failed")
    assert f"{home}: the bucket refuses the credentials (InvalidAccessKeyId)" in caplog.text
    assert hits([secret], [Path(os.environ["AIRFLOW_HOME"])], {"log": caplog.text}) == []
