"""What an exposure rests on: settings and values, whichever broker has them and however many there are."""

from dataclasses import replace

import pytest

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.exposure_settings import LONGEST, exposure_settings
from kafka_fleet.knowledge.facts import BrokerFacts, ClusterFacts

SELECTOR = "replica.selector.class"


def facts(*values, mode="KRaft"):
    """Brokers with these values of SELECTOR; None: hidden."""
    brokers = [BrokerFacts(number, "3.3.1", configs={SELECTOR: value}) for number, value in enumerate(values, start=1)]
    return ClusterFacts(tuple(brokers), mode=mode)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("Rack",), [f"{SELECTOR} is Rack"]),
        (("Rack", "Rack", "Rack"), [f"{SELECTOR} is Rack"]),
        (("Rack", ""), [f"{SELECTOR} is Rack", f"{SELECTOR} is unset"]),
        ((None,), []),
        (("x" * 999,), [f"{SELECTOR} is {'x' * LONGEST}"]),
    ],
)
def test_a_setting_of_the_brokers(values, said):
    assert exposure_settings(load_advisories()["KAFKA-14334"], facts(*values)) == said


def test_a_broker_that_takes_over_a_role_changes_nothing():
    advisory = load_advisories()["KAFKA-15489"]
    before = facts("", "")
    after = replace(before, brokers=tuple(replace(b, is_controller=not b.is_controller) for b in before.brokers))
    assert exposure_settings(advisory, before) == exposure_settings(advisory, after) == ["the cluster runs KRaft"]
    assert exposure_settings(advisory, facts("", mode="ZooKeeper")) == ["the cluster runs ZooKeeper"]


def test_releases_and_counts_are_no_part_of_it():
    known = load_advisories()
    assert exposure_settings(known["CVE-2023-34455"], facts("")) == []
    assert exposure_settings(known["CFG-MIN-ISR"], facts("")) == []
