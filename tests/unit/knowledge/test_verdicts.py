"""The verdict table as worked examples, siblings, and symptoms that no known issue explains."""

import pytest

from kafka_fleet.domain import ExposureState
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.exposure import Exposure
from kafka_fleet.knowledge.verdicts import (
    Detection,
    Row,
    SignatureResult,
    SignatureState,
    Strength,
    judge,
    meaning,
    rival_advisories,
    verdict,
)

ADVISORIES = load_advisories()
E, U, N = "exposed", "unknown", "not_exposed"
D, Q, X = "detected", "quiet", "not_evaluated"

WORKED_EXAMPLES: list[tuple[ExposureState, SignatureState | None, str | None, str | None, str, str]] = [
    # exposure, signature state, cause detected (None: none), strength, verdict, what happened
    (E, D, "follower", "conclusive", "confirmed", "3.3.1 with a selector, 45 % of the fetches expire"),
    (E, D, "follower", "suggestive", "exposed", "3.3.1, many expiries, reads not proven"),
    (E, D, "min_bytes", "conclusive", "exposed", "3.3.1, but the consumer itself waits for more bytes"),
    (E, D, "min_bytes", "suggestive", "exposed", "3.3.1, another cause is likely"),
    (E, Q, None, None, "exposed", "3.3.1 and prompt reads"),
    (E, X, None, None, "exposed", "3.3.1 and Jolokia down"),
    (U, D, "follower", "conclusive", "look_alike", "a vendor's build with the symptom"),
    (U, D, "follower", "suggestive", "unknown", "a vendor's build, perhaps the symptom"),
    (U, D, "redirect", "conclusive", "unknown", "a vendor's build, the neighbour's symptom"),
    (U, D, "redirect", "suggestive", "unknown", "a vendor's build, perhaps the neighbour's symptom"),
    (U, Q, None, None, "unknown", "a vendor's build and prompt reads"),
    (U, X, None, None, "unknown", "nothing was read at all"),
    (N, D, "follower", "conclusive", "look_alike", "3.3.2 with the symptom: something else"),
    (N, D, "follower", "suggestive", "look_alike", "3.3.2, perhaps the symptom"),
    (N, D, "redirect", "conclusive", "not_affected", "3.3.2, the neighbour's symptom"),
    (N, D, "redirect", "suggestive", "not_affected", "3.3.2, perhaps the neighbour's symptom"),
    (N, Q, None, None, "not_affected", "3.3.2 and prompt reads"),
    (N, X, None, None, "not_affected", "3.3.2 and Jolokia down"),
]
WITHOUT_SIGNATURE = [(E, "exposed"), (U, "unknown"), (N, "not_affected")]


def only(key: str) -> dict[str, Advisory]:
    return {key: ADVISORIES[key]}


def found(*detections: Detection, signature: str = "fetch_latency") -> dict[str, SignatureResult]:
    return {signature: SignatureResult(signature, "detected", detections)}


def by_id(rows: list[Row]) -> dict[str | None, Row]:
    return {row.advisory: row for row in rows}


@pytest.mark.parametrize(("exposed", "state", "cause", "strength", "expected", "story"), WORKED_EXAMPLES)
def test_worked_examples(
    exposed: ExposureState,
    state: SignatureState,
    cause: str | None,
    strength: Strength | None,
    expected: str,
    story: str,
) -> None:
    detections = (Detection(cause, strength, ("broker 2",)),) if cause and strength else ()
    results = {"fetch_latency": SignatureResult("fetch_latency", state, detections)}
    rows = judge(only("KAFKA-14334"), {"KAFKA-14334": Exposure(exposed, ("because",))}, results)
    row = rows[0]
    assert row.verdict == expected, story
    assert (row.signature_state, row.exposure) == (state, exposed)
    own = cause == "follower"
    assert (row.cause, row.strength) == ((cause, strength) if own else (None, None))
    # a symptom is never hidden: whatever is not confirmed here has a row of its own
    assert [r.cause for r in rows[1:]] == ([cause] if cause and expected != "confirmed" else [])


