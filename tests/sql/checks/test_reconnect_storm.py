"""Connections per listener and kernel counters as facts; recorded brokers are quiet; the upgrade alone is no cure."""

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import BooleanType, DoubleType, StringType, StructField, StructType, TimestampType

from fleet_spark.raw_frames import spark_schema
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts
from support.spark_runs.analysed import Analysed, analysed, spark
from support.spark_runs.given_rows import give

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
UNREAD = {"single-old", "broker-missing"}  # not read twice
Row = dict[str, Any]


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


@cache
def empty_session() -> SparkSession:
    """Views of its own, so that nobody else's are changed."""
    return spark().newSession()


def fact(table: str, views: dict[str, tuple[StructType, list[Row]]]) -> list[Row]:
    """Rows of one fact query over given rows; columns that are left out are null."""
    session = empty_session()
    for name, (schema, rows) in views.items():
        give(session, name, schema, rows)
    query = (sql_dir() / f"marts/{table}.sql").read_text()
    args = {"ds": "2026-11-20"} if ":ds" in query else {}
    return [row.asDict() for row in session.sql(query, args=args).collect()]


def raw(name: str, rows: list[Row]) -> tuple[StructType, list[Row]]:
    return spark_schema(name), [{"cluster": "a", "broker": 1, **row} for row in rows]


INTERVALS = StructType(
    [StructField(n, StringType()) for n in ("cluster", "kind")]
    + [StructField("broker", spark_schema("brokers")["broker"].dataType)]
    + [StructField(n, TimestampType()) for n in ("before_sweep", "from_sweep", "to_sweep", "from_at", "to_at")]
    + [StructField("same_process", BooleanType()), StructField("seconds", DoubleType())]
)

SWEEPS = StructType([
    StructField("cluster", StringType()), StructField("sweep_at", TimestampType()),
    StructField("overlapped", BooleanType()),
])  # fmt: skip


def connections(later: list[Row]) -> dict[str, Row]:
    """Two sweeps of a broker that was restarted between the first and the second, and a third; by kind."""
    processors = [
        {"sweep_at": at(0), "connections": 200.0, "connections_created": 5000.0, "connections_closed": 4800.0},
        {"sweep_at": at(0), "connections": 150.0, "connections_created": 4000.0, "connections_closed": 3850.0},
        *later,
    ]
    for number, row in enumerate(processors):
        row |= {"listener": "EXTERNAL", "network_processor": number % 2, "failed_authentications": 0.0}
    start_ms = int(at(30).timestamp() * 1000) + 3000  # the broker's clock is 3 s ahead
    times = [(0, 1, 1, start_ms - 10**7), (60, 61, 3, start_ms), (120, 121, 3, start_ms)]
    views = {
        "cluster_sweeps": (SWEEPS, []),
        "raw_listeners": raw("listeners", processors),
        "raw_acceptors": raw("acceptors", [
            {"sweep_at": at(s), "listener": "EXTERNAL", "acceptor": "", "blocked_ns": ns}
            for s, ns in ((0, 900), (60, 5_000_000), (120, 5_000_000))
        ]),
        "raw_brokers": raw("brokers", [
            {"sweep_at": at(s), "read_at": at(r), "agent_clock_skew_s": float(skew)} for s, r, skew, _ in times
        ]),
        "raw_broker_metrics": raw("broker_metrics", [
            {"sweep_at": at(s), "jvm_start_ms": ms,
             "app_start_ms": ms + 8000, "leader_count": led, "partition_count": n}
            for (s, _, _, ms), led, n in zip(times, (20, 0, 20), (60, 60, 64), strict=True)
        ]),
        "broker_intervals": (INTERVALS, [
            {"kind": "sweeps", "from_sweep": at(0), "to_sweep": at(60), "same_process": False, "seconds": 60.0},
            {"kind": "start", "to_sweep": at(60), "same_process": True, "seconds": 28.0},
            {"kind": "sweeps", "from_sweep": at(60), "to_sweep": at(120), "same_process": True, "seconds": 60.0},
        ]),
    }  # fmt: skip
    given = views["broker_intervals"][1]
    before = {at(60): at(0), at(120): at(60)}
    known = [{"cluster": "a", "broker": 1, "before_sweep": before[row["to_sweep"]], **row} for row in given]
    views["broker_intervals"] = (INTERVALS, known)
    return {row["kind"]: row for row in fact("listener_connections", views)}


AFTER = [
    {"sweep_at": at(60), "connections": 160.0, "connections_created": 170.0, "connections_closed": 10.0},
    {"sweep_at": at(60), "connections": 140.0, "connections_created": 145.0, "connections_closed": 5.0},
    {"sweep_at": at(120), "connections": 180.0, "connections_created": 192.0, "connections_closed": 12.0},
    {"sweep_at": at(120), "connections": 140.0, "connections_created": 147.0, "connections_closed": 7.0},
]


