"""A broker that is read by its metrics endpoint: rows as over Jolokia, and what rule sets leave out."""

import time
from email.utils import formatdate

import pytest

from kafka_fleet.collect.jolokia.client import BrokerSweep
from kafka_fleet.collect.metrics.left_out import left_out
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.schema.exporter_rules import rules_for
from kafka_fleet.schema.mbeans import tables
from support.builders.metric_answers import FOLDER, RULE_SETS, lines_without, read_text, read_wire, recorded
from support.servers.jolokia_simulator import answer

OWN = recorded("own")
START_S = float(next(x for x in OWN.splitlines() if x.startswith(b"java_lang_runtime_starttime ")).split()[1]) / 1000
UPTIME_S = float(next(x for x in OWN.splitlines() if x.startswith(b"java_lang_runtime_uptime ")).split()[1]) / 1000


def read(text: bytes = OWN, late_s: float = 0.0, **headers: str) -> BrokerSweep:
    """A read of a recorded answer; its clock goes as if it had been sent so many seconds after it was read."""
    return read_text(text, Date=formatdate(START_S + UPTIME_S + late_s, usegmt=True), **headers)


def broker(found: BrokerSweep) -> dict[str, object]:
    return dict(found.rows.by_table["broker_metrics"][()])


def left(found: BrokerSweep) -> list[str]:
    always, _perhaps = left_out(found.missing, broker(found).get("release"))
    return [f"{bean.mbean} {column.attribute}" for bean in always for column in bean.columns]


def test_own_rules_show_all_that_a_sweep_reads():
    found = read()
    assert (found.outcome, found.kind, found.detail) == ("ok", None, None)
    assert found.node_ids == {1}
    assert (broker(found)["release"], broker(found)["jvm_start_ms"]) == ("3.3.1", round(START_S * 1000))
    assert found.rows.unusable == 0
    rows = found.rows.by_table
    assert {key for key in rows["partitions"] if key[0] == "orders"} == {("orders", 0)}
    assert rows["partitions"][("orders", 0)]["replicas_count"] == 2
    assert {listener for listener, _processor in rows["listeners"]} == {"PLAINTEXT", "CONTROLLER"}
    assert [key for key in rows["log_dirs"] if key[0].startswith("/")] == list(rows["log_dirs"])
    assert {"messages_in", "bytes_in"} <= rows["broker_topics"][("orders",)].keys()
    assert rows["request_times"][("Produce", "TotalTimeMs")]["mean_ms"] > 0


def test_own_rules_without_a_lazy_counter_mean_that_it_is_0():
    found = read(lines_without(OWN, "kafka_server_delayedfetchmetrics_count"))
    assert (found.outcome, broker(found)["expired_consumer_fetches"]) == ("ok", 0)


def test_other_rules_without_a_lazy_counter_do_not_tell():
    found = read(lines_without(recorded("none"), "kafka_server_DelayedFetchMetrics_Count"))
    assert broker(found).get("expired_consumer_fetches") is None
    assert any("fetcherType=consumer" in one for one in found.missing)


@pytest.mark.parametrize("rules", RULE_SETS[1:])
def test_what_a_rule_set_leaves_out_is_said_in_one_sentence(rules):
    found = read(recorded(rules))
    assert found.outcome == "partial"
    assert found.rows.unusable == 0
    assert found.detail.count("the metrics endpoint leaves out") == 1
    assert "kafka.server:type=app-info,id=* (Version, CommitId" in found.detail or "app-info,id=*," in found.detail
    assert broker(found).get("release") is None
    assert found.rows.count("partitions", "log_end_offset") > 0
    assert broker(found)["jvm_start_ms"] is not None


SOCKETS = "kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*"
EXPECTED = {  # rule set -> an attribute that it leaves out, and one that it does not
    "kafka-2_0_0": ("kafka.network:type=RequestMetrics,name=*TimeMs,request=Produce Mean",
                    "kafka.network:type=RequestMetrics,name=*TimeMs,request=Produce Count"),
    "strimzi-4.3.1": ("kafka.server:type=app-info,id=* Version",
                      f"{SOCKETS} connection-creation-total"),
    "strimzi-4.3.2": ("kafka.network:type=RequestMetrics,name=*TimeMs,request=Produce Count",
                      f"{SOCKETS} connection-count"),
    "none": ("kafka.server:type=app-info,id=* Version", "kafka.server:type=app-info,id=* StartTimeMs"),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "gone", "there"), [(name, *pair) for name, pair in EXPECTED.items()])
