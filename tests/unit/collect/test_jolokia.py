"""One broker over Jolokia against an agent that answers HTTP 200 and is wrong: objects, limits, odd values."""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from kafka_fleet.schema.mbeans import PARTITIONS, beans, mbean_of
from support.builders.broker_sweeps import LOG_END, STATE, sweep
from support.servers.jolokia_simulator import Agent, agent, answer


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


def test_a_healthy_broker_is_read_in_two_posts(broker):
    found = sweep(broker)
    assert (found.outcome, found.kind, found.detail, found.missing) == ("ok", None, None, [])
    assert len(broker.seen) == 2
    assert len(found.rows.by_table["partitions"]) == 6
    assert found.rows.by_table["partitions"][("orders", 3)]["log_end_offset"] == 7
    assert found.rows.by_table["broker_metrics"][()]["release"] == "3.3.1"
    assert found.rows.unusable == found.rows.truncated == 0
    assert abs(found.agent_clock_skew_s) < 2


def test_what_is_asked_for_can_show_no_jvm_argument(broker):
    sweep(broker)
    asked = [read for _path, _headers, bulk in broker.seen for read in bulk]
    (called,) = [one for one in asked if one["type"] != "read"]
    assert called == {"type": "exec", "mbean": "java.lang:type=Threading", "operation": "findDeadlockedThreads"}
    assert [read["attribute"] for read in asked if "java.lang" in read["mbean"] and read != called] == [
        ["StartTime"],
        ["OpenFileDescriptorCount", "MaxFileDescriptorCount"],
    ]
    assert all(read["attribute"] for read in asked if read != called)


def entry(mbean: str, change: dict[str, Any]) -> Any:
    return lambda name, given: {**given, **change} if name == mbean else given


@pytest.mark.fault(20)
def test_an_absent_bean_is_missing_and_no_fault(broker):
    broker.entry = entry(STATE, {"status": 404, "value": None})
    found = sweep(broker)
    assert (found.outcome, found.missing) == ("ok", [STATE])


@pytest.mark.fault(20, 28)
@pytest.mark.parametrize("column", ["log_end_offset", "replicas_count"])
def test_replicas_without_their_log_ends_or_their_leaders_are_not_whole(broker, column):
    absent = mbean_of("partitions", column)
    broker.entry = entry(absent, {"status": 404, "value": None})
    found = sweep(broker)
    assert (found.outcome, found.detail) == ("truncated", f"no replica has {absent}")
    assert found.missing == [absent]
    assert found.rows.by_table["broker_metrics"][()]["release"] == "3.3.1", "what else there is stays"


@pytest.mark.fault(20)
def test_a_broker_without_replicas_lacks_their_names_and_is_whole(broker):
    broker.topics = {}
    broker.entry = lambda _mbean, given: given if given["value"] != {} else {"status": 404}
    found = sweep(broker)
    assert (found.outcome, len(found.missing)) == ("ok", 5)


@pytest.mark.fault(20)
def test_a_broker_with_nothing_but_the_metadata_log_of_kraft_is_whole(broker):
    broker.topics = {"__cluster_metadata": 1}
    none = {mbean_of("partitions", name) for name in ("isr_count", "replicas_count")}
    counted = mbean_of("broker_metrics", "partition_count")
    changes = {**{name: {"status": 404, "value": None} for name in none}, counted: {"value": {"Value": 0}}}
    broker.entry = lambda mbean, given: {**given, **changes.get(mbean, {})}
    found = sweep(broker)
    assert (found.outcome, set(found.missing)) == ("ok", none)


def test_a_meter_that_kafka_makes_at_its_first_event_is_zero(broker):
    lazy = "kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=consumer"
    broker.entry = entry(lazy, {"status": 404, "value": None})
    assert sweep(broker).rows.by_table["broker_metrics"][()]["expired_consumer_fetches"] == 0
    broker.entry = entry(lazy, {"status": 403, "value": None})
    found = sweep(broker)
    assert "expired_consumer_fetches" not in found.rows.by_table["broker_metrics"][()]
    assert found.outcome == "partial"


