"""One cluster over the Kafka admin protocol: takes bootstrap servers, gives the admin rows of one sweep.

kafka-python is used for the wire. One private entry is taken on purpose, the whole Metadata request (brokers with
racks, cluster id, topics in one answer): its public describe_cluster fails on brokers 2.8 to 3.6. The version is
pinned in pyproject.toml; tests/live proves it on each release line.
"""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kafka import errors
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from kafka_fleet.collect import checked
from kafka_fleet.collect.bootstrap import diagnosis, refused, turned_down
from kafka_fleet.collect.configs import config_rows
from kafka_fleet.collect.group_rows import take_group
from kafka_fleet.collect.producers import concerned, read_producers

BATCH = 500  # topics or groups per request: a bounded answer on clusters with very many
SETTLES_S = 1.0  # until every broker knows of a new topic
Rows = list[dict[str, Any]]

logging.getLogger("kafka").setLevel(logging.CRITICAL)  # its retries would fill the task log; failures are rows here


class AdminSweep(NamedTuple):
    """Rows by raw table. outcome: ok, partial or failed; `missing` names the tables that could not be read."""

    outcome: str
    detail: str | None
    missing: list[str]
    kafka_cluster_id: str | None
    controller: int | None
    tables: dict[str, Rows]


class _Late(Exception):
    """The wall-clock deadline of the admin sweep has come."""


class _Reader:
    def __init__(self, client: KafkaAdminClient, deadline: float) -> None:
        self.client = client
        self.deadline = deadline
        self.tables: dict[str, Rows] = {}
        self.faults: dict[str, str] = {}
        self.kafka_cluster_id: str | None = None
        self.controller: int | None = None

    def step(self, tables: tuple[str, ...], read: Callable[[], dict[str, Rows]]) -> None:
        """Run one read; what it raises costs its own tables and no others."""
        try:
            self.in_time()
            self.tables.update(read())
        except (errors.KafkaError, _Late, OSError, KeyError, TypeError, AttributeError, ValueError) as error:
            # KeyError, TypeError and AttributeError: the library met an answer of a release that it does not expect
            for table in tables:
                self.faults[table] = f"{type(error).__name__}: {_one_line(str(error))}"

    def in_time(self) -> None:
        """Before each request of a read that makes many: one that hangs costs its own timeout and no more."""
        if time.monotonic() > self.deadline:
            raise _Late("the deadline has passed")

    def metadata(self) -> dict[str, Rows]:
        answer = self.client._manager.run(self.client._get_cluster_metadata, None)
        self.kafka_cluster_id = answer.get("cluster_id")
        controller = answer.get("controller_id")
        self.controller = controller if isinstance(controller, int) and controller >= 0 else None
        brokers = [
            {"broker": b["node_id"], "host": b["host"], "port": b["port"], "rack": b["rack"]} for b in answer["brokers"]
        ]
        topics = [
            {
                "topic": topic["name"],
                "topic_id": str(topic["topic_id"]) if topic.get("topic_id") else None,
                "partition": partition["partition_index"],
                "leader": partition["leader_id"] if partition["leader_id"] >= 0 else None,
                "replicas": partition["replica_nodes"],
                "isr": partition["isr_nodes"],
                "internal": bool(topic["is_internal"]),
            }
            for topic in answer["topics"]
            if topic["error_code"] == 0
            for partition in topic["partitions"]
        ]
        return {"brokers": brokers, "topics": topics}

    def features(self) -> dict[str, Rows]:
        try:
            answer = self.client.describe_features()
        except errors.IncompatibleBrokerVersion:
            return {"features": []}  # brokers before 2.4 have no features
        levels = {name: found["finalized"] for name, found in answer.items() if "finalized" in found}
        return {"features": [{"feature": n, "min_level": low, "max_level": high} for n, (low, high) in levels.items()]}

    def broker_configs(self) -> dict[str, Rows]:
        rows: Rows = []
        for broker in sorted(b["broker"] for b in self.tables.get("brokers", [])):
            self.in_time()
            resource = ConfigResource(ConfigResourceType.BROKER, str(broker))
            try:
                answer = self.client.describe_configs([resource], config_filter="all")
            except (errors.KafkaError, OSError) as error:
                self.faults["broker_configs"] = f"broker {broker}: {type(error).__name__}"
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
            self.faults["topic_configs"] = "some topics gave no answer; is DescribeConfigs allowed?"
        return {"topic_configs": rows}

    def _topic_configs(self, names: list[str]) -> tuple[Rows, list[str]]:
        rows: Rows = []
        silent: list[str] = []
        for batch in _batches(names):
            self.in_time()
            resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in batch]
            answer = self.client.describe_configs(resources, config_filter="all").get("topic", {})
            silent += [name for name in batch if not answer.get(name)]
            for topic, configs in answer.items():
                made, too_much = config_rows("topic", configs)
                rows += [{"topic": topic, **row} for row in made]
                if too_much is not None:
                    self.faults["topic_configs"] = f"a topic: {too_much}"
        return rows, silent

    def groups(self) -> dict[str, Rows]:
        listed = {group["group_id"]: group for group in self.client.list_groups()}
        tables: dict[str, Rows] = {"groups": [], "group_members": [], "group_assignments": [], "group_offsets": []}
        undescribed = 0
        for batch in _batches(sorted(listed)):
            self.in_time()
            found = self.client.describe_groups(
                [g for g in batch if listed[g].get("group_type") in (None, "", "classic")]
            )
            for group in batch:
                about = found.get(group, {})
                if about.get("error") or group not in found:
                    undescribed += 1
                    about = {}
                take_group(group, about, listed[group], tables)
            at = datetime.now(UTC)
            for group, offsets in self._offsets(batch).items():
                for place, committed in offsets.items():
                    row = {"group_id": group, "topic": place.topic, "partition": place.partition}
                    tables["group_offsets"].append({**row, "committed_offset": committed.offset, "read_at": at})
        if undescribed:
            self.faults["group_members"] = f"{undescribed} groups (new protocol, or not allowed) gave no members"
        return tables

    def producers(self) -> dict[str, Rows]:
        if not concerned(self.client):
            return {}
        return {"producers": read_producers(self.client, self.tables, self.in_time)}

    def _offsets(self, groups: list[str]) -> dict[str, dict[Any, Any]]:
        found: dict[str, dict[Any, Any]] = self.client.list_group_offsets(dict.fromkeys(groups))
        return {
            g: {p: o for p, o in offsets.items() if o is not None and o.offset >= 0} for g, offsets in found.items()
        }


