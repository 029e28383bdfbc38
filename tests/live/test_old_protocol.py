"""Old clients at 3.9.1 are named, newer ones are not; the table of what 4.x refuses is what brokers themselves say."""

import json
from typing import Any

import pytest

from kafka_fleet.knowledge.refused_requests import refused_requests
from kafka_fleet.roll.target import target_release
from kafka_fleet.roll.target_clients import of_clients
from kafka_fleet.store.raw.newest_sweep import newest_sweep, sweep_tables
from support.live.availability import PROTOCOL, QUIET, THROTTLED
from support.live.measured import Measured
from support.live.old_clients import result

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("availability")]
NUMBERS = {
    "Produce": 0, "FetchConsumer": 1, "ListOffsets": 2, "OffsetCommit": 8, "OffsetFetch": 9, "JoinGroup": 11,
    "CreateTopics": 19, "DeleteTopics": 20, "OffsetForLeaderEpoch": 23, "DescribeAcls": 29, "CreateAcls": 30,
    "DeleteAcls": 31, "DescribeConfigs": 32, "AlterReplicaLogDirs": 34, "DescribeLogDirs": 35,
    "CreateDelegationToken": 38, "RenewDelegationToken": 39, "ExpireDelegationToken": 40, "DescribeDelegationToken": 41,
}  # fmt: skip


def asked(measured: Measured, release: str) -> dict[str, Any]:
    """What a broker of the release answered."""
    found: dict[str, Any] = json.loads(result(measured.home, release).read_text())
    return found


def first_versions(measured: Measured, release: str) -> dict[str, int]:
    """The first version of each request of the table that a broker says it answers."""
    versions = asked(measured, release)["versions"]
    return {name: versions[str(number)][0] for name, number in NUMBERS.items()}


def test_old_clients_are_named_by_request_and_version_and_the_newer_one_is_not(measured: Measured) -> None:
    finding = measured.finding(PROTOCOL, "OPS-OLD-PROTOCOL")
    assert (finding["verdict"], finding["missing"]) == ("exposed", [])
    assert sorted(finding["subjects"]) == [
        "client old-app 0.10.2 with Fetch 3, ListOffsets 0, Produce 2 on broker 1",
        "client unknown with Produce 2 on broker 1",
    ]
    values = {(one["metric"], one["where"]): one["value"] for one in finding["evidence"]}
    assert values["requests today that brokers from 4.0 on refuse", "client old-app 0.10.2"] == 3
    assert values["brokers that counted such requests by client", "all brokers"] == 3
    counted = {
        (row["software"], row["request"], row["version"]) for row in measured.raw("deprecated_requests", PROTOCOL)
    }
    assert {("old-app", "Fetch", "3"), ("old-app", "FetchConsumer", "3")} <= counted, "a Fetch is counted twice"
    assert "newer-app" not in {software for software, _request, _version in counted}


def test_the_plan_names_them_and_so_does_ready(measured: Measured) -> None:
    plan = measured.dossier(PROTOCOL)["plan"]
    assert plan["old_protocol"]["answer"] is True
    steps = [step for one in (plan["now"], plan["next"]) if one for step in one["steps"]]
    (step,) = [one for one in steps if one.startswith("Upgrade these clients first: ")]
    assert "old-app 0.10.2 (Fetch 3, ListOffsets 0, Produce 2, last " in step
    assert not [one for one in steps if "See that no Java client" in one]
    wanted = dict.fromkeys(("sweeps", "brokers", "broker_metrics", "deprecated_requests", "client_software"), ())
    sweep = newest_sweep(measured.home, PROTOCOL, list(wanted))
    assert sweep is not None
    target = target_release("4.1.1")
    (one,) = of_clients(sweep_tables(measured.home, sweep, wanted), [target_release("3.9.1")], target, None)
    assert (one.code, one.level) == ("clients_refused", "blocks")
    assert one.names[0] == "old-app 0.10.2 (Fetch 3, ListOffsets 0, Produce 2)"


def test_counts_that_stand_still_are_no_requests(measured: Measured) -> None:
    """The sweeps after the old clients: what their counters show was sent before the first of them."""
    rows = measured.facts("request_versions", cluster=THROTTLED, is_by_client=True)
    assert {row["software"] for row in rows} == {"old-app", "unknown"}
    first = min(row["read_at"] for row in measured.raw("brokers", THROTTLED) if row["broker"] == 1)
    assert {row["last_at"] for row in rows} == {first}


def test_a_cluster_without_old_clients_says_who_measured_it(measured: Measured) -> None:
    finding = measured.finding(QUIET, "OPS-OLD-PROTOCOL")
    assert (finding["verdict"], finding["subjects"], finding["missing"]) == ("not_affected", [], [])
    plan = measured.dossier(QUIET)["plan"]
    assert plan["old_protocol"]["answer"] is False
    said = "o client used an API that 4.0 removes, measured by 3 of 3 brokers in "
    assert plan["old_protocol"]["sentence"].startswith(f"n{said}")
    assert [step for one in (plan["now"], plan["next"]) if one for step in one["steps"] if step.startswith(f"N{said}")]


def test_a_broker_of_3_9_1_answers_every_version_of_the_table(measured: Measured) -> None:
    assert set(NUMBERS) == set(refused_requests())
    found = asked(measured, "3.9.1")
    assert (found["old"], found["newer"]) == ([True, True, True], [True])
    assert set(first_versions(measured, "3.9.1").values()) == {0}


@pytest.mark.scenario("releases")
@pytest.mark.sampled("releases")
def test_a_broker_of_4_1_1_refuses_what_the_table_says_and_no_more(measured: Measured) -> None:
    """Of Produce it says that it answers from 0 on, for librdkafka, and closes the connection all the same."""
    found, first = asked(measured, "4.1.1"), first_versions(measured, "4.1.1")
    assert (found["old"], found["newer"]) == ([False, False, False], [True])
    expected = {name: 0 if one.restored else one.up_to + 1 for name, one in refused_requests().items()}
    assert first == {**expected, "Produce": 0}
