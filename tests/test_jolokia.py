"""One broker over Jolokia against an agent that answers HTTP 200 and is wrong: objects, limits, odd values."""

import json
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from jolokia_simulator import Agent, agent, answer
from kafka_fleet.collect.jolokia import BrokerSweep, sweep_broker
from kafka_fleet.collect.mbeans import PARTITIONS, beans
from kafka_fleet.collect.transport import Credentials, Limits

FAST = Limits(connect_s=1.0, read_s=0.8, deadline_s=1.2, max_bytes=2_000_000)
SECRET = Credentials("canary-user", "canary-password")
LOG_END = beans(PARTITIONS)[0].mbean
STATE = "kafka.server:type=KafkaServer,name=BrokerState"


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


def sweep(one: Agent, limits: Limits = FAST, credentials: Credentials = SECRET) -> BrokerSweep:
    found = sweep_broker(one.url, credentials, limits)
    assert "canary" not in f"{found.kind} {found.detail} {found.missing}"
    return found


def failed(one: Agent, kind: str, limits: Limits = FAST) -> BrokerSweep:
    started = time.monotonic()
    found = sweep(one, limits)
    assert (found.outcome, found.kind) == ("failed", kind)
    assert time.monotonic() - started < limits.deadline_s + 1
    assert found.read_at is None
    assert found.rows.values == 0
    assert found.detail is not None
    assert len(found.detail) <= 200
    return found


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
    assert {read["type"] for read in asked} == {"read"}
    assert [read["attribute"] for read in asked if "java.lang" in read["mbean"]] == [["StartTime"]]
    assert all(read["attribute"] for read in asked)


def test_one_bad_name_costs_only_itself(broker):
    def spoiled(answers: list[Any]) -> Any:
        asked = [read["mbean"] for read in broker.seen[-1][2]]
        return {"status": 400, "error": "MalformedObjectName"} if STATE in asked else answers

    broker.body = spoiled
    found = sweep(broker)
    assert (found.outcome, found.detail) == ("partial", f"{STATE}: Jolokia status 400")
    row = found.rows.by_table["broker_metrics"][()]
    assert "broker_state" not in row
    assert len(row) > 50
    assert len(broker.seen) < 20


@pytest.mark.parametrize("body", [{"status": 500, "error": "x"}, {"ok": True}, "text", 7, None, [], [[], []]])
def test_an_agent_that_never_answers_the_bulk_is_failed_and_soon_left_alone(broker, body):
    broker.body = lambda answers: body
    failed(broker, "protocol")
    assert len(broker.seen) <= 42


@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: [*a, a[0]], lambda a: [None, *a[1:]]])
def test_fewer_more_or_foreign_answers(broker, change):
    broker.body = change
    failed(broker, "protocol")


def test_a_status_of_the_agent_itself(broker):
    broker.body = lambda answers: {"status": 403, "error": "canary"}
    assert failed(broker, "auth").detail == "Jolokia status 403"
    assert len(broker.seen) == 1


def entry(mbean: str, change: dict[str, Any]) -> Any:
    return lambda name, given: {**given, **change} if name == mbean else given


def test_an_absent_bean_is_missing_and_no_fault(broker):
    broker.entry = entry(STATE, {"status": 404, "value": None})
    found = sweep(broker)
    assert (found.outcome, found.missing) == ("ok", [STATE])


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
    assert (found.outcome, found.detail) == ("partial", f"{LOG_END}: Jolokia status {shown}")


LIMIT = "[Object limit exceeded]"


@pytest.mark.parametrize(
    "value",
    [
        LIMIT,
        "{Value=12}",
        {"kafka.log:name=x": LIMIT},
        {"a:topic=t,partition=0": {"Value": "{Value=12}"}},
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


def test_a_limit_in_a_text_column_is_no_release(broker):
    name = "kafka.server:type=app-info,id=*"
    broker.entry = entry(name, {"value": {"kafka.server:type=app-info,id=1": {"Version": LIMIT, "StartTimeMs": 5}}})
    found = sweep(broker)
    assert found.outcome == "truncated"
    assert "release" not in found.rows.by_table["broker_metrics"][()]


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


def test_deeply_nested_and_huge_numbers_are_one_failure(broker):
    broker.wire = lambda handler: answer(handler, b"[" * 100_000)
    failed(broker, "cut_off")
    broker.wire = lambda handler: answer(handler, b"[" + b"9" * 100_000 + b"]")
    failed(broker, "not_json")
