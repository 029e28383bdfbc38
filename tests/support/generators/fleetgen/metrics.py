"""A broker's own metrics at a sweep: takes a model and a broker, gives its row of raw table broker_metrics."""

from collections import Counter
from typing import Any

from support.generators.fleetgen.consumers import active
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.open_transactions import late_partitions
from support.generators.fleetgen.quorum import quorum_gauges
from support.generators.fleetgen.shape import Group
from support.generators.fleetgen.state import OFFSETS, Broker, Log, Threads, offsets_partition

Row = dict[str, Any]
CONTROLLER = (
    "controlled_shutdowns", "leader_elections", "unclean_leader_elections", "active_controller", "offline_partitions",
    "preferred_replica_imbalance", "global_topics", "global_partitions",
)  # fmt: skip
ZOOKEEPER_ONLY = ("controlled_shutdowns", "leader_elections", "unclean_leader_elections")  # absent in KRaft recordings


def broker_metrics(model: Model, broker: Broker, mine: list[Log], led: list[Log]) -> Row:
    spec, counts = model.spec, broker.counters
    skew = spec.skew.get(broker.id, 0.0)
    lag = max((log.lag.get(broker.id, 0) for log in mine if log.leader != broker.id), default=0)
    groups = [g for g in spec.groups if not g.anonymous and coordinator(model, g) == broker.id]
    states = Counter(g.state if active(model, g) else "Empty" for g in groups)
    lazy = ("expired_consumer_fetches", "expired_follower_fetches", "isr_expands", "isr_shrinks", "messages_in",
            "bytes_in", "bytes_out", "replication_bytes_in", "replication_bytes_out", "produce_batches",
            "failed_produce")  # fmt: skip
    row: Row = {name: counts[name] for name in lazy} | {
        "release": spec.release, "commit_id": "0" * 16, "jvm_start_ms": round(1000 * (broker.started + skew)),
        "app_start_ms": round(1000 * (broker.started + broker.startup_s + skew)), "broker_state": 3,
        "failed_isr_updates": 0, "under_replicated_partitions": sum(len(x.isr) < len(x.replicas) for x in led),
        "under_min_isr_partitions": 0, "at_min_isr_partitions": 0, "offline_replicas": 0, "leader_count": len(led),
        "partition_count": len(mine), "reassigning_partitions": sum(bool(log.adding) for log in led),
        "late_transaction_partitions": late_partitions(model, led), "producer_ids": broker.producer_ids,
        "fetcher_max_lag": lag, "fetcher_min_fetch_rate": 2.0,
        "fetcher_failed_partitions": 0, "fetcher_dead_threads": 0, "offline_log_dirs": 0,
        "cleaner_dead_threads": 0, "cleaner_max_dirty_percent": 20.0, "cleaner_idle_ms": 5000,
        "cleaner_max_buffer_percent": 2.0, "cleaner_recopy_percent": 60.0, "cleaner_max_clean_seconds": 1.0,
        "cleaner_max_compaction_delay_seconds": 0.0 if spec.since("2.3") else None,
        "group_offsets": sum(1 for (name, _key), r in model.readers.items()
                             if r.committed is not None and name in {g.name for g in groups}),
        "groups": len(groups), "groups_stable": states["Stable"], "groups_dead": 0, "groups_empty": states["Empty"],
        "groups_preparing_rebalance": states["PreparingRebalance"],
        "groups_completing_rebalance": states["CompletingRebalance"], "offsets_load_ms_max": broker.load_ms,
        "offsets_load_ms_avg": broker.load_ms / 2,
        "offsets_failed": 0.0 if spec.since("4.0") else None, "offsets_loading": 0.0 if spec.since("4.0") else None,
        "offset_commits": float(counts["offset_commits"]), "offset_expirations": float(counts["offset_expirations"]),
        "offset_deletions": 0.0, "completed_rebalances": float(counts["rebalances"]), "failed_fetch": 0,
        "fetch_reads": broker.requests["FetchConsumer"] + broker.requests["FetchFollower"],
        "invalid_offset_or_sequence": counts["invalid_offset_or_sequence"],
        "deadlocked_threads": 0, "network_processor_idle": broker.network.idle, "request_queue_size": 0,
    }  # fmt: skip
    controls = _controller(model, broker)
    combined = spec.kraft and controls["active_controller"] is not None  # both pools are counted together before 4.2
    pools = [broker.handlers, *([Threads(0.97)] if combined else [])]
    row |= {
        "request_handler_idle": sum(one.idle for one in pools),
        "request_handler_idle_ns": round(sum(one.idle_ns(model.now - broker.started) for one in pools)),
    }
    return row | controls | quorum_gauges(model, broker) | broker.gauges


def _controller(model: Model, broker: Broker) -> Row:
    spec, counts, active = model.spec, broker.counters, broker.id == model.controller
    if spec.kraft and not (spec.tells_controller and broker.id in spec.brokers[:3]):
        return dict.fromkeys(CONTROLLER)
    moved = sum(log.leader != log.replicas[0] for log in model.logs.values())
    row: Row = {name: counts[name] for name in ZOOKEEPER_ONLY} | {
        "active_controller": int(active), "offline_partitions": 0,
        "preferred_replica_imbalance": moved if active else 0,
        "global_topics": len({key[0] for key in model.logs}), "global_partitions": len(model.logs),
    }  # fmt: skip
    return row | (dict.fromkeys(ZOOKEEPER_ONLY) if spec.kraft else {})


def coordinator(model: Model, group: Group) -> int | None:
    """The broker that leads the group's partition of the offsets log."""
    return model.logs[OFFSETS, offsets_partition(group.name, model.spec.offsets_partitions)].leader
