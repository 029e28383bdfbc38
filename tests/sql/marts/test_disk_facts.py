"""Facts of disks by given rows: volumes, moments, falls; what arrived, what was moved, what retention still allows."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from fleet_spark.facts import fact_queries
from fleet_spark.raw_frames import spark_schema
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.schema.raw_tables import raw_schemas
from support.spark_runs.analysed import spark

pytestmark = pytest.mark.timeout(900)
BEGIN = datetime(2026, 11, 20, tzinfo=UTC)
GB, MB, HOUR = 10**9, 10**6, 3600.0
Row = dict[str, Any]


def at(hours: float) -> datetime:
    """A moment of the day; below 0 of a day before."""
    return BEGIN + timedelta(hours=hours)


@cache
def session() -> SparkSession:
    """Views of its own, so that nobody else's are changed."""
    return spark().newSession()


def shown(name: str, schema: StructType, rows: Sequence[Row]) -> None:
    """Register a view; columns that are left out are null, cluster and broker those of everybody."""
    whole = [{column: {"cluster": "a", "broker": 1, **row}.get(column) for column in schema.names} for row in rows]
    session().createDataFrame(whole, schema).createOrReplaceTempView(name)


def facts(wanted: str, raw: dict[str, list[Row]]) -> list[Row]:
    """Rows of a fact table, and of what it is made of, over given raw rows; tables that are left out are empty."""
    for table in raw_schemas():
        shown(f"raw_{table}", spark_schema(table), raw.get(table, []))
    found: list[Row] = []
    known = {"ds": "2026-11-20", "start_hours": 24, "clock_s": 5}
    for table, query in fact_queries(sql_dir(), [wanted]).items():
        frame = session().sql(query, args={name: value for name, value in known.items() if f":{name}" in query})
        rows = frame.collect()
        session().createDataFrame(rows, frame.schema).createOrReplaceTempView(table)
        found = [row.asDict() for row in rows]
    return found


def disk(hours: float, used: float, log_dir: str = "/d1", total: int = 1000 * GB, broker: int = 1) -> Row:
    """One log directory at one sweep; used in GB."""
    usable = total - round(used * GB)
    return {"sweep_at": at(hours), "read_at": at(hours), "broker": broker, "log_dir": log_dir, "total_bytes": total,
            "usable_bytes": usable}  # fmt: skip


def points(rows: list[Row], spacing: str, log_dir: str = "/d1") -> list[Row]:
    """Points of one volume in their order."""
    chosen = [
        one for one in facts("disk_points", {"disks": rows}) if (one["spacing"], one["log_dir"]) == (spacing, log_dir)
    ]
    return sorted(chosen, key=lambda one: one["read_at"])


def test_a_day_of_earlier_days_is_its_last_sweep_and_thirds_begin_with_the_one_before() -> None:
    rows = [disk(-72.1, 100), disk(-24.1, 200), disk(-0.2, 210), *(disk(hour, 210 + hour) for hour in range(24))]
    days = points(rows, "days")
    assert [one["used_bytes"] / GB for one in days] == [100, 200, 210, 233]
    assert [one["from_used_bytes"] and one["from_used_bytes"] / GB for one in days] == [None, 100, 200, 210]
    thirds = points(rows, "thirds")
    assert [one["used_bytes"] / GB for one in thirds] == [210, 217, 225, 233]
    assert {one["largest_fall_bytes"] for one in (*days, *thirds)} == {0}


def test_with_one_day_alone_growth_is_that_within_it() -> None:
    rows = [disk(hour, 210 + hour) for hour in range(6, 16)]
    assert [one["from_read_at"] for one in points(rows, "days")] == [None]
    assert [one["used_bytes"] / GB for one in points(rows, "thirds")] == [216, 218, 221, 225]


def test_the_most_that_was_freed_at_once_is_of_this_day() -> None:
    rows = [disk(-48.1, 900), disk(-0.2, 300), disk(1, 350), disk(2, 330), disk(3, 335)]
    assert {one["largest_fall_bytes"] for one in points(rows, "thirds")} == {20 * GB}


