"""Targets of single findings and the two steps of a cluster's plan."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Mode
from kafka_fleet.knowledge.releases import Release, apache_release, catalogue
from kafka_fleet.knowledge.targets import affects, family, opened
from kafka_fleet.knowledge.upgrade import plan, upgrade_to

ADVISORIES = load_advisories()
KNOWN = list(catalogue().announced)
CONFIGS: dict[str, str | None] = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "listeners": "PLAINTEXT://:9092",
    "sasl.enabled.mechanisms": "GSSAPI",
}


def facts(
    *releases: str | None, mode: Mode | None = "KRaft", level: str | None = None, java: str | None = None
) -> ClusterFacts:
    brokers = tuple(BrokerFacts(n, text, "a", True, CONFIGS) for n, text in enumerate(releases, start=1))
    clients = None if java is None else (ClientSoftware("apache-kafka-java", java, "PLAINTEXT", 4),)
    return ClusterFacts(brokers, mode, clients, level)


def planned(cluster: ClusterFacts, *confirmed: str) -> dict[str, Any]:
    findings = [
        {"advisory": key, "verdict": "confirmed" if key in confirmed else exposure(advisory, cluster).state}
        for key, advisory in ADVISORIES.items()
    ]
    findings = [{**f, "verdict": "not_affected" if f["verdict"] == "not_exposed" else f["verdict"]} for f in findings]
    return plan(cluster, [*findings, {"advisory": None, "verdict": "look_alike"}], ADVISORIES)


@pytest.mark.parametrize(
    ("advisory", "current", "expected"),
    [
        ("KAFKA-14334", ["3.3.1"], "3.3.2"),
        ("KAFKA-14334", ["3.2.3"], "3.3.2"),
        ("KAFKA-14334", ["2.8.2"], "3.3.2"),
        ("KAFKA-14334", ["2.7.2"], "3.3.2"),  # ZooKeeper only: KRaft faults of later lines are not opened
        ("KAFKA-14334", ["3.3.1", "3.2.3"], "3.3.2"),
        ("KAFKA-14334", ["3.3.1", "3.4.0"], "3.4.0"),  # a roll under way is finished, not turned back
        ("KAFKA-10888", ["3.2.3"], "3.3.2"),  # not 3.3.0 (KAFKA-14303), not 3.3.1
        ("KAFKA-10888", ["2.4.0", "3.9.1"], "3.3.2"),  # client fleets need not converge
        ("KAFKA-13767", ["2.8.2"], "3.2.0"),
        ("KAFKA-13559", ["3.3.2"], "3.4.0"),
        ("KAFKA-12751", ["2.8.0"], "2.8.1"),
        ("KAFKA-12751", ["2.7.1"], "2.7.2"),
        ("KAFKA-12686", ["2.8.2"], "3.0.0"),
        ("KAFKA-12964", ["2.8.2"], "3.0.0"),
        ("KAFKA-9648", ["3.1.2"], "3.2.0"),
        ("KAFKA-19862", ["4.1.0"], "4.1.2"),
        ("CVE-2022-34917", ["3.2.1"], "3.2.3"),  # 3.2.2 was never announced
        ("CVE-2026-111115", ["4.3.1"], "4.4.0"),  # 4.3.2 is not published
        ("CVE-2026-111115", ["4.2.0"], "4.2.2"),
        ("CVE-2026-33557", ["4.1.1"], "4.1.2"),
    ],
)
def test_upgrade_to(advisory: str, current: list[str], expected: str) -> None:
    target = upgrade_to(ADVISORIES[advisory], current, ADVISORIES)
    assert target.release == expected
    assert target.why.startswith(expected)


@pytest.mark.parametrize(
    ("advisory", "current", "words"),
    [
        ("KAFKA-14334", ["3.3.1-ccs"], "unknown build"),
        ("KAFKA-14334", ["3.3.1", "2.8.1-amzn-1"], "unknown build"),
        ("KAFKA-14334", [None], "was not read"),
        ("KAFKA-14334", [], "No release was read"),
        ("KAFKA-14334", ["3.3.2"], "does not have it"),
    ],
)
def test_no_target_has_a_sentence(advisory: str, current: list[str | None], words: str) -> None:
    target = upgrade_to(ADVISORIES[advisory], current, ADVISORIES)
    assert target.release is None
    assert words in target.why


def test_a_release_that_opens_something_as_bad_is_passed_over() -> None:
    assert [a.id for a in opened(apache_release("3.2.3"), apache_release("3.3.0"), "client", ADVISORIES)] == [
        "KAFKA-14303"
    ]
    assert [a.id for a in opened(apache_release("3.5.2"), apache_release("3.6.0"), "server", ADVISORIES)] == [
        "KAFKA-15653"
    ]


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(sorted(ADVISORIES)), st.sampled_from(KNOWN))
def test_a_target_has_the_fix_is_later_and_opens_nothing_as_bad(key: str, current: Release) -> None:
    advisory = ADVISORIES[key]
    target = upgrade_to(advisory, [str(current)], ADVISORIES)
    assert (target.release is not None) <= affects(advisory, current)
    if target.release is not None:
        release = apache_release(target.release)
        assert release > current
        assert release in KNOWN
        assert not affects(advisory, release)
        bad = [a for a in opened(current, release, family(advisory), ADVISORIES) if a.rank <= advisory.rank]
        assert [a.id for a in bad if a.security == advisory.security] == []


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(sorted(ADVISORIES)), st.sampled_from(KNOWN))
def test_a_cluster_on_its_target_needs_no_further_upgrade(key: str, current: Release) -> None:
    target = upgrade_to(ADVISORIES[key], [str(current)], ADVISORIES).release
    if target is not None:
        assert upgrade_to(ADVISORIES[key], [target], ADVISORIES).release is None


def test_plan_of_a_kraft_cluster_with_a_confirmed_bug() -> None:
    found = planned(facts("3.3.1", "3.3.1", level="3.3-IV3"), "KAFKA-14334")
    now, after = found["now"], found["next"]
    assert (now["component"], now["release"], now["client_floor"], now["opens"]) == ("broker", "3.3.2", None, [])
    assert {"KAFKA-14334", "KAFKA-14225", "KAFKA-14372"} == set(now["closes"])
    assert len(now["steps"]) == 1  # a patch on the same line changes no protocol version
    assert {"CVE-2026-111115", "CVE-2026-111108"} <= set(now["leaves"])
    assert (after["release"], after["client_floor"]) == ("4.2.2", "2.1")
    assert {"CVE-2026-111115", "CVE-2026-111108", "CVE-2026-83525", "KAFKA-14334"} <= set(after["closes"])
    assert "kafka-features.sh upgrade --release-version 4.2" in after["steps"][-1]
    assert any("Java 17" in step for step in after["steps"])


def test_plan_of_a_zookeeper_cluster_crosses_the_bridge() -> None:
    found = planned(facts("2.8.2", mode="ZooKeeper"), "KAFKA-14334")
    now, after = found["now"], found["next"]
    assert now["release"] == "3.3.2"
    assert "inter.broker.protocol.version=2.8" in now["steps"][0]
    assert "inter.broker.protocol.version=3.3" in now["steps"][-1]
    assert now["opens"] == ["CVE-2026-111108"]
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
    now = planned(facts("4.4.0", java="3.2.3"), "KAFKA-10888")["now"]
    assert (now["component"], now["release"], now["closes"]) == ("client-producer", "3.3.2", ["KAFKA-10888"])


def test_brokers_and_clients_share_the_first_step() -> None:
    now = planned(facts("3.3.1", java="3.2.3"), "KAFKA-10888", "KAFKA-14334")["now"]
    assert (now["component"], now["release"]) == ("broker", "3.3.2")
    assert {"KAFKA-10888", "KAFKA-14334"} <= set(now["closes"])
    assert now["steps"][-1] == "Raise the Java library of the client-producer fleet to 3.3.2 for KAFKA-10888."


@pytest.mark.parametrize("release", ["4.2.2", "4.4.0"])
def test_a_supported_release_without_open_security_needs_nothing(release: str) -> None:
    assert planned(facts(release)) == {"now": None, "next": None, "note": None}


def test_a_supported_release_with_open_security_moves_on() -> None:
    assert planned(facts("4.3.1"))["next"]["release"] == "4.4.0"


@pytest.mark.parametrize(
    ("releases", "words"),
    [
        (("7.4.0-ccs", "7.4.0-ccs"), "unknown build"),
        (("3.3.1", "2.8.1-amzn-1"), "unknown build"),
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
    assert found["now"]["release"] == "3.3.2"
    assert found["note"] == "The release of broker 2 was not read; the plan rests on the others."


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(KNOWN), st.sampled_from(["KRaft", "ZooKeeper", None]))
def test_every_plan_is_plain_deterministic_and_honest(current: Release, mode: Mode | None) -> None:
    cluster = facts(str(current), mode=mode)
    confirmed = [k for k, a in ADVISORIES.items() if family(a) == "server" and affects(a, current)]
    found = planned(cluster, *confirmed)
    assert json.dumps(found) == json.dumps(planned(cluster, *confirmed))
    keys = {"component", "release", "closes", "leaves", "opens", "steps", "client_floor", "why"}
    for step in (found["now"], found["next"]):
        if step is None:
            continue
        target = apache_release(step["release"])
        assert set(step) == keys
        assert step["steps"]
        assert target > current
        assert not [key for key in step["closes"] if affects(ADVISORIES[key], target)]
        assert [key for key in step["opens"] if not affects(ADVISORIES[key], target)] == []
        assert not set(step["closes"]) & set(step["leaves"])
        assert (step["client_floor"] == "2.1") == (target >= Release((4, 0, 0)))
