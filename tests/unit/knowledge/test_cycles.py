"""Issues that are told apart by the circle of threads in which their own methods are, and by nobody else's."""

from typing import Any

import pytest
from pydantic import ValidationError

from kafka_fleet.knowledge.advisories import Advisory, ShownBy, load_advisories
from kafka_fleet.knowledge.detections import Detection, SignatureResult, merge_detections
from kafka_fleet.knowledge.exposure import exposure
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts
from kafka_fleet.knowledge.signature_rows import detections_of
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.verdicts import Row, judge

NAME, CAUSE, ISSUE = "handler_saturation", "deadlock", "KAFKA-14225"
SENSOR = "kafka.server.ClientRequestQuotaManager.exemptSensor"
UPDATE = "kafka.server.ClientQuotaManager.updateQuota"
OTHER = "kafka.coordinator.group.GroupCoordinator.tryCompleteJoin"
SHOWN = {key: one for key, one in load_advisories().items() if one.signature and one.signature.id == NAME}


def verdicts(release: str, *cycles: set[str], strength: Any = "conclusive") -> dict[str | None, Row]:
    """Rows of the signature's advisories and of the symptom, of one broker whose handlers stand still."""
    detection = Detection(CAUSE, strength, ("broker 1",), cycles=tuple(map(frozenset, cycles)))
    facts = ClusterFacts((BrokerFacts(1, release, None, True, {}),), "ZooKeeper", ())
    exposed = {key: exposure(one, facts, None) for key, one in SHOWN.items()}
    return {row.advisory: row for row in judge(SHOWN, exposed, {NAME: SignatureResult(NAME, "detected", (detection,))})}


def test_its_own_methods_in_one_circle_confirm_it_and_explain_the_symptom() -> None:
    rows = verdicts("3.3.1", {SENSOR, UPDATE, OTHER})
    assert (rows[ISSUE].verdict, rows[ISSUE].strength) == ("confirmed", "conclusive")
    assert None not in rows


@pytest.mark.parametrize(
    "cycles",
    [(), ({SENSOR},), ({UPDATE},), ({OTHER},), ({SENSOR, OTHER}, {UPDATE, OTHER}),
     ({f"{SENSOR}$1", UPDATE},), ({SENSOR.lower(), UPDATE},)],
)  # fmt: skip
def test_another_circle_half_of_it_or_none_points_to_it_at_most(cycles: tuple[set[str], ...]) -> None:
    rows = verdicts("3.3.1", *cycles)
    assert (rows[ISSUE].verdict, rows[ISSUE].strength) == ("exposed", "suggestive")
    assert (rows[None].verdict, rows[None].strength) == ("look_alike", "conclusive"), "the symptom is not hidden"


def test_of_several_circles_one_is_enough() -> None:
    assert verdicts("3.3.1", {OTHER}, {SENSOR, UPDATE})[ISSUE].verdict == "confirmed"


def test_a_suggestion_confirms_nothing_and_a_release_with_the_fix_is_a_look_alike() -> None:
    assert verdicts("3.3.1", {SENSOR, UPDATE}, strength="suggestive")[ISSUE].verdict == "exposed"
    assert verdicts("3.3.2", {SENSOR, UPDATE})[ISSUE].verdict == "look_alike"


@pytest.mark.parametrize("release", ["0.10.0.1", "0.10.1.0", "0.11.0.1", "1.0.1", "2.1.0"])
def test_issues_without_methods_of_their_own_are_confirmed_by_no_circle(release: str) -> None:
    rows = verdicts(release, {SENSOR, UPDATE, OTHER})
    assert {row.verdict for key, row in rows.items() if key} <= {"exposed", "look_alike", "not_affected"}
    assert rows[None].verdict == "look_alike"


def test_a_circle_is_read_of_its_row_and_kept_apart_when_detections_join() -> None:
    signature = load_signatures()[NAME]
    values = {name: one.value for name, one in signature.thresholds.items()}
    columns = {line.value: None for line in signature.evidence} | {"places": None, "listener": None}
    row = {**columns, "cause": CAUSE, "strength": "conclusive", "from_at": None, "to_at": None, "queue_limit": None}
    rows = [
        {**row, "broker": n, "ordinal": n, "frames": frames} for n, frames in ((1, [SENSOR]), (2, [UPDATE]), (3, None))
    ]
    (found,) = detections_of(signature, rows, (), values)
    assert found.cycles == (frozenset({SENSOR}), frozenset({UPDATE}))
    joined = merge_detections([found, Detection(CAUSE, "conclusive", cycles=(frozenset({OTHER}),))], [CAUSE])
    assert joined is not None
    assert joined.cycles == (*found.cycles, frozenset({OTHER}))


@pytest.mark.parametrize("frame", ["updateQuota", "kafka.server", "com.example.A.b", "kafka.a.B.m()", "", "kafka.a.B."])
def test_a_method_is_named_with_its_class_as_the_jvm_names_it(frame: str) -> None:
    with pytest.raises(ValidationError, match="cycle"):
        ShownBy.model_validate({"id": NAME, "causes": [CAUSE], "cycle": [frame]})


def test_each_method_of_the_pack_is_as_an_answer_has_it() -> None:
    named: list[Advisory] = [one for one in SHOWN.values() if one.signature and one.signature.cycle]
    assert [one.id for one in named] == [ISSUE]
    assert named[0].signature is not None
    assert set(named[0].signature.cycle) == {SENSOR, UPDATE}
