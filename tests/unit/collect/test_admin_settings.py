"""Settings without end, as the bytes a broker sends of them: bounded, said, and no cost to what is read besides."""

import pytest

from kafka_fleet.collect.admin import guarded_sockets
from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from support.servers.wire_broker import OF_BROKERS, OF_TOPICS, Group, assignment, running

BILLING = Group(members={"m": assignment(orders=[0])}, commits={("orders", 0): 42})
GOOD = {"num.io.threads": "8"}
LONG = {"min.insync.replicas": "9" * 5_000_000}
MANY = {f"plugin.setting.{number}": "canary" for number in range(100_000)}


def swept(brokers: dict[str, str], topics: dict[str, str]) -> AdminSweep:
    """A sweep of a broker with such settings; its groups are read whatever it has."""
    with running({"billing": BILLING}, {OF_BROKERS: brokers, OF_TOPICS: topics}) as (server, _broker):
        found = sweep_admin([server], {}, 60.0)
    assert [(row["group_id"], row["committed_offset"]) for row in found.tables["group_offsets"]] == [("billing", 42)]
    assert "canary" not in repr(found)
    return found


def stored(found: AdminSweep, table: str) -> set[tuple[str, str | None, bool]]:
    """Name, value and whether it was left out, of each setting."""
    return {(row["name"], row["value"], row["redacted"]) for row in found.tables[table]}


@pytest.mark.sampled("large-answers")  # some seconds by its size; smaller answers run every time
@pytest.mark.fault(57)
def test_settings_without_end_are_bounded_and_said():
    found = swept(GOOD | LONG | MANY | {"n" * 5_000_000: "1"}, {**LONG, "retention.ms": "1"})
    assert stored(found, "broker_configs") == {("num.io.threads", "8", False), ("min.insync.replicas", None, True)}
    assert stored(found, "topic_configs") == {("retention.ms", "1", False), ("min.insync.replicas", None, True)}
    assert (found.outcome, found.missing) == ("partial", ["broker_configs", "topic_configs"])
    long = "1 values longer than 16,384 characters were not stored"
    assert found.detail == (
        f"broker_configs: broker 7: {long}; 100,001 of 100,003 settings were not stored; topic_configs: a topic: {long}"
    )


@pytest.mark.fault(57)
def test_an_answer_above_the_limit_costs_its_own_settings_alone():
    found = swept(GOOD, {**LONG, "retention.ms": "9" * guarded_sockets.MOST_BYTES})
    assert stored(found, "broker_configs") == {("num.io.threads", "8", False)}
    assert (found.outcome, found.missing) == ("partial", ["topic_configs"])
    assert (
        found.detail
        == "topic_configs: 2 topics: InvalidReceiveError: an answer that is too large, or no answer of Kafka"
    )
