"""Old requests of the day: counters grow, begin, are not read, begin anew with their process; certificates change."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import BooleanType, DoubleType, StringType, StructField, StructType, TimestampType

from fleet_spark.raw_frames import spark_schema
from kafka_fleet.base.resources import sql_dir
from support.spark_runs.analysed import spark
from support.spark_runs.given_rows import give

pytestmark = pytest.mark.timeout(900)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
Row = dict[str, Any]
INTERVALS = StructType(
    [StructField(n, StringType()) for n in ("cluster", "kind")]
    + [StructField("broker", spark_schema("brokers")["broker"].dataType)]
    + [StructField(n, TimestampType()) for n in ("from_sweep", "to_sweep", "from_at", "to_at")]
    + [StructField("same_process", BooleanType()), StructField("seconds", DoubleType())]
)


def at(minutes: int) -> datetime:
    """A moment of the day."""
    return NOON + timedelta(minutes=minutes)


@cache
def session() -> SparkSession:
    """Views of its own, so that nobody else's are changed."""
    return spark().newSession()


def fact(table: str, raw: dict[str, list[Row]], intervals: list[Row] | None = None) -> list[Row]:
    """Rows of one fact query over given raw rows of broker 1; columns that are left out are null."""
    views = {f"raw_{name}": (spark_schema(name), rows) for name, rows in raw.items()}
    views["broker_intervals"] = (INTERVALS, intervals or [])
    for name, (schema, rows) in views.items():
        give(session(), name, schema, [{"cluster": "a", "broker": 1, **row} for row in rows])
    query = (sql_dir() / f"marts/{table}.sql").read_text()
    args = {"ds": "2026-11-20"} if ":ds" in query else {}
    return [row.asDict() for row in session().sql(query, args=args).collect()]


def interval(start: int, end: int, kind: str = "sweeps", same: bool = True) -> Row:
    """Between two sweeps, or from the start of the process to a sweep."""
    return {
        "kind": kind, "from_sweep": at(start) if kind == "sweeps" else None, "to_sweep": at(end),
        "from_at": at(start), "to_at": at(end), "same_process": same, "seconds": 60.0 * (end - start),
    }  # fmt: skip


def old(minute: int, requests: int, request: str = "Produce", software: str = "old") -> Row:
    """One counter at one sweep."""
    return {"sweep_at": at(minute), "request": request, "version": "2", "software": software,
            "software_version": "1", "requests": requests}  # fmt: skip


READS = [{"sweep_at": at(m), "outcome": "partial" if m == 20 else "ok"} for m in (0, 10, 20, 30, 40)]
# at 35 another process began
DAY = [interval(0, 10), interval(10, 20), interval(20, 30), interval(30, 40, same=False), interval(35, 40, "start")]
COUNTERS = [
    old(0, 100), old(10, 107), old(20, 107), old(30, 107), old(40, 3),
    old(10, 5, software="came"),  # and is not read again
    old(30, 900, software="after-a-gap"),  # the read before was not whole
    *(old(m, 9, software="stands") for m in (0, 10, 20, 30)),
    old(0, 1, "Fetch"), old(10, 5, "Fetch"), old(0, 1, "FetchConsumer"), old(10, 5, "FetchConsumer"),
]  # fmt: skip


def test_requests_of_the_day_are_growth_within_a_process() -> None:
    raw = {"brokers": READS, "deprecated_requests": COUNTERS, "requests": []}
    found = {(row["software"], row["request"]): row for row in fact("request_versions", raw, DAY)}
    assert {key: row["requests"] for key, row in found.items()} == {
        ("old", "Produce"): 7 + 3,
        ("came", "Produce"): 5,
        ("old", "FetchConsumer"): 4,
    }
    one = found["old", "Produce"]
    assert (one["is_by_client"], one["version"]) == (True, "2")
    assert [one[name].replace(tzinfo=UTC) for name in ("first_at", "last_at")] == [at(0), at(40)]


def test_versions_of_nobody_are_those_of_produce_and_of_consumers() -> None:
    rows = [
        {"sweep_at": at(m), "request": request, "version": "2", "requests": 10 * m}
        for m in (0, 10)
        for request in ("Produce", "FetchConsumer", "FetchFollower")
    ]
    found = fact("request_versions", {"brokers": READS, "deprecated_requests": [], "requests": rows}, DAY)
    assert {(row["request"], row["requests"], row["is_by_client"], row["software"]) for row in found} == {
        ("Produce", 100, False, None),
        ("FetchConsumer", 100, False, None),
    }


@pytest.mark.parametrize(
    ("release", "names", "by_client"),
    [
        ("3.9.1", 0, 10 + 5),  # the read at 20 is not whole, and one interval is of two processes
        ("3.9.1", 1, 10 + 10 + 10 + 5),  # where some row was read of it, it was read
        ("3.9.1", 1000, 10 + 5),  # more names than are stored
        ("3.6.2", 0, 0),
        ("0.11.0.3", 0, 0),
    ],
)
def test_for_how_long_a_broker_counted(release: str, names: int, by_client: int) -> None:
    metrics = [{"sweep_at": row["sweep_at"], "release": release} for row in READS]
    seen = [old(20, 1, software=f"client-{number}") for number in range(names)]
    raw = {"brokers": READS, "broker_metrics": metrics, "deprecated_requests": seen, "requests": []}
    (found,) = fact("request_reads", raw, DAY)
    assert (found["client_seconds"], found["version_seconds"]) == (60.0 * by_client, 60.0 * 15)


def test_a_certificate_is_that_of_the_last_handshake_with_one() -> None:
    def shown(minute: int, days: int | None, **more: Any) -> Row:
        after = None if days is None else NOON + timedelta(days=days)
        return {"sweep_at": at(minute), "service": "agent", "address": "b:1", "tls": True, "not_after": after,
                "read_at": None if days is None else at(minute), **more}  # fmt: skip

    rows = [
        shown(0, 5, subject="old"),
        shown(10, 400, subject="renewed", verified=True),
        shown(20, None, detail="no TLS handshake with it in this sweep", broker=None),
        shown(-800, 1, subject="of the day before"),
    ]
    (found,) = fact("certificate_days", {"certificates": rows})
    assert (found["subject"], found["verified"], found["broker"]) == ("renewed", True, 1)
    assert found["not_after"].replace(tzinfo=UTC) == NOON + timedelta(days=400)
    assert found["last_detail"] == "no TLS handshake with it in this sweep"
