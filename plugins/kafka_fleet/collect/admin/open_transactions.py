"""Transactions that are open on partitions: takes an admin client and partitions, gives rows of `open_transactions`.

DescribeProducers (KIP-664) tells of a leader where each producer's transaction begins in its log; ListOffsets tells the
last stable offset, which read_committed consumers do not pass. A row has what the coordinator says of the same
producer, asked after the leader: what was ending meanwhile is known to have ended, never the other way round.
"""

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeAlias

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import DescribeProducersRequest
from kafka.protocol.consumer import IsolationLevel, ListOffsetsRequest, OffsetSpec

from kafka_fleet.collect.admin import transactions
from kafka_fleet.collect.admin.bisect_batches import Lost
from kafka_fleet.collect.admin.faults import FAULTS, sentence

PARTITIONS = 2_000  # asked in one sweep, those of known transactions first
TOGETHER = 100  # in one request: a partition may have thousands of producers, of some 50 bytes each
TAKEN = 100_000  # producers in the answers of a sweep after which no more is asked
KEPT = 1_000  # rows per sweep, the oldest first
OF_COORDINATORS = "__transaction_state"
_MOVED = (errors.NotLeaderForPartitionError.errno, errors.UnknownTopicOrPartitionError.errno)
Rows = list[dict[str, Any]]
Place: TypeAlias = "tuple[str, int]"
LEVELS = {
    "high_watermark": IsolationLevel.READ_UNCOMMITTED,
    "last_stable_offset": IsolationLevel.READ_COMMITTED,
}


def leaders(topics: Iterable[dict[str, Any]]) -> dict[Place, int]:
    """Partition -> broker that leads it, of metadata rows."""
    return {(row["topic"], row["partition"]): row["leader"] for row in topics if row["leader"] is not None}


def read_open(
    client: KafkaAdminClient,
    tables: dict[str, Rows],
    places: Iterable[Place],
    ids: set[int],
    in_time: Callable[[], None],
) -> tuple[Rows, str | None]:
    """A row per transaction that is open on one of these partitions and is long, and a sentence where some lack.

    ids: producers whose transactions are known to be long. Others are, where their last record is old.
    """
    led, lost = leaders(tables.get("topics", [])), Lost("partitions")
    asked = [place for place in dict.fromkeys(places) if place in led]
    lost.add(len(asked) - PARTITIONS if len(asked) > PARTITIONS else 0, f"at most {PARTITIONS:,} are asked")
    by_leader: dict[int, list[Place]] = {}
    for place in asked[:PARTITIONS]:
        by_leader.setdefault(led[place], []).append(place)
    rows: Rows = []
    taken = 0
    for broker, some in sorted(by_leader.items()):
        for start in range(0, len(some), TOGETHER):
            batch = some[start : start + TOGETHER]
            if taken >= TAKEN:
                lost.add(len(batch), "answers were too large")
                continue
            found, size = _producers(client, broker, batch, in_time, lost)
            taken += size
            rows += [row for row in found if row["producer_id"] in ids or _is_old(row)]
    rows.sort(key=lambda row: (row["last_timestamp_ms"], row["topic"], row["partition"]))
    lost.add(len(rows) - KEPT if len(rows) > KEPT else 0, f"of open transactions at most {KEPT:,} are kept")
    rows = rows[:KEPT]
    if rows:
        _add_offsets(client, rows, in_time, lost)
        _add_coordinators(client, tables, rows, in_time, lost)
    return rows, lost.told()


def _is_old(row: dict[str, Any]) -> bool:
    """A record's time is its producer's own: it says which transactions to keep in mind, and not how old they are."""
    return bool(time.time() * 1000 - row["last_timestamp_ms"] > transactions.LONG_MS)


