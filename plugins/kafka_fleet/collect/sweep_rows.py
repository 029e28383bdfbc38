"""Rows that a sweep has of itself and its brokers: takes what was asked and what came of it, gives raw tables."""

from collections.abc import Container, Mapping
from typing import Any

from kafka_fleet import __version__
from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.collect.client_metrics.client_series import Pushed
from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.knowledge.metric_tables import shipped_names
from kafka_fleet.schema.arrow import Item, with_columns
from kafka_fleet.schema.raw_tables import raw_schemas


def declaration(cluster: Cluster) -> dict[str, Any]:
    """The row of the raw table `declarations`."""
    owners = [str(owner) for owner in cluster.owners]
    return {"environment": cluster.environment, "owners": owners, "declaration": cluster.declaration()}


def sweep_row(admin: AdminSweep, pushed: Pushed) -> dict[str, Any]:
    """The row of the raw table `sweeps`, but for its end."""
    return {
        "kafka_cluster_id": admin.kafka_cluster_id,
        "controller": admin.controller,
        "admin_outcome": admin.outcome,
        "admin_detail": admin.detail,
        "admin_missing": admin.missing,
        "client_metrics_detail": pushed.detail,
        "collector_version": __version__,
    }


def broker_tables(
    cluster: Cluster,
    listed: dict[int, dict[str, Any]],
    urls: dict[int, str | None],
    swept: dict[int, BrokerSweep],
    joined: Container[int] = (),
) -> dict[str, list[Item]]:
    """The raw tables of brokers: what the admin protocol lists of each, and what was read from it.

    joined: controllers that the fleet file does not declare.
    """
    tables: dict[str, list[Item]] = {}
    tables["brokers"] = [
        {
            **listed.get(broker, {"broker": broker}),
            "is_broker": broker not in cluster.agents.controllers and broker not in joined,
            "jolokia_url": urls[broker] if cluster.read_by == "jolokia" else None,
            "metrics_url": urls[broker] if cluster.read_by == "metrics" else None,
            "read_at": one.read_at,
            "outcome": one.outcome,
            "kind": one.kind,
            "detail": one.detail,
            "seconds": one.seconds,
            "bytes": one.bytes,
            "values": one.rows.values,
            "unusable": one.rows.unusable,
            "missing": one.missing,
            "agent_clock_skew_s": one.agent_clock_skew_s,
        }
        for broker, one in swept.items()
    ]
    tables["deadlocked_threads"] = [
        {"broker": broker, "read_at": one.read_at, **row} for broker, one in swept.items() for row in one.deadlocked
    ]
    for broker, one in swept.items():
        source = {"broker": broker, "read_at": one.read_at}
        for name, rows in one.rows.items():
            found = tables.setdefault(name, [])
            if isinstance(rows, list):
                found.extend({**source, **row} for row in rows)
            else:
                found.append(with_columns(rows, source, raw_schemas()[name]))
    if cluster.read_by == "metrics":
        leave_out_parts(tables, swept)
    return tables


def leave_out_parts(tables: dict[str, list[Item]], swept: Mapping[int, BrokerSweep]) -> None:
    """Take out tables that are summed over brokers, where a broker that was read does not show its part of them."""
    for name in shipped_names().whole:
        if not all(one.rows.has(name) for one in swept.values() if one.read_at is not None):
            tables.pop(name, None)
