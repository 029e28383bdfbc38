"""retriable_errors on sweeps of healthy clusters: quiet, and its facts hold what the brokers counted."""

import json

import pytest

from support.homes.recorded import recording, scenarios
from support.spark_runs.analysed import analysed

pytestmark = pytest.mark.timeout(1800)  # the first test waits for the analysis that all read


def test_no_recorded_cluster_shows_it() -> None:
    found = {
        one["cluster"]: one
        for one in json.loads(analysed().outputs()["signatures.json"])
        if one["signature"] == "retriable_errors"
    }
    assert {name: found[name]["state"] for name in scenarios()} == dict.fromkeys(scenarios(), "quiet")
    assert not [one for one in found.values() if one["state"] == "detected"]
    assert found["broker-missing"]["state"] == "not_evaluated"
    assert found["broker-missing"]["missing"] == [
        "broker 2: no two reads of one process with the counters of error codes"
    ]


def test_counts_of_the_day_add_up_to_what_the_brokers_showed_last() -> None:
    """From process start on, so that the counters' last values are the sums of the differences."""
    last = recording("follower331")[-1]
    shown = {(row["broker"], row["request"], row["error"]): row["errors"] for row in last.rows("request_errors")}
    sums: dict[tuple[int, str, str], int] = {}
    for row in analysed().facts("error_counters", cluster="follower331"):
        key = (row["broker"], row["request"], row["error"])
        sums[key] = sums.get(key, 0) + row["errors"]
    assert sums == {key: errors for key, errors in shown.items() if errors}


def test_connections_of_brokers_and_of_the_collector_are_no_old_clients() -> None:
    for name in scenarios():
        rows = analysed().facts("listener_clients", cluster=name)
        assert rows
        for row in rows:
            assert row["nameless"] <= 1  # one that has not yet said who it is
            assert min(row["nameless"], row["nameless_before"] or 0) == 0
            assert row["old_java"] == 0
