"""A broker with a crowd at its max.connections and one that has few descriptors left are named; the others are not."""

import json

import pytest

from support.live.availability import CROWD, FULL, LIMITS, MOST, QUIET
from support.live.measured import Measured

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("availability")]


def test_who_is_near_a_limit_is_named_although_a_later_sweep_is_well(measured: Measured) -> None:
    finding = measured.finding(FULL, "OPS-LIMIT-NEAR")
    assert (finding["verdict"], sorted(finding["subjects"])) == ("exposed", ["broker 1", "broker 2"])
    values = {one["where"]: one["value"] for one in finding["evidence"]}
    held = values["connections of broker 1"]
    assert CROWD / MOST <= held < 1.5, "a listener between brokers may have more than max.connections"
    opened, most = json.loads((measured.home / LIMITS).read_text())
    # the sweep itself has a few connections to it, and its files come and go
    assert values["descriptors of broker 2"] == pytest.approx(opened / most, abs=0.05)
    assert values["descriptors of broker 3"] < 0.1
    assert values["connections of broker 3"] == pytest.approx(0, abs=0.0001), "it may have two thousand million"


def test_a_quiet_cluster_is_within_its_limits(measured: Measured) -> None:
    assert measured.finding(QUIET, "OPS-LIMIT-NEAR")["verdict"] == "not_affected"