def test_directories_of_one_volume_are_one_and_those_of_equal_disks_are_not() -> None:
    rows = [
        one
        for hour in (1, 2)
        for one in (
            disk(hour, 500, "/both/b"), disk(hour, 500.2, "/both/a"), disk(hour, 300, "/own"),
            disk(hour, 500, "/smaller", 900 * GB), disk(hour, 500, "/both/b", broker=2),
        )
    ]  # fmt: skip
    found = facts("disk_points", {"disks": rows})
    assert {(one["broker"], one["log_dir"], one["log_dirs"]) for one in found} == {
        (1, "/both/a", 2), (1, "/own", 1), (1, "/smaller", 1), (2, "/both/b", 1),
    }  # fmt: skip


def test_a_broker_that_told_nothing_today_has_no_points() -> None:
    assert facts("disk_points", {"disks": [disk(-30, 100), disk(-6, 100)]}) == []


def replica(hours: float, begin: int, end: int, broker: int = 1, leads: bool = True, topic: str = "t") -> Row:
    """One replica at one sweep, of records of 1 MB."""
    return {"sweep_at": at(hours), "read_at": at(hours), "broker": broker, "topic": topic, "partition": 0,
            "log_start_offset": begin, "log_end_offset": end, "size_bytes": (end - begin) * MB,
            "replicas_count": 2 if leads else 0}  # fmt: skip


def growth(replicas: list[Row], **settings: object) -> dict[int, Row]:
    """Rows of log_growth by broker, of two reads ten hours apart."""
    named = {"cleanup.policy": "delete", "segment.bytes": 10 * MB, "segment.ms": 604800000, "retention.bytes": -1,
             "remote.storage.enable": "false"}  # fmt: skip
    named |= {name.replace("_", "."): value for name, value in settings.items()}
    configs = [
        {"sweep_at": at(11), "last_sweep_at": at(11), "topic": topic, "name": name, "value": str(value)}
        for topic in {one["topic"] for one in replicas}
        for name, value in {**named, "min.insync.replicas": 1}.items()
    ]
    raw = {
        "disks": [disk(hours, 100, broker=broker) for hours in (1, 11) for broker in (1, 2)],
        "brokers": [
            {"sweep_at": at(hours), "read_at": at(hours), "broker": broker, "outcome": "ok", "host": "b"}
            for hours in (1, 11)
            for broker in (1, 2)
        ],
        "broker_metrics": [
            {"sweep_at": at(hours), "broker": broker, "partition_count": sum(
                one["sweep_at"] == at(hours) and one["broker"] == broker for one in replicas
            )}
            for hours in (1, 11)
            for broker in (1, 2)
        ],
        "sweeps": [{"sweep_at": at(hours), "admin_outcome": "ok", "admin_missing": []} for hours in (1, 11)],
        "declarations": [{"sweep_at": at(1), "last_sweep_at": at(11), "declaration": "{}"}],
        "topics": [
            {"sweep_at": at(1), "last_sweep_at": at(11), "topic": topic, "partition": 0, "replicas": [1, 2],
             "isr": [1, 2], "leader": 1, "internal": False}
            for topic in {one["topic"] for one in replicas}
        ],
        "topic_configs": configs,
        "partitions": replicas,
    }  # fmt: skip
    return {one["broker"]: one for one in facts("log_growth", raw)}


def test_what_arrived_is_the_leader_s_and_what_a_follower_fetched_beyond_is_moved() -> None:
    rows = [replica(1, 0, 100), replica(11, 0, 140), replica(11, 0, 120, broker=2, leads=False)]
    found = growth([*rows, replica(1, 0, 30, broker=2, leads=False)], retention_ms=-1)
    leader, follower = found[1], found[2]
    assert (leader["grown_bytes"], leader["arrived_bytes"], leader["moved_bytes"]) == (40 * MB, 40 * MB, 0)
    assert (follower["grown_bytes"], follower["arrived_bytes"]) == (90 * MB, 40 * MB)
    assert (follower["moved_bytes"], follower["behind_bytes"]) == (50 * MB, 20 * MB)
    assert leader["unlimited_partitions"] == 1, "kept for ever"
    assert leader["seconds"] == 10 * HOUR
    new = growth(rows, retention_ms=-1)[2]  # it was not there at the first read
    assert (new["grown_bytes"], new["moved_bytes"], new["behind_bytes"]) == (120 * MB, 80 * MB, 20 * MB)
    unread = [one | {"log_end_offset": -1} if one["sweep_at"] == at(1) else one for one in rows]
    assert set(growth(unread, retention_ms=-1)) == {2}, "what was not read at first is not what was not there"


