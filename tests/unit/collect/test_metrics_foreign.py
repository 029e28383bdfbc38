"""Answers whose series are not, or not all, those of one broker: federated ones, and those of other processes."""

import re
from email.utils import formatdate

import pytest

from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.schema.exporter_rules import edition
from support.builders.metric_answers import lines_without, read_at, read_text, recorded

OWN = recorded("own")
FETCHES = "kafka_server_delayedfetchmetrics_count"


def read(text: bytes) -> BrokerSweep:
    return read_text(text, Date=formatdate(read_at(OWN), usegmt=True))


def broker(found: BrokerSweep) -> dict[str, object]:
    return dict(found.rows.by_table["broker_metrics"].get((), {}))


def federated(text: bytes, *names: bytes) -> bytes:
    """The text as a Prometheus gives it that collected it; with names, their series alone have its labels."""
    some = b"|".join(names) or rb"[a-z_:][a-z0-9_:]*"
    text = re.sub(rb"(?im)^(%s) " % some, rb"\1{} ", text)
    return re.sub(rb"(?im)^(%s)\{" % some, rb'\1{instance="b:9404",', text)


@pytest.mark.parametrize("rules", ["own", "none", "kafka-2_0_0", "strimzi-4.3.1"])
def test_an_answer_of_labelled_series_is_none_of_a_broker(rules):
    found = read(federated(recorded(rules)))
    assert (found.outcome, found.kind, found.rows.values) == ("failed", "protocol", 0)
    assert "labels of their own" in found.detail


def test_the_process_of_who_collects_makes_labelled_series_no_brokers():
    own = b"process_start_time_seconds 1.7e9\njmx_scrape_error 0\n"
    mark = f'kafka_fleet_exporter_rules{{version="{edition()}"}} 1\n'.encode()
    assert read(federated(OWN) + own + mark).kind == "protocol"


def test_a_labelled_series_among_others_is_not_read_and_its_counter_is_not_0():
    found = read(federated(OWN, FETCHES.encode()))
    assert found.outcome == "partial"
    assert "some of its series have labels of their own" in found.detail
    assert broker(found).get("expired_consumer_fetches") is None
    assert broker(found)["partition_count"] is not None


@pytest.mark.parametrize("name", [b"kafka_fleet_exporter_rules", b"process_start_time_seconds", b"process_open_fds"])
def test_what_an_endpoint_says_of_itself_has_no_labels(name):
    text = lines_without(federated(OWN, name), FETCHES, "java_lang_operatingsystem")
    found = read(text)
    assert found.outcome == "partial"
    assert broker(found).get("expired_consumer_fetches") is None
    assert name != b"process_open_fds" or broker(found).get("open_file_descriptors") is None


def test_the_log_that_a_replica_is_moved_to_is_no_label_of_others():
    moved = b'kafka_log_log_value{name="Size",partition="0",topic="orders",is_future="true"} 7\n'
    found = read(OWN + moved)
    assert (found.outcome, found.detail) == ("ok", None)


NODE_EXPORTER = b"""# TYPE node_boot_time_seconds gauge
node_boot_time_seconds 1.79e9
process_max_fds 524287
process_open_fds 9
process_start_time_seconds 1.79e9
"""


def test_a_process_that_is_none_of_kafka_is_no_broker():
    jvm = b"".join(
        line for line in OWN.splitlines(keepends=True) if re.match(rb"java_|jvm_|process_|jmx_|kafka_fleet_", line)
    )
    for text in (NODE_EXPORTER, jvm):  # the second: our rules before Kafka has made its MBeans
        found = read(text)
        assert (found.outcome, found.kind, found.rows.values) == ("failed", "protocol", 0)
        assert "is this a Kafka broker?" in found.detail


def test_rules_that_show_neither_replicas_nor_release_nor_state_are_read():
    found = read(NODE_EXPORTER + b'kafka_server_replicamanager_value{name="LeaderCount"} 3\n')
    assert (found.outcome, broker(found)["leader_count"]) == ("partial", 3)


def test_a_broker_that_begins_to_start_has_not_counted_anything():
    early = lines_without(OWN, "kafka_server_replica", FETCHES)
    row = broker(read(early))
    assert row["broker_state"] is not None
    assert row.keys().isdisjoint({"expired_consumer_fetches", "expired_follower_fetches"})


@pytest.mark.parametrize(
    "line",
    [
        b'%s{name="ExpiresPerSec",fetcherType="consumer" 9',
        b'%s{name="ExpiresPerSec",fetcherType="consumer"} 9 9 9',
        b'%s{name="ExpiresPerSec",fetcherType="consumer",instance="b"} 9',
        b'%s{name="ExpiresPerSec",fetcherType="consumer",FetcherType="consumer"} 9',
        b'%s{name="ExpiresPerSec",fetcherType="consumer"} nine',
    ],
    ids=["brace", "columns", "label", "twice", "text"],
)
def test_a_counter_whose_line_cannot_be_read_is_not_0(line):
    found = read(lines_without(OWN, FETCHES) + line % FETCHES.encode() + b"\n")
    assert (found.outcome, broker(found).get("expired_consumer_fetches")) == ("partial", None)


APART = lines_without(OWN, "java_lang_runtime_starttime", "java_lang_operatingsystem")
PROCESS = ("jvm_start_ms", "open_file_descriptors", "max_file_descriptors", "deadlocked_threads")


@pytest.mark.parametrize("begun", [b"1.7e9", b"1.795688606485E9"])
def test_the_process_of_an_exporter_beside_its_broker_is_not_the_brokers(begun):
    """It began long before its broker did, which was restarted since, or about then."""
    found = read(re.sub(rb"(?m)^(process_start_time_seconds) .*", rb"\1 " + begun, APART))
    assert [broker(found).get(name) for name in PROCESS] == [None] * len(PROCESS)
    assert broker(found)["app_start_ms"] > 0


def test_a_process_that_is_shown_twice_has_no_value():
    text = lines_without(APART, "kafka_server_app_info_starttimems")
    assert broker(read(text))["jvm_start_ms"] > 0
    assert read(text + b"process_start_time_seconds 1.7e9\n").kind == "not_exported"
    found = read(text + b"process_open_fds 7\n")
    assert (found.outcome, found.rows.unusable, broker(found).get("open_file_descriptors")) == ("partial", 1, None)
    assert read(OWN + b"jmx_scrape_error 1\n").kind == "exporter"


@pytest.mark.parametrize(
    ("line", "expected"),
    [(b"jvm_threads_deadlocked 2.0", 2), (b"", None), (b"jvm_threads_deadlocked NaN", None),
     (b'jvm_threads_deadlocked{pod="kafka-1"} 2.0', None),
     (b"jvm_threads_deadlocked 2\njvm_threads_deadlocked 2", None)],
)  # fmt: skip
def test_an_exporter_tells_how_many_threads_are_in_a_deadlock_and_not_which(line: bytes, expected: int | None) -> None:
    assert broker(read(OWN))["deadlocked_threads"] == 0
    found = read(lines_without(OWN, "jvm_threads_deadlocked") + line + b"\n")
    assert broker(found).get("deadlocked_threads") == expected
    assert found.deadlocked == ()
    assert "java.lang:type=Threading" not in found.missing
