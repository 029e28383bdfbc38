"""All consumer groups of one cluster: takes an admin client and the names, gives descriptions and committed offsets.

The library's own describe_groups decodes what the members of every group carry as if all were consumers, and one that
is not ends the call; its list_group_offsets ends at the first group that refuses. So the requests are sent from here,
and each group is looked at by itself.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import DescribeGroupsRequest

from kafka_fleet.collect.admin.bisect_batches import Lost, batches, read_bisecting
from kafka_fleet.collect.admin.broker_assigned_groups import consumer_group, streams_group
from kafka_fleet.collect.admin.faults import sentence
from kafka_fleet.collect.admin.group_rows import Rows, claimed, take_group
from kafka_fleet.collect.admin.messages import ConsumerGroupDescribeRequest, StreamsGroupDescribeRequest

# rows of assignments per request, the smallest groups first: one that claims very many costs itself
ASSIGNED = 1_000_000
MOST = 20_000  # groups of one cluster: a JVM of 1 GiB judges a day with as many (benchmarks/many_groups.py)
LOADS_S = (1.0, 2.0, 4.0)  # waits for a coordinator that has just become one, as Kafka's own clients wait
LOADING = (errors.CoordinatorLoadInProgressError, errors.CoordinatorNotAvailableError)
CLASSIC = (None, "", "classic")  # groups that DescribeGroups tells of; brokers before 3.8 name no type


def _describe(request: Any, named: str, names: list[str]) -> Any:
    return request(**{named: names}, include_authorized_operations=False)


# type of a group -> the request that describes groups of it, and what makes a group of an answer
REQUESTS: dict[str, tuple[Callable[[list[str]], Any], Callable[[Any], Any]]] = {
    "classic": (partial(_describe, DescribeGroupsRequest, "groups"), lambda told: told),
    "consumer": (partial(_describe, ConsumerGroupDescribeRequest, "group_ids"), consumer_group),
    "streams": (partial(_describe, StreamsGroupDescribeRequest, "group_ids"), streams_group),
}
UNASKED = "share"  # their members send no Fetch request, and no check reads them


class Read(NamedTuple):
    """A read of some groups: every group it was asked of is in `found`, or counted in `lost`."""

    found: dict[str, Any]
    lost: Lost


def listed(
    client: KafkaAdminClient, brokers: list[int], in_time: Callable[[], None]
) -> tuple[dict[str, dict[str, Any]], str | None]:
    """The groups that these brokers coordinate, and a sentence about the brokers that would not tell theirs.

    No brokers: all that the library knows are asked.
    """
    found: dict[str, dict[str, Any]] = {}
    refused: dict[int | None, str] = {}
    asked: list[int | None] = [*brokers] or [None]
    for wait in (0.0, *LOADS_S):  # of all brokers together: each is asked once, and again only while it loads
        time.sleep(wait)
        loading: list[int | None] = []
        for broker in asked:
            in_time()
            refused.pop(broker, None)
            try:
                groups = client.list_groups(None if broker is None else [broker])
                found |= {group["group_id"]: group for group in groups}
            except errors.BrokerResponseError as error:
                refused[broker] = sentence(error) if broker is None else f"broker {broker}: {sentence(error)}"
                loading += [broker] if isinstance(error, LOADING) else []
        asked = loading
        if not asked:
            break
    more = f" (and {len(refused) - 1:,} more brokers)" if len(refused) > 1 else ""
    return found, next(iter(refused.values())) + more if refused else None


def at_most(listed: dict[str, Any], most: int) -> tuple[dict[str, Any], str | None]:
    """The first groups by name, so many, and a sentence where there are more."""
    if len(listed) <= most:
        return listed, None
    kept = {name: listed[name] for name in sorted(listed)[:most]}
    return kept, f"{len(listed) - most:,} of {len(listed):,} groups are not read: at most {most:,} are"


def _by_coordinator(
    client: KafkaAdminClient, names: list[str], in_time: Callable[[], None], lost: Lost
) -> dict[int, list[str]]:
    """Groups by the broker that coordinates them. The library keeps what it has found."""

    def find(batch: list[str]) -> Any:
        return client._manager.run(client._find_coordinator_ids, batch)

    found: dict[int, list[str]] = {}
    for some in read_bisecting(names, in_time, find, lost):
        for name, broker in some.items():
            found.setdefault(broker, []).append(name)
    return found


def described(client: KafkaAdminClient, listed: dict[str, dict[str, Any]], in_time: Callable[[], None]) -> Read:
    """Each group as the request of its type tells it, the bytes of classic members as they are.

    Groups that no check reads (share groups) are neither found nor lost.
    """
    lost, found = Lost("groups"), {}
    by_type: dict[str, list[str]] = {}
    for name in sorted(listed):
        kind = listed[name].get("group_type")
        by_type.setdefault("classic" if kind in CLASSIC else str(kind), []).append(name)
    for kind, names in by_type.items():
        if kind not in REQUESTS:
            lost.add(len(names) if kind != UNASKED else 0, "of a protocol that is not read")
            continue
        request, made = REQUESTS[kind]
        for broker, own in _by_coordinator(client, names, in_time, lost).items():

            def describe(batch: list[str], broker: int = broker, request: Callable[[list[str]], Any] = request) -> Any:
                return client._manager.run(client._manager.send, request(batch), broker)

            for answer in read_bisecting(own, in_time, describe, lost):
                for group in answer.groups:
                    if group.error_code:
                        lost.add(1, sentence(errors.for_code(group.error_code)()))
                    else:
                        found[group.group_id] = made(group)
    return Read(found, lost)


def committed(client: KafkaAdminClient, names: list[str], in_time: Callable[[], None]) -> Read:
    """When each group's answer had come, and its committed offsets by topic and partition.

    They are not newer than that: a coordinator may take long, and reads what is committed at the end of it.
    """
    lost, found = Lost("groups"), {}
    for broker, own in _by_coordinator(client, names, in_time, lost).items():

        def fetch(batch: list[str], broker: int = broker) -> list[tuple[str | None, Any, datetime]]:
            requests = client._list_group_offsets_requests(dict.fromkeys(batch))  # before 3.0 one of each group
            return [
                (name, client._manager.run(client._manager.send, one, broker), datetime.now(UTC))
                for name, one in requests
            ]

        for answers in read_bisecting(own, in_time, fetch, lost):
            for name, answer, at in answers:
                for group in answer.groups if name is None else [answer]:
                    try:
                        found[group.group_id if name is None else name] = at, client._parse_group_offsets(group)
                    except errors.BrokerResponseError as error:
                        lost.add(1, sentence(error))
    return Read(found, lost)


def group_rows(found: dict[str, Any], listed: dict[str, dict[str, Any]]) -> tuple[dict[str, Rows], int]:
    """Rows of all groups that were listed, described or not, and the number of members without an assignment."""
    tables: dict[str, Rows] = {"groups": [], "group_members": [], "group_assignments": []}
    without = 0
    for batch in batches(sorted(listed)):
        sizes = dict.fromkeys(batch, 0)
        sizes |= {n: sum(claimed(m.member_assignment) for m in found[n].members) for n in batch if n in found}
        left = ASSIGNED
        for name in sorted(batch, key=sizes.__getitem__):
            before = len(tables["group_assignments"])
            without += take_group(name, found.get(name), listed[name], tables, left)
            left -= len(tables["group_assignments"]) - before
    for made in tables.values():
        made.sort(key=lambda row: str(row["group_id"]))
    return tables, without


def offset_rows(found: dict[str, Any]) -> Rows:
    """A row per group and partition with a committed offset."""
    return [
        {
            "group_id": group,
            "topic": place.topic,
            "partition": place.partition,
            "committed_offset": one.offset,
            "read_at": at,
        }
        for group, (at, offsets) in sorted(found.items())
        for place, one in offsets.items()
        if one is not None and one.offset >= 0
    ]