def test_each_rule_set_leaves_out_its_own(rules, gone, there):
    found = left(read(recorded(rules)))
    assert gone in found
    assert there not in found


def test_what_strimzi_leaves_out_of_requests_takes_the_counters_that_need_them_along():
    found = read(recorded("strimzi-4.3.2"))
    assert not found.rows.has("requests")
    assert broker(found)["expired_consumer_fetches"] is None  # its share of the fetches is not known


def test_strimzis_reporter_shows_releases_times_and_their_means():
    found = read(recorded("strimzi-reporter"))
    assert (found.outcome, found.rows.unusable) == ("partial", 0)
    assert (broker(found)["release"], broker(found)["commit_id"] is not None) == ("3.9.1", True)
    assert broker(found)["request_handler_idle_ns"] > 0
    times = found.rows.by_table["request_times"][("Produce", "TotalTimeMs")]
    assert times["p50_ms"] <= times["p75_ms"] <= times["p99_ms"]
    assert 0 < times["mean_ms"] < times["p999_ms"]
    assert found.rows.has("requests")
    assert {"connections", "connections_created"} <= next(iter(found.rows.by_table["listeners"].values())).keys()
    gone = left(found)
    assert any(one.endswith("request=Produce Min") for one in gone)
    assert not any(one.endswith(("Mean", "Version", "LogEndOffset Value")) for one in gone)


def test_the_rules_to_add_are_those_of_what_is_missing():
    found = read(recorded("strimzi-4.3.2"))
    always, perhaps = left_out(found.missing, "3.3.1")
    rules = rules_for(always + perhaps)
    assert any(
        one.startswith("- {pattern: 'kafka.server<type=app-info, id=(.+)><>Version: (.+)', name: ") for one in rules
    )
    assert any("RequestsPerSec, request=FetchConsumer(, .+)?><>(Count):" in one for one in rules)
    assert not any("type=Log, name=LogEndOffset" in one for one in rules)
    later = left_out([bean.mbean for table in tables().values() for bean in table.beans], "2.0.0")
    assert not any("remainingLogsToRecover" in bean.mbean for bean in later[0] + later[1])  # since 3.3


CONTROLLER = ("kafka_server_replica", "kafka_server_delayed", "kafka_server_broker", "kafka_server_kafkaserver_",
              "kafka_server_group", "kafka_cluster", "kafka_log_logcleaner", "kafka_log_logmanager",
              "kafka_log_log_value{name=\"LogEndOffset\",partition=\"0\",topic=\"o",
              "kafka_log_log_value{name=\"LogEndOffset\",topic=\"_")  # fmt: skip


def as_controller(text: bytes) -> bytes:
    """What a KRaft controller shows that is no broker: of partitions the log of the metadata alone."""
    kept = lines_without(text, "kafka_log_log_value", "kafka_log_Log_Value", *CONTROLLER)
    return kept + b'kafka_log_log_value{name="LogEndOffset",topic="__cluster_metadata",partition="0"} 7\n'


def test_a_controller_that_is_no_broker_lacks_what_brokers_alone_have():
    found = read(as_controller(OWN))
    assert (found.outcome, found.detail) == ("ok", None)
    other = read(as_controller(OWN.replace(b"kafka_fleet_exporter_rules", b"other")))
    assert other.outcome == "partial"
    assert "leaves out" not in other.detail


def test_a_broker_whose_partitions_are_not_shown_is_not_whole():
    for text in (OWN, OWN.replace(b"kafka_fleet_exporter_rules", b"other")):
        found = read(lines_without(text, "kafka_cluster_partition_value"))
        assert found.outcome == "truncated"
        assert "name=ReplicasCount" in found.detail


def test_rules_of_another_edition_are_named():
    found = read(OWN.replace(b'kafka_fleet_exporter_rules{version="', b'kafka_fleet_exporter_rules{version="0'))
    assert found.outcome == "partial"
    assert found.detail == "its rules are another edition of docs/exporter-rules.yml: take that of this version"


