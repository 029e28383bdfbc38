"""Groups of KIP-848, KIP-1071 and KIP-932 among classic ones, as the bytes a broker sends of them."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from kafka.protocol.admin import ListGroupsResponse
from kafka.protocol.metadata import ApiVersionsResponse

from kafka_fleet.collect.admin.client import AdminSweep, sweep_admin
from kafka_fleet.collect.admin.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    StreamsGroupDescribeRequest,
    StreamsGroupDescribeResponse,
)
from support.servers import wire_broker
from support.servers.wire_broker import VERSIONS, Broker, Group, assignment, running

CLASSIC = Group(members={"m": assignment(orders=[0])}, commits={("orders", 0): 42})
TYPES = {"classic": "classic", "modern": "consumer", "stream": "streams", "queue": "share"}
NO_OPERATIONS = {"authorized_operations": -(2**31), "error_message": None}
EPOCHS = {"group_epoch": 3, "assignment_epoch": 3}


class Modern(Broker):
    """A broker of 4.1 with a group of every type. error: of the newer descriptions."""

    types: dict[str, str] = TYPES
    known = (69, 89)
    error = 0
    parts: list[Any] | None = None

    def _ApiVersionsRequest(self, _request: Any, version: int) -> Any:
        made = ApiVersionsResponse.ApiVersion
        most = VERSIONS | {16: 5} | dict.fromkeys(self.known, 0)
        keys = [made(api_key=key, min_version=0, max_version=value) for key, value in most.items()]
        return ApiVersionsResponse(version=version, error_code=0, api_keys=keys, throttle_time_ms=0)

    def _ListGroupsRequest(self, _request: Any, version: int) -> Any:
        about = {"protocol_type": "consumer", "group_state": "Stable"}
        groups = [
            ListGroupsResponse.ListedGroup(group_id=name, group_type=self.types[name], **about) for name in self.groups
        ]
        return ListGroupsResponse(version=version, throttle_time_ms=0, error_code=0, groups=groups)

    def _ConsumerGroupDescribeRequest(self, request: Any, version: int) -> Any:
        made = ConsumerGroupDescribeResponse.DescribedGroup
        place = made.Member.Assignment.TopicPartitions(topic_id=uuid.uuid4(), topic_name="orders", partitions=[1, 0])
        rest = {"instance_id": None, "rack_id": "a", "member_epoch": 3, "subscribed_topic_names": ["orders"],
                "subscribed_topic_regex": None}  # fmt: skip
        told = made.Member.Assignment
        members = [
            made.Member(
                member_id=f"{name}-1",
                client_id="shop",
                client_host="/10.0.0.8",
                assignment=told(topic_partitions=[place]),
                target_assignment=told(topic_partitions=[]),
                **rest,
            )
            for name in request.group_ids
        ]
        about = EPOCHS | NO_OPERATIONS | {"assignor_name": "uniform", "group_state": "Reconciling"}
        found = [
            made(group_id=name, error_code=self.error, members=[] if self.error else members, **about)
            for name in request.group_ids
        ]
        return ConsumerGroupDescribeResponse(version=version, throttle_time_ms=0, groups=found)

    def _StreamsGroupDescribeRequest(self, request: Any, version: int) -> Any:
        made = StreamsGroupDescribeResponse.DescribedGroup
        task = made.Member.Assignment.TaskIds
        empty: dict[str, Any] = {"standby_tasks": [], "warmup_tasks": []}
        member = made.Member(
            member_id="s-1",
            member_epoch=3,
            instance_id=None,
            rack_id=None,
            client_id="app-StreamThread-1-consumer",
            client_host="/10.0.0.7",
            topology_epoch=0,
            process_id="p",
            user_endpoint=None,
            client_tags=[],
            task_offsets=[],
            task_end_offsets=[],
            assignment=made.Member.Assignment(active_tasks=[task(subtopology_id="0", partitions=[0])], **empty),
            target_assignment=made.Member.Assignment(active_tasks=[], **empty),
            is_classic=False,
        )
        part = made.Topology.Subtopology
        info = {"partitions": 0, "replication_factor": 0, "topic_configs": []}
        parts = [
            part(
                subtopology_id="0",
                source_topics=["payments"],
                repartition_sink_topics=[],
                state_changelog_topics=[part.TopicInfo(name="app-changelog", **info)],
                repartition_source_topics=[part.TopicInfo(name="app-repartition", **info)],
            )
        ]
        about = EPOCHS | NO_OPERATIONS | {"group_state": "Stable", "error_code": self.error}
        topology = made.Topology(epoch=0, subtopologies=parts if self.parts is None else None)
        found = [made(group_id=name, topology=topology, members=[member], **about) for name in request.group_ids]
        return StreamsGroupDescribeResponse(version=version, throttle_time_ms=0, groups=found)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    newer = {one.API_KEY: one for one in (ConsumerGroupDescribeRequest, StreamsGroupDescribeRequest)}
    monkeypatch.setattr(wire_broker, "REQUESTS", wire_broker.REQUESTS | newer)
    return


def swept(**changes: Any) -> AdminSweep:
    """A sweep of the four groups by a broker with these attributes."""
    kind = type("Changed", (Modern,), changes)
    with running(dict.fromkeys(changes.get("types", TYPES), CLASSIC), kind=kind) as (server, _broker):
        return sweep_admin([server], {}, 10.0)


def assignments(found: AdminSweep) -> set[tuple[str, str, int]]:
    return {(row["group_id"], row["topic"], row["partition"]) for row in found.tables["group_assignments"]}


def test_groups_of_every_type_are_read():
    found = swept()
    assert (found.outcome, found.detail, found.missing) == ("ok", None, [])
    assert assignments(found) == {
        ("classic", "orders", 0),
        ("modern", "orders", 0),
        ("modern", "orders", 1),
        ("stream", "payments", 0),
        ("stream", "app-repartition", 0),
    }
    members = {(row["group_id"], row["client_id"], row["client_host"]) for row in found.tables["group_members"]}
    assert members == {
        ("classic", "client", "10.0.0.9"),
        ("modern", "shop", "10.0.0.8"),
        ("stream", "app-StreamThread-1-consumer", "10.0.0.7"),
    }
    kinds = {(row["group_id"], row["state"], row["protocol_type"]) for row in found.tables["groups"]}
    assert kinds == {
        ("classic", "Stable", "consumer"),
        ("modern", "Reconciling", "consumer"),
        ("stream", "Stable", "streams"),
        ("queue", "Stable", "consumer"),
    }
    assert {row["group_id"] for row in found.tables["group_offsets"]} == set(TYPES)


def test_groups_that_refuse_cost_no_other_group():
    found = swept(error=30)
    assert (found.outcome, found.missing) == ("partial", ["group_assignments", "group_members"])
    assert "2 groups: GroupAuthorizationFailedError" in (found.detail or "")
    assert assignments(found) == {("classic", "orders", 0)}


def test_a_broker_that_does_not_know_the_request_says_so():
    found = swept(known=(69,))
    assert (found.outcome, found.missing) == ("partial", ["group_assignments", "group_members"])
    assert "1 groups: IncompatibleBrokerVersion" in (found.detail or "")
    assert ("modern", "orders", 1) in assignments(found)


def test_tasks_of_a_topology_that_is_not_told_leave_a_member_without_an_assignment():
    found = swept(parts=[])
    assert (found.outcome, found.missing) == ("partial", ["group_assignments"])
    assert "which partitions 1 member of a consumer group has cannot be read" in (found.detail or "")
    assert len(found.tables["group_members"]) == 3


def test_a_type_that_nobody_knows_is_counted():
    found = swept(types={"classic": "classic", "next": "swarm"})
    assert found.missing == ["group_assignments", "group_members"]
    assert "1 groups: of a protocol that is not read" in (found.detail or "")
