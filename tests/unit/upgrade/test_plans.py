"""The plan of a cluster: two steps, client fleets, and what every candidate would change."""

import datetime as dt

import pytest

from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts
from kafka_fleet.knowledge.releases import apache_release, catalogue
from support.builders.planned import ADVISORIES, CONFIGS, facts, plan_of, planned


def test_plan_of_a_kraft_cluster_with_a_confirmed_bug() -> None:
    found = planned(facts("3.3.1", "3.3.1", level="3.3-IV3"), "KAFKA-14334")
    now, after = found["now"], found["next"]
    assert (now["component"], now["release"], now["client_floor"]) == ("broker", "3.9.2", None)
    assert now["opens"] == ["CVE-2026-111073", "KAFKA-19212"]
    assert {"KAFKA-14334", "KAFKA-14225", "KAFKA-14372"} <= set(now["closes"])
    assert [step.split()[0] for step in now["steps"]] == ["Roll", "When"]
    assert {"CVE-2026-111115", "CVE-2026-111108"} <= set(now["leaves"])
    assert (after["release"], after["client_floor"]) == ("4.2.2", "2.1")
    assert {"CVE-2026-111115", "CVE-2026-111108", "CVE-2026-83525", "KAFKA-14334"} <= set(after["closes"])
    assert "kafka-features.sh upgrade --release-version 4.2" in after["steps"][-1]
    assert any("Java 17" in step for step in after["steps"])


def test_plan_of_a_zookeeper_cluster_crosses_the_bridge() -> None:
    found = planned(facts("2.8.2", mode="ZooKeeper"), "KAFKA-14334")
    now, after = found["now"], found["next"]
    assert now["release"] == "3.9.2"
    assert "inter.broker.protocol.version=2.8" in now["steps"][0]
    assert "inter.broker.protocol.version=3.9" in now["steps"][-1]
    assert now["opens"] == ["CVE-2026-111108", "CFG-LISTEN-BACKLOG", "CVE-2026-111073"]
    assert "CVE-2026-111108" in now["why"]
    text = " ".join(after["steps"])
    order = [
        text.index(words)
        for words in ("to 3.9.2", "from ZooKeeper to KRaft on 3.9.2", "to 4.2.2", "--release-version 4.2")
    ]
    assert order == sorted(order)


def test_plan_of_early_kraft_goes_by_39() -> None:
    steps = planned(facts("3.2.3"))["next"]["steps"]
    assert steps[0].startswith("Go to 3.9.2 first")
    assert "kafka-features.sh upgrade --metadata 3.9" in steps[2]


@pytest.mark.parametrize(("level", "words"), [(None, "Check with"), ("3.0-IV1", "Raise metadata.version from 3.0-IV1")])
def test_an_old_metadata_version_is_raised_before_4(level: str | None, words: str) -> None:
    assert planned(facts("3.6.2", level=level))["next"]["steps"][0].startswith(words)


def test_a_client_bug_is_planned_for_clients() -> None:
    found = planned(facts("4.4.0", java="3.2.3"), "KAFKA-10888")
    now, later = found["now"], found["clients"]
    assert (now["component"], now["release"], now["closes"][0]) == ("client-producer", "3.9.2", "CVE-2026-35554")
    assert now["steps"][-1].startswith("Raise the Java library of the client-producer fleet to 3.9.2 for KAFKA-10888")
    assert (later["component"], later["release"]) == ("client", "4.2.2")
    assert {"KAFKA-10888", "CVE-2026-35554"} <= set(later["closes"])
    assert later["steps"][0] == "Give the client applications Java 11: 4.x needs it."
    assert planned(facts(None, java="3.2.3"), "KAFKA-10888")["now"]["release"] == "3.9.2"  # whatever the brokers run
    assert planned(facts("7.4.0-ccs", java="3.2.3"), "KAFKA-10888")["now"]["release"] == "3.9.2"


def test_brokers_and_clients_share_the_first_step() -> None:
    now = planned(facts("3.3.1", java="3.2.3"), "KAFKA-10888", "KAFKA-14334")["now"]
    assert (now["component"], now["release"]) == ("broker", "3.9.2")
    assert {"KAFKA-10888", "KAFKA-14334"} <= set(now["closes"])
    assert now["steps"][-1].startswith("Raise the Java library of the client-producer fleet to 3.9.2 for KAFKA-10888")