def _producers(
    client: KafkaAdminClient, broker: int, places: list[Place], in_time: Callable[[], None], lost: Lost
) -> tuple[Rows, int]:
    by_topic: dict[str, list[int]] = {}
    for topic, partition in places:
        by_topic.setdefault(topic, []).append(partition)
    made = DescribeProducersRequest.TopicRequest
    request = DescribeProducersRequest(topics=[made(name=n, partition_indexes=p) for n, p in by_topic.items()])
    try:
        in_time()
        answer = client._manager.run(client._manager.send, request, broker)
    except FAULTS as error:
        lost.add(len(places), sentence(error))
        return [], 0
    at, rows, size = datetime.now(UTC), [], 0
    for topic in answer.topics:
        for one in topic.partitions:
            size += len(one.active_producers)
            if one.error_code and one.error_code not in _MOVED:
                lost.add(1, sentence(errors.for_code(one.error_code)()))
            about = {"broker": broker, "read_at": at, "topic": topic.name, "partition": one.partition_index}
            rows += [
                {
                    **about,
                    "producer_id": producer.producer_id,
                    "producer_epoch": producer.producer_epoch,
                    "coordinator_epoch": producer.coordinator_epoch,
                    "start_offset": producer.current_txn_start_offset,
                    "last_sequence": producer.last_sequence,
                    "last_timestamp_ms": producer.last_timestamp,
                }
                for producer in one.active_producers
                if producer.current_txn_start_offset >= 0
            ]
    return rows, size


def _add_offsets(client: KafkaAdminClient, rows: Rows, in_time: Callable[[], None], lost: Lost) -> None:
    made = ListOffsetsRequest.ListOffsetsTopic
    for broker in sorted({row["broker"] for row in rows}):
        topics: dict[str, list[Any]] = {}
        for topic, partition in sorted({(r["topic"], r["partition"]) for r in rows if r["broker"] == broker}):
            one = made.ListOffsetsPartition(partition_index=partition, timestamp=OffsetSpec.LATEST)
            topics.setdefault(topic, []).append(one)
        for column, level in LEVELS.items():
            request = ListOffsetsRequest(
                isolation_level=level.value,
                topics=[made(name=topic, partitions=some) for topic, some in topics.items()],
                min_version=max(1, ListOffsetsRequest.min_version_for_isolation_level(level.value)),
            )
            offsets: dict[Place, int] = {}
            try:
                in_time()
                for told in client._manager.run(client._manager.send, request, broker).topics:
                    offsets |= {(told.name, p.partition_index): p.offset for p in told.partitions if not p.error_code}
            except FAULTS as error:
                lost.add(sum(map(len, topics.values())), sentence(error))
            for row in rows:
                if row["broker"] == broker:
                    row[column] = offsets.get((row["topic"], row["partition"]))


def _add_coordinators(
    client: KafkaAdminClient, tables: dict[str, Rows], rows: Rows, in_time: Callable[[], None], lost: Lost
) -> None:
    brokers = [row["broker"] for row in tables.get("brokers", [])]
    found, _told = transactions.of_producers(client, brokers, (row["producer_id"] for row in rows), in_time)
    states = [row["leader"] for row in tables.get("topics", []) if row["topic"] == OF_COORDINATORS]
    whole = bool(states) and set(states) <= set(found) and transactions.may_list_all(client, min(found))
    listed = {one.producer_id: one for some in found.values() for one in some}
    known = transactions.described(client, listed.values(), in_time, lost)
    for row in rows:
        one = listed.get(row["producer_id"])
        about = known.get(one.transactional_id) if one else None
        same = about is not None and about.producer_id == row["producer_id"]
        row |= {
            "all_asked": whole,
            "transactional_id": one.transactional_id if one else None,
            "coordinator": one.coordinator if one else None,
            "state": about.state if about and same else None,
            "timeout_ms": about.timeout_ms if about and same else None,
            "started_ms": about.started_ms if about and same and about.started_ms >= 0 else None,
            "in_transaction": _holds(about, row) if about and same else None,
        }


def _holds(about: transactions.Described, row: dict[str, Any]) -> bool:
    return about.state in transactions.OPEN and (row["topic"], row["partition"]) in about.places
