"""Growth of logs by given rows: what arrived, was moved, is to come by retention, and what it should have deleted."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from support.spark_runs.facts_of_rows import MB, Raw, Row, at, disk, facts, of_all

pytestmark = pytest.mark.timeout(900)
HOUR = 3600.0


def replica(hours: float, begin: int, end: int, broker: int = 1, leads: bool = True, topic: str = "t") -> Row:
    """One replica at one sweep, of records of 1 MB."""
    return {"sweep_at": at(hours), "read_at": at(hours), "broker": broker, "topic": topic, "partition": 0,
            "log_start_offset": begin, "log_end_offset": end, "size_bytes": (end - begin) * MB,
            "replicas_count": 2 if leads else 0}  # fmt: skip


def read(replicas: Sequence[Row], settings: Mapping[str, object], anew: bool = False) -> Raw:
    """Raw tables of two sweeps ten hours apart, with these replicas and settings of their topic. anew: it was deleted
    and made again in between.
    """
    named = {"cleanup.policy": "delete", "segment.bytes": 10 * MB, "segment.ms": 604800000, "retention.bytes": -1,
             "remote.storage.enable": "false"}  # fmt: skip
    named |= {name.replace("_", "."): value for name, value in settings.items()}
    configs = [
        {"sweep_at": at(11), "last_sweep_at": at(11), "topic": topic, "name": name, "value": str(value)}
        for topic in {one["topic"] for one in replicas}
        for name, value in {**named, "min.insync.replicas": 1}.items()
    ]
    return {
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
            {"sweep_at": at(begin), "last_sweep_at": at(end), "topic": topic, "partition": 0, "replicas": [1, 2],
             "isr": [1, 2], "leader": 1, "internal": False, "topic_id": name}
            for topic in {one["topic"] for one in replicas}
            for begin, end, name in (((1, 1, "first"), (11, 11, "second")) if anew else ((1, 11, "first"),))
        ],
        "topic_configs": configs,
        "partitions": replicas,
    }  # fmt: skip


HOURS = 3600 * 1000  # ms
STEADY = (replica(1, 0, 100), replica(11, 0, 140))  # 4 MB an hour
MOVED = (*STEADY, replica(11, 0, 120, broker=2, leads=False))
KEPT = {"retention_ms": -1}
LOGS: dict[str, tuple[Any, ...]] = {  # by cluster
    "follower": ((*MOVED, replica(1, 0, 30, broker=2, leads=False)), KEPT),
    "new-broker": (MOVED, KEPT),
    "unread": ([one | {"log_end_offset": -1} if one["sweep_at"] == at(1) else one for one in MOVED], KEPT),
    "elsewhere": ((replica(1, 0, 100, broker=3), replica(11, 0, 140, broker=3)), KEPT),
    "young": (STEADY, {"retention_ms": 48 * HOURS}),
    "grown": (STEADY, {"retention_ms": 20 * HOURS}),
    "by-size": (STEADY, {"retention_ms": 48 * HOURS, "retention_bytes": 150 * MB}),
    "tiered": (STEADY, {"retention_ms": 48 * HOURS, "remote_storage_enable": "true", "local_retention_ms": 40 * HOURS,
                        "local_retention_bytes": -2}),
    "compacted": (STEADY, {"retention_ms": 2 * HOURS, "cleanup_policy": "compact"}),
    "late": ((replica(1, 0, 100), replica(11, 30, 140)), {"retention_ms": 2 * HOURS}),
    "in-time": ((replica(1, 0, 100), replica(11, 100, 140)), {"retention_ms": 2 * HOURS}),
    "rests": ((replica(1, 0, 100), replica(11, 0, 100)), {"retention_ms": 2 * HOURS}),
    "slow": ((replica(1, 0, 100), replica(11, 0, 101)), {"retention_ms": 2 * HOURS}),
    "long": (STEADY, {"retention_ms": 24 * HOURS}),
    "late-tiered": (STEADY, {"retention_ms": 2 * HOURS, "remote_storage_enable": "true"}),
    "anew": ((replica(1, 500, 900), replica(11, 0, 300)), {"retention_ms": 2 * HOURS}),
    "anew-and-past": ((replica(1, 0, 100), replica(11, 0, 300)), {"retention_ms": 2 * HOURS}, True),
    "over": (STEADY, {"retention_ms": -1, "retention_bytes": 50 * MB}),
    "over-briefly": ((replica(1, 0, 61), replica(11, 3961, 4022)), {"retention_ms": -1, "retention_bytes": 50 * MB}),
    "over-now": ((replica(1, 0, 55), replica(11, 0, 140)), {"retention_ms": -1, "retention_bytes": 50 * MB}),
}  # fmt: skip


@cache
def all_growth() -> dict[str, dict[int, Row]]:
    """Rows of log_growth by cluster and broker, of all these clusters in one run."""
    found: dict[str, dict[int, Row]] = {name: {} for name in LOGS}
    for one in facts("log_growth", of_all({name: read(*given) for name, given in LOGS.items()})):
        found[one["cluster"]][one["broker"]] = one
    return found


def test_what_arrived_is_the_leader_s_and_what_a_follower_fetched_beyond_is_moved() -> None:
    leader, follower = all_growth()["follower"][1], all_growth()["follower"][2]
    assert (leader["grown_bytes"], leader["arrived_bytes"], leader["moved_bytes"]) == (40 * MB, 40 * MB, 0)
    assert (follower["grown_bytes"], follower["arrived_bytes"]) == (90 * MB, 40 * MB)
    assert (follower["moved_bytes"], follower["behind_bytes"]) == (50 * MB, 20 * MB)
    assert leader["unlimited_partitions"] == 1, "kept for ever"
    assert leader["seconds"] == 10 * HOUR


def test_a_broker_that_had_nothing_is_new_and_one_that_was_not_read_is_not() -> None:
    new = all_growth()["new-broker"][2]
    assert (new["grown_bytes"], new["moved_bytes"], new["behind_bytes"]) == (120 * MB, 80 * MB, 20 * MB)
    assert set(all_growth()["unread"]) == {2}


def test_brokers_that_tell_no_disks_are_left_out() -> None:
    assert all_growth()["elsewhere"] == {}


@pytest.mark.parametrize(
    ("cluster", "to_come"),
    [
        ("young", 4 * 50.5 - 140),  # two days of it, and a segment that takes 2.5 hours
        ("grown", 0),  # it has more already
        ("by-size", 20),
        ("tiered", None),  # the size of its records is not known
        ("compacted", None),
    ],
)
def test_what_a_log_will_still_grow_by(cluster: str, to_come: float | None) -> None:
    found = all_growth()[cluster][1]
    assert found["unlimited_partitions"] == (to_come is None)
    assert found["to_come_bytes"] == pytest.approx((to_come or 0) * MB, abs=1)


@pytest.mark.parametrize(
    ("cluster", "overdue", "hours"),
    [
        ("late", 70, 5.5),  # to be gone two hours, and a segment of 2.5 hours, after the first read
        ("in-time", 0, 0),
        ("rests", 100, 8),  # nothing arrives: the last segment is rolled when it expires
        ("slow", 0, None),  # it keeps its segment open for segment.ms
        ("long", 0, None),
        ("compacted", 0, 0),
        ("late-tiered", 0, 0),
        ("anew", 0, 0),  # a topic of the same name was deleted in between
        ("anew-and-past", 0, 0),
    ],
)
def test_records_that_are_kept_beyond_their_retention(cluster: str, overdue: int, hours: float | None) -> None:
    found = all_growth()[cluster][1]
    assert found["overdue_bytes"] == pytest.approx(overdue * MB, abs=1)
    assert found["overdue_s"] <= 0 if hours is None else found["overdue_s"] == pytest.approx(hours * HOUR)


def test_what_is_over_its_size_was_so_at_both_reads() -> None:
    # 4 MB an hour arrive in the five minutes until the broker looks again
    assert all_growth()["over"][1]["over_bytes"] == pytest.approx(40 * MB - 4 * MB / 12, abs=1)
    assert all_growth()["over-briefly"][1]["over_bytes"] == 0, "a busy log is over its limit until then"
    assert all_growth()["over-now"][1]["over_bytes"] == 0
