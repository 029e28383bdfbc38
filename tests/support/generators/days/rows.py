"""Rows of the raw tables as a sweep reads them: takes a simulated cluster, gives its sweeps in order."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from kafka_fleet.schema import mbeans
from support.generators.days.admin import admin, by_kraft
from support.generators.days.cluster import NOBODY, OFFSETS, PROCESSORS, T0, Log, Sim, since, when
from support.generators.days.gauges import descriptors, disk
from support.generators.days.gauges import groups as _groups
from support.generators.days.gauges import idle as _idle
from support.generators.days.quorum import quorum_gauges
from support.generators.days.state import total
from support.generators.days.times import request_times
from support.generators.days.traffic import offsets_partition

Row = dict[str, Any]
Tables = dict[str, list[Row]]
COUNTED = ("expired_consumer_fetches", "expired_follower_fetches", "isr_expands", "isr_shrinks", "failed_isr_updates",
           "messages_in", "bytes_in", "bytes_out", "replication_bytes_in", "replication_bytes_out", "produce_batches",
           "fetch_reads", "failed_produce", "failed_fetch", "invalid_offset_or_sequence", "offset_commits",
           "offset_expirations", "offset_deletions", "completed_rebalances")  # fmt: skip
FLOATS = {"offset_commits", "offset_expirations", "offset_deletions", "completed_rebalances"}


def sweeps(sim: Sim) -> Iterator[tuple[str, datetime, Tables]]:
    """Cluster, time and tables of each sweep; sweep 0 lies on the day before."""
    for number in range(sim.state.first_sweep, sim.sweeps + 1):
        late = timedelta(seconds=sim.state.collector.at(number * 600.0))
        tables = _sweep(sim, number)
        for row in (one for rows in tables.values() for one in rows) if late else ():
            row.update({name: value + late for name, value in row.items() if isinstance(value, datetime)})
        yield sim.name, when(number * 600.0) + late, tables


def _sweep(sim: Sim, number: int) -> Tables:
    found: Tables = {"brokers": []}
    for broker in sim.brokers:
        t = sim.read_at(broker, number)
        up = sim.up(broker, t)
        if not up and not any(broker in log.replicas.at(t) for log in sim.logs.values() if log.born <= t):
            continue  # nobody speaks of it
        found["brokers"].append(_broker(sim, broker, t, up))
        for table, rows in (_beans(sim, broker, number, t) if up else {}).items():
            found.setdefault(table, []).extend({"broker": broker, "read_at": when(t), **row} for row in rows)
        if up and since(sim, "3.3"):
            logs = sum(row["size_bytes"] for row in found["partitions"] if row["broker"] == broker)
            found.setdefault("disks", []).append({"broker": broker, "read_at": when(t), **disk(logs)})
        if up and sim.hosts:
            found.setdefault("hosts", []).append({
                "broker": broker, "read_at": when(t), "outcome": "ok", "listen_overflows": 3, "listen_drops": 3,
                "syncookies_sent": 0, "syncookies_received": 0, "tcp_syncookies": 1, "somaxconn": 4096,
                "tcp_max_syn_backlog": 4096, "boot_time_s": round(T0 - 40 * 86_400),
            })  # fmt: skip
    t = number * 600.0 + 1.2
    found |= admin(sim, t)
    declared = {"environment": "production", "id": sim.name, "thresholds": {}, **sim.declared}
    found["declarations"] = [{"environment": "production", "owners": ["owner@example.org"],
                              "declaration": json.dumps(declared, sort_keys=True)}]  # fmt: skip
    found["sweeps"] = [{"ended_at": when(t + 0.4), "kafka_cluster_id": f"id-{sim.name}",
                        "controller": _controller(sim, t), "admin_outcome": "ok", "admin_missing": [],
                        "collector_version": "0.1.0"}]  # fmt: skip
    return found


def _controller(sim: Sim, t: float) -> int:
    """As the metadata has it: with KRaft a broker by chance (KafkaApis.handleTopicMetadataRequest)."""
    active = sim.controller.at(t)
    return active if active != NOBODY else sim.rng.choice([one for one in sim.brokers if sim.up(one, t)])


def _broker(sim: Sim, broker: int, t: float, up: bool) -> Row:
    host = f"broker-{broker}.example.org"
    off = sim.state.clock(broker, t) - sim.state.collector.at(t)
    row = {"broker": broker, "host": host, "port": 9092, "rack": f"rack-{broker}" if sim.racks else None,
           "is_broker": True, "jolokia_url": f"http://{host}:8778/jolokia", "outcome": "ok", "read_at": when(t),
           "seconds": 0.2, "bytes": 40_000, "values": 900, "unusable": 0, "missing": [],
           "agent_clock_skew_s": off - 0.4 if off else 0.0}  # whole seconds are told  # fmt: skip
    gone = {"host": None, "port": None, "rack": None, "outcome": "failed", "kind": "refused", "read_at": None,
            "detail": "connection refused", "values": 0, "bytes": 0, "agent_clock_skew_s": None}  # fmt: skip
    return row if up else row | gone


def _beans(sim: Sim, broker: int, number: int, t: float) -> Tables:
    mine = [log for log in sim.logs.values() if log.born <= t and broker in log.replicas.at(t)]
    sums = sim.sums[broker]

    def value(*counter: str) -> int:
        return sim.value(broker, counter, number)

    topics = {counter[1] for counter in sums if counter[0] == "t"}
    per_topic = ("messages_in", "bytes_in", "bytes_out", "produce_batches", "fetch_reads", "failed_produce",
                 "failed_fetch")  # fmt: skip
    held, began = Counter[tuple[str, int, str, str]](), sim.started(broker, t)
    for at, *who, n in sim.sockets[broker]:
        held[tuple(who)] += n if (at > began or began < 0) and at <= t else 0  # type: ignore[index]
    by_processor = Counter[tuple[str, int]]()
    for (listener, p, _software, _version), n in held.items():
        by_processor[listener, p] += n
    waited = round(1e9 * total(sim.state.network[broker], began, t))
    tables: Tables = {
        "partitions": [_partition(sim, log, broker, t) for log in mine],
        "broker_metrics": [_metrics(sim, broker, number, t, mine)],
        "log_dirs": [{"log_dir": "/kafka", "uncleanable_partitions": 0, "uncleanable_bytes": 0, "offline": 0}],
        "recoveries": [{"log_dir": "/kafka", "remaining_logs": 0}] if since(sim, "3.3") else [],
        "requests": [{"request": counter[1], "version": "11", "requests": value(*counter)}
                     for counter in sorted(sums) if counter[0] == "r"],
        "request_times": [row for request in ("Produce", "FetchConsumer")
                          for row in request_times(sim, broker, request, number, t)],
        "request_errors": [{"request": counter[1], "error": counter[2], "errors": value(*counter)}
                           for counter in sorted(sums) if counter[0] == "e" and value(*counter)]
        + [{"request": "ListGroups", "error": "NONE", "errors": 1 + int(t - began)}],
        "broker_topics": [_copies(sim, topic) | {"topic": topic} | {name: value("t", topic, name) for name in per_topic}
                          for topic in sorted(topics) if any(log.topic == topic for log in mine)],
        "listeners": [
            {"listener": listener, "network_processor": p, "connections": float(by_processor[listener, p]),
             "connections_created": float(value("l", listener, str(p), "connections_created")),
             "connections_closed": float(value("l", listener, str(p), "connections_closed")), "authentications": 0.0,
             "failed_authentications": 0.0, "expired_connections_killed": 0.0, "io_wait_ns": waited,
             "old_io_wait_ns": waited}
            for listener in sorted({one[0] for one in held}) for p in range(PROCESSORS)
        ],
        "client_software": [
            {"software": software, "software_version": version, "listener": listener, "network_processor": p,
             "connections": float(n)} for (listener, p, software, version), n in sorted(held.items())
        ] if since(sim, "2.5") else [],
        "acceptors": [{"listener": listener, "acceptor": "AcceptorBlockedPercent",
                       "blocked_ns": value("a", listener, "blocked_ns"), "blocked_ratio_1m": 0.0}
                      for listener in sorted({one[0] for one in held})],
        "fetcher_lags": [
            {"client_id": f"ReplicaFetcherThread-0-{log.leader.at(t)}", "topic": log.topic, "partition": log.number,
             "lag": log.end_at(t) - _copied(log, broker, t)}
            for log in mine
            if log.leader.at(t) not in (None, broker) and not (broker in log.stuck and log.stuck[broker][0] <= t)
        ],
    }  # fmt: skip
    for name, rows in tables.items():
        late = [one.name for one in mbeans.tables()[name].columns.values() if not since(sim, one.since)]
        for row in rows:
            row.update(dict.fromkeys(late, None))
    tables["broker_metrics"][0] |= descriptors(sum(by_processor.values()), len(mine))
    return tables


def _copied(log: Log, broker: int, t: float) -> int:
    """How far a replica is: some milliseconds behind, or where it stands still."""
    if log.leader.at(t) == broker:
        return log.end_at(t)
    if broker in log.stuck and log.stuck[broker][0] <= t:
        return log.stuck[broker][1]
    return log.end_at(t - 0.003)


def _bytes(sim: Sim, log: Log, records: int, t: float) -> int:
    """Of a log: told by the day, or 130 for each record."""
    told = sim.state.sizes.get((log.topic, log.number))
    return told[bisect_right(told, (t, 1 << 62)) - 1][1] if told else 130 * max(0, records)


def _partition(sim: Sim, log: Log, broker: int, t: float) -> Row:
    led, end, start = log.leader.at(t) == broker, _copied(log, broker, t), log.start.at(t)
    if broker in log.emptied and log.emptied[broker][0] <= t:
        start = max(start, log.emptied[broker][1])
    return {"topic": log.topic, "partition": log.number, "log_end_offset": end, "log_start_offset": min(start, end),
            "size_bytes": _bytes(sim, log, end - start, t), "isr_count": len(log.isr.at(t)) if led else 0,
            "replicas_count": len(log.replicas.at(t)) if led else 0}  # fmt: skip


def _metrics(sim: Sim, broker: int, number: int, t: float, mine: list[Log]) -> Row:
    began = sim.started(broker, t)
    begun = T0 + began + sim.state.clock(broker, began)  # by its own clock
    led = [log for log in mine if log.leader.at(t) == broker]
    row: Row = {name: sim.value(broker, ("b", name), number) for name in COUNTED}
    row = {name: float(value) if name in FLOATS else value for name, value in row.items()}
    row |= {"produce_conversions": 0, "fetch_conversions": None if since(sim, "4.0") else 0}
    moved = sum(log.leader.at(t) != log.replicas.at(t)[0] for log in sim.logs.values() if log.born <= t)
    active = sim.controller.at(t) == broker
    groups = [name for name in sim.groups if sim.logs[OFFSETS, offsets_partition(name)].leader.at(t) == broker]
    row |= {
        "release": sim.release, "commit_id": "0" * 16, "jvm_start_ms": round(1000 * begun),
        "app_start_ms": round(1000 * (begun + sim.startup_s[broker])), "broker_state": 3,
        "under_replicated_partitions": sum(len(x.isr.at(t)) < len(x.replicas.at(t)) for x in led),
        "under_min_isr_partitions": 0,
        "at_min_isr_partitions": sum(len(x.isr.at(t)) == 2 < len(x.replicas.at(t)) for x in led), "offline_replicas": 0,
        "leader_count": len(led), "partition_count": len(mine),
        "reassigning_partitions": sum(a <= t < b and sim.logs[key] in led for a, b, key in sim.reassigned),
        "late_transaction_partitions": 0 if since(sim, "3.2") else None, "producer_ids": 4,
        "fetcher_max_lag": 0, "fetcher_min_fetch_rate": 2.0,
        "fetcher_failed_partitions": 0, "fetcher_dead_threads": 0, "offline_log_dirs": 0, "cleaner_dead_threads": 0,
        "cleaner_max_dirty_percent": 20.0, "cleaner_idle_ms": 5000, "cleaner_max_buffer_percent": 2.0,
        "cleaner_recopy_percent": 60.0, "cleaner_max_clean_seconds": 1.0, "cleaner_max_compaction_delay_seconds": 0.0,
        "group_offsets": 10, "groups": len(groups), **_groups(sim, groups, t), "offsets_load_ms_max": 12.0,
        "offsets_load_ms_avg": 6.0,
        "offsets_failed": 0.0 if since(sim, "4.0") else None, "offsets_loading": 0.0 if since(sim, "4.0") else None,
        "deadlocked_threads": 0,
        "network_processor_idle": sim.state.network[broker].at(t), "request_queue_size": 0,
    }  # fmt: skip
    kraft = by_kraft(sim, broker, t)
    controls = not kraft or (broker <= 3 and not sim.state.quorum.controllers)
    stats = controls and not kraft  # of the ZooKeeper controller alone
    row |= _idle(sim, broker, t, began, controls and kraft)
    row |= {
        "controlled_shutdowns": sim.value(broker, ("c", "controlled_shutdowns"), number) if stats else None,
        "leader_elections": sim.value(broker, ("c", "leader_elections"), number) if stats else None,
        "unclean_leader_elections": sim.value(broker, ("c", "unclean_leader_elections"), number) if stats else None,
        "active_controller": int(active) if controls else None, "offline_partitions": 0 if controls else None,
        "preferred_replica_imbalance": (moved if active else 0) if controls else None,
        "global_topics": len(sim.settings) if controls else None,
        "global_partitions": sum(log.born <= t for log in sim.logs.values()) if controls else None,
        "active_brokers": sum(sim.up(one, t) for one in sim.brokers) if controls and kraft else None,
        "fenced_brokers": (
            sum(not sim.up(one, t) and t < sim.state.unregistered.get(one, sim.end) for one in sim.brokers)
            if controls and kraft else None
        ),
        "controlled_shutdown_brokers": (  # every stop is a clean one
            sum(not sim.up(one, t) for one in sim.brokers) if controls and kraft and since(sim, "4.1") else None
        ),
    }  # fmt: skip
    if kraft or sim.state.quorum.controllers:
        row |= quorum_gauges(sim, broker, t, kraft, controls)
    return row | {name: steps.at(t) for name, steps in sim.gauges[broker].items()}


def _copies(sim: Sim, topic: str) -> Row:
    """Of a topic in tiered storage: a closed segment or none waits for its copy."""
    if sim.settings[topic].get("remote.storage.enable") != "true":
        return {}
    return {"remote_copy_lag_bytes": sim.rng.choice([0, 900_000_000])}
