"""Gauges of a broker that a day may change: takes a cluster, gives columns of broker_metrics."""

from collections import Counter
from typing import Any

from support.generators.days.admin import group_state
from support.generators.days.cluster import Sim, since
from support.generators.days.state import total

Row = dict[str, Any]
CONTROLLER_IDLE = 0.98
DISK = 200 * 10**9  # bytes, of which other files take a fifth
FILES = 100_000  # descriptors that a process may have


def groups(sim: Sim, names: list[str], t: float) -> Row:
    """How many of the groups that a broker coordinates are in which state."""
    states = Counter(group_state(sim, name, t) for name in names)
    return {"groups_stable": states["Stable"], "groups_dead": 0, "groups_empty": states["Empty"],
            "groups_preparing_rebalance": states["PreparingRebalance"],
            "groups_completing_rebalance": states["CompletingRebalance"]}  # fmt: skip


def idle(sim: Sim, broker: int, t: float, began: float, combined: bool) -> Row:
    """Idle share of the handlers. A node that is a controller as well adds both pools to one meter before 4.2."""
    steps, more = sim.state.handlers[broker], CONTROLLER_IDLE if combined else 0.0
    own = round(1e9 * total(steps, began, t))
    both = own + round(1e9 * more * (t - began))
    return {"request_handler_idle": steps.at(t) + more, "request_handler_idle_ns": both,
            "broker_handler_idle_ns": own if since(sim, "4.2") else None}  # fmt: skip


def descriptors(connections: int, replicas: int) -> Row:
    """Files and sockets that a process has open: of each replica a log and three indexes."""
    return {"open_file_descriptors": 400 + connections + 4 * replicas, "max_file_descriptors": FILES}


def disk(logs: int) -> Row:
    """What DescribeLogDirs tells of the volume, from 3.3 on (KIP-827)."""
    return {"log_dir": "/kafka", "total_bytes": DISK, "usable_bytes": DISK - DISK // 5 - logs}
