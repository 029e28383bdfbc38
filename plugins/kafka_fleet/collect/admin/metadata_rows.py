"""Answers about the cluster itself to raw rows: brokers and topics of Metadata, features of ApiVersions."""

from collections.abc import Mapping
from typing import Any

from kafka import errors
from kafka.admin import KafkaAdminClient

Rows = list[dict[str, Any]]


def broker_rows(metadata: Mapping[str, Any]) -> Rows:
    """One row per broker that is there."""
    return [
        {"broker": one["node_id"], "host": one["host"], "port": one["port"], "rack": one["rack"]}
        for one in metadata["brokers"]
    ]


def topic_rows(metadata: Mapping[str, Any]) -> Rows:
    """One row per partition of the topics that are given without an error. leader: None where there is none."""
    return [
        {
            "topic": topic["name"],
            "topic_id": str(topic["topic_id"]) if topic.get("topic_id") else None,
            "partition": partition["partition_index"],
            "leader": partition["leader_id"] if partition["leader_id"] >= 0 else None,
            "replicas": partition["replica_nodes"],
            "isr": partition["isr_nodes"],
            "internal": bool(topic["is_internal"]),
        }
        for topic in metadata["topics"]
        if topic["error_code"] == 0
        for partition in topic["partitions"]
    ]


def feature_rows(client: KafkaAdminClient) -> Rows:
    """One row per finalized feature (KIP-584); none of brokers before 2.4, which have no features."""
    try:
        answer = client.describe_features()
    except errors.IncompatibleBrokerVersion:
        return []
    levels = {name: found["finalized"] for name, found in answer.items() if "finalized" in found}
    return [{"feature": name, "min_level": low, "max_level": high} for name, (low, high) in levels.items()]
