"""Collection from real brokers of five release lines: everything that the release has, and a word for what it lacks."""

import json

import pytest

from kafka_fleet.schema.mbeans import mbean_of
from kafka_fleet.store.raw.manifests import manifests
from support.live.fetches import SWEEPS
from support.live.guarded import BEFORE, NOT_FOR_THE_COLLECTOR, RESULT
from support.live.killed import KILLS
from support.live.measured import SCENARIO_OF, SCENARIOS, Measured, of_scenario

pytestmark = [pytest.mark.timeout(1800), pytest.mark.scenario("fetches")]
RELEASES = {
    "ancient111": "1.1.1",
    "redirect282": "2.8.2",
    "follower331": "3.3.1",
    "follower332": "3.3.2",
    "follower411": "4.1.1",
}


@pytest.mark.parametrize("scenario", [of_scenario(name, name) for name in SCENARIOS])
def test_every_scenario_ran(measured: Measured, scenario: str) -> None:
    if scenario in measured.failures:
        raise measured.failures[scenario]
    assert measured.seconds[scenario] > 0


@pytest.mark.parametrize(("cluster", "release"), [of_scenario(SCENARIO_OF[c], c, r) for c, r in RELEASES.items()])
def test_every_sweep_of_every_release_is_whole(measured: Measured, cluster: str, release: str) -> None:
    brokers = measured.raw("brokers", cluster)
    assert [row["broker"] for row in brokers] == [1, 2] * SWEEPS
    assert {row["outcome"] for row in brokers} == {"ok"}
    assert {row["unusable"] for row in brokers} == {0}
    assert {row["host"] for row in brokers} == {"127.0.0.1"}
    assert [row["rack"] for row in brokers[:2]] == ["a", "b"]
    admin = [(row["admin_outcome"], row["admin_detail"]) for row in measured.raw("sweeps", cluster)]
    assert admin == [("ok", None)] * SWEEPS
    metrics = measured.raw("broker_metrics", cluster)
    assert {row["release"] for row in metrics} == {release}
    assert all(row["jvm_start_ms"] > 1_600_000_000_000 for row in metrics)
    assert all(row["expired_consumer_fetches"] is not None for row in metrics)
    assert {row["kafka_cluster_id"] for row in measured.raw("sweeps", cluster)} != {None}


@pytest.mark.parametrize(
    ("cluster", "mode"),
    [
        of_scenario(SCENARIO_OF[cluster], cluster, mode)
        for cluster, mode in (("ancient111", "ZooKeeper"), ("redirect282", "ZooKeeper"), ("idle331", "KRaft"))
    ],
)
def test_the_mode_is_told(measured: Measured, cluster: str, mode: str) -> None:
    assert measured.dossier(cluster)["mode"] == mode
    assert bool(measured.raw("features", cluster)) == (mode == "KRaft")


@pytest.mark.fault(28)
@pytest.mark.scenario("old-releases")
@pytest.mark.sampled("old-releases")
def test_what_an_old_release_lacks_is_named_and_null(measured: Measured) -> None:
    row = measured.raw("broker_metrics", "ancient111")[0]
    assert row["app_start_ms"] is None
    assert row["reassigning_partitions"] is None
    assert row["messages_in"] is not None
    assert measured.raw("client_software", "ancient111") == []
    absent = mbean_of("broker_metrics", "reassigning_partitions")
    assert all(absent in one["missing"] for one in measured.raw("brokers", "ancient111"))
    told = measured.dossier("ancient111")["coverage"]["brokers"]
    assert [(one["release"], one["ok"]) for one in told] == [("1.1.1", SWEEPS)] * 2
    assert all(absent in one["missing"] for one in told)


def test_clients_are_named_from_the_brokers_own_metrics(measured: Measured) -> None:
    libraries = {(row["software"], row["software_version"]) for row in measured.raw("client_software", "follower331")}
    assert ("apache-kafka-java", "3.3.1") in libraries
    assert {row["group_id"] for row in measured.raw("groups", "follower331")} >= {"billing"}


