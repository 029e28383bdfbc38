"""Sweeps of clusters that are read by metrics endpoints, or by the Kafka protocol alone, and what users are told."""

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.collect import sweep as module
from support.builders.metric_answers import ENOUGH, lines_without, recorded
from support.builders.swept_clusters import NO_ADMIN, cluster, run
from support.servers.jolokia_simulator import Agent, agent, answer
from support.servers.metric_endpoints import endpoints, swept

OWN, STRIMZI = recorded("own"), recorded("strimzi-4.3.2")
PAGE = b"<!DOCTYPE html><html><body>Log in, canary-jmx</body></html>"


@pytest.fixture(autouse=True)
def no_kafka(monkeypatch):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: NO_ADMIN)


def test_a_hostile_endpoint_costs_its_own_broker_alone(tmp_path):
    with endpoints(OWN, PAGE) as urls:
        result, rows = swept(tmp_path, urls)
    one, other = rows("brokers")
    assert (one["outcome"], one["metrics_url"], one["jolokia_url"]) == ("ok", urls[1], None)
    assert (other["outcome"], other["kind"], other["read_at"]) == ("failed", "protocol", None)
    assert "no text of metrics" in other["detail"]
    assert {row["broker"] for row in rows("partitions")} == {1}
    assert {row["topic"] for row in rows("partitions")} >= {"orders"}
    assert result.outcomes == {"ok": 1, "partial": 0, "truncated": 0, "failed": 1}


@pytest.mark.parametrize("rules", ["own", "none"])
def test_the_endpoint_of_another_broker_is_not_taken_for_ones_own(tmp_path, rules):
    with endpoints(PAGE, recorded(rules)) as urls:
        _result, rows = swept(tmp_path, urls)
    assert [(row["broker"], row["kind"]) for row in rows("brokers")] == [(1, "protocol"), (2, "other_broker")]
    assert rows("partitions") == []


def test_client_libraries_are_stored_only_where_every_broker_shows_them(tmp_path):
    with endpoints(OWN) as urls:
        _result, rows = swept(tmp_path / "whole", urls)
        assert rows("client_software")
    without = lines_without(recorded("none"), "kafka_server_socket_server_metrics_connections{client")
    with endpoints(OWN, without.replace(b'{id="1",}', b'{id="2",}').replace(b'{id="1"}', b'{id="2"}')) as urls:
        _result, rows = swept(tmp_path / "part", urls)
        assert rows("client_software") == []


def test_a_cluster_of_the_protocol_alone_says_so_of_its_brokers(tmp_path, monkeypatch):
    listed = {"broker": 7, "host": "127.0.0.1", "port": 9092, "rack": None}
    monkeypatch.setattr(module, "sweep_admin", lambda *_: NO_ADMIN._replace(outcome="ok", tables={"brokers": [listed]}))
    result, rows = run(tmp_path, cluster(None), ENOUGH)
    (row,) = rows("brokers")
    assert (row["outcome"], row["kind"], row["jolokia_url"], row["metrics_url"]) == (
        "failed",
        "no_endpoint",
        None,
        None,
    )
    assert row["detail"] == "neither a Jolokia agent nor a metrics endpoint is declared for the cluster"
    assert not result.all_failed


def test_credentials_reach_the_endpoint_and_nothing_that_is_stored(tmp_path):
    seen = []

    def wire(handler):
        seen.append(handler.headers["Authorization"])
        answer(handler, b"canary-jmx", 401)

    one = Agent()
    one.wire = wire
    with agent(one):
        _result, rows = swept(tmp_path, {1: one.url}, connection="jolokia")
    assert seen[0].startswith("Basic ")
    assert rows("brokers")[0]["kind"] == "auth"


def test_the_rules_that_a_cluster_lacks_are_printed(tmp_path, capsys):
    with endpoints(STRIMZI) as urls:
        one = swept(tmp_path, urls)[0]
    home = ["--home", str(tmp_path), "--cluster", one.cluster]
    assert cli.main(["exporter-rules", *home]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"# {one.cluster}: to be put before the other rules")
    assert "><>Version: (.+)'" in said
    assert "request=FetchConsumer" in said
    assert cli.main(["exporter-rules"]) == 0
    assert "includeObjectNames:" in capsys.readouterr().out


def test_the_rule_that_a_broker_lacks_of_which_nothing_is_stored_is_printed(tmp_path, capsys):
    text = lines_without(STRIMZI, "process_start_time_seconds")
    with endpoints(text) as urls:
        one, rows = swept(tmp_path, urls)
    assert rows("brokers")[0]["kind"] == "not_exported"
    assert cli.main(["exporter-rules", "--home", str(tmp_path), "--cluster", one.cluster]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == ["# left out", "- {pattern: 'java.lang<type=Runtime><>(StartTime):', cache: true}"]


def test_a_cluster_that_lacks_no_rule_is_told_so_and_one_without_endpoint_is_a_mistake(tmp_path, capsys):
    with endpoints(OWN) as urls:
        one = swept(tmp_path, urls)[0]
    home = ["--home", str(tmp_path), "--cluster", one.cluster]
    assert cli.main(["exporter-rules", *home]) == 0
    assert "show all that is read" in capsys.readouterr().out
    run(tmp_path / "bare", cluster(None), ENOUGH)
    assert cli.main(["exporter-rules", "--home", str(tmp_path / "bare"), *home[2:]]) == 2
    assert "read no metrics endpoint" in capsys.readouterr().err
    assert cli.main(["exporter-rules", "--cluster", one.cluster]) == 2


def test_check_names_a_cluster_that_the_protocol_alone_tells_of(tmp_path, capsys):
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "version: 1\nclusters:\n- {id: bare, environment: staging, owners: [a@example.org], "
        "bootstrap_servers: ['127.0.0.1:1']}\n"
    )
    assert cli.main(["check", "--fleet", str(path)]) == 0
    assert "bare: neither jolokia nor metrics: only what the Kafka protocol tells is judged" in capsys.readouterr().out
