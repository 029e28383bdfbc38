"""Connections that brokers hold among themselves are no client applications: raw rows in, rows of client_days out."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.duckdb_engine import Duck
from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.raw_tables import raw_schemas

pytestmark = pytest.mark.xdist_group("duckdb")

DS = "2026-11-20"
AT = datetime(2026, 11, 20, 10, tzinfo=UTC)
COMMON = {"cluster": "c", "sweep_at": AT, "last_sweep_at": AT}
OF_MODE = {"ZooKeeper": {"zookeeper.connect": "zk:2181"}, "KRaft": {"process.roles": "broker"}}


def clients(
    release: str,
    held: list[tuple[str, str, str, int]],
    mode: str = "ZooKeeper",
    transactions: bool = False,
    settings: dict[str, str] | None = None,
    brokers: int = 3,
) -> dict[tuple[str, str], float]:
    """(library version, listener) -> connections. held: software, version, listener, connections over all brokers."""
    configs = {"security.inter.broker.protocol": "PLAINTEXT", **OF_MODE[mode], **(settings or {})}
    rows: dict[str, list[dict[str, Any]]] = {
        "brokers": [{"broker": n, "host": f"h{n}", "is_broker": True} for n in range(brokers)],
        "broker_metrics": [{"broker": n, "release": release} for n in range(brokers)],
        "broker_configs": [
            {"broker": 0, "name": name, "value": value, "source": "STATIC_BROKER_CONFIG"}
            for name, value in configs.items()
        ],
        "sweeps": [{"admin_outcome": "ok", "admin_missing": []}],
        "declarations": [{"declaration": "{}"}],
        "features": [],
        "topic_configs": [],
        "topics": [{"topic": "__transaction_state" if transactions else "orders"}],
        "client_software": [
            {"broker": 0, "software": s, "software_version": v, "listener": at, "connections": n}
            for s, v, at, n in held
        ],
    }
    duck = Duck(Path(), DS, sql_dir())
    for name, given in rows.items():
        schema = raw_schemas()[name]
        full = [{field: {**COMMON, **row}.get(field) for field in schema.names} for row in given]
        duck.table(f"raw_{name}", pa.Table.from_pylist(full, schema))
    for name, query in fact_queries(sql_dir(), {"client_days"}).items():
        duck.store(name, query)
    found = duck.rows("SELECT * FROM client_days")
    assert all(row["connections"] > 0 for row in found)
    return {(row["software_version"], row["listener"]): row["connections"] for row in found}


def java(version: str, connections: int, listener: str = "PLAINTEXT") -> tuple[str, str, str, int]:
    return "apache-kafka-java", version, listener, connections


@pytest.mark.parametrize("release", ["2.8.2", "3.2.3", "3.9.1", "7.4.2-ccs"])
def test_three_brokers_with_zookeeper_are_no_clients_of_their_own_release(release: str) -> None:
    """A cluster whose clients all run 4.2.2: three connections to the controller are those of its own brokers."""
    assert clients(release, [java(release, 3), java("4.2.2", 40)]) == {("4.2.2", "PLAINTEXT"): 40}


def test_real_clients_of_the_brokers_release_stay() -> None:
    assert clients("3.9.1", [java("3.9.1", 8)]) == {("3.9.1", "PLAINTEXT"): 5}
    assert clients("3.9.1", [java("3.9.1", 8), java("3.9.1", 4, "EXTERNAL")]) == {
        ("3.9.1", "PLAINTEXT"): 5,
        ("3.9.1", "EXTERNAL"): 4,  # no broker comes there
    }


def test_fewer_connections_than_brokers_give_no_row_and_no_negative_number() -> None:
    assert clients("3.9.1", [java("3.9.1", 1), java("4.2.2", 2)]) == {("4.2.2", "PLAINTEXT"): 2}


def test_what_brokers_never_hold_is_not_taken_off() -> None:
    assert clients("2.7.2", [java("2.7.2", 3)]) == {("2.7.2", "PLAINTEXT"): 3}  # nobody named himself so yet
    assert clients("3.9.1", [java("3.9.1", 3)], mode="KRaft") == {("3.9.1", "PLAINTEXT"): 3}
    assert clients("3.9.1", [java("3.8.1", 3)]) == {("3.8.1", "PLAINTEXT"): 3}


def test_connections_to_the_controller_are_on_its_own_listener_where_it_has_one() -> None:
    own = {"control.plane.listener.name": "CONTROL"}
    found = clients("3.9.1", [java("3.9.1", 3, "CONTROL"), java("3.9.1", 3)], settings=own)
    assert found == {("3.9.1", "PLAINTEXT"): 3}


def test_brokers_that_check_transactions_hold_one_connection_to_each() -> None:
    for mode, own in (("KRaft", 9), ("ZooKeeper", 12)):
        assert clients("4.1.1" if mode == "KRaft" else "3.9.1", [java("4.2.2", 5)], mode, True) == {
            ("4.2.2", "PLAINTEXT"): 5
        }
        release = "4.1.1" if mode == "KRaft" else "3.9.1"
        assert clients(release, [java(release, own)], mode, True) == {}
        assert clients(release, [java(release, own + 2)], mode, True) == {(release, "PLAINTEXT"): 2}
    assert clients("3.7.0", [java("3.7.0", 3)], "KRaft", True) == {("3.7.0", "PLAINTEXT"): 3}  # not named yet
