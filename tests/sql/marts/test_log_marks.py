"""Lines of log marks as facts: between two reads of a script that counts on, and of a Loki's spans."""

from typing import Any

import pytest

from support.spark_runs.facts_of_rows import at, facts, of_all

pytestmark = pytest.mark.timeout(1800)
Row = dict[str, Any]


def read(hours: float, since: float, lines: int = 0, number: int | None = None, last: float | None = None) -> list[Row]:
    """A read of the broker's log: what was read, and one mark of which there are lines."""
    one = {"sweep_at": at(hours), "read_at": at(hours), "log": "broker", "outcome": "ok", "counted_from": at(since)}
    told = at(hours - 0.01 if last is None else last)
    mark = {**one, "mark": "unclean_start", "lines": lines, "number": number, "first_at": told, "last_at": told}
    return [one, mark] if lines else [one]


def failed(hours: float) -> list[Row]:
    return [{"sweep_at": at(hours), "log": "broker", "outcome": "failed", "detail": "timeout"}]


GIVEN = {
    # a script since yesterday: 2 lines, of long ago; then 3 more, over a read that failed; then its state is lost
    "script": [
        *read(-1, -9, 2, 20, -8), *read(1, -9, 2, 20, -8), *failed(2), *read(3, -9, 5, 50),
        *read(4, -9, 5, 50, 2.99), *read(5, 4.5, 1, 10),
    ],
    "first-of-long-ago": read(5, -9, 7, 70, 1),
    "first-of-now": read(5, -9, 7, 70, 4.9),
    "loki": [*read(1, 0.9, 2, 20), *failed(2), *read(3, 1, 4, 40), *read(4, 3)],
}  # fmt: skip


def test_lines_count_once_between_two_reads() -> None:
    found = facts("log_marks", of_all({name: {"log_marks": rows} for name, rows in GIVEN.items()}))
    rows = sorted(found, key=lambda row: (row["cluster"], row["to_sweep"]))
    told = [(row["cluster"], row["to_sweep"].hour, row["line_count"], row["numbers"]) for row in rows]
    assert told == [
        ("first-of-now", 5, 7, 70),
        ("loki", 1, 2, 20),
        ("loki", 3, 4, 40),
        ("script", 3, 3, 30),
        ("script", 5, 1, 10),
    ]
    begun = [row["from_sweep"].hour if row["from_sweep"] else None for row in rows]
    assert begun == [None, None, 1, 1, 4]


def test_reads_are_counted_by_log_with_those_that_failed() -> None:
    found = facts("log_reads", of_all({"script": {"log_marks": GIVEN["script"]}}))
    assert [(row["log"], row["ok_reads"], row["failed_reads"]) for row in found] == [("broker", 4, 1)]
