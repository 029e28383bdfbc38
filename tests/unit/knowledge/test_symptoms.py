"""The index of what owners notice: every cause has sentences, each leads to what it may be and what proves it."""

import pytest
from pydantic import ValidationError

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.knowledge.symptoms import UNMEASURED, symptom_index

SIGNATURES, ADVISORIES = load_signatures(), load_advisories()
INDEX = symptom_index(SIGNATURES, ADVISORIES)


def test_every_cause_of_every_signature_is_noticed_as_something():
    for one in SIGNATURES.values():
        assert list(one.noticed_as) == list(one.causes), one.id


def test_every_section_of_a_signature_leads_to_its_issues_and_its_evidence():
    measured = {section.signature: section for section in INDEX if section.signature}
    assert set(measured) == set(SIGNATURES)
    shown = {(one.signature.id, key) for key, one in ADVISORIES.items() if one.signature}
    found = {(name, key) for name, section in measured.items() for one in section.seen for key in one.issues}
    assert found == shown, "every issue that a symptom shows is found by what is noticed"
    assert all(one.proved for section in measured.values() for one in section.seen)


def test_what_no_symptom_measures_is_there_by_its_own_sentence():
    own = {key for key, one in ADVISORIES.items() if one.noticed_as}
    found = {key for section in INDEX if not section.signature for one in section.seen for key in one.issues}
    assert found == own
    assert all(ADVISORIES[key].signature is None for key in own), "else its signature says it"
    assert all(one.category in UNMEASURED for one in ADVISORIES.values() if one.noticed_as)


def test_the_same_thing_seen_is_one_line():
    grown = [one for section in INDEX for one in section.seen if "A compacted topic grows without end." in one.noticed]
    assert {"KAFKA-1755", "KAFKA-5413", "KAFKA-6834"} in [set(one.issues) for one in grown]


def test_a_sentence_for_a_cause_that_is_none_is_refused():
    one = SIGNATURES["fetch_latency"]
    with pytest.raises(ValidationError, match="no such cause: nobody; allowed: follower"):
        Signature.model_validate({**one.model_dump(), "noticed_as": {"nobody": ["Consumers are late."]}})
    with pytest.raises(ValidationError, match="at most 140"):
        Signature.model_validate({**one.model_dump(), "noticed_as": {"follower": ["L" + "a" * 150 + "te."]}})
