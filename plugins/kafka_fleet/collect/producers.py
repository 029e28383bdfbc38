"""Producer ids that each replica knows: takes an admin client and metadata rows, gives rows of `producers`.

Only brokers of 2.8 are asked: they alone can lose the state of producers at a restart (KAFKA-12964). The answer is
bounded by partitions asked and rows kept; the same partitions are asked at each sweep, one of every topic first.
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
Rows = list[dict[str, Any]]


def concerned(client: KafkaAdminClient) -> bool:
    """Whether the cluster's release, as the library tells it from the protocol versions, is one that is asked."""
    return bool(getattr(client._manager, "broker_version", None) == LOSING)


def asked(topics: Rows) -> dict[int, list[TopicPartition]]:
    """Broker -> replicas to ask about, of the first replicated partitions of all topics, internal ones left out."""
    candidates = [row for row in topics if not row["internal"] and len(row["replicas"]) > 1]
    found: dict[int, list[TopicPartition]] = defaultdict(list)
    for row in sorted(candidates, key=lambda row: (row["partition"], row["topic"]))[:ASKED]:
        for broker in row["replicas"]:
            found[broker].append(TopicPartition(row["topic"], row["partition"]))
    return dict(found)


def read_producers(client: KafkaAdminClient, tables: dict[str, Rows], in_time: Callable[[], None]) -> Rows:
    """One row per replica and producer id it knows; producer_id is None for a replica that knows none.

    Raises kafka.errors.KafkaError for the first broker that refuses a partition, and what `in_time` raises.
    """
    listed = {row["broker"] for row in tables.get("brokers", [])}
    rows: Rows = []
    for broker, places in sorted(asked(tables.get("topics", [])).items()):
        if broker not in listed:
            continue
        in_time()
        answer = client.describe_producers(places, broker_id=broker)
        at = datetime.now(UTC)
        for place, state in sorted(answer.items()):
            about = {"broker": broker, "topic": place.topic, "partition": place.partition, "read_at": at}
            none = {"producer_id": None, "producer_epoch": None, "last_sequence": None, "last_timestamp_ms": None}
            known = [
                {
                    "producer_id": one.producer_id,
                    "producer_epoch": one.producer_epoch,
                    "last_sequence": one.last_sequence,
                    "last_timestamp_ms": one.last_timestamp,
                }
                for one in state.active_producers
            ]
            if len(rows) + len(known) > KEPT:
                return rows  # a replica is kept whole or not at all: an id that is cut off is not one that was lost
            rows += [{**about, **one} for one in known or [none]]
    return rows
