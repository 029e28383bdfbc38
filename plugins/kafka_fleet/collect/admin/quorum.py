"""The KRaft quorum as its leader describes it: takes an admin client, gives rows of `quorum_replicas`.

DescribeQuorum goes to any broker, which forwards it to the active controller. From 3.9 on the answer has the addresses
of voters (KIP-853), so that controllers which joined by themselves are known although nobody declared them.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from kafka import errors
from kafka.admin import KafkaAdminClient
from kafka.protocol.admin import DescribeQuorumRequest

MOST = 2_000  # replicas of the metadata log, all brokers included
Rows = list[dict[str, Any]]


def read_quorum(client: KafkaAdminClient) -> Rows:
    """One row per voter and observer; none of a cluster with ZooKeeper, or before 3.3, which cannot be asked.

    Raises kafka.errors.KafkaError where nobody leads the quorum or the user may not ask, LookupError or ValueError for
    an answer that is none.
    """
    try:
        answer = _described(client)
    except errors.IncompatibleBrokerVersion:
        return []
    (partition,) = answer["topics"][0]["partitions"]
    if partition["error"] is not None:
        raise errors.NotLeaderForPartitionError
    at, hosts = datetime.now(UTC), _addresses(answer.get("nodes") or [])
    of_leader = {
        "read_at": at,
        "leader": _known(partition["leader_id"]),
        "leader_epoch": _known(partition["leader_epoch"]),
        "high_watermark": _known(partition["high_watermark"]),
    }
    rows = [
        {**of_leader, **_replica(one), "is_voter": voter}
        for voter, found in ((True, partition["current_voters"]), (False, partition["observers"]))
        for one in found[:MOST]
    ]
    leader_ms = next((row["last_caught_up_ms"] for row in rows if row["replica"] == of_leader["leader"]), None)
    return [
        {**row, "leader_ms": leader_ms, **(hosts.get(row["replica"], {}) if row["is_voter"] else {})} for row in rows
    ]


def _described(client: KafkaAdminClient) -> Mapping[str, Any]:
    """The answer, as the library gives it. Before 3.9 an error has no text, which the library takes for granted."""
    try:
        found: Mapping[str, Any] = client.describe_metadata_quorum()
    except KeyError:
        found = _asked_before_39(client)
    return found


def _asked_before_39(client: KafkaAdminClient) -> Mapping[str, Any]:
    topic = DescribeQuorumRequest.TopicData
    log = topic(topic_name="__cluster_metadata", partitions=[topic.PartitionData(partition_index=0)])
    answer: dict[str, Any] = client._manager.run(client._manager.send, DescribeQuorumRequest(topics=[log])).to_dict()
    parts = [partition for one in answer["topics"] for partition in one["partitions"]]
    for code in (answer["error_code"], *(partition["error_code"] for partition in parts)):
        if code:
            raise errors.for_code(code)
    return {**answer, "topics": [{"partitions": [{**partition, "error": None} for partition in parts]}]}


def with_replicas(tables: Mapping[str, Rows]) -> set[int] | None:
    """Brokers that have replicas, dead ones included; None where Metadata was not read."""
    topics = tables.get("topics")
    return None if topics is None else {broker for row in topics for broker in row["replicas"]}


def undeclared_controllers(tables: Mapping[str, Rows], known: Collection[int]) -> dict[int, str]:
    """Hosts of voters that are neither known nor brokers, by node id: a broker is one that is listed or has replicas.

    tables: rows of the admin tables. known: node ids that have an address already.
    """
    if "brokers" not in tables:  # Metadata was not read: a broker in combined mode would be taken for a controller
        return {}
    brokers = {row["broker"] for row in tables["brokers"]} | (with_replicas(tables) or set())
    return {
        row["replica"]: row["host"]
        for row in tables.get("quorum_replicas", [])
        if row["is_voter"] and row.get("host") and row["replica"] not in brokers and row["replica"] not in known
    }


def _addresses(nodes: Iterable[Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    return {
        node["node_id"]: {"host": node["listeners"][0]["host"], "port": node["listeners"][0]["port"]}
        for node in nodes
        if node["listeners"]
    }


def _known(number: int | None) -> int | None:
    """None for the -1 of what the leader does not know."""
    return None if number is None or number < 0 else number


def _replica(one: Mapping[str, Any]) -> dict[str, Any]:
    directory = one.get("replica_directory_id")
    return {
        "replica": one["replica_id"],
        "directory_id": None if directory is None else str(directory),
        "log_end_offset": _known(one["log_end_offset"]),
        "last_fetch_ms": _known(one.get("last_fetch_timestamp")),
        "last_caught_up_ms": _known(one.get("last_caught_up_timestamp")),
    }
