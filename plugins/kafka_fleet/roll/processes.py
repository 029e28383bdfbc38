"""Broker and controller processes before a stop: takes a sweep, gives reasons about the unwell and the needed."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow.compute as pc

from kafka_fleet.documents.readiness import Level, ReadinessReason
from kafka_fleet.roll.reasons import reason
from kafka_fleet.store.raw.newest_sweep import SweepTables

RUNNING = 3  # BrokerState of a broker that is up
_ROLES, _VOTERS = "process.roles", "controller.quorum.voters"
Row = Mapping[str, Any]


def listed_brokers(tables: SweepTables) -> list[int]:
    """Brokers that the sweep names, whether they answered or not."""
    return sorted(
        one["broker"] for one in tables.table("brokers").to_pylist() if one["is_broker"] and one["broker"] is not None
    )


def of_processes(tables: SweepTables) -> Iterator[ReadinessReason]:
    """Brokers that are away, still starting, or have lost a disk: of the cluster, for one more must not go then."""
    rows = {one["broker"]: one for one in tables.table("brokers").to_pylist()}
    states = {one["broker"]: one for one in tables.table("broker_metrics").to_pylist()}
    loading = {one["broker"] for one in tables.table("recoveries").to_pylist() if (one["remaining_logs"] or 0) > 0}
    for broker in listed_brokers(tables):
        state = states.get(broker)
        if broker in loading or (state is not None and state["broker_state"] not in (None, RUNNING)):
            yield reason("broker_starting", "blocks", count=broker)
        elif rows[broker]["read_at"] is None or state is None:
            yield reason("broker_unread", "unmeasured", count=broker, about=rows[broker]["kind"])
        if state is not None and (state["offline_log_dirs"] or 0) > 0:
            yield reason("log_dirs_offline", "warns", count=broker, limit=state["offline_log_dirs"])


def of_controllers(tables: SweepTables, brokers: Collection[int]) -> Iterator[ReadinessReason]:
    """The active controller, which is stopped last, and brokers whose stop would cost KRaft's quorum its majority."""
    active = [one["broker"] for one in tables.table("broker_metrics").to_pylist() if one["active_controller"] == 1]
    answered = {one["broker"] for one in tables.table("brokers").to_pylist() if one["read_at"] is not None}
    roles = _settings(tables, _ROLES)
    voters = _voters(_settings(tables, _VOTERS).values())
    for broker in sorted(brokers):
        if broker in active and len(brokers) > 1:
            yield reason("active_controller", "notes", broker)
        if "controller" not in (roles.get(broker) or "") or (voters and broker not in voters):
            continue
        if not voters:
            yield reason("quorum_unread", "unmeasured", broker)
            continue
        need, left = len(voters) // 2 + 1, len((voters & answered) - {broker})
        if left < need:
            # a voter that is not collected may well be up
            lost = voters <= answered or len(voters - {broker}) < need
            code: tuple[str, Level] = ("quorum_lost", "blocks") if lost else ("quorum_unread", "unmeasured")
            yield reason(*code, broker, left, (), need)


def _settings(tables: SweepTables, name: str) -> Mapping[int, str | None]:
    rows = tables.table("broker_configs")
    return {one["broker"]: one["value"] for one in rows.filter(pc.equal(rows["name"], name)).to_pylist()}


def _voters(texts: Collection[str | None]) -> set[int]:
    """Ids of controller.quorum.voters, `1@host:9093,2@…`; empty where the quorum is not set so, or not read."""
    found = {part.partition("@")[0].strip() for text in texts if text for part in text.split(",")}
    return {int(one) for one in found if one.isascii() and one.isdigit() and len(one) < 10}