@pytest.mark.parametrize("status", [403, 500, "\x1b[31m<script>", 10**30, None])
def test_a_refused_bean_is_named_and_the_far_side_puts_no_word_into_it(broker, status):
    broker.entry = entry(LOG_END, {"status": status, "value": None, "error": "canary"})
    found = sweep(broker)
    shown = status if status in (403, 500) else "missing"
    assert (found.outcome, found.detail) == ("truncated", f"{LOG_END}: Jolokia status {shown}")


LIMIT = "[Object limit exceeded]"


@pytest.mark.fault(21, 23)
@pytest.mark.parametrize(
    "value",
    [
        LIMIT,
        "{Value=12}",
        {LOG_END.replace("*", "0"): LIMIT},
        {LOG_END.replace("*", "0"): {"Value": "{Value=12}"}},
        [1],
        7,
        None,
    ],
)
def test_text_where_values_belong_is_truncated_and_never_zero(broker, value):
    broker.entry = entry(LOG_END, {"value": value})
    found = sweep(broker)
    assert found.outcome == "truncated"
    assert not any("log_end_offset" in row for row in found.rows.by_table["partitions"].values())


@pytest.mark.fault(21)
def test_a_limit_in_a_text_column_is_no_release(broker):
    name = "kafka.server:type=app-info,id=*"
    broker.entry = entry(name, {"value": {"kafka.server:type=app-info,id=1": {"Version": LIMIT, "StartTimeMs": 5}}})
    found = sweep(broker)
    assert found.outcome == "truncated"
    assert "release" not in found.rows.by_table["broker_metrics"][()]


@pytest.mark.fault(22)
def test_a_silent_cut_is_seen_even_when_each_pattern_loses_others():
    with agent(Agent({"orders": 400})) as one:
        kept = {bean.mbean: number for number, bean in enumerate(beans(PARTITIONS))}

        def half(mbean: str, given: dict[str, Any]) -> dict[str, Any]:
            if mbean in kept:
                pairs = list(given["value"].items())
                given["value"] = dict(pairs[:200] if kept[mbean] % 2 else pairs[200:])
            return given

        one.entry = half
        found = sweep(one)
        assert (found.outcome, found.detail) == ("truncated", "200 replicas read, the broker counts 400")
        one.entry = lambda mbean, given: given
        assert sweep(one).outcome == "ok"


def test_replicas_of_a_failed_log_directory_are_no_cut():
    with agent(Agent({"orders": 100})) as one:
        count = "kafka.server:type=ReplicaManager,name=PartitionCount"
        offline = "kafka.server:type=ReplicaManager,name=OfflineReplicaCount"
        changes = {count: {"Value": 180}, offline: {"Value": 80}}
        one.entry = lambda name, given: {**given, "value": changes.get(name, given["value"])}
        assert sweep(one).outcome == "ok"
        changes.pop(offline)
        assert sweep(one).outcome == "truncated"


@pytest.mark.fault(25)
@pytest.mark.parametrize("stamp", ["NaN", "Infinity", "1e400", "9" * 400, '"now"', "true", "-5", "null"])
def test_a_clock_that_is_none_stops_nothing(broker, stamp):
    def odd(handler: BaseHTTPRequestHandler) -> None:
        answers = [broker.answer(read) for read in broker.seen[-1][2]]
        text = json.dumps([{**one, "timestamp": "STAMP"} for one in answers])
        answer(handler, text.replace('"STAMP"', stamp).encode())

    broker.wire = odd
    found = sweep(broker)
    assert found.outcome == "ok"
    assert found.agent_clock_skew_s is None or stamp == "true"


def test_another_process_than_a_broker_is_failed(broker):
    broker.entry = lambda name, given: given if "java.lang" in name else {"status": 404, "timestamp": 1}
    found = sweep(broker)
    assert found.outcome == "failed"
    assert "Kafka broker" in found.detail
