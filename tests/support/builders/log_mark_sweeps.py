"""Log marks of one sweep at a fixed time: takes the entry `log_marks` of a cluster, gives the rows of its brokers."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, tzinfo
from typing import Any

from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.log_marks.rows import Row
from kafka_fleet.collect.log_marks.sweep_marks import MarkSweep, Unread
from kafka_fleet.config.credentials import Connection, Resolver
from kafka_fleet.config.fleet import Cluster
from support.builders.fleet_entries import GOOD, fleet

LIMITS = Limits(5.0, 5.0, 15.0, 4_000_000)
NOW = datetime(2026, 11, 26, 2, tzinfo=UTC).timestamp()
SEGMENT = "[2026-11-26 01:45:08,123] INFO [LogLoader partition=t-0, dir=/d] Recovering unflushed segment 0. 0/1"
UNCLEAN = "[2026-11-26 01:45:08,123] INFO Recovering 12 logs from /d since no clean shutdown file was found (k)"
FLOOD = "TCP: request_sock_TCP: Possible SYN flooding on port [::]:9092. Sending cookies."


class Clock(datetime):
    """Stands at NOW: a run of all tests may be old when it comes to these."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # datetime's own is of its subclass
        return datetime.fromtimestamp(NOW, tz)


def cluster(**marks: Any) -> Cluster:
    """A cluster with this entry."""
    found = fleet({**GOOD, "jolokia": {"url_template": "http://{host}:1/"}, "log_marks": marks})
    assert found.errors == []
    return found.clusters[0]


def swept(
    made: Cluster,
    hosts: dict[int, str] | None = None,
    unread: Unread | None = None,
    resolver: Resolver | None = None,
    limits: Limits | None = LIMITS,
    replicas: Collection[int] | None = None,
) -> list[Row]:
    """The rows; as in MarkSweep, with one broker unless there are hosts."""

    def none(name: str) -> Connection:
        raise AssertionError(name)

    marks = MarkSweep(made, resolver or none, unread or {}, lambda: limits, str)
    asked = marks.brokers({1: "b1"} if hosts is None else hosts, replicas)
    return [row for b, host in asked.items() for row in marks.rows(b, host)]


def short(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    """What was counted in each row."""
    names = ("broker", "log", "outcome", "mark", "port", "lines", "number")
    return [tuple(row.get(name) for name in names) for row in rows]
