"""How to silence an issue or a symptom: what the pages say to write is accepted as it stands, with its own id."""

import shlex
from datetime import date

import pytest
import yaml

from kafka_fleet.cli.main import command_parser
from kafka_fleet.config.acknowledgements import Acknowledgement
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.report.silencing import silence_issue, silence_symptom

SIGNATURES, ADVISORIES = load_signatures(), load_advisories()


def every():
    for one in SIGNATURES.values():
        yield f"symptom {one.id} ({next(iter(one.causes))})", silence_symptom(one)
    for key, one in ADVISORIES.items():
        yield key, silence_issue(one, SIGNATURES[one.signature.id] if one.signature else None)


@pytest.mark.parametrize(("key", "found"), [pytest.param(key, found, id=key) for key, found in every()])
def test_the_entry_is_one_of_that_finding_and_the_thresholds_are_the_signatures(key, found):
    (entry,) = yaml.safe_load(found.entry)
    accepted = Acknowledgement.model_validate(entry)
    assert accepted.key == key
    assert accepted.expires > accepted.acknowledged == date(2026, 11, 21)
    assert f'--finding "{key}"' in found.command
    if found.thresholds:
        ((signature, values),) = yaml.safe_load(found.thresholds)["thresholds"].items()
        declared = SIGNATURES[signature].thresholds
        assert {name: declared[name].value for name in values} == pytest.approx(values)


def test_an_issue_with_a_symptom_has_a_threshold_where_its_cause_is_compared_with_one():
    without = {key for key, one in ADVISORIES.items() if one.signature and not silence_issue(one, SIGNATURES[one.signature.id]).thresholds}  # fmt: skip  # noqa: E501
    compared = {(name, cause) for name, one in SIGNATURES.items() for row in one.evidence for cause in row.threshold}
    for key in without:
        shown = ADVISORIES[key].signature
        assert not any((shown.id, cause) in compared for cause in shown.causes), key


def test_what_an_environment_weighs():
    assert silence_issue(ADVISORIES["KAFKA-14334"], None).environment == (
        "severity high in production, weighs medium in staging and low in development"
    )
    assert silence_symptom(SIGNATURES["availability"]).environment == (
        "with the cause offline severity critical in production, weighs high in staging and medium in development"
    )


def test_the_command_is_one_of_the_command_line():
    words = shlex.split(silence_issue(ADVISORIES["CVE-2024-31141"], None).command.replace("\\\n", " "))
    options = command_parser().parse_args(words[1:])
    assert (options.cluster, options.finding, options.expires) == ("payments-eu", "CVE-2024-31141", "2027-01-31")
