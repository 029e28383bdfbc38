"""What each task reads and writes, as Airflow's graph shows it and as OpenLineage names it."""

import sys
from types import SimpleNamespace

import pytest

from fleet_airflow.assets import FINDINGS, MARTS, RAW, REPORTS
from fleet_airflow.lineage import openlineage_dataset

READS = {
    ("fleet_health", "analyze"): {RAW},
    ("fleet_health", "render"): {FINDINGS},
    ("fleet_health", "publish"): {FINDINGS},
    ("fleet_health", "mail"): {REPORTS},
    ("fleet_health", "digest"): {REPORTS},
    ("fleet_replay", "replay"): {RAW},
}
WRITES = {
    ("fleet_collect", "collect"): {RAW},
    ("fleet_health", "analyze"): {MARTS, FINDINGS},
    ("fleet_health", "publish"): {REPORTS},
}


@pytest.mark.parametrize(("side", "expected"), [("inlets", READS), ("outlets", WRITES)])
def test_every_task_says_what_it_reads_and_writes(bag, side, expected):
    found = {(dag.dag_id, task.task_id): set(getattr(task, side)) for dag in bag.dags.values() for task in dag.tasks}
    assert {name: assets for name, assets in found.items() if assets} == expected


@pytest.mark.parametrize(
    ("home", "asset", "named"),
    [
        ("/var/lib/kafka-fleet", RAW, ("file", "/var/lib/kafka-fleet/raw")),
        ("/var/lib/kafka-fleet/", MARTS, ("file", "/var/lib/kafka-fleet/facts")),
        ("s3a://fleet-home/kafka/health", FINDINGS, ("s3://fleet-home", "kafka/health/findings")),
        ("s3a://fleet-home", REPORTS, ("s3://fleet-home", "reports")),
    ],
)
def test_data_is_named_by_where_it_lies(monkeypatch, home, asset, named):
    monkeypatch.setenv("KAFKA_FLEET_HOME", home)
    facet = SimpleNamespace(Dataset=lambda namespace, name: (namespace, name))  # the library is not installed here
    monkeypatch.setitem(sys.modules, "airflow.providers.common.compat.openlineage.facet", facet)
    assert openlineage_dataset(asset, None) == named
