"""Transactions that their coordinator has, at 3.9.1: one that is silent, one without its marker, and a busy one."""

import pytest

from support.inspection.detections import by_cause, figures
from support.live.held import HELD, MARKED, OTHER, RECORDS, SILENT, SILENT_S, SWEEPS, TABLE, TIMEOUT_MS, UNMARKED
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("held"), pytest.mark.sampled("held")]
NAME, CLEANER = "hanging_transaction", "cleaner_stuck"
SUBJECTS = ["broker 1", f"topic {TABLE}", f"partition {TABLE}-0", "client with transactional.id nightly"]


def test_a_silent_producer_within_its_timeout_is_a_suggestion_and_a_busy_one_is_none(measured: Measured) -> None:
    seen = {row["topic"] for row in measured.facts("open_transactions", cluster=SILENT) if row["held"] == "ongoing"}
    assert seen == {TABLE, OTHER}, "both were open all the time"
    (found,) = measured.state(SILENT, NAME)["detections"]
    assert (found["cause"], found["strength"], found["subjects"]) == ("silent", "suggestive", SUBJECTS)
    shown = figures(found)
    assert SILENT_S <= shown["time without a new record of the transaction"] < 2 * SILENT_S
    assert shown["its transaction.timeout.ms"] == TIMEOUT_MS / 1000
    assert shown["records from the last stable offset on, which read_committed consumers do not get"] == RECORDS + 1


def test_it_holds_the_cleaner_back_where_many_records_come_after_it(measured: Measured) -> None:
    found = by_cause(measured, SILENT, CLEANER)
    assert [(cause, one["strength"]) for cause, one in found.items()] == [("held_back", "conclusive")]
    assert {f"topic {TABLE}", f"partition {TABLE}-0"} <= set(found["held_back"]["subjects"])
    assert f"topic {OTHER}" not in found["held_back"]["subjects"], "few records come after the busy one"
    assert max(figures(found["held_back"]).values()) >= HELD


def test_a_marker_that_is_not_sent_is_told(measured: Measured) -> None:
    rows = measured.raw("open_transactions", UNMARKED)
    assert [(row["topic"], row["state"]) for row in rows] == [(TABLE, "PrepareCommit")] * SWEEPS
    (found,) = measured.state(UNMARKED, NAME)["detections"]
    assert (found["cause"], found["strength"], found["subjects"]) == ("no_marker", "conclusive", SUBJECTS)


def test_once_it_is_sent_nothing_is_open(measured: Measured) -> None:
    assert measured.raw("open_transactions", MARKED) == []
    assert measured.state(MARKED, NAME)["state"] == "quiet"
    assert measured.state(MARKED, CLEANER)["detections"] == []