@pytest.mark.scenario("look-alikes")
@pytest.mark.sampled("look-alikes")
def test_every_group_of_a_crowd_has_its_members(measured: Measured) -> None:
    members = {row["group_id"] for row in measured.raw("group_members", "crowd331")}
    assert len([group for group in members if group.startswith("crowd-")]) == 50


@pytest.mark.scenario("releases")
@pytest.mark.sampled("releases")
def test_a_group_of_the_consumer_protocol_has_its_member_and_what_it_reads(measured: Measured) -> None:
    last = max(row["sweep_at"] for row in measured.raw("sweeps", "follower411"))
    places = [row for row in measured.raw("group_assignments", "follower411") if row["sweep_at"] == last]
    assert [(row["group_id"], row["topic"], row["partition"]) for row in places] == [("billing", "orders", 0)]
    members = [row for row in measured.raw("group_members", "follower411") if row["sweep_at"] == last]
    assert [(row["member_id"], row["client_host"]) for row in members] == [(places[0]["member_id"], "127.0.0.1")]


def test_commits_and_log_ends_advance(measured: Measured) -> None:
    commits = [row["committed_offset"] for row in measured.raw("group_offsets", "follower331")]
    assert commits == sorted(commits)
    assert commits[-1] > commits[0]
    rates = measured.facts("partition_rates", cluster="follower331", topic="orders")
    assert 5 < sum(row["records"] for row in rates) / sum(row["seconds"] for row in rates) < 15


@pytest.mark.scenario("killed-collectors")
@pytest.mark.sampled("killed-collectors")
@pytest.mark.fault(42)
def test_a_killed_collector_leaves_no_half_sweep(measured: Measured) -> None:
    whole, damaged = manifests(measured.home, measured.days["interrupted"])
    assert damaged == []
    sweeps = {one.sweep for one in whole if one.cluster == "interrupted"}
    assert 1 <= len(sweeps) <= KILLS + 1
    landed = list((measured.home / "raw").glob("*/ds=*/interrupted.*.parquet"))
    begun = {path.name.removeprefix("interrupted.").removesuffix(".parquet") for path in landed}
    assert len(begun) == KILLS + 1  # every one of them was killed after its first file
    assert sweeps < begun  # and at least one before its commit
    assert measured.dossier("interrupted")["coverage"]["sweeps"] == len(sweeps)
    assert len(measured.raw("brokers", "interrupted")) == 2 * len(sweeps)


@pytest.mark.scenario("releases")
@pytest.mark.sampled("releases")
def test_the_policy_file_lets_the_sweep_through_and_nothing_else(measured: Measured) -> None:
    found = json.loads((measured.home / RESULT).read_text())
    statuses = {name: one.pop("statuses") for name, one in found.items()}
    refused, answered = [403] * len(NOT_FOR_THE_COLLECTOR), [200] * len(NOT_FOR_THE_COLLECTOR)
    assert statuses == {"policy": refused, "open": answered, BEFORE: refused, "attached": refused}
    assert found["policy"] == found["open"] == found["attached"]
    assert found["open"]["outcome"] == "ok"
    assert "log_end_offset" in found["open"]["columns"]["partitions"]
    assert "deadlocked_threads" in found["open"]["columns"]["broker_metrics"]
    # a policy of before this was called costs this one reading, and it is said
    older = found[BEFORE]
    assert (older["outcome"], older["replicas"]) == ("ok", found["open"]["replicas"])
    assert set(older["missing"]) - set(found["open"]["missing"]) == {"java.lang:type=Threading findDeadlockedThreads()"}
    assert set(found["open"]["columns"]["broker_metrics"]) - set(older["columns"]["broker_metrics"]) == {
        "deadlocked_threads"
    }