def test_an_exporter_that_stands_beside_its_broker_tells_nothing_of_the_process():
    other = OWN.replace(b"\nprocess_start_time_seconds ", b"\nprocess_start_time_seconds 9")
    assert broker(read(other))["jvm_start_ms"] == round(START_S * 1000)
    text = lines_without(other, "java_lang_runtime_starttime", "kafka_server_app_info_starttimems")
    assert read(text).outcome != "failed"
    gone = lines_without(other, "java_lang_runtime_starttime", "java_lang_operatingsystem")
    found = read(gone)  # the process began after Kafka in it did: it is another one
    assert (broker(found).get("jvm_start_ms"), broker(found).get("open_file_descriptors")) == (None, None)
    assert broker(found)["app_start_ms"] > 0


def test_without_any_start_nothing_is_stored():
    names = ("java_lang_runtime_starttime", "kafka_server_app_info_starttimems", "process_start_time_seconds")
    found = read(lines_without(OWN, *names))
    assert (found.outcome, found.kind) == ("failed", "not_exported")
    assert "when the process began" in found.detail


@pytest.mark.parametrize(("late_s", "moved"), [(0.0, False), (2.0, False), (60.0, True)])
def test_values_of_a_cache_have_the_time_at_which_they_were_read(late_s, moved):
    before = time.time()
    found = read(late_s=late_s)
    assert found.outcome == "ok"
    age = before - found.read_at.timestamp()
    assert (age > late_s - 5) if moved else (age < 1)


@pytest.mark.parametrize(("age", "known"), [(None, True), ("0", True), ("00", True), ("60", False)])
def test_the_clock_of_an_answer_out_of_a_cache_is_not_the_brokers(age, known):
    found = read(**({"Age": age} if age else {}))
    assert found.outcome == "ok"
    assert (found.agent_clock_skew_s is not None) == known


def test_old_values_are_not_stored():
    for found in (read(late_s=900.0), read(Age="1000"), read(OWN.replace(b"} ", b"} 1.5 17000\n# "))):
        assert (found.outcome, found.kind) == ("failed", "stale")


def test_an_exporter_that_could_not_read_its_broker_says_so():
    found = read(OWN.replace(b"\njmx_scrape_error 0.0", b"\njmx_scrape_error 1.0"))
    assert (found.outcome, found.kind) == ("failed", "exporter")


def test_a_value_that_is_nan_is_none_and_one_that_is_infinite_is_not_usable():
    name = b'kafka_server_replicamanager_value{name="LeaderCount"} '
    plain = next(line for line in OWN.splitlines() if line.startswith(name))
    nan, infinite = (read(OWN.replace(plain, name + text)) for text in (b"NaN", b"+Inf"))
    assert (nan.outcome, broker(nan).get("leader_count")) == ("ok", None)
    assert (infinite.outcome, infinite.rows.unusable) == ("partial", 1)


def test_a_series_that_is_there_twice_has_no_value():
    name = b'kafka_server_replicamanager_value{name="PartitionCount"} '
    found = read(OWN + name + b"4\n")
    assert broker(found)["partition_count"] is None
    assert (found.outcome, found.rows.unusable) == ("partial", 1)


def test_openmetrics_is_read_as_well():
    text = OWN.replace(b"\njmx_scrape_error 0.0", b'\njmx_scrape_error 0.0 # {trace="a"} 1.0') + b"# EOF\nrubbish{\n"
    found = read(text, Content_Type="application/openmetrics-text; version=1.0.0")
    assert (found.outcome, found.rows.values) == ("ok", read().rows.values)


def test_text_that_is_packed_is_read_and_credentials_are_sent():
    seen = []

    def wire(handler):
        seen.append(dict(handler.headers))
        answer(handler, OWN, Content_Type="text/plain")

    read_wire(wire, credentials=Credentials("canary-user", "canary-password"))
    assert seen[0]["Authorization"].startswith("Basic ")
    assert seen[0]["Accept"].startswith("text/plain")


def test_the_rule_sets_come_with_their_source_and_licence():
    told = (FOLDER / "README.md").read_text()
    assert all(f"`{path.name}`" in told for path in (FOLDER / "rules").iterdir())
    assert told.count("Apache 2.0") == 4
