"""The exporter's rules that are made of mbeans.yaml: each MBean has one, and they are what the documentation has."""

import re
from pathlib import Path

import pytest
import yaml

from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.exporter_rules import MARK, edition, rule_of, rules_file, rules_for

FILE = yaml.safe_load(rules_file())
EVERY = mbeans.readable()  # an exporter calls no operation


def exporter_text(mbean: str, attribute: str) -> str:
    """An MBean as the exporter matches it, wildcards filled."""
    domain, _colon, rest = mbean.partition(":")
    pairs = [pair for pair in rest.split(",") if pair != "*"]
    filled = ", ".join(re.sub(r"\*", "7", pair) for pair in pairs)
    return f"{domain}<{filled}><>{attribute}: <cache>"


def test_every_value_of_every_mbean_has_a_rule_and_is_asked_for():
    patterns = [re.compile(f"^.*(?:{rule['pattern']}).*$") for rule in FILE["rules"]]
    for bean in EVERY:
        assert mbeans.requested_name(bean) in FILE["includeObjectNames"]
        for column in bean.columns:
            text = exporter_text(bean.mbean, column.attribute)
            if column.type == "string":
                text = text.replace("<cache>", "3.3.1")
            assert sum(bool(one.match(text)) for one in patterns) == 1, text


@pytest.mark.parametrize(
    "text",
    [
        "kafka.log<type=Log, name=LogEndOffset, topic=orders, partition=0, is-future=true><>Value: 5",
        "kafka.log<type=Log, name=NumLogSegments, topic=orders, partition=0><>Value: 5",
        "kafka.network<type=RequestMetrics, name=TotalTimeMs, request=Metadata><>Count: 5",
        "kafka.network<type=RequestMetrics, name=TotalTimeMs, request=Produce><>MeanRate: 5",
        "kafka.server<type=BrokerTopicMetrics, name=MessagesInPerSec><>OneMinuteRate: 5",
    ],
)
def test_what_is_not_read_is_not_shown(text):
    assert not any(re.match(f"^.*(?:{rule['pattern']}).*$", text) for rule in FILE["rules"])


def test_the_names_that_the_exporter_gives_without_a_name_are_known():
    names = load_names()
    for rule in FILE["rules"]:
        assert rule["pattern"].count("><>") == 1
        assert rule.get("name") is None or rule["name"] == MARK or rule["name"] in names.sources


def test_rules_of_texts_are_last_and_are_not_cached():
    found = rules_for([bean for bean in EVERY if "app-info" in bean.mbean])
    assert [("Version" in one, "cache" in one) for one in found] == [(False, True), (True, False), (False, False)]


def test_an_edition_is_told_by_the_file_and_changes_with_it():
    last = FILE["rules"][-1]
    assert (last["name"], last["value"], last["labels"]) == (MARK, 1, {"version": edition()})
    assert re.fullmatch(r"[0-9a-f]{8}", edition())


def test_a_pattern_with_special_characters_is_taken_as_it_is():
    assert rule_of("a.b:type=x-y,name=A*,k=*", ["V.1"]) == (
        "- {pattern: 'a.b<type=x-y, name=A\\w*, k=[^,]+><>(V.1):', cache: true}"
    )


def test_the_documentation_has_the_file():
    path = Path(__file__).resolve().parents[3] / "docs/exporter-rules.yml"
    assert path.read_text() == rules_file()
