"""Clients that 4.x would refuse: rows of a sweep and the newest judged day in, reasons out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.report.readiness_words import reason_words
from kafka_fleet.roll.readiness import Known
from support.builders.documents import report
from support.builders.letter_samples import payments
from support.builders.roll_sweeps import AT, Rows, asked, only

START = int(AT.timestamp() * 1000) - 36_000_000  # ten hours before
OLD = {"broker": 1, "request": "Produce", "version": "2", "software": "old-java", "software_version": "0.10.2"}


def sent(*rows: dict[str, Any], release: str = "3.9.1") -> Callable[[Rows], None]:
    """The healthy cluster at a release, whose brokers have counted these requests for ten hours."""

    def change(found: Rows) -> None:
        for one in found["broker_metrics"]:
            one |= {"release": release, "jvm_start_ms": START}
        found["deprecated_requests"] = [{"read_at": AT, "requests": 5, **OLD, **row} for row in rows]

    return change


def judged(answer: bool | None) -> Known:
    """A judged day with this answer."""
    day = payments()
    said = "no client used an API that 4.0 removes, measured by 3 of 3 brokers in 23.8 hours"
    clients = ["client late-job 1.0 with Fetch 3 on broker 2"] if answer else []
    found = {"answer": answer, "sentence": said, "clients": clients, "missing": []}
    return Known(report({**day, "plan": {**day["plan"], "old_protocol": found}}))


def codes(found: Any) -> list[tuple[str, str]]:
    """Level and code of reasons about clients."""
    return [(one.level, one.code) for one in found.reasons if one.code.startswith("clients_")]


def test_what_brokers_counted_since_their_start_is_in_the_way_where_no_day_is_judged(tmp_path: Path) -> None:
    fetches = [{"request": name, "version": "3"} for name in ("Fetch", "FetchConsumer")]
    found = asked(tmp_path, sent({}, *fetches), to="4.1.1")
    assert codes(found) == [("blocks", "clients_refused")]
    assert only(found, "clients_refused").names == ["old-java 0.10.2 (Fetch 3, Produce 2)"]


@pytest.mark.parametrize(
    "row",
    [
        {"version": "3"},
        {"request": "Metadata", "version": "0"},
        {"request": "FetchFollower", "version": "2"},
        {"request": "OffsetForLeaderEpoch", "version": "1"},
        {"request": "JoinGroup", "version": "1"},
        {"version": "٢"},
        {"version": "-1"},
        {"requests": 0},
    ],
)
def test_what_4_answers_or_brokers_send_is_in_nobodys_way(tmp_path: Path, row: dict[str, Any]) -> None:
    found = asked(tmp_path, sent(row), to="4.1.1")
    assert codes(found) == [("notes", "clients_counted")]
    one = only(found, "clients_counted")
    assert (one.count, one.limit) == (3, 10)
    assert reason_words(one).endswith("counted by 3 brokers for the last 10 hours at least")


def test_only_4_0_0_refuses_the_first_versions_of_joingroup(tmp_path: Path) -> None:
    row = {"request": "JoinGroup", "version": "1"}
    assert codes(asked(tmp_path / "a", sent(row), to="4.0.0")) == [("blocks", "clients_refused")]
    assert codes(asked(tmp_path / "b", sent(row), to="4.0.1")) == [("notes", "clients_counted")]


def test_a_judged_day_says_which_of_them_are_of_today(tmp_path: Path) -> None:
    quiet = asked(tmp_path / "a", sent({}), to="4.1.1", known=judged(answer=False))
    assert codes(quiet) == [("warns", "clients_refused_once"), ("notes", "clients_quiet")]
    assert "measured by 3 of 3 brokers in 23.8 hours" in reason_words(only(quiet, "clients_quiet"))
    busy = asked(tmp_path / "b", sent(), to="4.1.1", known=judged(answer=True))
    assert codes(busy) == [("blocks", "clients_refused")]
    assert only(busy, "clients_refused").names == ["late-job 1.0 with Fetch 3 on broker 2"]
    unknown = asked(tmp_path / "c", sent({}), to="4.1.1", known=judged(answer=None))
    assert codes(unknown) == [("blocks", "clients_refused")]


@pytest.mark.parametrize(("release", "also"), [("3.6.2", []), ("2.4.1", [("unmeasured", "clients_unread")])])
def test_brokers_that_do_not_count_leave_the_owner_to_be_asked(tmp_path: Path, release: str, also: list) -> None:
    found = asked(tmp_path, sent(release=release), to="4.1.1")
    assert codes(found) == (also or [("unmeasured", "clients_uncounted")])


def test_a_broker_that_was_not_read_wholly_does_not_count_either(tmp_path: Path) -> None:
    def partly(rows: Rows) -> None:
        sent()(rows)
        rows["brokers"][1]["outcome"] = "partial"

    one = only(asked(tmp_path, partly, to="4.1.1"), "clients_uncounted")
    assert (one.level, one.count, one.limit) == ("unmeasured", 1, 3)


def test_3_9_refuses_nobody(tmp_path: Path) -> None:
    assert codes(asked(tmp_path, sent({}), to="3.9.2")) == []