@pytest.mark.parametrize(("exposed", "expected"), WITHOUT_SIGNATURE)
def test_advisories_without_signature(exposed: ExposureState, expected: str) -> None:
    (row,) = judge(only("CVE-2022-34917"), {"CVE-2022-34917": Exposure(exposed, ("because",))}, {})
    assert (row.verdict, row.signature, row.signature_state, row.cause) == (expected, None, None, None)


@pytest.mark.parametrize("exposed", [E, U, N])
@pytest.mark.parametrize("strength", ["conclusive", "suggestive", None])
@pytest.mark.parametrize("state", [D, Q, X, None])
def test_without_signature_only_exposure_counts(
    exposed: ExposureState, strength: Strength | None, state: SignatureState
) -> None:
    assert verdict(exposed, state, strength, False) == {E: "exposed", U: "unknown", N: "not_affected"}[exposed]


def test_there_are_at_least_twenty_worked_examples() -> None:
    assert len(set(WORKED_EXAMPLES)) + len(WITHOUT_SIGNATURE) >= 20
    assert {row[4] for row in WORKED_EXAMPLES} == {"confirmed", "exposed", "look_alike", "unknown", "not_affected"}


def test_a_detection_without_strength_is_an_error() -> None:
    with pytest.raises(ValueError, match="has a strength"):
        verdict("exposed", "detected", None, True)


def said(row: Row) -> str:
    return meaning(row.verdict, row.exposure, row.advisory is not None, row.signature is not None)


def isr(exposed_12751: ExposureState, *subjects: str) -> dict[str | None, Row]:
    pair = {key: ADVISORIES[key] for key in ("KAFKA-12686", "KAFKA-12751")}
    exposures = {"KAFKA-12686": Exposure("exposed", ("2.8.1",)), "KAFKA-12751": Exposure(exposed_12751, ("2.8.1",))}
    return by_id(judge(pair, exposures, found(Detection("frozen", "conclusive", subjects), signature="isr_stagnation")))


def test_a_sibling_that_the_confirmed_one_explains_is_not_affected() -> None:
    rows = isr("not_exposed", "topic orders", "broker 1")
    assert rows["KAFKA-12686"].verdict == "confirmed"
    assert rows["KAFKA-12751"].verdict == "not_affected"
    assert said(rows["KAFKA-12751"]) == "This release has the fix or lacks a condition."
    assert None not in rows


def test_an_unknown_sibling_stays_a_look_alike_and_says_why() -> None:
    row = isr("unknown", "topic orders")["KAFKA-12751"]
    assert (row.verdict, row.missing) == ("look_alike", ("2.8.1",))
    assert said(row) == "The symptom was measured; this build cannot be compared and may well have the bug."


def test_without_a_confirmed_one_siblings_are_look_alikes() -> None:
    pair = {key: ADVISORIES[key] for key in ("KAFKA-12686", "KAFKA-12751")}
    exposures = {key: Exposure("not_exposed", ("3.0.0",)) for key in pair}
    rows = by_id(judge(pair, exposures, found(Detection("frozen", "conclusive", ("p",)), signature="isr_stagnation")))
    assert [rows[key].verdict for key in pair] == ["look_alike", "look_alike"]
    null = rows[None]
    assert (null.verdict, null.exposure, null.cause, list(rival_advisories(pair, null.signature, null.cause))) == (
        "look_alike", None, "frozen", ["KAFKA-12686", "KAFKA-12751"],
    )  # fmt: skip


