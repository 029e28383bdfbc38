"""The verdict table on every signature: each cause with clusters that have the issue, do not, or cannot be compared."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.detections import Detection, SignatureResult
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClientSoftware, ClusterFacts, Declared
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.verdicts import Row, judge, rival_advisories

ADVISORIES = load_advisories()
PROTOCOL: dict[str, str | None] = {"inter.broker.protocol.version": "2.8-IV1", "listeners": "PLAINTEXT://:9092"}
HELD: dict[str, str | None] = {**PROTOCOL, "inter.broker.protocol.version": "2.6-IV0"}
C: Literal["conclusive"] = "conclusive"
S: Literal["suggestive"] = "suggestive"


def brokers(release: str, configs: dict[str, str | None] = PROTOCOL, java: str | None = None) -> ClusterFacts:
    """Two brokers, and one Java client fleet if its release is given; `unknown` is a client that names nothing."""
    software = "unknown" if java == "unknown" else "apache-kafka-java"
    clients = () if java is None else (ClientSoftware(software, java, "PLAINTEXT", 4.0, 1.0),)
    made = tuple(BrokerFacts(n, release, "a", n == 1, configs) for n in (1, 2))
    return ClusterFacts(made, "ZooKeeper", clients)


def verdicts(
    signature: str, cause: str, strength: Any, facts: ClusterFacts, declared: Declared | None = None
) -> dict[str | None, Row]:
    """All rows of the advisories that this signature shows, by id."""
    own = {key: one for key, one in ADVISORIES.items() if one.signature and one.signature.id == signature}
    detection = Detection(cause, strength, ("broker 1", "topic orders"), (), {"at least": 1})
    results = {signature: SignatureResult(signature, "detected", (detection,))}
    exposed = {key: exposure(advisory, facts, declared) for key, advisory in own.items()}
    return {row.advisory: row for row in judge(own, exposed, results)}


def kraft(release: str, unclean: str = "false") -> ClusterFacts:
    """Two brokers of a KRaft cluster."""
    configs: dict[str, str | None] = {**PROTOCOL, "unclean.leader.election.enable": unclean}
    return ClusterFacts(brokers(release, configs).brokers, "KRaft", ())


EXAMPLES: list[tuple[str, str, Any, ClusterFacts, str, str, str]] = [
    # signature, cause, strength, cluster, advisory, verdict, what happened
    ("partition_skew", "leader_bound", C, brokers("3.9.2", java="3.2.3"), "KAFKA-10888", "confirmed", "sticky client"),
    ("partition_skew", "leader_bound", S, brokers("3.9.2", java="3.2.3"), "KAFKA-10888", "exposed", "too few windows"),
    ("partition_skew", "leader_bound", C, brokers("2.8.2", java="3.3.2"), "KAFKA-10888", "look_alike", "cured client"),
    ("partition_skew", "leader_bound", C, brokers("2.8.2", java="7.0.1-acme"), "KAFKA-10888", "look_alike", "vendor's"),
    ("partition_skew", "leader_bound", S, brokers("2.8.2", java="7.0.1-acme"), "KAFKA-10888", "unknown", "vendor's"),
    ("partition_skew", "leader_bound", C, brokers("2.8.2", java="7.0.1-ccs"), "KAFKA-10888", "confirmed", "Apache 3.0"),
    ("partition_skew", "leader_bound", C, brokers("2.8.2", java="7.3.3-ccs"), "KAFKA-10888", "look_alike", "has 3.3.2"),
    ("partition_skew", "key_bound", C, brokers("3.9.2", java="3.2.3"), "KAFKA-10888", "exposed", "hot keys"),
    ("partition_skew", "key_bound", C, brokers("3.9.2", java="3.9.1"), "KAFKA-10888", "not_affected", "hot keys"),
    ("partition_skew", "adaptive", C, brokers("3.9.2", java="3.9.1"), "KAFKA-10888", "not_affected", "slow gets less"),
    ("isr_stagnation", "frozen", C, brokers("2.8.2"), "KAFKA-12686", "confirmed", "no fix on 2.8"),
    ("isr_stagnation", "frozen", C, brokers("2.8.2"), "KAFKA-12751", "not_affected", "the sibling explains it"),
    ("isr_stagnation", "frozen", C, brokers("2.8.0"), "KAFKA-12751", "confirmed", "both are there"),
    ("isr_stagnation", "frozen", S, brokers("2.8.2"), "KAFKA-12686", "exposed", "perhaps catching up"),
    ("isr_stagnation", "frozen", C, brokers("2.8.2", HELD), "KAFKA-12686", "look_alike", "protocol held at 2.6"),
    ("isr_stagnation", "frozen", C, brokers("3.0.0"), "KAFKA-12686", "look_alike", "cured"),
    ("isr_stagnation", "dead_broker", C, brokers("2.8.2"), "KAFKA-12686", "exposed", "a killed follower"),
    ("isr_stagnation", "dead_broker", C, brokers("3.0.0"), "KAFKA-12686", "not_affected", "a killed follower"),
    ("isr_stagnation", "catching_up", C, brokers("2.8.2"), "KAFKA-12686", "exposed", "a slow follower"),
    ("isr_stagnation", "reassignment", S, brokers("2.8.2"), "KAFKA-12686", "exposed", "a move under way"),
    ("unclean_restart", "killed", S, brokers("2.8.2"), "KAFKA-12964", "exposed", "killed; no producer id seen lost"),
    ("unclean_restart", "killed", C, brokers("2.8.2"), "KAFKA-12964", "exposed", "its log says so; no ids seen lost"),
    ("unclean_restart", "killed", C, brokers("2.7.2"), "KAFKA-12964", "look_alike", "only 2.8 has it"),
    ("unclean_restart", "killed", S, brokers("3.0.0"), "KAFKA-12964", "look_alike", "only 2.8 has it"),
    ("unclean_restart", "long_recovery", S, brokers("2.8.2"), "KAFKA-12964", "exposed", "large logs"),
    ("unclean_restart", "clean_roll", S, brokers("2.8.2"), "KAFKA-12964", "exposed", "a roll in order"),
    ("availability", "outside", S, brokers("2.1.1"), "KAFKA-7165", "exposed", "or ZooKeeper is out of reach"),
    ("availability", "outside", S, brokers("2.8.2"), "KAFKA-7165", "look_alike", "registers again"),
    ("availability", "offline", C, brokers("2.1.1"), "KAFKA-7165", "exposed", "dead brokers"),
    ("availability", "two_controllers", C, kraft("3.3.2"), "KAFKA-15489", "confirmed", "cut off and still active"),
    ("availability", "two_controllers", C, kraft("3.7.0"), "KAFKA-15489", "look_alike", "it resigns there"),
    ("availability", "no_controller", C, kraft("3.3.2"), "KAFKA-15489", "exposed", "no majority"),
    ("availability", "not_elected", C, kraft("3.6.2", "true"), "KRAFT-UNCLEAN-CONFIG", "confirmed", "not heeded"),
    ("availability", "not_elected", C, kraft("3.9.1", "true"), "KRAFT-UNCLEAN-CONFIG", "look_alike", "heeded"),
    ("availability", "not_elected", S, kraft("3.6.2", "true"), "KRAFT-UNCLEAN-CONFIG", "exposed", "one is in sync"),
    ("availability", "offline", C, kraft("3.6.2", "true"), "KRAFT-UNCLEAN-CONFIG", "exposed", "no copy is there"),
    ("availability", "failed_fetch", S, brokers("2.1.0"), "KAFKA-7786", "exposed", "no fetcher shows it"),
    ("availability", "failed_fetch", C, brokers("3.9.1"), "KAFKA-7786", "look_alike", "a damaged segment"),
    ("availability", "dead_fetcher", S, brokers("0.11.0.1"), "KAFKA-6003", "exposed", "a fetcher makes no fetch"),
    ("availability", "dead_fetcher", C, brokers("2.8.2"), "KAFKA-6003", "look_alike", "another exception"),
    ("retriable_errors", "election", S, brokers("3.9.2", java="unknown"), "CFG-PRODUCER-RETRIES", "unknown", "unnamed"),
    ("retriable_errors", "min_isr", S, brokers("3.9.2", java="3.9.2"), "CFG-PRODUCER-RETRIES", "look_alike", "newer"),
    ("reconnect_storm", "restart", C, brokers("3.1.2"), "KAFKA-9648", "confirmed", "a roll with SYN cookies"),
    ("reconnect_storm", "restart", S, brokers("3.1.2"), "KAFKA-9648", "exposed", "a roll without host evidence"),
    ("reconnect_storm", "auth_failures", C, brokers("3.1.2"), "KAFKA-9648", "exposed", "wrong passwords"),
    ("reconnect_storm", "leader_move", C, brokers("3.9.2"), "KAFKA-9648", "look_alike", "the backlog can be set"),
]  # fmt: skip


@pytest.mark.parametrize(("signature", "cause", "strength", "facts", "advisory", "expected", "story"), EXAMPLES)
def test_worked_examples_of_every_signature(
    signature: str, cause: str, strength: Any, facts: ClusterFacts, advisory: str, expected: str, story: str
) -> None:
    rows = verdicts(signature, cause, strength, facts)
    assert rows[advisory].verdict == expected, story
    confirmed = {row.advisory for row in rows.values() if row.verdict == "confirmed"}
    assert (None in rows) == (not confirmed), story  # no symptom is hidden, and none is told twice
    if None in rows:
        assert (rows[None].verdict, rows[None].cause) == ("look_alike", cause)
        shown_by = {key for key, row in rows.items() if key and cause in ADVISORIES[key].signature.causes}  # type: ignore[union-attr]
        assert set(rival_advisories(ADVISORIES, signature, cause)) == shown_by


def test_a_dead_broker_confirms_no_bug_of_any_release() -> None:
    for release in ("2.7.0", "2.8.0", "2.8.2", "3.9.2"):
        rows = verdicts("isr_stagnation", "dead_broker", C, brokers(release))
        assert {row.verdict for key, row in rows.items() if key} <= {"exposed", "not_affected"}
        assert rows[None].cause == "dead_broker"


@pytest.mark.parametrize("java", ["unknown", "2.0.1", "3.9.2", None])
@pytest.mark.parametrize("cause", ["election", "min_isr", "timeout"])
def test_errors_that_could_be_tried_again_prove_no_loss(cause: str, java: str | None) -> None:
    declared = Declared.from_fleet({"producers": [{"software": "apache-kafka-java", "version": "<2.1", "retries": 0}]})
    for said in (None, declared):
        rows = verdicts("retriable_errors", cause, S, brokers("2.8.2", java=java), said)
        assert "confirmed" not in {row.verdict for row in rows.values()}
        assert rows[None].strength == "suggestive"
    known = verdicts("retriable_errors", cause, S, brokers("2.8.2", java="unknown"), declared)["CFG-PRODUCER-RETRIES"]
    assert (known.verdict, known.subjects[0]) == ("exposed", "client apache-kafka-java <2.1 (declared)")


@pytest.mark.parametrize("cause", ["truncation", "unclean_election", "manual"])
def test_a_rewind_that_no_advisory_shows_is_a_symptom_of_its_own(cause: str) -> None:
    rows = verdicts("offset_rewind", cause, C, brokers("2.0.1"))
    assert {row.verdict for key, row in rows.items() if key} <= {"exposed", "not_affected", "unknown"}
    assert (rows[None].cause, rows[None].bounds) == (cause, {"at least": 1})
    assert rival_advisories(ADVISORIES, "offset_rewind", cause) == {}


def test_bounds_of_what_was_skipped_stay_with_the_symptom() -> None:
    rows = verdicts("partition_growth", "growth", S, brokers("3.9.2", java="3.9.2"))
    assert (rows[None].bounds, rows[None].strength) == ({"at least": 1}, "suggestive")
    assert "confirmed" not in {row.verdict for row in rows.values()}


@pytest.mark.parametrize(("lost", "expected"), [(3.0, "confirmed"), (0.0, "exposed")])
def test_a_proven_kill_confirms_lost_producer_state_only_with_ids_that_are_gone(lost: float, expected: str) -> None:
    metric = next(one.metric for one in load_signatures()["unclean_restart"].evidence if one.value == "lost_ids")
    advisory = ADVISORIES["KAFKA-12964"]
    detection = Detection("killed", C, ("broker 1",), ({"metric": metric, "value": lost},))
    results = {"unclean_restart": SignatureResult("unclean_restart", "detected", (detection,))}
    rows = judge({advisory.id: advisory}, {advisory.id: exposure(advisory, brokers("2.8.2"), None)}, results)
    assert [row.verdict for row in rows if row.advisory] == [expected]
    assert [row.strength for row in rows if row.advisory is None] == ([] if lost else [C])


LINES = {one.value: one.metric for one in load_signatures()["coordinator_down"].evidence}


@pytest.mark.parametrize(
    ("release", "lines", "expected"),
    [
        ("4.1.1", ["owned_lines"], {"KAFKA-19862": "confirmed", "KAFKA-21117": "exposed"}),
        ("4.1.1", ["consumer_lines"], {"KAFKA-19862": "exposed", "KAFKA-21117": "exposed"}),
        ("4.1.1", [], {"KAFKA-19862": "exposed", "KAFKA-21117": "exposed"}),
        ("4.1.1", ["owned_lines", "consumer_lines"], {"KAFKA-19862": "confirmed", "KAFKA-21117": "exposed"}),
        ("4.2.0", ["owned_lines"], {"KAFKA-19862": "look_alike", "KAFKA-20254": "exposed"}),
        ("4.2.0", ["streams_lines"], {"KAFKA-19862": "not_affected", "KAFKA-20254": "exposed"}),
    ],
)
def test_a_failed_load_belongs_to_the_issue_whose_line_the_log_has(
    release: str, lines: list[str], expected: dict[str, str]
) -> None:
    """An issue with a line of its own is not pointed to by a load that has another's alone."""
    own = {key: one for key, one in ADVISORIES.items() if one.signature and one.signature.id == "coordinator_down"}
    told = tuple({"metric": LINES[name], "value": 1.0, "from": None, "to": None} for name in lines)
    results = {
        "coordinator_down": SignatureResult(
            "coordinator_down", "detected", (Detection("failed", C, ("broker 1",), told),)
        )
    }
    rows = {
        one.advisory: one for one in judge(own, {k: exposure(a, brokers(release)) for k, a in own.items()}, results)
    }
    assert {key: rows[key].verdict for key in expected} == expected
    pointed = {key for key in expected if rows[key].cause}
    proofs = {"KAFKA-19862": "owned_lines", "KAFKA-20254": "streams_lines", "KAFKA-21117": "consumer_lines"}
    assert pointed == {key for key in expected if not lines or proofs[key] in lines}
    assert (None in rows) == ("confirmed" not in expected.values())


