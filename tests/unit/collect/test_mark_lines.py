"""Which line of which log is a mark, in each release's words and each layout, when it was written, how it counts."""

import json
from datetime import UTC, datetime

import pytest

from kafka_fleet.collect.log_marks.kafka_log_marks.counts import Counts
from kafka_fleet.collect.log_marks.kafka_log_marks.messages import message, written_at
from kafka_fleet.knowledge.log_marks import log_marks

PRINTED = [(name, one.log, text) for name, one in log_marks().items() for text in one.printed]
LAYOUTS = {
    "kafka": "[2026-11-26 01:45:08,123] INFO {} (kafka.log.LogManager)",
    "strimzi": "2026-11-26 01:45:08,123 INFO {} (kafka.log.LogManager) [main]",
    "padded": "2026-11-26T01:45:08.123Z WARN  {}",
    "container": "2026-11-26T01:45:08.123456789Z stdout F [2026-11-26 01:45:08,123] INFO {} (kafka.log.LogManager)",
    "journald": "Nov 26 01:45:08 broker-1 kafka-server-start.sh[812]: [2026-11-26 01:45:08,123] INFO {} (kafka.log.X)",
    "kernel by syslog": "Nov 26 01:45:08 broker-1 kernel: [28352.907172] {}",
    "kernel by rsyslog": "2026-11-26T01:45:08.123456+00:00 broker-1 kernel: {}",
    "dmesg": "[28352.907172] {}",
    "bare": "{}",
}


def counted(log: str, line: str) -> dict[str, float]:
    counts = Counts({})
    counts.take(log, message(line), 1000.0)
    return {name: row["lines"] for name, row in counts.kept.items()}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_release_s_text_is_its_mark_in_every_layout(layout):
    for name, log, one in PRINTED:
        key = "syn_flood 9092" if name == "syn_flood" else name
        assert counted(log, LAYOUTS[layout].format(one.text)) == {key: 1}, one


@pytest.mark.parametrize("field", ["message", "msg", "@message", "log"])
def test_a_layout_of_json_has_the_message_in_a_field(field):
    for name, log, one in PRINTED:
        key = "syn_flood 9092" if name == "syn_flood" else name
        assert counted(log, json.dumps({"level": "INFO", field: one.text, "thread": "main"})) == {key: 1}


def test_a_client_whose_name_is_a_mark_makes_none():
    for _name, log, one in PRINTED:
        for line in (
            f"[2026-11-26 01:45:08,123] INFO [Client clientId={one.text}] disconnected (kafka.network.Processor)",
            f"[2026-11-26 01:45:08,123] INFO [Client clientId=x] {one.text}] disconnected (kafka.network.Processor)",
            f"[2026-11-26 01:45:08,123] WARN clientId=[x] INFO {one.text} (kafka.log.LogManager)",
            f"[2026-11-26 01:45:08,123] INFO x broker-1 kernel: {one.text}",
            json.dumps({"message": f"clientId={one.text}", "client": one.text}),
        ):
            assert counted(log, line) == {}, line


def test_a_mark_counts_in_its_own_log_alone_and_harmless_lines_in_none():
    for _name, log, one in PRINTED:
        for other in {"broker", "cleaner", "kernel"} - {log}:
            assert counted(other, one.text) == {}
    for line in (
        "[UnifiedLog partition=t-0, dir=/d] Producer state recovery took 4ms for snapshot load and 0ms for segment "
        "recovery from offset 9",
        "[LogLoader partition=t-0, dir=/d] Loading producer state till offset 9 with message format version 2",
        "[Partition t-0 broker=1] Failed to enqueue ISR change state LeaderAndIsr(leader=1) for partition t-0",
        "org.apache.kafka.common.errors.OperationNotAttemptedException: Failed to enqueue ISR change state x",
        "No logs found to be loaded in /d",
        "[LogLoader partition=__cluster_metadata-0, dir=/d] Recovering unflushed segment 0. 0/1 recovered for x.",
        "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]: Error due to",
    ):
        assert counted("broker", f"[2026-11-26 01:45:08,123] INFO {line} (x)") == {}
        assert counted("cleaner", f"[2026-11-26 01:45:08,123] ERROR {line} (x)") == {}


