"""Producer ids that each replica knows: takes an admin client and metadata rows, gives rows of `producers`.

Only brokers of 2.8 are asked: they alone can lose the state of producers at a restart (KAFKA-12964). What matters is
what one replica names and another does not, so a partition is asked at all of its replicas and kept for all of them or
for none. Partitions asked and rows are bounded; the same partitions come at each sweep, one of every topic first.
"""

from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.structs import TopicPartition

LOSING = (2, 8)  # DescribeProducers exists from here on, and the fault that it can show ends here
ASKED = 200  # partitions per sweep
KEPT = 5000  # rows per sweep; a partition may be written to by very many producers
TAKEN = 4 * KEPT  # ids in the answers of a sweep, kept or not, after which nothing more is asked
Rows = list[dict[str, Any]]


def has_producer_bug(client: KafkaAdminClient) -> bool:
    """Whether the cluster's release, as the library tells it from the protocol versions, is one that is asked."""
    return bool(getattr(client._manager, "broker_version", None) == LOSING)


def partitions_to_ask(topics: Rows) -> dict[TopicPartition, list[int]]:
    """Partition -> its replicas, of the first replicated partitions of all topics, internal ones left out."""
    candidates = [row for row in topics if not row["internal"] and len(row["replicas"]) > 1]
    first = sorted(candidates, key=lambda row: (row["partition"], row["topic"]))[:ASKED]
    return {TopicPartition(row["topic"], row["partition"]): row["replicas"] for row in first}


def read_producers(
    client: KafkaAdminClient, tables: dict[str, Rows], in_time: Callable[[], None]
) -> tuple[Rows, str | None]:
    """One row per replica and producer id it knows, and a sentence where partitions had to be left out.

    producer_id is None for a replica that knows none. Raises kafka.errors.KafkaError for the first broker that refuses
    a partition, and what `in_time` raises.
    """
    listed = {row["broker"] for row in tables.get("brokers", [])}
    places = partitions_to_ask(tables.get("topics", []))
    rows: Rows = []
    todo, kept, taken, size = list(places), 0, 0, 1
    while todo and taken < TAKEN:
        batch, todo = todo[:size], todo[size:]
        size *= 2  # so that requests are few, and yet no answer is much larger than all those before it
        found = _answers(client, {place: set(places[place]) & listed for place in batch}, in_time)
        for place in batch:
            taken += len(found[place])
            if len(rows) + len(found[place]) <= KEPT:  # another, of fewer ids, may still have room
                rows += found[place]
                kept += 1
    left = len(places) - kept
    told = f"{left:,} of {len(places):,} partitions are left out: at most {KEPT:,} rows are kept" if left else None
    return rows, told


def _answers(
    client: KafkaAdminClient, places: dict[TopicPartition, set[int]], in_time: Callable[[], None]
) -> dict[TopicPartition, Rows]:
    """Rows of each of these partitions from all of its replicas: one request per broker."""
    found: dict[TopicPartition, Rows] = {place: [] for place in places}
    of_broker: dict[int, list[TopicPartition]] = defaultdict(list)
    for place, replicas in places.items():
        for broker in replicas:
            of_broker[broker].append(place)
    for broker, some in sorted(of_broker.items()):
        in_time()
        at = datetime.now(UTC)  # what is appended later lies above the log ends that were read before
        answer = client.describe_producers(some, broker_id=broker)
        for place in (place for place in some if place in answer):
            about = {"broker": broker, "topic": place.topic, "partition": place.partition, "read_at": at}
            none = {"producer_id": None, "producer_epoch": None, "last_sequence": None, "last_timestamp_ms": None}
            known = [
                {
                    "producer_id": one.producer_id,
                    "producer_epoch": one.producer_epoch,
                    "last_sequence": one.last_sequence,
                    "last_timestamp_ms": one.last_timestamp,
                }
                for one in answer[place].active_producers
            ]
            found[place] += [{**about, **one} for one in known or [none]]
    return found