@pytest.mark.parametrize("release", ["4.2.2", "4.4.0"])
def test_a_supported_release_without_open_security_needs_nothing(release: str) -> None:
    found = planned(facts(release))
    assert [found[key] for key in ("now", "next", "clients", "note")] == [None, None, None, None]
    assert all(row["closes"] == [] for row in found["candidates"]["server"])


def test_a_supported_release_with_open_security_moves_on() -> None:
    assert planned(facts("4.3.1"))["next"]["release"] == "4.4.0"


@pytest.mark.parametrize(
    ("releases", "words"),
    [
        (("7.4.0-ccs", "7.4.0-ccs"), "7.4.0-ccs is Confluent Platform, at least as patched as Apache 3.4.0"),
        (("3.3.1", "2.8.1-amzn-1"), "Amazon MSK names the upgrade"),
        (("3.3.1-acme",), "3.3.1-acme is an unknown build; ask its vendor."),
        ((None, None), "No broker release was read"),
        ((), "No broker release was read"),
    ],
)
def test_no_plan_without_comparable_releases(releases: tuple[str | None, ...], words: str) -> None:
    found = planned(facts(*releases))
    assert (found["now"], found["next"]) == (None, None)
    assert words in found["note"]


def test_an_unread_broker_is_named_and_a_mixed_cluster_starts_at_the_lowest() -> None:
    found = planned(facts("3.3.1", None, "3.2.3"), "KAFKA-14334")
    assert found["now"]["release"] == "3.9.2"
    assert found["note"] == "The release of broker 2 was not read; the plan rests on the others."


def test_every_candidate_tells_what_it_closes_leaves_and_opens() -> None:
    found = planned(facts("3.3.1", "3.3.1", level="3.3-IV3", java="3.2.3"), "KAFKA-14334", "KAFKA-10888")
    rows = {row["release"]: row for row in found["candidates"]["server"]}
    assert {"3.3.2", "3.4.1", "3.9.2", "4.2.2", "4.4.0"} <= set(rows)
    assert "3.4.0" not in rows  # a newer patch of its line is published
    assert [name for name, row in rows.items() if row["supported"]] == ["4.2.2", "4.3.1", "4.4.0"]
    now = found["now"]
    assert set(rows[now["release"]]["closes"]) <= set(now["closes"])
    assert all("KAFKA-14334" in row["closes"] for row in rows.values())
    client = {row["release"]: row for row in found["candidates"]["client"]}
    assert "KAFKA-10888" in client["3.3.2"]["closes"]
    assert "KAFKA-16226" not in client["3.6.2"]["opens"]


def test_the_protocol_version_in_force_is_pinned_and_its_rise_is_counted() -> None:
    held = {**CONFIGS, "inter.broker.protocol.version": "2.6-IV0"}
    cluster = ClusterFacts((BrokerFacts(1, "2.6.1", "a", True, held),), "ZooKeeper")
    found = planned(cluster, "KAFKA-12330")
    assert "inter.broker.protocol.version=2.6-IV0" in found["now"]["steps"][0]
    rows = {row["release"]: row for row in found["candidates"]["server"]}
    assert "KAFKA-12686" in rows["2.8.2"]["opens"]  # the last step raises the protocol to 2.8


def test_a_roll_ends_what_no_release_causes() -> None:
    old = ("OPS-LAST-ROLL", "OPS-MIXED-RELEASES", "OPS-UNSUPPORTED-RELEASE")
    findings = [{"advisory": key, "verdict": "exposed"} for key in old]
    found = plan_of(facts("3.9.1", "3.9.2"), findings)
    rows = {row["release"]: row for row in found["candidates"]["server"]}
    assert rows["4.1.2"]["closes"] == sorted(old[:2], key=lambda key: (ADVISORIES[key].rank, key))
    assert rows["4.1.2"]["leaves"] == ["OPS-UNSUPPORTED-RELEASE"]
    assert set(rows["4.4.0"]["closes"]) == set(old)


def test_the_plan_of_a_past_day_knows_no_later_release() -> None:
    cluster = facts("3.3.1", level="3.3-IV3")
    findings = [{"advisory": "KAFKA-14334", "verdict": "confirmed"}]
    found = plan_of(cluster, findings, dt.date(2024, 1, 15))
    assert found["next"]["release"] in {"3.4.1", "3.5.2", "3.6.1"}
    named = {row["release"] for row in found["candidates"]["server"]}
    assert max(map(apache_release, named)) == apache_release("3.6.1")
    assert catalogue().supported(apache_release(found["next"]["release"]), dt.date(2024, 1, 15))
