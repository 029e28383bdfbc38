"""What the admin protocol is asked once brokers have answered: takes both, gives the admin sweep with what is new.

Brokers tell of topics that Metadata leaves out, and count late transactions.
"""

from kafka_fleet.collect.admin import unlisted_topics
from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.collect.admin.topic_errors import topic_errors
from kafka_fleet.collect.admin.transaction_sweep import OPEN, brokers_with_late, read_late
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.config.credentials import Resolver, kafka_settings
from kafka_fleet.config.fleet import Cluster
from kafka_fleet.schema.arrow import Item

ASK_AGAIN_S = 10.0  # for topics that agents show and Kafka does not; half of it to connect


def with_unseen(
    admin: AdminSweep, tables: dict[str, list[Item]], cluster: Cluster, resolver: Resolver, limits: Limits | None
) -> AdminSweep:
    """The admin sweep, partial where brokers have replicas of topics that it does not tell of."""
    if "topics" not in admin.tables:
        return admin

    def ask(names: list[str]) -> dict[str, int]:
        if limits is None:
            raise TimeoutError
        settings = kafka_settings(cluster.kafka_connection, resolver)
        return topic_errors(list(cluster.bootstrap_servers), settings, min(ASK_AGAIN_S, limits.deadline_s), names)

    known = admin.refused.union(row["topic"] for row in admin.tables["topics"])
    shown = unlisted_topics.topics_of(tables.get("partitions", []))
    return admin.without(unlisted_topics.SOME_TOPICS, unlisted_topics.left_out(shown, set(known), ask))


def with_late(
    admin: AdminSweep, tables: dict[str, list[Item]], cluster: Cluster, resolver: Resolver, limits: Limits | None
) -> tuple[AdminSweep, list[Item]]:
    """The sweep's open transactions, also of brokers that count late ones; partial where these were not read."""
    rows: list[Item] = list(admin.tables.get(OPEN, []))
    late = brokers_with_late(tables.get("broker_metrics", [])) if OPEN in admin.tables else set()
    if not late:
        return admin, rows
    told: str | None = "TimeoutError: no answer in time"
    if limits is not None:
        settings = kafka_settings(cluster.kafka_connection, resolver)
        more, told = read_late(list(cluster.bootstrap_servers), settings, limits.deadline_s, admin.tables, late)
        there = {(row["topic"], row["partition"], row["start_offset"]) for row in admin.tables[OPEN]}
        rows += [row for row in more if (row["topic"], row["partition"], row["start_offset"]) not in there]
    return admin.without(OPEN, told), rows
