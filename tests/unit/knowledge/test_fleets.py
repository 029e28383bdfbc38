"""Findings that clients have to cure: they name client fleets, their share, and where to look for them."""

from typing import Any

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.client_populations import affected_releases, release_text, upgrade_side, whereabouts
from kafka_fleet.knowledge.detections import Detection, SignatureResult
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Declared, GroupMember
from kafka_fleet.knowledge.verdicts import Row, judge

ADVISORIES = load_advisories()
STICKY = ADVISORIES["KAFKA-10888"]
SKEW = {"metric": "records", "value": 6.0, "from": "2026-11-20T10:00:00Z", "to": "2026-11-20T10:10:00Z"}
Seen = tuple[str, str]
ALL_DAY: Seen = ("2026-11-20T00:05:00Z", "2026-11-20T23:55:00Z")
EVENING: Seen = ("2026-11-20T20:00:00Z", "2026-11-20T21:00:00Z")
MEMBERS = (GroupMember("billing", "billing-1", "10.0.0.7"), GroupMember("billing", "billing-2", "10.0.0.7"))


def java(version: str, share: float | None = 0.4, seen: Seen = ALL_DAY, listener: str = "EXTERNAL") -> ClientSoftware:
    return ClientSoftware("apache-kafka-java", version, listener, 4.0, share, *seen)


def skewed(
    *clients: ClientSoftware,
    cause: str = "leader_bound",
    strength: Any = "conclusive",
    declared: Declared | None = None,
) -> dict[str | None, Row]:
    """Verdicts on a day with this skew, by advisory."""
    facts = ClusterFacts((BrokerFacts(1, "3.9.2"),), "KRaft", clients, members=MEMBERS)
    found = Detection(cause, strength, ("topic orders", "broker 2"), (SKEW,))
    keys = ("KAFKA-10888", "CFG-LEGACY-PARTITIONER", "KAFKA-9965")
    advisories = {key: ADVISORIES[key] for key in keys}
    exposed = {key: exposure(advisory, facts, declared) for key, advisory in advisories.items()}
    results = {"partition_skew": SignatureResult("partition_skew", "detected", (found,))}
    return {row.advisory: row for row in judge(advisories, exposed, results, facts.members)}


def test_the_finding_names_client_fleets_before_the_symptom() -> None:
    rows = skewed(java("3.2.3"), java("3.1.0", 0.1), java("3.9.1", 0.5))
    row = rows["KAFKA-10888"]
    assert (row.verdict, row.cause) == ("confirmed", "leader_bound")
    assert row.subjects == (
        "client apache-kafka-java 3.2.3 on listener EXTERNAL",
        "client apache-kafka-java 3.1.0 on listener EXTERNAL",
        "topic orders",
        "broker 2",
    )
    assert row.symptom == ("topic orders", "broker 2")
    assert None not in rows


def test_the_share_of_each_fleet_is_evidence_behind_the_symptom() -> None:
    first, second = skewed(java("3.2.3"))["KAFKA-10888"].evidence
    assert first == SKEW
    assert second == {
        "metric": "share of connections on listener EXTERNAL, at most",
        "value": 0.4,
        "unit": "ratio",
        "threshold": None,
        "where": "client apache-kafka-java 3.2.3",
        "from": ALL_DAY[0],
        "to": ALL_DAY[1],
        "mbean": "kafka.server:type=socket-server-metrics,clientSoftwareName=*,clientSoftwareVersion=*,listener=*,"
        "networkProcessor=*",
    }


def test_hosts_and_client_ids_of_group_members_say_where_to_ask() -> None:
    (missing,) = skewed(java("3.2.3"))["KAFKA-10888"].missing
    assert missing == (
        "brokers do not tell which hosts run these producers; members of groups connect from 10.0.0.7 (client ids "
        "billing-1, billing-2): ask there first"
    )
    crowd = tuple(GroupMember("g", f"c{n}", f"10.0.0.{n % 12}") for n in range(60))
    text = whereabouts(STICKY, crowd)
    assert "10.0.0.0 (client ids c0, c12, c24 and 2 more)" in text
    assert text.endswith("and 4 more hosts: ask there first")
    assert "were not read" in whereabouts(STICKY, None)
    assert "no group had members" in whereabouts(STICKY, ())


