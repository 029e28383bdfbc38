"""Sentences on what a day did not read of brokers: what endpoints leave out is said once, and the rest of each."""

from typing import Any

from fleet_spark.unread_brokers import unread_brokers
from kafka_fleet.collect.metrics.left_out import left_out_sentence

ENTRY = {"metrics": {"brokers": {}}}
LEFT_OUT = "the metrics endpoint leaves out java.lang:type=X (A); kafka-fleet exporter-rules prints the rules to add"
FEWER = "4 replicas read, the broker counts 90"


def row(broker: int, *details: str) -> dict[str, Any]:
    return {"broker": broker, "ok_reads": 0, "partial_reads": 9, "truncated_reads": 0, "failure_kinds": [],
            "failure_details": list(details)}  # fmt: skip


def test_what_endpoints_leave_out_is_said_once_whatever_is_said_before_it() -> None:
    rows = [
        row(1, LEFT_OUT),
        row(2, f"{FEWER}; {LEFT_OUT}", LEFT_OUT),
        row(3, f"no replica has a; no replica has b; {LEFT_OUT}"),
    ]
    assert unread_brokers(rows, ENTRY) == [
        f"broker 2, at times: {FEWER}",
        "broker 3, at times: no replica has a; no replica has b",
        f"brokers 1, 2, 3: {LEFT_OUT}",
    ]


def test_what_an_allow_list_may_leave_out_is_said_once() -> None:
    whole = left_out_sentence([], None, by_reporter=True)
    rows = [row(1, whole), row(2, f"{FEWER}; {whole}")]
    assert unread_brokers(rows, ENTRY) == [f"broker 2, at times: {FEWER}", f"brokers 1, 2: {whole}"]


def test_a_sentence_of_a_read_alone_is_whole() -> None:
    edition = "its rules are another edition of docs/exporter-rules.yml: take that of this version"
    assert unread_brokers([row(1, FEWER, edition), row(2, "a; b")], ENTRY) == [
        f"broker 1, at times: {FEWER}", "broker 2, at times: a; b", f"broker 1: {edition}",
    ]  # fmt: skip