@pytest.mark.fault(30)
def test_processors_are_summed_and_a_new_process_counts_from_zero() -> None:
    found = connections([dict(row) for row in AFTER])
    start, later = found["start"], found["sweeps"]
    assert (start["created"], start["closed"], start["held"], start["held_before"]) == (315, 15, 300, 350)
    assert (start["blocked_ns"], start["leaders_gained"], start["processors"]) == (5_000_000, 0, 2)
    # 31 s after the start by the collector's clock, both moments by the broker's
    assert start["process_seconds"] == pytest.approx(31.0)
    assert start["accepting_seconds"] == pytest.approx(23.0)
    assert (later["created"], later["closed"], later["held"], later["held_before"]) == (24, 4, 320, None)
    # four of the twenty leaders came with new replicas
    assert (later["blocked_ns"], later["leaders_gained"], later["ran_back"]) == (0, 16, False)


def test_a_processor_without_its_counter_makes_the_sum_unknown() -> None:
    found = connections([{**row, "connections_created": None} if i == 3 else dict(row) for i, row in enumerate(AFTER)])
    assert found["start"]["created"] == 315
    assert found["sweeps"]["created"] is None
    assert found["sweeps"]["held"] == 320


@pytest.mark.fault(32)
def test_a_counter_that_falls_within_a_process_is_marked() -> None:
    found = connections([{**row, "connections_closed": 0.0} if i == 3 else dict(row) for i, row in enumerate(AFTER)])
    assert [found[kind]["ran_back"] for kind in ("start", "sweeps")] == [False, True]


def test_kernel_counters_between_two_answered_reads() -> None:
    boot = 1_700_000_000
    rows = [
        {"sweep_at": at(0), "listen_overflows": 10, "listen_drops": 12, "boot_time_s": boot},
        {"sweep_at": at(60), "outcome": "failed"},
        {"sweep_at": at(120), "listen_overflows": 250, "listen_drops": 260, "boot_time_s": boot + 1, "somaxconn": 128},
        {
            "sweep_at": at(180),
            "listen_overflows": 7,
            "listen_drops": 7,
            "boot_time_s": boot + 9999,
            "syncookies_sent": 3,
        },
    ]
    given = [{"outcome": "ok", "read_at": row["sweep_at"], **row} for row in rows]
    views = {"raw_hosts": raw("hosts", given), "cluster_sweeps": (SWEEPS, [])}
    found = sorted(fact("host_counters", views), key=lambda row: row["to_sweep"])
    assert [(row["listen_overflows"], row["listen_drops"], row["syncookies_sent"]) for row in found] == [
        (None, None, None),
        (240, 248, None),
        (7, 7, 3),  # since boot
    ]
    assert [row["somaxconn"] for row in found] == [None, 128, None]


@pytest.fixture(scope="module")
def day() -> Analysed:
    return analysed()


def test_recorded_brokers_are_quiet(day: Analysed) -> None:
    rows = [one for one in json.loads(day.outputs()["signatures.json"]) if one["signature"] == "reconnect_storm"]
    assert {one["cluster"] for one in rows} == {row["cluster"] for row in day.facts("cluster_days")}
    for one in rows:
        assert one["state"] == ("not_evaluated" if one["cluster"] in UNREAD else "quiet"), one
        assert bool(one["missing"]) == (one["cluster"] in UNREAD | {"admin-failed"}), one


def test_the_recorded_crowd_really_connected(day: Analysed) -> None:
    rows = day.facts("listener_connections", cluster="crowd331", broker=1, kind="sweeps", listener="PLAINTEXT")
    assert max(row["created"] for row in rows) > 50
    assert max(row["held"] for row in rows) > 50


@pytest.mark.parametrize(
    ("release", "backlog", "bug", "setting"),
    [
        ("2.8.2", None, "exposed", "not_exposed"),
        ("3.1.2", None, "exposed", "not_exposed"),
        ("3.2.0", "50", "not_exposed", "exposed"),
        ("4.1.1", "50", "not_exposed", "exposed"),
        ("4.1.1", "1000", "not_exposed", "not_exposed"),
    ],
)
def test_the_upgrade_alone_leaves_it_exposed(release: str, backlog: str | None, bug: str, setting: str) -> None:
    configs: dict[str, str | None] = {"num.network.threads": "3"}
    configs |= {"socket.listen.backlog.size": backlog} if backlog else {}
    facts = ClusterFacts((BrokerFacts(1, release, "a", True, configs),), "KRaft")
    advisories = load_advisories()
    assert exposure(advisories["KAFKA-9648"], facts).state == bug
    assert exposure(advisories["CFG-LISTEN-BACKLOG"], facts).state == setting
