"""Transactions at a sweep: takes a model, gives the rows that the collector lands of coordinators and partitions.

In a third of the clusters an exactly-once sink has checkpoints of ten minutes, and a mirror copies old records: each
sweep finds other transactions of theirs, and brokers count the mirror's as late by the times of its records.
"""

from datetime import datetime
from typing import Any

from support.generators.fleetgen.model import Model
from support.generators.fleetgen.state import Log, OpenTransaction

Rows = list[dict[str, Any]]
CHECKPOINT_S = 600
OLD_S = 86_400.0


def _has_sink(model: Model) -> bool:
    return model.spec.seed % 3 == 0


def _first(model: Model, topic: str) -> Log:
    return next(log for log in model.logs.values() if log.topic.name == topic and log.number == 0)


def late_partitions(model: Model, led: list[Log]) -> int | None:
    """PartitionsWithLateTransactionsCount of a leader; brokers before 3.2 have none."""
    if not model.spec.since("3.2"):
        return None
    late = {_first(model, topic).key for topic, one in model.transactions.items() if not one.holds}
    late |= {_first(model, model.spec.topics[0].name).key} if _has_sink(model) else set()
    return sum(log.key in late for log in led)


def _row(model: Model, read: datetime, log: Log, producer: int, one: OpenTransaction, written: float) -> dict[str, Any]:
    return {
        "broker": log.leader, "read_at": read, "topic": log.topic.name, "partition": log.number,
        "producer_id": producer, "producer_epoch": 0, "coordinator_epoch": 0, "start_offset": one.start_offset,
        "last_sequence": 3, "last_timestamp_ms": round(1000 * written), "last_stable_offset": one.start_offset,
        "high_watermark": one.start_offset + log.end, "all_asked": True, "transactional_id": f"writer-{producer}",
        "coordinator": min(b.id for b in model.brokers.values() if b.up), "state": one.state,
        "timeout_ms": round(1000 * one.timeout_s), "started_ms": round(1000 * written), "in_transaction": one.holds,
    }  # fmt: skip


def transaction_rows(model: Model, read: datetime) -> dict[str, Rows]:
    """Both raw tables of transactions; brokers before 3.0 tell nothing."""
    if not model.spec.since("3.0"):
        return {}
    number, first = int(model.now // CHECKPOINT_S), _first(model, model.spec.topics[0].name)
    rows: Rows = []
    if _has_sink(model) and first.leader is not None:
        sink = OpenTransaction("Ongoing", True, 900.0, 2 * number)
        mirror = OpenTransaction("CompleteCommit", False, 60.0, int(model.now))  # each lasts for a moment
        rows.append(_row(model, read, first, 5000 + number % 4, sink, model.now))
        rows.append(_row(model, read, first, 6000, mirror, model.now - OLD_S))
    for topic, one in model.transactions.items():
        log = _first(model, topic)
        if log.leader is not None:
            rows.append(_row(model, read, log, 4000, one, model.spec.at(0)))
    up = [broker.id for broker in model.brokers.values() if broker.up and broker.listed]
    listed = [{"broker": b, "read_at": read, "listed": b % 3, "long_open": len(rows) if b == up[0] else 0} for b in up]
    return {"transaction_coordinators": listed, "open_transactions": rows}
