"""Topics that Metadata gives with an error, or leaves out while brokers have their replicas: the sweep says so."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.collect.admin import client as module
from kafka_fleet.collect.admin.client import sweep_admin
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.collect.sweep_result import SweepResult
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.builders.swept_clusters import RESOLVER, cluster
from support.servers import wire_broker
from support.servers.jolokia_simulator import Agent, agent
from support.servers.wire_broker import Broker, running

pytestmark = pytest.mark.fault(68)

HIDDEN = "some_topics: brokers have replicas of {} that Metadata leaves out, is Describe allowed on all topics?"
DENIED, GONE, NEW = 29, 3, 5


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SETTLES_S", 0.01)


class Telling(Broker):
    """Topics with an error, by code, in the full answer; and what it says of each that it is asked for by name."""

    codes: list[dict[str, int]]
    named: dict[str, int]

    def _MetadataRequest(self, request: Any, version: int) -> Any:
        answer = super()._MetadataRequest(request, version)
        if request.topics:
            assert not request.allow_auto_topic_creation, "a name that is asked for is not made a topic"
            (made,) = {type(topic) for topic in answer.topics}
            rest = {"is_internal": False, "partitions": [], "authorized_operations": set()}
            answer.topics = [
                made(error_code=self.named[one.name], name=one.name, **rest)
                for one in request.topics
                if one.name in self.named
            ]
        elif request.topics is None:
            codes = self.codes.pop(0) if len(self.codes) > 1 else self.codes[0]
            for topic in answer.topics:
                topic.error_code = codes.get(topic.name, 0)
        return answer


def telling(*codes: dict[str, int], **named: int) -> Callable[..., Any]:
    """A kind of broker: errors by topic of its full answers, the last of them for good; errors of topics by name."""
    return type("Told", (Telling,), {"codes": list(codes) or [{}], "named": named})


@pytest.mark.parametrize(
    ("code", "name"),
    [(3, "UNKNOWN_TOPIC_OR_PARTITION"), (5, "LEADER_NOT_AVAILABLE"), (29, "TOPIC_AUTHORIZATION_FAILED"), (56, "KAFKA")],
)
def test_a_topic_with_an_error_is_missed(code, name):
    with running({}, kind=telling({"payments": code})) as (server, _broker):
        found = sweep_admin([server], {}, 20.0)
    assert (found.outcome, found.missing) == ("partial", ["some_topics"])
    assert found.detail.startswith("some_topics: 1 topic such as payments: ")
    assert name in found.detail
    assert f"error code {code})" in found.detail
    assert {row["topic"] for row in found.tables["topics"]} == {"orders"}


def test_an_error_that_passes_is_none():
    """Of a topic that is made or deleted just now."""
    with running({}, kind=telling({"payments": NEW}, {})) as (server, _broker):
        found = sweep_admin([server], {}, 20.0)
    assert (found.outcome, found.detail, found.missing) == ("ok", None, [])
    assert {row["topic"] for row in found.tables["topics"]} == {"orders", "payments"}


def swept(home: Path, topics: dict[str, int], kind: Any) -> tuple[SweepResult, dict[str, Any]]:
    """A sweep of a broker that has replicas of these topics, and the row of it."""
    with running({}, kind=kind) as (server, _broker), agent(Agent(topics)) as one:
        made = cluster({"brokers": {7: one.url}}, kafka_connection=None, bootstrap_servers=[server])
        found = sweep_cluster(made, home, RESOLVER)
    (row,) = read_rows(home, manifests(home, datetime.now(UTC).date())[0], "sweeps")
    return found, row


SHOWN = {"orders": 2, "payments": 1}


@pytest.mark.parametrize("named", [{"audit": DENIED}, {}], ids=["denied by name", "left out by name"])
def test_a_topic_that_kafka_hides_and_brokers_have_is_missed(tmp_path, named):
    found, row = swept(tmp_path, {**SHOWN, "audit": 1}, telling(**named))
    assert found.outcomes["ok"] == 1
    assert (row["admin_outcome"], row["admin_missing"]) == ("partial", ["some_topics"])
    assert row["admin_detail"] == HIDDEN.format("1 topic such as audit")


@pytest.mark.parametrize("code", [0, GONE, NEW], ids=["made meanwhile", "deleted meanwhile", "being made"])
def test_a_topic_made_or_deleted_between_the_reads_is_not_missed(tmp_path, code):
    _found, row = swept(tmp_path, {**SHOWN, "audit": 1}, telling(audit=code))
    assert (row["admin_outcome"], row["admin_detail"], row["admin_missing"]) == ("ok", None, [])


def test_what_brokers_have_of_kraft_is_no_topic(tmp_path):
    _found, row = swept(tmp_path, {**SHOWN, "__cluster_metadata": 1}, telling())
    assert (row["admin_outcome"], row["admin_detail"]) == ("ok", None)


def test_hundreds_of_them_and_hostile_names_are_one_bounded_sentence(tmp_path, monkeypatch):
    names = {f"hidden-{number:04d}-{'x' * 230}": 1 for number in range(700)}
    _found, row = swept(tmp_path, {**SHOWN, **names}, telling())
    assert row["admin_detail"] == HIDDEN.format(f"700 topics such as {min(names)[:80]}")
    monkeypatch.setattr(wire_broker, "TOPICS", {"orders": 2, "<b>; all is well": 1})
    with running({}, kind=telling({"<b>; all is well": DENIED})) as (server, _broker):
        found = sweep_admin([server], {}, 20.0)
    assert found.detail.startswith("some_topics: 1 topic: TopicAuthorizationFailedError: ")
    assert "<" not in found.detail


def test_an_error_and_a_hidden_topic_are_both_said(tmp_path):
    _found, row = swept(tmp_path, {**SHOWN, "audit": 1}, telling({"payments": DENIED}))
    assert row["admin_missing"] == ["some_topics"]
    assert row["admin_detail"].count("some_topics: ") == 2
