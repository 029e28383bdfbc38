"""Sweeps of one simulated cluster: takes its agents, gives the fleet entry, the sweep's result and what was landed."""

from pathlib import Path
from typing import Any

from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import SweepResult, sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import Cluster, parse_fleet
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.inspection.canaries import hits

LIMITS = Limits(connect_s=5.0, read_s=9.0, deadline_s=10.0, max_bytes=2_000_000)
CANARIES = ("canary-login", "canary-password", "canary-config", "canary-jmx")
RESOLVER = local_credentials(
    {
        "AIRFLOW_CONN_JOLOKIA": '{"login": "canary-login", "password": "canary-password"}',
        "AIRFLOW_CONN_KAFKA": '{"login": "canary-login", "password": "canary-password",'
        ' "extra": {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}}',
        "AIRFLOW_CONN_BROKEN": '{"password": 1, "extra": "canary-config"}',
    }
)
# what a sweep has of a cluster whose Kafka protocol is dead, without the wait for it
NO_ADMIN = AdminSweep("failed", "127.0.0.1:1: connection refused", ["every admin table"], None, None, {})


def cluster(jolokia: dict[str, Any] | None, **more: Any) -> Cluster:
    entry = {
        "id": "payments-eu",
        "environment": "production",
        "owners": ["oncall@example.org"],
        "bootstrap_servers": ["127.0.0.1:1"],
        "kafka_connection": "kafka",
        "jolokia": None if jolokia is None else {"connection": "jolokia", **jolokia},
        **more,
    }
    fleet = parse_fleet({"version": 1, "clusters": [entry]}, "f")
    assert fleet.errors == []
    return fleet.clusters[0]


def run(home: Path, one: Cluster, limits: Limits = LIMITS) -> tuple[SweepResult, Any]:
    result = sweep_cluster(one, home, RESOLVER, limits)
    (manifest,), damaged = manifests(home, result.manifest.sweep_at.date())
    assert damaged == []
    assert hits(CANARIES, [home], {"summary": result.summary(), "result": repr(result)}) == []
    return result, lambda table: read_rows(home, [manifest], table)
