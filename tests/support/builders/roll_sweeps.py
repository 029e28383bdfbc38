"""A cluster that may be rolled, as one sweep: three brokers of 3.9.1 and KRaft controllers of their own."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kafka_fleet.documents.readiness import Readiness, ReadinessReason
from kafka_fleet.knowledge.releases import parse_release
from kafka_fleet.roll.readiness import READS, Asked, Known, readiness
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.newest_sweep import SweepTables, newest_sweep, sweep_tables

AT = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
BROKERS = (1, 2, 3)
Rows = dict[str, list[dict[str, Any]]]
_SETTINGS = {
    "process.roles": "broker", "min.insync.replicas": "2", "socket.listen.backlog.size": "50",
    "inter.broker.listener.name": "INTERNAL", "controller.listener.names": "CONTROLLER", "num.replica.fetchers": "1",
}  # fmt: skip


def partition(
    topic: str, number: int, replicas: list[int], isr: list[int] | None = None, **more: Any
) -> dict[str, Any]:
    """A row of topics; the preferred replica leads while it is in sync."""
    held = replicas if isr is None else isr
    leader = replicas[0] if replicas[0] in held else (held[0] if held else None)
    return {"topic": topic, "partition": number, "replicas": replicas, "isr": held, "leader": leader, **more}


def healthy() -> Rows:
    """Rows of every table; what a test is about is changed in them."""
    turns = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    offsets = [partition("__consumer_offsets", n, turns[n % 3], internal=True) for n in range(6)]
    return {
        "sweeps": [{"admin_outcome": "ok", "admin_missing": [], "previous_sweep_at": AT - timedelta(minutes=10)}],
        "brokers": [
            {"broker": b, "is_broker": True, "outcome": "ok", "read_at": AT, "rack": f"r{b}", "missing": []}
            for b in BROKERS
        ],
        "broker_metrics": [
            {"broker": b, "read_at": AT, "release": "3.9.1", "broker_state": 3, "active_controller": 0,
             "offline_log_dirs": 0, "open_file_descriptors": 300, "max_file_descriptors": 100_000}
            for b in BROKERS
        ],
        "topics": [*(partition("orders", n, turns[n]) for n in range(3)), *offsets],
        "topic_configs": [
            {"topic": t, "name": "min.insync.replicas", "value": "2"} for t in ("orders", "__consumer_offsets")
        ],
        "broker_configs": [
            {"broker": b, "name": name, "value": value} for b in BROKERS for name, value in _SETTINGS.items()
        ],
        "features": [{"feature": "metadata.version", "min_level": 1, "max_level": 21}],
        "groups": [{"group_id": g, "state": "Stable", "protocol_type": "consumer"} for g in ("billing", "reports")],
        "group_members": [{"group_id": "billing", "member_id": "m1"}, {"group_id": "reports", "member_id": "m2"}],
        "partitions": [
            {"broker": b, "read_at": AT, "topic": "__consumer_offsets", "partition": n, "size_bytes": 1000,
             "replicas_count": 3 if turns[n % 3][0] == b else 0, "log_start_offset": 0, "log_end_offset": 100,
             "previous_log_end_offset": 90}
            for b in BROKERS for n in range(6)
        ],
        "disks": [
            {"broker": b, "read_at": AT, "log_dir": "/data", "total_bytes": 2**40, "usable_bytes": 2**39}
            for b in BROKERS
        ],
        "listeners": [
            {"broker": b, "read_at": AT, "listener": name, "network_processor": p, "connections": held}
            for b in BROKERS for name, held in (("EXTERNAL", 10.0), ("INTERNAL", 1.0)) for p in (0, 1)
        ],
        "client_software": [
            {"broker": b, "read_at": AT, "software": "apache-kafka-java", "software_version": "3.9.0",
             "listener": "EXTERNAL", "network_processor": 0, "connections": 20.0}
            for b in BROKERS
        ],
        "hosts": [{"broker": b, "read_at": AT, "outcome": "ok", "somaxconn": 4096} for b in BROKERS],
    }  # fmt: skip


def landed(home: Path, rows: Rows, cluster: str = "payments-eu", at: datetime = AT) -> SweepTables:
    """The tables of a sweep that was stored with these rows."""
    land(home, cluster, at, rows)
    sweep = newest_sweep(home, cluster, list(READS))
    assert sweep is not None
    return sweep_tables(home, sweep, READS)


def asked(
    home: Path,
    change: Callable[[Rows], object] = lambda _rows: None,
    to: str | None = None,
    known: Known | None = None,
    **more: Any,
) -> Readiness:
    """The readiness of the healthy cluster after a change."""
    rows = healthy()
    change(rows)
    wanted = Asked(target=parse_release(to) if to else None, **more)
    return readiness(landed(home, rows), wanted, known or Known())


def decisive(found: Readiness) -> list[tuple[str, str, int | None]]:
    """Level, code and broker of the reasons that are no notes."""
    return [(one.level, one.code, one.broker) for one in found.reasons if one.level != "notes"]


def only(found: Readiness, code: str, broker: int | None = None) -> ReadinessReason:
    """The one reason of that code, and of that broker."""
    (one,) = [r for r in found.reasons if r.code == code and r.broker == broker]
    return one