@pytest.mark.parametrize(
    ("settings", "to_come"),
    [
        # 4 MB an hour: two days of it, and a segment that takes 2.5 hours
        ({"retention_ms": 48 * 3600 * 1000}, 4 * 50.5 - 140),
        ({"retention_ms": 20 * 3600 * 1000}, 0),  # it has more already
        ({"retention_ms": 48 * 3600 * 1000, "retention_bytes": 150 * MB}, 20),
        ({"retention_ms": 48 * 3600 * 1000, "remote_storage_enable": "true", "local_retention_ms": 40 * 3600 * 1000,
          "local_retention_bytes": -2}, 4 * 42.5 - 140),
        ({"retention_ms": 48 * 3600 * 1000, "cleanup_policy": "compact"}, None),
    ],
)  # fmt: skip
def test_what_a_log_will_still_grow_by(settings: Row, to_come: float | None) -> None:
    found = growth([replica(1, 0, 100), replica(11, 0, 140)], **settings)[1]
    assert found["unlimited_partitions"] == (to_come is None)
    assert found["to_come_bytes"] == pytest.approx((to_come or 0) * MB, abs=1)


@pytest.mark.parametrize(
    ("rows", "settings", "overdue", "hours"),
    [
        # the records of the first read should be gone two hours, and a segment of 2.5 hours, after it
        ((replica(1, 0, 100), replica(11, 30, 140)), {"retention_ms": 7200000}, 70, 5.5),
        ((replica(1, 0, 100), replica(11, 100, 140)), {"retention_ms": 7200000}, 0, 0),
        # nothing arrives: the last segment is rolled when it expires
        ((replica(1, 0, 100), replica(11, 0, 100)), {"retention_ms": 7200000}, 100, 8),
        # a slow topic keeps its segment open for segment.ms
        ((replica(1, 0, 100), replica(11, 0, 101)), {"retention_ms": 7200000}, 0, None),
        ((replica(1, 0, 100), replica(11, 0, 140)), {"retention_ms": 86400000}, 0, None),
        ((replica(1, 0, 100), replica(11, 0, 140)), {"retention_ms": 7200000, "cleanup_policy": "compact"}, 0, 0),
        ((replica(1, 0, 100), replica(11, 0, 140)), {"retention_ms": 7200000, "remote_storage_enable": "true"}, 0, 0),
    ],
)
def test_records_that_are_kept_beyond_their_retention(
    rows: tuple[Row, ...], settings: Row, overdue: int, hours: float | None
) -> None:
    found = growth(list(rows), **settings)[1]
    assert found["overdue_bytes"] == pytest.approx(overdue * MB, abs=1)
    assert found["overdue_s"] <= 0 if hours is None else found["overdue_s"] == pytest.approx(hours * HOUR)


def test_what_is_over_its_size_was_so_at_both_reads() -> None:
    sized = {"retention_ms": -1, "retention_bytes": 50 * MB}
    assert growth([replica(1, 0, 100), replica(11, 0, 140)], **sized)[1]["over_bytes"] == 40 * MB
    assert growth([replica(1, 0, 55), replica(11, 0, 140)], **sized)[1]["over_bytes"] == 0


def test_brokers_that_tell_no_disks_are_left_out() -> None:
    rows = [replica(1, 0, 100, broker=3), replica(11, 0, 140, broker=3)]
    assert growth(rows, retention_ms=-1) == {}