GIVEN_UP = {one.value: one.metric for one in load_signatures()["retriable_errors"].evidence}


@pytest.mark.parametrize(
    ("releases", "by_old", "expected"),
    [
        (["1.1.1"], True, "confirmed"),
        (["2.0.1", "3.9.1"], True, "confirmed"),
        (["2.0.1", "3.9.1"], False, "exposed"),
        (["2.1.0"], False, "look_alike"),
        (["2.1.0", "3.9.1"], False, "look_alike"),
        (["7.0.1-acme"], False, "unknown"),
    ],
)
def test_only_what_an_old_producer_gave_up_confirms_the_default_of_retries(
    releases: list[str], by_old: bool, expected: str
) -> None:
    """Who gave it up is in the evidence; that such a producer is there is the exposure."""
    lines = ["lost", "lost_by_old"] if by_old else ["lost"]
    told = tuple({"metric": GIVEN_UP[name], "value": 3.0, "from": "", "to": ""} for name in lines)
    results = {
        "retriable_errors": SignatureResult("retriable_errors", "detected", (Detection("election", C, (), told),))
    }
    java = tuple(
        ClientSoftware("apache-kafka-java", one, "", 0.0, client_id=f"app-{place}")
        for place, one in enumerate(releases)
    )
    facts = replace(brokers("3.9.1", java="3.9.1"), producers=java)
    advisory = ADVISORIES["CFG-PRODUCER-RETRIES"]
    rows = judge({advisory.id: advisory}, {advisory.id: exposure(advisory, facts)}, results)
    assert [row.verdict for row in rows if row.advisory] == [expected]
    named = [one for one in rows[0].subjects if one.startswith("client app-")]
    assert named == (
        [f"client app-0 (apache-kafka-java {releases[0]})"] if expected in ("confirmed", "exposed") else []
    )
