"""What needs a decision today, and who was not measured: order, acknowledgements, actions, reasons."""

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.decisions import MOST, decisions
from kafka_fleet.report.unmeasured import unmeasured
from support.builders.letter_rows import broker, finding
from support.builders.letter_samples import payments, unreached
from support.builders.upgrade_fleets import BUG, document, fleet_member

ADVISORIES = load_advisories()


def sick(cluster, environment="production", **more):
    row = finding(BUG, "confirmed", cluster, signature="fetch_latency", cause="follower", **more)
    return fleet_member(cluster, document(cluster, [], environment=environment), [row])


def test_newly_confirmed_come_first_then_what_weighs_most_there():
    members = [sick("a"), sick("b", "development"), sick("c", "staging")]
    rows = decisions(members, ADVISORIES, {}, {"a": {BUG}, "c": {BUG}}).rows.items
    assert [(one.cluster, one.state, one.weight) for one in rows] == [
        ("b", "new", "low"),
        ("a", "known", "high"),
        ("c", "known", "medium"),
    ]


def test_an_accepted_one_is_counted_and_one_reopened_is_told_why():
    found = decisions([sick("a"), sick("b")], ADVISORIES, {("a", BUG): None, ("b", BUG): "it expired"}, None)
    assert [(one.cluster, one.accepted_before, one.state) for one in found.rows.items] == [("b", "it expired", "")]
    assert (found.acknowledged, found.new) == (1, 0)


def test_a_decision_says_what_where_and_what_to_do():
    one = decisions(
        [sick("a", subjects=["broker 2", "topic <b>", "and 3 more topics"])], ADVISORIES, {}, None
    ).rows.items[0]
    assert one.sentence.startswith("Consumers read topics <b> and 3 more from the follower on broker 2 and get records")
    assert one.where == "broker 2, topic <b>"
    assert one.action == "Upgrade brokers from 3.3.1 to 3.3.2."
    assert one.meanwhile == ADVISORIES[BUG].workaround
    assert one.place == "finding-KAFKA-14334"
    assert one.when == "It can wait until 2026-11-27 (severity high, production)."


def test_what_no_release_of_the_plan_closes_is_said_to_be_so():
    row = finding("KAFKA-12964", "confirmed", "a")
    one = decisions([fleet_member("a", document("a", []), [row])], ADVISORIES, {}, None).rows.items[0]
    assert one.action == "No release that closes it could be named: use the way round."


def offline(strength="conclusive", environment="production"):
    row = finding(None, "look_alike", "a", signature="availability", cause="offline", strength=strength,
                  severity="info", subjects=["broker 3", "partition audit-0"])  # fmt: skip
    return fleet_member("a", document("a", [], environment=environment), [row])


def test_a_symptom_that_is_proven_and_weighs_high_is_decided_though_no_bug_is():
    (one,) = decisions([offline()], ADVISORIES, {}, {"a": set()}).rows.items
    assert (one.name, one.weight, one.state) == ("availability, offline: no known bug is proven", "critical", "new")
    assert one.action.startswith("Bring broker 3 back with its disks.")
    assert one.when == "Not later than 2026-11-21 (severity critical, production)."
    assert decisions([offline()], ADVISORIES, {}, {"a": {"symptom availability (offline)"}}).new == 0
    assert decisions([offline()], ADVISORIES, {("a", "symptom availability (offline)"): None}, None).acknowledged == 1


def test_one_that_is_not_proven_or_weighs_less_there_is_left_to_the_cluster():
    members = [offline(strength="suggestive"), offline(environment="development")]
    assert not decisions(members, ADVISORIES, {}, None).rows.items


def test_only_confirmed_ones_and_a_bounded_list():
    members = [sick(f"c{number:02}") for number in range(40)]
    members.append(fleet_member("x", payments() | {"cluster": "x"}, [finding(BUG, "exposed", "x")]))
    found = decisions(members, ADVISORIES, {}, {})
    assert (len(found.rows.items), found.rows.more, found.new) == (MOST, 40 - MOST, 40)


def test_who_was_not_measured_and_why():
    lost = unreached("lost")
    tried = unreached("tried")
    tried["coverage"] = tried["coverage"] | {"sweeps": 144, "admin": {"ok": 0, "failed": 144, "failures": ["refused"]}}
    part = document("part", [])
    part["coverage"] = part["coverage"] | {"brokers": [broker(1), broker(3, ok=0, failed=9, failures=["timeout"])]}
    mute = document("mute", [])
    mute["coverage"] = mute["coverage"] | {"admin": {"ok": 0, "failed": 144, "failures": ["TLS"]}}
    broken = document("entry 3", [], declaration_error="no such key: <b>")
    members = [fleet_member(one["cluster"], one, []) for one in (part, lost, tried, mute, broken, document("well", []))]
    rows = unmeasured([*members, fleet_member("gone", None, [])], {"lost": "2026-11-18"})
    assert [(one.cluster, one.what, one.why, one.last) for one in rows.items] == [
        ("entry 3", "everything", "its entry in the fleet file is not valid: no such key: <b>", ""),
        ("gone", "everything", "this day has no document of it", ""),
        ("lost", "everything", "no sweep of this day is stored: fleet_collect did not run for it", "2026-11-18"),
        ("tried", "everything", "144 sweeps tried: refused", ""),
        ("mute", "the Kafka protocol", "TLS", ""),
        ("part", "broker 3", "timeout", ""),
    ]
