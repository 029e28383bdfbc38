"""Rows of one sweep: takes a model at a moment, gives the raw tables as the collector would land them."""

from datetime import UTC, datetime
from typing import Any

from kafka_fleet.schema import mbeans
from support.generators.fleetgen import noise
from support.generators.fleetgen.admin import admin_rows
from support.generators.fleetgen.latencies import request_times
from support.generators.fleetgen.metrics import broker_metrics
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.state import OFFSETS, PROCESSORS, Broker, Log

Row = dict[str, Any]
Tables = dict[str, list[Row]]
DISK = 100 * 10**12  # bytes: half of it is taken before the day
COMPACTED = 150_000_000  # bytes: a cleaned partition of the offsets log is one or two segments of 100 MB


def utc(seconds: float) -> datetime:
    """A moment from s since epoch."""
    return datetime.fromtimestamp(seconds, UTC)


def sweep_rows(model: Model, number: int) -> Tables:
    """One sweep of the cluster now. `number` tells which brokers fail in it."""
    spec, rng, now = model.spec, model.rng, model.now
    found: Tables = {"brokers": []}
    for broker in model.brokers.values():
        read = now + rng.choice(noise.read_delays())
        answered = broker.up and (broker.id, number) not in spec.failing
        found["brokers"].append(_broker_row(model, broker, read if answered else None))
        if answered:
            for table, rows in _jolokia(model, broker).items():
                found.setdefault(table, []).extend({"broker": broker.id, "read_at": utc(read), **row} for row in rows)
            if spec.since("3.3"):
                logs = sum(row["size_bytes"] for row in found["partitions"] if row["broker"] == broker.id)
                found.setdefault("disks", []).append(
                    {"broker": broker.id, "read_at": utc(read), "log_dir": "/var/lib/kafka", "total_bytes": DISK,
                     "usable_bytes": DISK // 2 - logs}
                )  # fmt: skip
        if spec.host_metrics and broker.up:
            found.setdefault("hosts", []).append(_host(broker, read))
    later = now + rng.choice(noise.offset_delays())
    found |= admin_rows(model, utc(later))
    for broker in model.brokers.values():
        broker.errors["ListGroups", "NONE"] += broker.up
    found["sweeps"] = [
        {"ended_at": utc(later + 0.1), "kafka_cluster_id": f"id-{spec.cluster}", "controller": model.controller,
         "admin_outcome": "ok", "admin_missing": [], "collector_version": "0.1.0"}
    ]  # fmt: skip
    entry = f'{{"environment": "production", "id": "{spec.cluster}", "thresholds": {{}}}}'
    found["declarations"] = [{"environment": "production", "owners": ["owner@example.org"], "declaration": entry}]
    return found


def _broker_row(model: Model, broker: Broker, read: float | None) -> Row:
    spec = model.spec
    row: Row = {
        "broker": broker.id, "host": f"broker-{broker.id}.example.org", "port": 9092, "is_broker": True,
        "rack": "abc"[broker.id % 3] if spec.racks else None, "outcome": "failed", "seconds": 0.1, "bytes": 20_000,
        "jolokia_url": f"http://broker-{broker.id}.example.org:8778/jolokia", "values": 400,
        "unusable": 0, "missing": [],
    }  # fmt: skip
    if not broker.up or not broker.listed:
        row |= {"host": None, "port": None, "rack": None}  # the cluster lists live brokers only
    if read is None:
        return row | {"kind": "timeout", "detail": "no answer in time", "values": 0, "bytes": 0}
    skew = spec.skew.get(broker.id, 0.0) + model.rng.choice(noise.clock_skews())
    return row | {"outcome": "ok", "read_at": utc(read), "agent_clock_skew_s": skew}


def _jolokia(model: Model, broker: Broker) -> Tables:
    spec = model.spec
    mine = [log for log in model.logs.values() if broker.id in log.replicas]
    led = [log for log in mine if log.leader == broker.id]
    tables = {
        "partitions": [_partition(model, log, broker.id) for log in mine],
        "broker_metrics": [broker_metrics(model, broker, mine, led)],
        "log_dirs": [{"log_dir": "/var/lib/kafka", "uncleanable_partitions": 0, "uncleanable_bytes": 0, "offline": 0}],
        "requests": [{"request": name, "version": "9", "requests": many} for name, many in broker.requests.items()],
        "request_times": request_times(model, broker),
        "request_errors": [
            {"request": request, "error": error, "errors": many} for (request, error), many in broker.errors.items()
        ],
        "broker_topics": [{"topic": name, **counts} for name, counts in broker.by_topic.items()],
        "listeners": _listeners(broker, model.now - broker.started),
        "client_software": [
            {"software": software, "software_version": version, "listener": listener, "network_processor": processor,
             "connections": float(many)}
            for (listener, processor, software, version), many in broker.sockets.items()
        ] if spec.since("2.5") else [],
        "acceptors": [
            {"listener": listener, "acceptor": "AcceptorBlockedPercent", "blocked_ns": 0, "blocked_ratio_1m": 0.0}
            for listener in sorted({key[0] for key in broker.sockets_made})
        ],
        "fetcher_lags": [
            {"client_id": f"ReplicaFetcherThread-0-{log.leader}", "topic": log.topic.name, "partition": log.number,
             "lag": log.lag.get(broker.id, 0)}
            for log in mine if log.leader not in (None, broker.id)
        ],
    }  # fmt: skip
    if spec.since("3.3"):
        tables["recoveries"] = [{"log_dir": "/var/lib/kafka", "remaining_logs": broker.recovering}]
    return _as_released(model, tables)


def _as_released(model: Model, tables: Tables) -> Tables:
    """Without the columns that this release does not have yet."""
    for name, rows in tables.items():
        late = [c.name for c in mbeans.tables()[name].columns.values() if not model.spec.since(c.since)]
        for row in rows:
            row.update(dict.fromkeys((one for one in late if one in row), None))
    return tables


def _partition(model: Model, log: Log, broker: int) -> Row:
    led = log.leader == broker
    behind = 0 if led else log.lag.get(broker, 0)
    end = max(log.start, log.end - behind)
    size = int((end - log.start) * log.topic.size)
    if log.topic.name == OFFSETS:
        since, large, per_s = model.uncompacted or (model.now, min(size, COMPACTED), 0.0)
        size = int(large + per_s * (model.now - since))
    return {
        "topic": log.topic.name, "partition": log.number, "log_end_offset": end, "log_start_offset": log.start,
        "size_bytes": size,
        "isr_count": len(log.isr) if led else 0,
        "replicas_count": len(log.replicas) if led else 0,
    }  # fmt: skip


def _listeners(broker: Broker, process_s: float) -> list[Row]:
    rows, waited = [], broker.network.idle_ns(process_s)
    for listener in sorted({key[0] for key in broker.sockets_made}):
        for processor in range(PROCESSORS):
            key = listener, processor
            held = sum(many for (name, number, *_who), many in broker.sockets.items() if (name, number) == key)
            rows.append({
                "listener": listener, "network_processor": processor, "connections": float(held),
                "connections_created": float(broker.sockets_made[key]),
                "connections_closed": float(broker.sockets_closed[key]), "authentications": 0.0,
                "failed_authentications": float(broker.auth_failed[key]), "expired_connections_killed": 0.0,
                "io_wait_ns": waited, "old_io_wait_ns": waited,
            })  # fmt: skip
    return rows


def _host(broker: Broker, read: float) -> Row:
    host = broker.host
    return {
        "broker": broker.id, "read_at": utc(read), "outcome": "ok", "listen_overflows": host["listen_overflows"],
        "listen_drops": host["listen_drops"], "syncookies_sent": host["syncookies_sent"], "syncookies_received": 0,
        "tcp_syncookies": 1, "somaxconn": 4096, "tcp_max_syn_backlog": 4096, "boot_time_s": host["boot"],
    }  # fmt: skip
