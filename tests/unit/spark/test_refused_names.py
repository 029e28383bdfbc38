"""A client whose version or listener was refused when it was landed (too long, no text): one of the unnamed."""

from datetime import UTC, datetime

import pytest

from fleet_spark.cluster_facts import cluster_facts
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure

BROKER = {
    "broker": 1, "kafka_release": "3.3.1", "process_roles": "broker", "was_active_controller": False, "rack": None,
    "listed_reads": 1, "is_broker": True,
}  # fmt: skip
SEEN = datetime(2026, 11, 9, tzinfo=UTC)
CLUSTER = {"cluster_mode": "KRaft", "metadata_level": None, "groups_read": False}


def client(**changed: str | None) -> dict[str, object]:
    named = {"software": "apache-kafka-java", "software_version": "3.3.1", "listener": "CLIENTS", **changed}
    return {**named, "connections": 4.0, "share_at_most": 0.5, "first_seen": SEEN, "last_seen": SEEN}


@pytest.mark.parametrize("refused", ["software", "software_version", "listener"])
def test_every_issue_can_be_judged_beside_clients_that_are_named(refused: str) -> None:
    clients = [client(), client(**{refused: None}), client(software_version="3.2.0"), client(software_version=None)]
    found = cluster_facts(CLUSTER, [BROKER], [], clients, [], [])
    states = {key: exposure(advisory, found, {}).state for key, advisory in load_advisories().items()}
    assert set(states.values()) == {"exposed", "unknown", "not_exposed"}
    alone = exposure(load_advisories()["KAFKA-10888"], cluster_facts(CLUSTER, [BROKER], [], [client()], [], []), {})
    assert exposure(load_advisories()["KAFKA-10888"], found, {}).state == "exposed" != alone.state
