"""Transactions that stay open on real brokers: one that nobody will end, one that is not ended, and a legal one."""

import json
from typing import Any

import pytest

from kafka_fleet.collect.admin.transaction_sweep import UNSEEN
from support.live.hanging import (
    ENDED,
    EVERY_S,
    HANGING,
    HIDDEN,
    MORE,
    OVERDUE,
    PATIENT,
    RAN,
    REFUSED,
    SAID,
    SWEEPS,
    TIMEOUT_MS,
    TOPIC,
)
from support.live.measured import Measured

pytestmark = pytest.mark.timeout(1800)
affected = pytest.mark.scenario("transactions")
NAME, ISSUE = "hanging_transaction", "KAFKA-14402"


def only(measured: Measured, cluster: str) -> dict[str, Any]:
    """The one detection of a cluster."""
    state = measured.state(cluster, NAME)
    assert (state["state"], state["missing"]) == ("detected", [])
    (found,) = state["detections"]
    return dict(found)


def figures(detection: dict[str, Any]) -> dict[str, float]:
    """Evidence by metric."""
    return {line["metric"]: line["value"] for line in detection["evidence"]}


def commands(measured: Measured, cluster: str) -> list[str | None]:
    """What the letter's table has to end each of them."""
    (own,) = [one for one in measured.dossier(cluster)["signatures"] if one["signature"] == NAME]
    return [dict(zip(own["rows"]["columns"], row, strict=True))["ends_it"] for row in own["rows"]["rows"]]


def ran(measured: Measured, told: str = RAN) -> dict[str, Any]:
    """What a scenario did after the sweeps, or what its broker answered."""
    return dict(json.loads((measured.home / told).read_text()))


@affected
def test_a_late_batch_hangs_and_is_named_with_its_producer(measured: Measured) -> None:
    found = only(measured, HANGING)
    assert (found["cause"], found["strength"]) == ("hanging", "conclusive")
    assert found["subjects"] == [
        "broker 1",
        f"topic {TOPIC}",
        f"partition {TOPIC}-0",
        "client with transactional.id billing-1",
    ]
    shown = figures(found)
    open_s = shown["longest time between two looks at both of which nobody had the transaction"]
    assert EVERY_S * (SWEEPS - 1) <= open_s < 60
    assert (
        shown["records from the last stable offset on, which read_committed consumers do not get"] == 1 + MORE * SWEEPS
    )
    assert shown["records that came meanwhile"] == MORE * (SWEEPS - 1)
    counted = [row["late_transaction_partitions"] for row in measured.raw("broker_metrics", HANGING)]
    assert counted == [1] * SWEEPS


@affected
def test_the_known_issue_is_confirmed_on_the_affected_release(measured: Measured) -> None:
    finding = measured.finding(HANGING, ISSUE)
    assert (finding["verdict"], finding["cause"], finding["strength"]) == ("confirmed", "hanging", "conclusive")


@affected
def test_the_command_of_the_letter_is_the_one_that_ended_it(measured: Measured) -> None:
    """The tool of the broker's release ran it; afterwards nothing is open and no late one is counted."""
    ended = ran(measured)["ended"]
    assert ended["code"] == 0, ended["printed"]
    assert commands(measured, HANGING) == [
        " ".join(["kafka-transactions.sh --bootstrap-server HOST:PORT", *ended["words"]])
    ]
    assert measured.state(ENDED, NAME)["state"] == "quiet"
    assert measured.raw("open_transactions", ENDED) == []
    assert {row["late_transaction_partitions"] for row in measured.raw("broker_metrics", ENDED)} == {0}


@pytest.mark.scenario("transactions-others")
@pytest.mark.sampled("transactions-others")
def test_the_fixed_release_refuses_the_same_batch_and_is_quiet(measured: Measured) -> None:
    assert ran(measured, SAID)["refused"] == "InvalidTxnStateError"
    state = measured.state(REFUSED, NAME)
    assert (state["state"], state["missing"]) == ("quiet", [])
    assert measured.finding(REFUSED, ISSUE)["verdict"] == "not_affected"


@affected
def test_a_long_transaction_within_its_timeout_is_seen_and_quiet(measured: Measured) -> None:
    rows = measured.raw("open_transactions", PATIENT)
    assert [(row["state"], row["in_transaction"], row["timeout_ms"]) for row in rows] == [
        ("Ongoing", True, TIMEOUT_MS)
    ] * 2
    assert len({row["start_offset"] for row in rows}) == 1
    assert measured.state(PATIENT, NAME)["state"] == "quiet"
    assert measured.finding(PATIENT, ISSUE)["verdict"] == "exposed"


@pytest.mark.scenario("transactions-others")
@pytest.mark.sampled("transactions-others")
def test_a_coordinator_that_does_not_abort_is_named(measured: Measured) -> None:
    found = only(measured, OVERDUE)
    assert (found["cause"], found["strength"]) == ("overdue", "conclusive")
    assert "client with transactional.id payments-7" in found["subjects"]
    assert figures(found)["its transaction.timeout.ms"] == 1
    assert commands(measured, OVERDUE) == [None]


@pytest.mark.scenario("transactions-others")
@pytest.mark.sampled("transactions-others")
def test_a_user_who_may_not_describe_transactional_ids_is_told_so_and_nothing_is_taken_for_quiet(
    measured: Measured,
) -> None:
    state = measured.state(HIDDEN, NAME)
    assert (state["state"], state["detections"]) == ("not_evaluated", [])
    assert state["missing"] == ["broker 1: its open transactions were not read at 2 sweeps"]
    told = [row["admin_detail"] for row in measured.raw("sweeps", HIDDEN)]
    assert told == [f"transaction_coordinators: {UNSEEN}"] * 2


@pytest.mark.scenario("transactions-others")
@pytest.mark.sampled("transactions-others")
def test_brokers_are_asked_once_while_nothing_is_open_for_long(measured: Measured) -> None:
    rows = measured.raw("transaction_coordinators", REFUSED)
    assert [row["long_open"] for row in rows] == [0, 0]
    assert measured.raw("open_transactions", REFUSED) == []
