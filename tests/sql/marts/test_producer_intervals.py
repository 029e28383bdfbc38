"""Metrics that clients push as facts: differences of one client's counters, and nothing where one is not whole."""

from typing import Any

import pytest

from support.spark_runs.facts_of_rows import at, facts, of_all

pytestmark = pytest.mark.timeout(1800)
Row = dict[str, Any]


def read(hours: float, sends: int | None, errors: int | None = 0, **more: Any) -> Row:
    one = {"sweep_at": at(hours), "read_at": at(hours + 0.01), "client_id": "shop", "client_instance_id": "i"}
    counted = {"record_sends": sends, "record_errors": errors, "record_retries": 2, "queue_time_max_ms": 5.0}
    return {**one, "topic": "orders", **counted, **more}


GIVEN = {
    "one": [read(-1, 10), read(1, 30, 2), read(2, 30, 2), read(3, 90, 2)],
    "began-anew": [read(1, 100), read(2, 5), read(3, 25)],
    "not-whole": [read(1, 10), read(2, None), read(3, 30)],
    # the client went to another broker in between: each receiver adds up what it was told
    "two-receivers": [
        read(1, 10, instance="1"), read(2, 20, instance="1"), read(2, 5, instance="2"), read(3, 25, 3, instance="2"),
        read(3, 20, instance="1"),
    ],
    "no-instance-id": [read(1, 1, client_instance_id=None), read(2, 4, client_instance_id=None)],
}  # fmt: skip


def test_counters_become_differences_of_one_client() -> None:
    found = facts("producer_intervals", of_all({name: {"client_metrics": rows} for name, rows in GIVEN.items()}))
    told: dict[str, list[tuple[Any, ...]]] = {}
    for row in sorted(found, key=lambda row: (row["cluster"], row["to_sweep"])):
        assert (row["topic"], row["client_id"], row["retries"], row["retries_so_far"]) == ("orders", "shop", 0, 2)
        told.setdefault(row["cluster"], []).append((row["to_sweep"].hour, row["sends"], row["errors"]))
    assert told == {
        "one": [(1, 20, 2), (2, 0, 0), (3, 60, 0)],
        "began-anew": [(2, None, None), (3, 20, 0)],
        "not-whole": [(2, None, 0), (3, None, 0)],
        "two-receivers": [(2, 10, 0), (3, 20, 3)],
        "no-instance-id": [(2, 3, 0)],
    }
    assert {row["client"] for row in found} == {"i", "shop"}
    assert {row["queue_time_max_ms"] for row in found} == {5.0}


def test_sweeps_that_lack_them_are_counted_where_they_are_asked_for() -> None:
    details = {
        "unasked": [None, None],
        "whole": [None, None],
        "partly": [None, "timeout: 20 s", None],
        "lost": ["auth: 401"],
    }
    given = {
        name: {"sweeps": [{"sweep_at": at(hour), "client_metrics_detail": one} for hour, one in enumerate(told)]}
        for name, told in details.items()
    }
    given["partly"]["sweeps"].append({"sweep_at": at(-1), "client_metrics_detail": "timeout: of the day before"})
    found = {row.pop("cluster"): row for row in facts("client_reads", of_all(given))}
    assert found == {
        "partly": {"whole_sweeps": 2, "unread_sweeps": 1},
        "lost": {"whole_sweeps": 0, "unread_sweeps": 1},
    }
