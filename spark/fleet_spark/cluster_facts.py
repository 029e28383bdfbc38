"""Facts of a day as advisories are judged against: takes the fact tables, gives one ClusterFacts per cluster."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from kafka_fleet.knowledge.declared_clients import JAVA
from kafka_fleet.knowledge.evidence import iso
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, GroupMember, config_text
from kafka_fleet.knowledge.metadata_versions import metadata_version
from kafka_fleet.knowledge.vendors import vendor_build
from kafka_fleet.schema.config_names import allowed

KEYS = ("name", "software", "software_version", "listener", "group_id", "client_id", "client_host", "reason")
CLIENTS_NAMED_FROM = (2, 5)  # brokers report client libraries from 2.5 on (KIP-511)
UNSAID = "unknown"  # a broker's own word for what a client does not say; here also for a name that was refused


def rows_by_cluster(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows of a fact table per cluster, sorted by all that identifies them."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["cluster"]].append(row)
    for same in found.values():
        same.sort(key=lambda r: [str(r.get(k, "")) for k in KEYS])
        same.sort(key=lambda r: r.get("broker") or 0)
    return found


def _line(release: str | None) -> tuple[int, ...]:
    if (build := vendor_build(release)) is not None:
        return build.line
    found = re.match(r"(\d+)\.(\d+)", release or "")
    return (int(found[1]), int(found[2])) if found else (0, 0)


def cluster_facts(
    cluster: dict[str, Any],
    brokers: list[dict[str, Any]],
    configs: list[dict[str, Any]],
    clients: list[dict[str, Any]],
    groups: list[dict[str, Any]],
    producers: list[dict[str, Any]],
) -> ClusterFacts:
    """One cluster. A setting that the broker shows and has no value is "", one that is not shown is None."""
    settings: dict[int, dict[str, str | None]] = defaultdict(dict)
    unseen: dict[int, set[str]] = defaultdict(set)
    for row in configs:
        hidden, name = bool(row["redacted"]), row["name"]
        if name is None:  # what landed before keys were checked
            continue
        settings[row["broker"]][name] = config_text(row["config_value"], hidden)
        # the default of any other hidden setting may be any value, and its name may be on the list since yesterday
        if hidden and name in allowed("set_or_not"):
            if row["is_default"]:
                settings[row["broker"]][name] = ""
            else:
                unseen[row["broker"]].add(name)
    made = []
    for row in brokers:
        roles = row["process_roles"] or ""
        listed = row["listed_reads"] > 0
        made.append(
            BrokerFacts(
                broker=row["broker"],
                release=row["kafka_release"],
                rack=(row["rack"] or "") if listed else None,
                is_controller="controller" in roles if roles else bool(row["was_active_controller"]),
                configs=settings.get(row["broker"], {}),
                is_broker=row["is_broker"],
                unseen=frozenset(unseen[row["broker"]]),
            )
        )
    libraries = tuple(
        ClientSoftware(
            row["software"] or UNSAID, row["software_version"] or UNSAID, row["listener"] or UNSAID,
            float(row["connections"]), row["share_at_most"], iso(row["first_seen"]), iso(row["last_seen"]),
        )
        for row in clients
    )  # fmt: skip
    telling = tuple(
        ClientSoftware(
            JAVA, row["software_version"], "", 0.0, None, iso(row["first_seen"]), iso(row["last_seen"]),
            client_id=row["client_id"],
        )
        for row in producers
        if row["software_version"] is not None
    )  # fmt: skip
    named = tuple(
        GroupMember(row["group_id"], row["client_id"], row["client_host"], row["framework"])
        for row in groups
        if row["client_id"] is not None
    )
    listed = tuple(dict.fromkeys(row["group_id"] for row in groups if row["sweep_count"] > 0))
    tells = any(_line(broker.release) >= CLIENTS_NAMED_FROM for broker in made)
    return ClusterFacts(
        brokers=tuple(made),
        mode=cluster["cluster_mode"],
        clients=libraries if tells else None,
        producers=telling,
        metadata_version=metadata_version(cluster["metadata_level"]),
        groups=listed if cluster["groups_read"] else None,
        members=named if cluster["groups_read"] else None,
    )