def _one_line(text: str) -> str:
    """A library's sentence, which may quote the far side: short, and without control characters."""
    return "".join(c if c.isprintable() else " " for c in text[:120])


def _batches(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), BATCH):
        yield names[start : start + BATCH]


def sweep_admin(bootstrap_servers: list[str], settings: dict[str, Any], deadline_s: float) -> AdminSweep:
    """Everything of one cluster. Never raises for what the far side does: the outcome says it."""
    deadline = time.monotonic() + deadline_s
    wait_ms = int(min(15.0, deadline_s) * 1000)
    never = [problem for server in bootstrap_servers if (problem := refused(server)) is not None]
    if never:
        return AdminSweep("failed", never[0], ["every admin table"], None, None, {})
    if (why := turned_down(bootstrap_servers, settings)) is not None:
        return AdminSweep("failed", why, ["every admin table"], None, None, {})
    try:
        client = KafkaAdminClient(
            bootstrap_servers=bootstrap_servers,
            client_id="kafka-fleet-health",
            request_timeout_ms=wait_ms,
            bootstrap_timeout_ms=wait_ms,
            **settings,
            **checked.SETTINGS,
        )
    except (errors.KafkaError, OSError, ValueError, AssertionError) as error:
        why = f"{type(error).__name__}: {diagnosis(bootstrap_servers)}"
        return AdminSweep("failed", why, ["every admin table"], None, None, {})
    reader = _Reader(client, deadline)
    try:
        reader.step(("brokers", "topics"), reader.metadata)
        reader.step(("features",), reader.features)
        reader.step(("broker_configs",), reader.broker_configs)
        reader.step(("topic_configs",), reader.topic_configs)
        reader.step(("groups", "group_members", "group_assignments", "group_offsets"), reader.groups)
        reader.step(("producers",), reader.producers)
    finally:
        client.close()
    faults = reader.faults
    outcome = "ok" if not faults else "failed" if "brokers" in faults else "partial"
    detail = "; ".join(f"{table}: {fault}" for table, fault in sorted(faults.items())) or None
    return AdminSweep(outcome, detail, sorted(faults), reader.kafka_cluster_id, reader.controller, reader.tables)
