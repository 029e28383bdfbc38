"""What the Kafka admin protocol tells at a sweep: takes a model, gives the rows of topics, configs and groups."""

from datetime import datetime
from typing import Any

from support.generators.fleetgen.consumers import active, members
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.open_transactions import transaction_rows
from support.generators.fleetgen.quorum import quorum_rows
from support.generators.fleetgen.settings import broker_configs, topic_configs
from support.generators.fleetgen.state import OFFSETS

Tables = dict[str, list[dict[str, Any]]]


def admin_rows(model: Model, read: datetime) -> Tables:
    spec = model.spec
    tables: Tables = {
        "topics": [
            {"topic": log.topic.name, "topic_id": log.topic_id if spec.since("2.8") else None, "partition": log.number,
             "leader": log.leader, "replicas": list(log.replicas), "isr": list(log.isr),
             "internal": log.topic.name == OFFSETS}
            for log in model.logs.values()
        ],
        "broker_configs": [
            row for broker in model.brokers.values() if broker.up for row in broker_configs(spec, broker.id)
        ],
        "topic_configs": [row for topic, _logs in model.by_topic() for row in topic_configs(topic)],
        "groups": [], "group_members": [], "group_assignments": [], "group_offsets": [],
    }  # fmt: skip
    if spec.kraft:
        tables["features"] = [{"feature": "metadata.version", "min_level": 7, "max_level": 7}]
    for group in (one for one in spec.groups if not one.anonymous):
        alive = active(model, group)
        tables["groups"].append(
            {"group_id": group.name, "state": group.state if alive else "Empty", "protocol_type": "consumer"}
        )
        for number, logs in members(model, group).items() if alive else ():
            member = {"group_id": group.name, "member_id": f"{group.name}-{number}{'+' * group.joins[number]}"}
            tables["group_members"].append({**member, "client_id": group.name, "client_host": f"/10.0.0.{number + 1}"})
            tables["group_assignments"] += [{**member, "topic": x.topic.name, "partition": x.number} for x in logs]
    tables["group_offsets"] = [
        {"group_id": name, "topic": key[0], "partition": key[1], "committed_offset": reader.committed, "read_at": read}
        for (name, key), reader in model.readers.items() if reader.committed is not None and key in model.logs
    ]  # fmt: skip
    return tables | transaction_rows(model, read) | quorum_rows(model, read)