FAILED = "[GroupCoordinator id=1] Failed to load metadata from __consumer_offsets-7 with epoch 4 due to java.lang."
REPLAYED = (
    FAILED + "RuntimeException: Replaying record CoordinatorRecord(key=Key(groupId='{}')) from t failed due to: {}"
)
TWICE = "Cannot set the epoch of Ypp7Tdn7RTOhmU3qmblduA-1 to 3 because the partition is still owned at epoch 1."


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        (REPLAYED.format("a", TWICE), "load_owned_twice"),
        (REPLAYED.format("Group a is not a consumer group.", TWICE), "load_owned_twice"),
        (REPLAYED.format("a" * 9_000, TWICE), "load_owned_twice"),
        (REPLAYED.format("a", "Group " + TWICE + " is not a consumer group."), "load_not_consumer"),
        (REPLAYED.format("a", "Group a is not a streams group."), "load_not_streams"),
        (REPLAYED.format("a", "Group a is not a consumer group.."), "load_not_consumer"),
        (REPLAYED.format(TWICE, "Group a is not a classic group."), None),
        (REPLAYED.format(TWICE, "null"), None),
        (FAILED + "OutOfMemoryError: Java heap space.", None),
        (REPLAYED.format("a", TWICE).replace("GroupCoordinator", "ShareCoordinator"), None),
        (REPLAYED.format("a", TWICE).replace("__consumer_offsets", "orders"), None),
        (f"[GroupCoordinator id=1] [GroupId {FAILED} {TWICE}] Member x joins.", None),
    ],
)
def test_a_load_that_failed_is_told_by_the_end_of_its_line(line, mark):
    for layout in (LAYOUTS["kafka"], LAYOUTS["strimzi"], LAYOUTS["bare"]):
        assert counted("broker", layout.format(line)) == ({mark: 1} if mark else {})


def test_numbers_are_added_up_and_ports_are_told_apart():
    counts = Counts({})
    for directory, logs in (("/a", 7), ("/b", 5)):
        counts.take("broker", f"Recovering {logs} logs from {directory} since no clean shutdown file was found", 10.0)
    for port in [9092, 9092, *range(1, 40)]:
        counts.take("kernel", f"TCP: request_sock_TCP: Possible SYN flooding on port {port}. Sending cookies.", 20.0)
    assert counts.kept["unclean_start"] == {"lines": 2, "number": 12, "first": 10.0, "last": 10.0}
    assert counts.kept["syn_flood 9092"]["lines"] == 2
    assert sum(one.startswith("syn_flood") for one in counts.kept) == 16


def test_a_run_of_lines_ends_with_a_pause_of_a_minute():
    counts = Counts({})
    for at in (100, 150, 200, 400, 410):
        counts.take("broker", "Recovering unflushed segment 0", float(at))
    assert counts.kept["recovered_segment"] == {"lines": 5, "number": 0, "first": 400.0, "last": 410.0}


def test_a_line_was_written_when_it_says_if_that_is_since_the_last_run():
    now = datetime(2026, 11, 26, 1, 45, 30, tzinfo=UTC).timestamp()
    utc = "2026-11-26T01:45:08.5Z"
    assert written_at(f"{utc} INFO x", now - 300, now) == now - 21.5
    assert written_at("2026-11-26 02:45:08,500+01:00 INFO x", now - 300, now) == now - 21.5
    local = datetime.fromtimestamp(now - 21.5).strftime("[%Y-%m-%d %H:%M:%S,500] INFO x")
    assert written_at(local, now - 300, now) == now - 21.5
    for line in (utc.replace("01:45", "00:45"), utc.replace("2026", "2027"), "[9999-99-99 99:99:99,9] INFO", "no time"):
        assert written_at(line, now - 300, now) == now