@pytest.mark.parametrize(
    ("clients", "cause", "strength", "expected"),
    [
        ((java("3.2.3"),), "leader_bound", "conclusive", "confirmed"),
        ((java("3.2.3"),), "leader_bound", "suggestive", "exposed"),
        ((java("3.2.3"),), "key_bound", "conclusive", "exposed"),
        ((java("3.2.3"),), "adaptive", "conclusive", "exposed"),
        ((java("3.3.2"),), "leader_bound", "conclusive", "look_alike"),  # no affected client is connected
        ((java("3.9.1"),), "adaptive", "conclusive", "not_affected"),
        ((java("2.3.1"),), "leader_bound", "conclusive", "look_alike"),
        ((java("7.0.1-acme"),), "leader_bound", "conclusive", "look_alike"),
        ((java("7.0.1-ccs"),), "leader_bound", "conclusive", "confirmed"),  # Apache 3.0, of which no release mends it
        ((java("7.3.3-ccs"),), "leader_bound", "conclusive", "look_alike"),  # has all of 3.3.2
        ((), "leader_bound", "conclusive", "look_alike"),
        ((java("3.2.3", seen=EVENING),), "leader_bound", "conclusive", "exposed"),  # not connected at that time
        ((java("3.2.3", seen=EVENING), java("3.0.0")), "leader_bound", "conclusive", "confirmed"),
    ],
)
def test_no_skew_is_confirmed_without_an_affected_client(
    clients: tuple[ClientSoftware, ...], cause: str, strength: str, expected: str
) -> None:
    rows = skewed(*clients, cause=cause, strength=strength)
    assert rows["KAFKA-10888"].verdict == expected
    assert "confirmed" not in {row.verdict for key, row in rows.items() if key != "KAFKA-10888"}
    assert (None in rows) == (expected != "confirmed")  # the symptom is never hidden


def test_a_declared_fleet_that_is_not_connected_confirms_nothing() -> None:
    declared = Declared.from_fleet({"producers": [{"software": "apache-kafka-java", "version": "3.2.3"}]})
    assert skewed(java("3.9.1"), declared=declared)["KAFKA-10888"].verdict == "look_alike"
    unnamed = ClientSoftware("unknown", "unknown", "EXTERNAL", 2.0)
    assert skewed(unnamed, declared=declared)["KAFKA-10888"].verdict == "confirmed"


def test_an_exposure_without_measurement_names_the_fleet_and_no_evidence() -> None:
    facts = ClusterFacts((BrokerFacts(1, "3.9.2"),), "KRaft", (java("3.2.3"),), members=MEMBERS)
    quiet = {"partition_skew": SignatureResult("partition_skew", "quiet")}
    (row,) = judge({STICKY.id: STICKY}, {STICKY.id: exposure(STICKY, facts)}, quiet, facts.members)
    assert (row.verdict, row.subjects) == ("exposed", ("client apache-kafka-java 3.2.3 on listener EXTERNAL",))
    assert (row.evidence, row.missing) == ((), ())


def test_many_fleets_are_cut() -> None:
    fleets = [
        java(f"{line}.{patch}", 0.01) for line in ("2.4", "2.5", "2.6", "2.7", "2.8", "3.0") for patch in range(2)
    ]
    rows = skewed(*fleets, *(java("3.2.3", 0.01, listener=f"L{n}") for n in range(20)))
    subjects = rows["KAFKA-10888"].subjects
    assert subjects[20] == "and 12 more client fleets"
    assert len([s for s in subjects if s.startswith("client ")]) == 20


def test_a_library_that_gives_no_version_is_no_release() -> None:
    clients = (java("3.2.3"), ClientSoftware("apache-kafka-java", None, "L", 5.0))  # type: ignore[arg-type]
    facts = ClusterFacts((BrokerFacts(1, "3.9.1"),), "KRaft", clients)
    assert release_text(STICKY, exposure(STICKY, facts), facts) == "3.2.3"


def test_release_and_side_follow_who_must_upgrade() -> None:
    facts = ClusterFacts((BrokerFacts(1, "3.9.1"), BrokerFacts(2, "3.9.2")), "KRaft", (java("3.10.0"), java("3.2.3")))
    sticky = exposure(STICKY, facts)
    assert (upgrade_side(STICKY, sticky), affected_releases(STICKY, sticky)) == ("client", ("3.2.3",))
    assert release_text(STICKY, sticky, facts) == "3.2.3"
    logs = ADVISORIES["CVE-2026-33558"]  # brokers and clients; the upgrade is the clients'
    assert (upgrade_side(logs, exposure(logs, facts)), release_text(logs, exposure(logs, facts), facts)) == (
        "client",
        "3.2.3",
    )
    alone = ClusterFacts(facts.brokers, "KRaft", (java("4.1.1"),))
    assert (upgrade_side(logs, exposure(logs, alone)), affected_releases(logs, exposure(logs, alone))) == (
        "server",
        ("3.9.1",),
    )
    assert release_text(logs, exposure(logs, alone), alone) == "3.9.1, 3.9.2"
    cured = ClusterFacts(facts.brokers, "KRaft", (java("4.1.1"), java("3.3.2")))
    assert release_text(STICKY, exposure(STICKY, cured), cured) == "3.3.2, 4.1.1"
    assert release_text(STICKY, exposure(STICKY, ClusterFacts(())), ClusterFacts(())) is None
    assert release_text(None, None, facts) == "3.9.1, 3.9.2"
