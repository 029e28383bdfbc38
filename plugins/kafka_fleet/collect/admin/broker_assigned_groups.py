"""Groups whose assignment the broker makes: takes what it says of one, gives it in the shape of DescribeGroups.

ConsumerGroupDescribe tells partitions by topic (KIP-848). StreamsGroupDescribe tells tasks (KIP-1071): task n of a
subtopology reads partition n of each of its source topics.
"""

from typing import Any, NamedTuple

Assignment = list[tuple[str, list[int]]]


class Member(NamedTuple):
    """member_assignment: None where the broker's answer does not tell what the member's tasks read."""

    member_id: str
    client_id: str
    client_host: str
    member_assignment: Assignment | None


class Group(NamedTuple):
    """A group as a request of its type tells it."""

    group_state: str
    protocol_type: str
    members: list[Member]


def consumer_group(told: Any) -> Group:
    """One group of ConsumerGroupDescribe, with what its members read now."""
    members = [
        Member(
            one.member_id,
            one.client_id,
            one.client_host,
            [(place.topic_name, list(place.partitions)) for place in one.assignment.topic_partitions],
        )
        for one in told.members
    ]
    return Group(told.group_state, "consumer", members)


def streams_group(told: Any) -> Group:
    """One group of StreamsGroupDescribe: the source topics of the active tasks."""
    topology = told.topology
    parts = (topology.subtopologies or []) if topology is not None else []
    sources = {
        part.subtopology_id: [*part.source_topics, *(topic.name for topic in part.repartition_source_topics)]
        for part in parts
    }
    members = [
        Member(one.member_id, one.client_id, one.client_host, _read(one.assignment.active_tasks, sources))
        for one in told.members
    ]
    return Group(told.group_state, "streams", members)


def _read(tasks: Any, sources: dict[str, list[str]]) -> Assignment | None:
    if any(task.subtopology_id not in sources for task in tasks):
        return None
    return [(topic, list(task.partitions)) for task in tasks for topic in sources[task.subtopology_id]]