def test_each_cause_stands_for_itself() -> None:
    pair = {key: ADVISORIES[key] for key in ("KAFKA-14334", "KAFKA-13767")}
    exposures = {"KAFKA-14334": Exposure("exposed", (), (2,)), "KAFKA-13767": Exposure("not_exposed", ())}
    rows = judge(
        pair,
        exposures,
        found(
            Detection("follower", "conclusive", ("broker 2",), ({"metric": "a"},)),
            Detection("redirect", "suggestive", ("broker 1",), ({"metric": "b"},), {"lower": 0.1}),
            Detection("min_bytes", "suggestive", ("group audit",)),
        ),
    )
    assert [(r.advisory, r.cause, r.verdict) for r in rows] == [
        ("KAFKA-13767", "redirect", "look_alike"),
        ("KAFKA-14334", "follower", "confirmed"),
        (None, "min_bytes", "look_alike"),
        (None, "redirect", "look_alike"),
    ]
    assert (rows[0].evidence, rows[0].bounds) == (({"metric": "b"},), {"lower": 0.1})


def test_a_symptom_on_upgraded_brokers_only_does_not_confirm() -> None:
    half_rolled = {"KAFKA-14334": Exposure("exposed", (), (1,))}
    rows = judge(only("KAFKA-14334"), half_rolled, found(Detection("follower", "conclusive", ("broker 2", "topic t"))))
    assert [(r.advisory, r.verdict) for r in rows] == [("KAFKA-14334", "exposed"), (None, "look_alike")]


def test_detections_of_one_cause_are_joined_and_the_conclusive_ones_lead() -> None:
    detections = (
        Detection("follower", "suggestive", ("broker 3",), ({"n": 3},)),
        Detection("follower", "conclusive", ("broker 2", "topic a"), ({"n": 2},)),
        Detection("follower", "conclusive", ("broker 1", "topic a"), ({"n": 1},)),
    )
    (row,) = judge(only("KAFKA-14334"), {"KAFKA-14334": Exposure("exposed", (), (1, 2, 3))}, found(*detections))
    assert row.subjects == ("broker 2", "topic a", "broker 1")
    assert [piece["n"] for piece in row.evidence] == [2, 1]


def test_a_signature_that_is_not_installed_is_missing() -> None:
    (row,) = judge(only("KAFKA-10888"), {"KAFKA-10888": Exposure("exposed", ())}, {})
    assert (row.verdict, row.signature_state) == ("exposed", "not_evaluated")
    assert row.missing == ("signature partition_skew is not installed",)


def test_missing_inputs_are_kept() -> None:
    results = {"fetch_latency": SignatureResult("fetch_latency", "not_evaluated", (), ("broker 2 was not reached",))}
    (row,) = judge(only("KAFKA-14334"), {"KAFKA-14334": Exposure("unknown", ("its release was not read",))}, results)
    assert row.missing == ("its release was not read", "broker 2 was not reached")


def test_null_rows_come_last_and_the_order_is_fixed() -> None:
    exposures = {key: Exposure("not_exposed", ()) for key in ADVISORIES}
    results = found(Detection("tls_poll", "suggestive"), Detection("follower", "conclusive"))
    rows = judge(ADVISORIES, exposures, results)
    assert [r.advisory for r in rows[:-2]] == sorted(ADVISORIES)
    assert [(r.advisory, r.cause) for r in rows[-2:]] == [(None, "follower"), (None, "tls_poll")]
    assert rows == judge(dict(reversed(ADVISORIES.items())), exposures, results)


def test_a_sibling_with_further_subjects_stays_a_look_alike() -> None:
    twin = ADVISORIES["KAFKA-14334"].model_copy(update={"id": "KAFKA-99999"})
    exposures = {"KAFKA-14334": Exposure("exposed", (), (1,)), "KAFKA-99999": Exposure("not_exposed", ())}
    both = found(Detection("follower", "conclusive", ("broker 1",)), Detection("follower", "conclusive", ("broker 2",)))
    rows = by_id(judge({**only("KAFKA-14334"), twin.id: twin}, exposures, both))
    assert (rows["KAFKA-14334"].verdict, rows["KAFKA-14334"].subjects) == ("confirmed", ("broker 1",))
    assert (rows["KAFKA-99999"].verdict, rows["KAFKA-99999"].subjects) == ("look_alike", ("broker 1", "broker 2"))
