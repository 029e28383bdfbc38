"""One cluster over the Kafka admin protocol: takes bootstrap servers, gives the admin rows of one sweep.

kafka-python is used for the wire. One private entry is taken on purpose, the whole Metadata request (brokers with
racks, cluster id, topics in one answer): its public describe_cluster fails on brokers 2.8 to 3.6. The version is
pinned in pyproject.toml; tests/live proves it on each release line.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from kafka import errors
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from kafka_fleet.collect.admin import groups, unlisted_topics
from kafka_fleet.collect.admin.bisect_batches import BATCH, Lost, read_bisecting
from kafka_fleet.collect.admin.bootstrap import (
    connected_client,
    diagnose_connection,
    refused_server,
    turned_down,
    usable_servers,
)
from kafka_fleet.collect.admin.configs import config_rows
from kafka_fleet.collect.admin.disks import read_disks
from kafka_fleet.collect.admin.faults import FAULTS, Late, sentence
from kafka_fleet.collect.admin.metadata_rows import broker_rows, feature_rows, topic_rows
from kafka_fleet.collect.admin.producers import has_producer_bug, read_producers
from kafka_fleet.collect.admin.quorum import read_quorum
from kafka_fleet.collect.admin.transaction_sweep import TRANSACTION_TABLES, read_transactions
from kafka_fleet.collect.connections.certificates import Certificates

RESOLVE_S = 5.0  # for the names of the bootstrap servers
SETTLES_S = 1.0  # until every broker knows of a new topic
GROUP_TABLES = ("groups", "group_members", "group_assignments", "group_offsets")
Rows = list[dict[str, Any]]

logging.getLogger("kafka").setLevel(logging.CRITICAL)  # its retries would fill the task log; failures are rows here


class AdminSweep(NamedTuple):
    """Rows by raw table. outcome: ok, partial or failed; `missing` names the tables that could not be read.

    refused: topics that Metadata gives with an error; `some_topics` is missing then.
    """

    outcome: str
    detail: str | None
    missing: list[str]
    kafka_cluster_id: str | None
    controller: int | None
    tables: dict[str, Rows]
    refused: frozenset[str] = frozenset()

    def without(self, table: str, told: str | None) -> "AdminSweep":
        """The same, partial for want of what a sentence says; None says nothing."""
        if told is None:
            return self
        detail = f"{self.detail}; {table}: {told}" if self.detail else f"{table}: {told}"
        return self._replace(outcome="partial", detail=detail, missing=sorted({*self.missing, table}))


class _Reader:
    def __init__(self, client: KafkaAdminClient, deadline: float) -> None:
        self.client = client
        self.deadline = deadline
        self.tables: dict[str, Rows] = {}
        self.faults: dict[str, str] = {}
        self.listed: dict[str, dict[str, Any]] = {}
        self.kafka_cluster_id: str | None = None
        self.controller: int | None = None
        self.refused: frozenset[str] = frozenset()

    def step(self, tables: tuple[str, ...], read: Callable[[], dict[str, Rows]]) -> None:
        """Run one read; what it raises costs its own tables and no others."""
        try:
            self.in_time()
            self.tables.update(read())
        except FAULTS as error:
            for table in tables:
                self.fault(table, sentence(error))

    def fault(self, table: str, told: str | None) -> None:
        """A sentence about what a table lacks, behind those that there are; None is none."""
        if told is not None:
            self.faults[table] = f"{self.faults[table]}; {told}" if table in self.faults else told

    def in_time(self) -> None:
        """Before each request of a read that makes many: one that hangs costs its own timeout and no more."""
        if time.monotonic() > self.deadline:
            raise Late

    def metadata(self) -> dict[str, Rows]:
        answer = self.client._manager.run(self.client._get_cluster_metadata, None)
        if unlisted_topics.with_error(answer["topics"]):  # of one made or deleted a moment ago it may be none soon
            time.sleep(SETTLES_S)
            self.in_time()
            answer = self.client._manager.run(self.client._get_cluster_metadata, None)
        refused = unlisted_topics.with_error(answer["topics"])
        self.refused = frozenset(str(topic["name"]) for topic in refused)
        self.fault(unlisted_topics.SOME_TOPICS, unlisted_topics.topic_error_sentence(refused))
        self.kafka_cluster_id = answer.get("cluster_id")
        controller = answer.get("controller_id")
        self.controller = controller if isinstance(controller, int) and controller >= 0 else None
        return {"brokers": broker_rows(answer), "topics": topic_rows(answer)}

    def features(self) -> dict[str, Rows]:
        return {"features": feature_rows(self.client)}

    def broker_configs(self) -> dict[str, Rows]:
        rows: Rows = []
        for broker in sorted(b["broker"] for b in self.tables.get("brokers", [])):
            self.in_time()
            resource = ConfigResource(ConfigResourceType.BROKER, str(broker))
            try:
                answer = self.client.describe_configs([resource], config_filter="all")
            except (errors.KafkaError, OSError) as error:
                self.faults["broker_configs"] = f"broker {broker}: {sentence(error)}"
                continue
            found = answer.get("broker", {}).get(str(broker), {})
            if not found:
                self.faults["broker_configs"] = f"broker {broker}: no answer; is DescribeConfigs allowed?"
            made, too_much = config_rows("broker", found)
            rows += [{"broker": broker, **row} for row in made]
            if too_much is not None:
                self.faults["broker_configs"] = f"broker {broker}: {too_much}"
        return {"broker_configs": rows}

    def topic_configs(self) -> dict[str, Rows]:
        rows, silent = self._topic_configs(sorted({row["topic"] for row in self.tables.get("topics", [])}))
        if 0 < len(silent) <= BATCH:  # made a moment ago, and not every broker has heard of it; or removed since
            time.sleep(SETTLES_S)
            topics = self.client._manager.run(self.client._get_cluster_metadata, None)["topics"]
            there = {topic["name"] for topic in topics if topic["error_code"] == 0}
            more, silent = self._topic_configs([name for name in silent if name in there])
            rows += more
        if silent:
            self.fault("topic_configs", "some topics gave no answer; is DescribeConfigs allowed?")
        return {"topic_configs": rows}

    def _topic_configs(self, names: list[str]) -> tuple[Rows, list[str]]:
        rows: Rows = []
        silent: list[str] = []
        lost = Lost("topics")

        def ask(batch: list[str]) -> tuple[list[str], dict[str, Any]]:
            resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in batch]
            return batch, self.client.describe_configs(resources, config_filter="all").get("topic", {})

        for batch, answer in read_bisecting(names, self.in_time, ask, lost):
            silent += [name for name in batch if not answer.get(name)]
            for topic, configs in answer.items():
                made, too_much = config_rows("topic", configs)
                rows += [{"topic": topic, **row} for row in made]
                if too_much is not None:
                    self.faults.setdefault("topic_configs", f"a topic: {too_much}")
        self.fault("topic_configs", lost.told())
        return rows, silent

    def list_groups(self) -> dict[str, Rows]:
        brokers = sorted(row["broker"] for row in self.tables.get("brokers", []))
        found, untold = groups.listed(self.client, brokers, self.in_time)
        self.listed, told = groups.at_most(found, groups.MOST)
        for table in GROUP_TABLES:
            self.fault(table, untold)
            self.fault(table, told)
        return {"groups": groups.group_rows({}, self.listed)[0]["groups"]}

    def group_members(self) -> dict[str, Rows]:
        found, lost = groups.described(self.client, self.listed, self.in_time)
        self.fault("group_members", lost.told())
        self.fault("group_assignments", lost.told())
        tables, without = groups.group_rows(found, self.listed)
        if without:
            have = "member of a consumer group has" if without == 1 else "members of consumer groups have"
            self.fault("group_assignments", f"which partitions {without:,} {have} cannot be read")
        return tables

    def group_offsets(self) -> dict[str, Rows]:
        found, lost = groups.committed(self.client, sorted(self.listed), self.in_time)
        self.fault("group_offsets", lost.told())
        return {"group_offsets": groups.offset_rows(found)}

    def producers(self) -> dict[str, Rows]:
        if not has_producer_bug(self.client):
            return {}
        rows, told = read_producers(self.client, self.tables, self.in_time)
        self.fault("producers", told)
        return {"producers": rows}

    def disks(self) -> dict[str, Rows]:
        return {"disks": read_disks(self.client, [row["broker"] for row in self.tables["brokers"]], self.in_time)}


def sweep_admin(
    bootstrap_servers: list[str],
    settings: dict[str, Any],
    deadline_s: float,
    connected: Callable[[], object] = lambda: None,
    listed: Callable[[dict[str, Rows]], object] = lambda tables: None,
    certificates: Certificates | None = None,
) -> AdminSweep:
    """Everything of one cluster. Never raises for what the far side does: the outcome says it.

    listed: called with the brokers and topics, as soon as they are known. connected: called once every broker was asked
    for its settings. Until then the connections that this makes may be among those of which brokers cannot tell yet
    whose they are. certificates: takes what the brokers show.
    """
    deadline = time.monotonic() + deadline_s
    servers, more = usable_servers(bootstrap_servers)
    why = refused_server(servers, min(RESOLVE_S, deadline_s)) or turned_down(servers, settings, certificates)
    if why is not None:
        return AdminSweep("failed", why + more, ["every admin table"], None, None, {})
    try:
        client = connected_client(servers, settings, max(1.0, deadline - time.monotonic()), certificates)
    except (errors.KafkaError, OSError, ValueError, AssertionError) as error:
        why = f"{type(error).__name__}: {diagnose_connection(servers)}{more}"
        return AdminSweep("failed", why, ["every admin table"], None, None, {})
    reader = _Reader(client, deadline)
    try:
        reader.step(("brokers", "topics"), reader.metadata)
        listed(dict(reader.tables))
        reader.step(("features",), reader.features)
        reader.step(("broker_configs",), reader.broker_configs)
        connected()
        reader.step(("topic_configs",), reader.topic_configs)
        reader.step(GROUP_TABLES, reader.list_groups)
        if "groups" in reader.tables:
            reader.step(("group_members", "group_assignments"), reader.group_members)
            reader.step(("group_offsets",), reader.group_offsets)
        reader.step(("producers",), reader.producers)
        reader.step(("disks",), reader.disks)
        reader.step(TRANSACTION_TABLES, lambda: read_transactions(client, reader.tables, reader.in_time, reader.fault))
        # last: without a leader it takes its time
        reader.step(("quorum_replicas",), lambda: {"quorum_replicas": read_quorum(client)})
    finally:
        client.close()
    faults = reader.faults
    outcome = "ok" if not faults else "failed" if "brokers" in faults else "partial"
    detail = "; ".join(f"{table}: {fault}" for table, fault in sorted(faults.items())) or None
    about = reader.kafka_cluster_id, reader.controller
    return AdminSweep(outcome, detail, sorted(faults), *about, reader.tables, reader.refused)
