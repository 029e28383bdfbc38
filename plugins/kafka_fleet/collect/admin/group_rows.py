"""One consumer group: takes what a Describe request and ListGroups say of it, adds its rows to the raw tables.

A member of a classic group carries bytes of its client's own making: of the consumer protocol in groups of consumers,
of Kafka Connect, Schema Registry and others in theirs. Only the first are read, each member by itself. What members of
the newer protocols read is the broker's own word, and a list already.
"""

import struct
from typing import Any

from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment

CONSUMERS = "consumer"  # the protocol type of groups whose members carry topics and partitions
Rows = list[dict[str, Any]]


def assigned(given: bytes) -> list[tuple[str, list[int]]] | None:
    """Topics and partitions of one member of a consumer group; [] while it has none yet, None where it tells none."""
    if not given:
        return []
    try:
        read = ConsumerProtocolAssignment.decode(given)
        found = [(one.topic, list(one.partitions)) for one in read.assigned_partitions]
        again = read.encode(header=False)
    except (struct.error, ValueError, TypeError):  # cut off, no UTF-8, or null in the place of a list
        return None
    if not given[2:].startswith(again):  # the library takes a length below 0 for an empty list, or goes back
        return None
    usable = all(topic is not None and min(partitions, default=0) >= 0 for topic, partitions in found)
    return found if usable else None


def claimed(given: bytes | list[tuple[str, list[int]]] | None) -> int:
    """About how many bytes one member's assignment takes."""
    if isinstance(given, list):
        return sum(len(topic) + 4 * len(partitions) for topic, partitions in given)
    return len(given or b"")


def take_group(group: str, about: Any, listed: dict[str, Any], tables: dict[str, Rows], most: int) -> int:
    """Add the rows of one group: itself, its members, and what each of them is assigned.

    about: the group as DescribeGroups tells it, None where it does not. most: rows of assignments; members beyond them
    are kept without. Gives the number of members of a consumer group that are without an assignment for that reason,
    or because theirs cannot be read.
    """
    state = (about.group_state if about is not None else None) or listed.get("group_state")
    kind = (about.protocol_type if about is not None else None) or listed.get("protocol_type")
    tables["groups"].append({"group_id": group, "state": state, "protocol_type": kind})
    without, end = 0, len(tables["group_assignments"]) + most
    for member in about.members if about is not None else ():
        name = member.member_id
        host = str(member.client_host).lstrip("/")
        tables["group_members"].append(
            {"group_id": group, "member_id": name, "client_id": member.client_id, "client_host": host}
        )
        found = member.member_assignment
        if isinstance(found, bytes):
            if kind != CONSUMERS:
                continue
            found = assigned(found)
        rows = sum(len(partitions) for _topic, partitions in found or ())
        if found is None or len(tables["group_assignments"]) + rows > end:
            without += 1
            continue
        tables["group_assignments"] += [
            {"group_id": group, "member_id": name, "topic": topic, "partition": partition}
            for topic, partitions in found
            for partition in partitions
        ]
    return without
