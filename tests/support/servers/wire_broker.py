"""A broker made of bytes: takes consumer groups, commits, settings; answers the admin requests of a sweep on loopback.

Answers are encoded here and decoded by the Kafka library's own client, as those of a real broker are: what a member
carries reaches the collector as the bytes that the member gave. One connection is one thread.
"""

import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from kafka.protocol.admin import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
)
from kafka.protocol.consumer import ListOffsetsRequest, ListOffsetsResponse, OffsetFetchRequest, OffsetFetchResponse
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment
from kafka.protocol.metadata import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    MetadataRequest,
    MetadataResponse,
)

from support.servers.byte_server import exactly, listener

LOOPBACK = "127.0.0.1"
REQUESTS = {
    one.API_KEY: one
    for one in (
        ApiVersionsRequest,
        MetadataRequest,
        DescribeConfigsRequest,
        ListGroupsRequest,
        FindCoordinatorRequest,
        DescribeGroupsRequest,
        OffsetFetchRequest,
        ListOffsetsRequest,
    )
}
VERSIONS = {2: 7, 3: 9, 9: 8, 10: 4, 15: 5, 16: 4, 18: 3, 32: 4}  # as of Kafka 3.3
TOPICS = {"orders": 2, "payments": 1}  # and their partitions
SETTINGS = {"min.insync.replicas": "1"}
OF_TOPICS, OF_BROKERS = 2, 4  # resource types of DescribeConfigs


class Group(NamedTuple):
    """A group as its coordinator knows it. members: assignment bytes by member id. error: of its description."""

    protocol_type: str = "consumer"
    members: Mapping[str, bytes] = {}
    metadata: bytes = b""
    error: int = 0
    commits: Mapping[tuple[str, int], int] = {}
    commit_error: int = 0
    note: str = ""  # the metadata of each commit


def assignment(**partitions: list[int]) -> bytes:
    """What a consumer's leader assigns: partitions by topic, in the consumer protocol of version 1."""
    made = [ConsumerProtocolAssignment.TopicPartition(topic=t, partitions=p) for t, p in partitions.items()]
    return bytes(ConsumerProtocolAssignment(assigned_partitions=made, user_data=None).encode(version=1))


