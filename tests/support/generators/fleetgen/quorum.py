"""The KRaft quorum at a sweep: takes a model, gives the rows that the collector lands of it, and gauges of a broker.

Voters are the first three brokers, or three controllers that nobody declared. An idle log grows by two records a
second.
"""

from datetime import datetime
from typing import Any

from support.generators.fleetgen.model import Model
from support.generators.fleetgen.state import Broker

Row = dict[str, Any]
DEDICATED = [3000, 3001, 3002]
RECORDS_PER_S = 2
FETCHED_S = 0.4


def _combined(model: Model) -> bool:
    return model.spec.tells_controller


def _log_end(model: Model) -> int:
    return int(RECORDS_PER_S * (model.now - model.spec.at(0) + 86_400))


def quorum_gauges(model: Model, broker: Broker) -> Row:
    """Columns of broker_metrics; brokers with ZooKeeper have none."""
    if not model.spec.kraft:
        return {}
    end = _log_end(model) - 1
    gauges: Row = {"quorum_epoch": model.epoch, "quorum_leader": 1, "applied_metadata_offset": end,
                   "metadata_load_errors": 0, "metadata_apply_errors": 0,
                   "queued_directory_assignments": 0}  # fmt: skip
    if _combined(model) and broker.id in model.spec.brokers[:3]:
        gauges |= {"controller_applied_offset": end, "controller_metadata_errors": 0,
                   "new_active_controllers": model.epoch, "controller_queue_ms_p99": 3.0}  # fmt: skip
    return gauges


def quorum_rows(model: Model, read: datetime) -> dict[str, list[Row]]:
    """The raw table; brokers before 3.3 cannot be asked."""
    if not model.spec.kraft or not model.spec.since("3.3"):
        return {}
    voters = model.spec.brokers[:3] if _combined(model) else DEDICATED
    leader = model.controller if model.controller in voters else voters[0]
    clock, end = round(1000 * model.now), _log_end(model)
    rows = []
    for node in dict.fromkeys([*voters, *model.spec.brokers]):
        broker = model.brokers.get(node)
        fetches = (broker is None or broker.up) and node not in model.silent_voters
        if not fetches and node not in voters:
            continue  # the leader has forgotten an observer that is away
        fetched = clock - round(1000 * FETCHED_S) if fetches else None
        rows.append({
            "read_at": read, "leader": leader, "leader_epoch": model.epoch, "high_watermark": end, "replica": node,
            "is_voter": node in voters, "log_end_offset": end if fetches else None, "leader_ms": clock,
            "last_fetch_ms": fetched, "last_caught_up_ms": fetched,
            "host": f"node-{node}.example.org" if node in voters and model.spec.since("3.9") else None,
        })  # fmt: skip
    return {"quorum_replicas": rows}
