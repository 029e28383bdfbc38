"""Upgrade campaigns over several clusters: what a release takes and closes, what is in its way, in which order."""

import pytest

from kafka_fleet.knowledge.releases import parse_release
from kafka_fleet.report.campaigns import MOST, Gain, campaigns
from kafka_fleet.report.obstacles import obstacles
from kafka_fleet.report.release_map import ROWS, release_map
from support.builders.letter_samples import payments
from support.builders.upgrade_fleets import BUG, HOLE, candidate, document, fleet_member, rows, three

SECURITY = {HOLE}


def found():
    return campaigns(three(), SECURITY)


def test_releases_come_by_pay_off_and_count_each_finding_once():
    assert [(one.release, one.count, one.gain) for one in found().rows.items] == [
        ("4.4.0", 2, Gain(1, 2, 0, 0)),
        ("3.9.2", 2, Gain(1, 2, 0, 1)),
        ("3.3.2", 1, Gain(1, 0, 0, 0)),
    ]


def test_a_campaign_names_its_clusters_and_issues_the_confirmed_first():
    best = found().rows.items[0]
    assert best.clusters.items == ("a", "b")
    assert best.issues.items == ((BUG, 1, 1), (HOLE, 2, 0))
    assert (best.supported, best.free) == (True, 1)


def test_what_is_in_the_way_is_told_with_what_was_seen():
    best = {one.kind: one for one in found().rows.items[0].in_the_way}
    assert best["zookeeper"].clusters.items == ("a",)
    assert best["clients"].clusters.items == ("a (apache-kafka-java 1.1.0 on PLAIN<b>: 3)",)
    assert best["clients_unread"].clusters.items == ("b",)
    assert best["java"].said == "it needs Java 17 on brokers: not measured"
    assert [best[kind].certain for kind in ("zookeeper", "clients", "clients_unread", "java")] == [
        True,
        True,
        False,
        False,
    ]
    assert found().rows.items[1].in_the_way == (), "3.9 takes ZooKeeper, old clients and Java 8"


def test_a_cluster_without_a_document_and_one_without_a_release_are_named_with_the_reason():
    unread = fleet_member("e", document("e", [], release=None, plan={"note": "No broker release was read."}), [])
    reasons = dict(campaigns([*three(), unread], SECURITY).without.items)
    assert reasons == {"c": "this day has no document of it", "e": "No broker release was read."}


def test_a_day_that_keeps_steps_and_no_candidates_claims_nothing():
    """A version before candidates were kept; its plan names a release all the same."""
    old = fleet_member("old", payments() | {"cluster": "old"}, [])
    assert old.report.plan.now is not None
    assert old.report.plan.candidates.server == []
    ((name, why),) = campaigns([old], SECURITY).without.items
    assert (name, why) == ("old", "its day keeps the steps of its plan and not the releases to choose from")


@pytest.mark.parametrize(
    ("release", "mode", "target", "kinds"),
    [
        ("3.3.1", "KRaft", "4.4.0", ["java"]),
        ("3.2.3", "KRaft", "4.4.0", ["bridge", "java"]),
        ("3.3.1", None, "4.4.0", ["mode", "java"]),
        ("4.0.0", "KRaft", "4.4.0", []),
        ("1.1.1", "ZooKeeper", "3.9.2", ["java"]),
        (None, "KRaft", "4.4.0", []),
    ],
)
def test_obstacles_follow_the_upgrade_notes(release, mode, target, kinds):
    java = [{"software": "apache-kafka-java", "version": "3.9.1", "listener": "PLAIN", "connections": 1}]
    one = fleet_member("a", document("a", [], release=release, mode=mode, clients=java), [])
    assert [found.kind for found in obstacles(one, parse_release(target))] == kinds


def test_unnamed_connections_are_not_known_and_not_certain():
    unknown = [{"software": "unknown", "version": "unknown", "listener": "TLS", "connections": 2}]
    one = fleet_member("a", document("a", [], clients=unknown), [])
    seen = [(way.kind, way.detail, way.certain) for way in obstacles(one, parse_release("4.4.0"))]
    assert seen == [("unnamed", "on TLS", False), ("java", "it needs Java 17", False)]


def test_a_release_that_closes_nothing_is_no_campaign():
    one = fleet_member("a", document("a", [candidate("4.4.0", [])]), [])
    assert campaigns([one], SECURITY).rows.items == ()
    assert release_map([one], campaigns([one], SECURITY), SECURITY).rows == ()


def test_the_map_shows_what_each_release_closes_where():
    grid = release_map(three(), found(), SECURITY)
    assert grid.releases == ("3.3.2", "3.9.2", "4.4.0")
    cells = {row.cluster: [(one.key, one.text, one.held) for one in row.cells] for row in grid.rows}
    assert cells == {
        "a": [("confirmed", "1", False), ("confirmed", "2", False), ("confirmed", "2", True)],
        "b": [("none", "", False), ("security", "1", False), ("security", "1", False)],
        "d": [("behind", "", False)] * 3,
    }
    assert grid.rows[0].cells[2].said.startswith("closes 1 confirmed and 1 security; in the way: to migrate from")


@pytest.mark.sampled("large-fleets")  # some seconds by its size; smaller fleets run every time
def test_three_hundred_clusters_are_bounded():
    closing = [candidate(release, [BUG]) for release in [f"3.{line}.0" for line in range(4, 10)] + ["4.4.0"]]
    many = []
    for number in range(300):
        name, verdict = f"c{number:03}", "confirmed" if number % 7 == 0 else "exposed"
        many.append(fleet_member(name, document(name, closing), rows(name, KAFKA_14334=verdict)))
    made = campaigns(many, SECURITY)
    grid = release_map(many, made, SECURITY)
    assert made.rows.items[0].count == 300
    assert made.rows.items[0].gain == Gain(43, 0, 257, 0)
    assert len(made.rows.items) <= MOST
    assert made.first + made.later == tuple(made.rows.items)
    assert len(made.first) == 3 < len(made.rows.items), "the others are folded"
    assert len(made.rows.items[0].clusters.items) + made.rows.items[0].clusters.more == 300
    assert (len(grid.rows), grid.more) == (ROWS, 300 - ROWS)
    assert all(row.confirmed for row in grid.rows), "those with most to gain are shown"


def test_what_brokers_counted_decides_which_clients_are_in_the_way():
    said = {"sentence": "s", "clients": ["client old-java 0.10 with Produce 2 on broker 1"], "missing": []}

    def in_the_way(answer, **more):
        counted = {**said, "answer": answer, **more}
        member = fleet_member("a", document("a", [], release="3.9.1", plan={"old_protocol": counted}), [])
        return [one for one in obstacles(member, parse_release("4.1.1")) if one.kind.startswith("clients")]

    assert in_the_way(False) == []
    (one,) = in_the_way(True)
    assert (one.detail, one.certain) == ("old-java 0.10 with Produce 2 on broker 1", True)
    kinds = [one.kind for one in in_the_way(None, clients=[], missing=["2 of 2 brokers run a release before 3.7"])]
    assert kinds[-1] == "clients_uncounted"