class Broker:
    """Broker 7 of a cluster of one; `asked` has the names of the requests it got, in their order.

    `offset` gives error code and latest offset of a partition at an isolation level.
    """

    def __init__(self, groups: Mapping[str, Group], settings: Mapping[int, Mapping[str, str]]) -> None:
        self.groups, self.settings = groups, settings
        self.port = 0
        self.asked: list[str] = []
        self.offset: Callable[[str, int, int], tuple[int, int]] = lambda topic, partition, isolation: (0, 100)

    def serve(self, made: socket.socket) -> None:
        """Answer one connection until it is closed."""
        while True:
            frame = exactly(made, struct.unpack(">i", exactly(made, 4))[0])
            key, version, correlation = struct.unpack(">hhi", frame[:8])
            request = REQUESTS[key].decode(frame, version=version, header=True)
            self.asked.append(type(request).__name__)
            answer = getattr(self, f"_{type(request).__name__}")(request, version)
            answer.with_header(correlation_id=correlation)
            made.sendall(answer.encode(header=True, framed=True))

    def _ApiVersionsRequest(self, _request: Any, version: int) -> Any:
        keys = [
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=0, max_version=most)
            for key, most in VERSIONS.items()
        ]
        return ApiVersionsResponse(version=version, error_code=0, api_keys=keys, throttle_time_ms=0)

    def _MetadataRequest(self, _request: Any, version: int) -> Any:
        made = MetadataResponse.MetadataResponseTopic
        ids = {"leader_id": 7, "leader_epoch": 0, "replica_nodes": [7], "isr_nodes": [7], "offline_replicas": []}
        topics = [
            made(
                error_code=0,
                name=name,
                is_internal=False,
                authorized_operations=set(),
                partitions=[
                    made.MetadataResponsePartition(error_code=0, partition_index=p, **ids) for p in range(many)
                ],
            )
            for name, many in TOPICS.items()
        ]
        broker = MetadataResponse.MetadataResponseBroker(node_id=7, host=LOOPBACK, port=self.port, rack=None)
        about = {"cluster_id": "wire", "controller_id": 7, "authorized_operations": set(), "throttle_time_ms": 0}
        return MetadataResponse(version=version, brokers=[broker], topics=topics, **about)

    def _DescribeConfigsRequest(self, request: Any, version: int) -> Any:
        made = DescribeConfigsResponse.DescribeConfigsResult
        rest = {"read_only": False, "config_source": 5, "is_sensitive": False, "synonyms": [], "config_type": 3,
                "documentation": None}  # fmt: skip
        results = [
            made(
                error_code=0,
                error_message=None,
                resource_type=one.resource_type,
                resource_name=one.resource_name,
                configs=[
                    made.DescribeConfigsResourceResult(name=name, value=value, **rest)
                    for name, value in self.settings.get(one.resource_type, SETTINGS).items()
                ],
            )
            for one in request.resources
        ]
        return DescribeConfigsResponse(version=version, throttle_time_ms=0, results=results)

    def _ListGroupsRequest(self, _request: Any, version: int) -> Any:
        groups = [
            ListGroupsResponse.ListedGroup(group_id=name, protocol_type=one.protocol_type, group_state="Stable")
            for name, one in self.groups.items()
        ]
        return ListGroupsResponse(version=version, throttle_time_ms=0, error_code=0, groups=groups)

    def _FindCoordinatorRequest(self, request: Any, version: int) -> Any:
        found = [
            FindCoordinatorResponse.Coordinator(
                key=key, node_id=7, host=LOOPBACK, port=self.port, error_code=0, error_message=None
            )
            for key in request.coordinator_keys
        ]
        return FindCoordinatorResponse(version=version, throttle_time_ms=0, coordinators=found)

    def _DescribeGroupsRequest(self, request: Any, version: int) -> Any:
        made = DescribeGroupsResponse.DescribedGroup
        found = []
        for name in request.groups:
            one = self.groups[name]
            members = [
                made.DescribedGroupMember(
                    member_id=member,
                    group_instance_id=None,
                    client_id="client",
                    client_host="/10.0.0.9",
                    member_metadata=one.metadata,
                    member_assignment=taken,
                )
                for member, taken in one.members.items()
            ]
            about = {
                "protocol_data": "range",
                "authorized_operations": set(),
                "group_state": "" if one.error else "Stable",
            }
            about |= {"error_code": one.error, "group_id": name, "protocol_type": one.protocol_type}
            found.append(made(members=[] if one.error else members, **about))
        return DescribeGroupsResponse(version=version, throttle_time_ms=0, groups=found)

    def _ListOffsetsRequest(self, request: Any, version: int) -> Any:
        made = ListOffsetsResponse.ListOffsetsTopicResponse
        topics = []
        for topic in request.topics:
            partitions = []
            for one in topic.partitions:
                error, offset = self.offset(topic.name, one.partition_index, request.isolation_level)
                about = {"partition_index": one.partition_index, "timestamp": -1, "leader_epoch": 0}
                partitions.append(made.ListOffsetsPartitionResponse(error_code=error, offset=offset, **about))
            topics.append(made(name=topic.name, partitions=partitions))
        return ListOffsetsResponse(version=version, throttle_time_ms=0, topics=topics)

    def _OffsetFetchRequest(self, request: Any, version: int) -> Any:
        made = OffsetFetchResponse.OffsetFetchResponseGroup
        topic_made = made.OffsetFetchResponseTopics
        found = []
        for name in [one.group_id for one in request.groups]:
            one = self.groups[name]
            topics = [
                topic_made(
                    name=topic,
                    partitions=[
                        topic_made.OffsetFetchResponsePartitions(
                            partition_index=p,
                            committed_offset=offset,
                            committed_leader_epoch=-1,
                            metadata=one.note,
                            error_code=0,
                        )
                    ],
                )
                for (topic, p), offset in one.commits.items()
            ]
            found.append(made(group_id=name, topics=topics, error_code=one.commit_error))
        return OffsetFetchResponse(version=version, throttle_time_ms=0, groups=found)


@contextmanager
def running(
    groups: Mapping[str, Group],
    settings: Mapping[int, Mapping[str, str]] | None = None,
    kind: Callable[..., Any] | None = None,
) -> Iterator[tuple[str, Any]]:
    """The address of such a broker, and the broker. settings: name to value, by resource type; kind: a Broker's."""
    broker = (kind or Broker)(groups, settings or {})
    with listener(broker.serve) as server:
        broker.port = int(server.rpartition(":")[2])
        yield server, broker
