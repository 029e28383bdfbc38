"""The plan of any cluster, drawn at random: plain, deterministic, and nothing is closed that stays or opens."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_fleet.knowledge.client_populations import affected_releases, upgrade_side
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.exposure_states import Exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Mode
from kafka_fleet.knowledge.releases import Release, apache_release, catalogue
from kafka_fleet.upgrade.plan import upgrade_to
from kafka_fleet.upgrade.targets import affects_release, family, opened_issues
from support.builders.planned import ADVISORIES, CONFIGS, KNOWN, facts, planned

pytestmark = pytest.mark.sampled("fuzzed-plans")


@settings(deadline=None, derandomize=True)
@given(st.sampled_from(KNOWN), st.sampled_from(["KRaft", "ZooKeeper", None]))
def test_every_plan_is_plain_deterministic_and_honest(current: Release, mode: Mode | None) -> None:
    cluster = facts(str(current), mode=mode)
    confirmed = [k for k, a in ADVISORIES.items() if family(a) == "server" and affects_release(a, current)]
    found = planned(cluster, *confirmed)
    assert json.dumps(found) == json.dumps(planned(cluster, *confirmed))
    assert set(found) == {"now", "next", "clients", "candidates", "note", "old_protocol"}
    keys = {"component", "release", "closes", "leaves", "opens", "steps", "client_floor", "why"}
    for step in (found["now"], found["next"]):
        if step is None:
            continue
        target = apache_release(step["release"])
        assert set(step) == keys
        assert step["steps"]
        assert target > current
        assert not [key for key in step["closes"] if affects_release(ADVISORIES[key], target)]
        assert [key for key in step["opens"] if not affects_release(ADVISORIES[key], target)] == []
        assert not set(step["closes"]) & set(step["leaves"])
        assert (step["client_floor"] == "2.1") == (target >= Release((4, 0, 0)))


@st.composite
def clusters(draw: st.DrawFn) -> ClusterFacts:
    """Any cluster: one to five brokers of at most two releases, either mode, its clients and some settings."""
    texts = draw(st.lists(st.sampled_from(KNOWN), min_size=1, max_size=2))
    brokers = tuple(
        BrokerFacts(
            n, str(draw(st.sampled_from(texts))), "a", draw(st.booleans()), draw(st.sampled_from([CONFIGS, {}]))
        )
        for n in range(1, draw(st.integers(1, 5)) + 1)
    )
    java = draw(st.lists(st.sampled_from(KNOWN), max_size=3))
    clients = tuple(ClientSoftware("apache-kafka-java", str(text), "PLAINTEXT", 3.0) for text in java)
    return ClusterFacts(
        brokers, draw(st.sampled_from(["KRaft", "ZooKeeper", None])), draw(st.sampled_from([clients, None]))
    )


@settings(deadline=None, derandomize=True, max_examples=60)
@given(clusters(), st.lists(st.sampled_from(sorted(ADVISORIES)), max_size=4, unique=True))
def test_plans_and_targets_of_any_cluster(cluster: ClusterFacts, measured: list[str]) -> None:
    exposed = {key: exposure(advisory, cluster) for key, advisory in ADVISORIES.items()}
    confirmed = [key for key in measured if exposed[key].state == "exposed"]
    found = planned(cluster, *confirmed)
    assert json.dumps(found) == json.dumps(planned(cluster, *confirmed))
    present = {key for key, one in exposed.items() if one.state == "exposed"}
    for step in [found[key] for key in ("now", "next", "clients") if found[key]]:
        assert not set(step["opens"]) & present  # what the cluster has is closed or left, never opened
        assert set(step["closes"]) <= present
        assert not set(step["closes"]) & set(step["leaves"])
    for fleet, rows in found["candidates"].items():
        own = {key for key in present if fleet in ADVISORIES[key].families}
        for row in rows:
            release = apache_release(row["release"])
            assert release in KNOWN
            assert own <= {*row["closes"], *row["leaves"]}
            assert not [key for key in row["closes"] if affects_release(ADVISORIES[key], release)]
            assert all(affects_release(ADVISORIES[key], release) for key in row["opens"])
    for key in confirmed:
        check_target(key, exposed[key], cluster)


def check_target(key: str, exposed: Exposure, cluster: ClusterFacts) -> None:
    """A target is published, not older than what runs, has the fix, and opens nothing of its severity or worse."""
    advisory, fleet = ADVISORIES[key], upgrade_side(ADVISORIES[key], exposed)
    current = affected_releases(advisory, exposed)
    target = upgrade_to(advisory, current, ADVISORIES, cluster, fleet=fleet).release
    if target is None:
        return
    release, low = apache_release(target), min(map(apache_release, current))
    assert release in catalogue().published()
    assert release > low
    assert release.line >= low.line
    assert not affects_release(advisory, release)
    new = opened_issues(low, release, fleet, ADVISORIES, cluster)
    bad = [a for a in new if a.rank <= advisory.rank and a.security == advisory.security and not a.setting]
    assert [a.id for a in bad if a.affected is not None and a.affected.fixed] == []
