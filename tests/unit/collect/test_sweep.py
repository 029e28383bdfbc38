"""One sweep of one cluster: what is landed when everything, something or nothing answers, and that no secret is."""

import time
from ipaddress import ip_address
from typing import Any

import pytest

from kafka_fleet.collect import sweep as module
from kafka_fleet.collect.admin.client import AdminSweep
from kafka_fleet.collect.agent_urls import endpoints
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.sweep import sweep_cluster
from kafka_fleet.config.credentials import local_credentials
from support.builders.swept_clusters import LIMITS, NO_ADMIN, cluster, run
from support.inspection.canaries import hits
from support.servers.jolokia_simulator import Agent, agent, answer, never_answers

SHORT = LIMITS._replace(read_s=2.0, deadline_s=3.0)  # where one answers never and another must have its time


LISTED = {"broker": 7, "host": "127.0.0.1", "port": 9092, "rack": None}


def listing(**tables: Any) -> AdminSweep:
    return AdminSweep("ok", None, [], "cluster-id", 1, tables)


@pytest.mark.fault(1, 56)
def test_every_broker_and_the_admin_protocol_dead_still_lands_the_declaration(tmp_path):
    one = cluster({"brokers": {1: "http://127.0.0.1:1/jolokia", 2: "http://b.invalid/jolokia"}})
    started = time.monotonic()
    result, rows = run(tmp_path, one, Limits())
    assert time.monotonic() - started < 60, "with the limits as shipped"
    assert result.all_failed
    assert [(r["broker"], r["outcome"], r["kind"], r["read_at"]) for r in rows("brokers")] == [
        (1, "failed", "unreachable", None),
        (2, "failed", "dns", None),
    ]
    (declared,) = rows("declarations")
    assert declared["declaration"] == one.declaration()
    assert declared["owners"] == ["oncall@example.org"]
    (sweep,) = rows("sweeps")
    assert (sweep["admin_outcome"], sweep["admin_missing"]) == ("failed", ["every admin table"])
    assert "127.0.0.1:1: connection refused" in sweep["admin_detail"]


@pytest.mark.fault(5, 56)
def test_one_of_three_brokers_answers_everything_one_hangs_one_leaks(tmp_path):
    with agent(Agent()) as good, agent(Agent()) as silent, agent(Agent()) as leaking:
        silent.wire = never_answers
        leaking.wire = lambda handler: answer(handler, b'{"args":"-Dpassword=canary-jmx"}', 500)
        started = time.monotonic()
        result, rows = run(tmp_path, cluster({"brokers": {1: good.url, 2: silent.url, 3: leaking.url}}), SHORT)
        assert time.monotonic() - started < 6
    assert not result.all_failed
    assert result.outcomes == {"ok": 1, "partial": 0, "truncated": 0, "failed": 2}
    assert [(r["broker"], r["outcome"], r["kind"]) for r in rows("brokers")] == [
        (1, "ok", None),
        (2, "failed", "timeout"),
        (3, "failed", "http"),
    ]
    assert {(r["broker"], r["release"]) for r in rows("broker_metrics")} == {(1, "3.3.1")}
    assert len(rows("partitions")) == 6
    assert all(row["read_at"] is not None for row in rows("partitions"))


@pytest.mark.fault(56)
def test_a_broken_connection_is_a_failure_of_its_brokers_and_sends_nothing(tmp_path):
    with agent(Agent()) as one:
        made = cluster({"brokers": {1: one.url}, "connection": "broken"}, kafka_connection="broken")
        result, rows = run(tmp_path, made)
        assert one.seen == []
    assert result.all_failed
    assert rows("brokers")[0]["kind"] == "credentials"
    assert "BROKEN" in rows("sweeps")[0]["admin_detail"]


def test_a_secrets_file_that_is_no_yaml_lands_a_sweep_too(tmp_path):
    path = tmp_path / "secrets.yaml"
    path.write_text("jolokia: {password: canary-password")
    resolver = local_credentials({"KAFKA_FLEET_SECRETS": str(path)})
    result = sweep_cluster(cluster({"brokers": {1: "http://127.0.0.1:1/"}}), tmp_path / "home", resolver, LIMITS)
    assert result.brokers[0][2] == "credentials"
    assert hits(["canary-password"], [tmp_path / "home"], {"result": repr(result)}) == []


def test_brokers_of_the_listing_are_found_by_the_template(tmp_path, monkeypatch):
    hosts = [
        {"broker": b, "host": h, "port": 9092, "rack": None} for b, h in ((1, "127.0.0.1"), (2, "169.254.169.254"))
    ]
    monkeypatch.setattr(module, "sweep_admin", lambda *a: listing(brokers=hosts))
    with agent(Agent()) as one:
        result, rows = run(tmp_path, cluster({"url_template": one.url.replace("127.0.0.1", "{host}")}))
    assert result.outcomes["ok"] == 1
    assert [(r["outcome"], r["kind"], r["host"]) for r in rows("brokers")] == [
        ("ok", None, "127.0.0.1"),
        ("failed", "forbidden", "169.254.169.254"),
    ]


def test_a_listed_broker_without_endpoint_and_a_controller_that_is_none(tmp_path, monkeypatch):
    hosts = [{"broker": 5, "host": "h", "port": 9092, "rack": "a"}]
    monkeypatch.setattr(module, "sweep_admin", lambda *a: listing(brokers=hosts))
    with agent(Agent()) as one:
        _result, rows = run(tmp_path, cluster({"brokers": {1: "http://127.0.0.1:1/"}, "controllers": {9: one.url}}))
    assert [(r["broker"], r["is_broker"], r["kind"]) for r in rows("brokers")] == [
        (1, True, "unreachable"),
        (5, True, "no_endpoint"),
        (9, False, None),
    ]


@pytest.mark.parametrize("templated", [True, False])
def test_a_controller_that_joined_by_itself_is_read_where_the_template_leads(tmp_path, monkeypatch, templated):
    """Node 5 is a broker of old that is away, so its voter is none that is a controller alone."""
    found = [{"replica": node, "is_voter": node != 1, "host": "127.0.0.1"} for node in (1, 5, 7, 100)]
    topic = {"topic": "orders", "partition": 0, "leader": 7, "replicas": [7, 5], "isr": [7]}
    admin = listing(brokers=[LISTED], topics=[topic], quorum_replicas=found)
    monkeypatch.setattr(module, "sweep_admin", lambda *a: admin)
    with agent(Agent()) as one:
        template = {"url_template": one.url.replace("127.0.0.1", "{host}")} if templated else {"brokers": {7: one.url}}
        _result, rows = run(tmp_path, cluster(template))
    asked = [(r["broker"], r["is_broker"], r["outcome"], r["host"]) for r in rows("brokers")]
    assert asked == [(7, True, "ok", "127.0.0.1"), *([(100, False, "ok", None)] if templated else [])]


def test_a_controller_that_joined_and_has_no_agent_is_no_broker_that_does_not_answer(tmp_path, monkeypatch):
    """Nor one whose address is not contacted, or does not resolve; and none of them is asked for its certificate."""
    hosts = {100: "127.0.0.1", 101: "::1", 102: "169.254.169.254", 103: "nowhere.invalid"}
    found = [{"replica": node, "is_voter": True, "host": host} for node, host in hosts.items()]
    monkeypatch.setattr(module, "sweep_admin", lambda *a: listing(brokers=[LISTED], quorum_replicas=found))
    with agent(Agent()) as one:
        result, rows = run(tmp_path, cluster({"url_template": one.url.replace("127.0.0.1", "{host}")}))
    assert [(r["broker"], r["outcome"]) for r in rows("brokers")] == [(7, "ok"), (100, "ok")]
    assert result.outcomes["failed"] == 0
    assert [r["broker"] for r in rows("certificates") if r["service"] == "agent"] == [7, 100]


@pytest.mark.parametrize(
    "host", ["evil.org/x?", "u:p@evil.org", "evil.org:80/", "evil.org#", "a b", "", "é", "[::1", "1:2"]
)
def test_an_advertised_host_cannot_change_the_rest_of_the_url(host):
    one = cluster({"url_template": "http://{host}:8778/jolokia"})
    url = endpoints(one, {1: host})[1]
    swept = module._sweep_broker(one, url, module.Credentials(), LIMITS, time.monotonic() + 9)
    assert (swept.outcome, swept.kind) == ("failed", "forbidden")


def test_an_ipv6_host_is_put_in_brackets():
    one = cluster({"url_template": "http://{host}:8778/jolokia"})
    assert endpoints(one, {1: str(ip_address("fd00::1"))}) == {1: "http://[fd00::1]:8778/jolokia"}


@pytest.mark.fault(27, 53)
def test_hostile_text_of_one_agent_does_not_cost_the_sweep(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: NO_ADMIN)
    with agent(Agent({"bad\ud800": 1, "fine": 1, "<script>": 1})) as odd, agent(Agent()) as good:
        result, rows = run(tmp_path, cluster({"brokers": {1: odd.url, 2: good.url}}))
    assert result.outcomes["ok"] == 1
    assert {r["topic"] for r in rows("partitions") if r["broker"] == 1} == {"fine", "<script>"}
    assert rows("brokers")[0]["unusable"] == 5


@pytest.mark.fault(5)
def test_many_hanging_brokers_cannot_hold_the_cluster_past_its_deadline(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CLUSTER_S", 1.5)
    monkeypatch.setattr(module, "sweep_admin", lambda *a: listing(brokers=[]))
    with agent(Agent()) as silent:
        silent.wire = never_answers
        started = time.monotonic()
        urls = {b: f"{silent.url}/{b}" for b in range(60)}
        result, rows = run(tmp_path, cluster({"brokers": urls}), SHORT)
        assert time.monotonic() - started < 5
    assert result.outcomes["failed"] == 60
    assert {r["kind"] for r in rows("brokers")} == {"timeout"}
    assert any("not asked" in r["detail"] for r in rows("brokers"))


@pytest.mark.fault(5)
def test_hosts_that_never_answer_take_no_time_of_brokers_and_none_beyond_the_clusters(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CLUSTER_S", 3.0)
    monkeypatch.setattr(module, "sweep_admin", lambda *a: listing(brokers=[LISTED]))
    with agent(Agent()) as silent, agent(Agent()) as good:
        silent.wire = never_answers
        exporters = {b: f"{silent.url}/{b}" for b in range(80)}
        started = time.monotonic()
        template = good.url.replace("127.0.0.1", "{host}")
        result, rows = run(tmp_path, cluster({"url_template": template}, node_exporter=exporters), SHORT)
        assert time.monotonic() - started < 6
    assert result.outcomes["ok"] == 1
    found = rows("hosts")
    assert sorted(row["broker"] for row in found) == list(range(80))
    assert {row["outcome"] for row in found} == {"failed"}
    assert {row["detail"].partition(":")[0] for row in found} == {"timeout"}
    assert any("not asked: the cluster's other endpoints took all of 3 s" in row["detail"] for row in found)


def test_hosts_are_rows_also_when_they_fail(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "sweep_admin", lambda *_: NO_ADMIN)
    with agent(Agent()) as host:
        host.wire = lambda handler: answer(handler, b"node_netstat_TcpExt_ListenDrops 5\n")
        exporters = {1: host.url, 2: "http://127.0.0.1:1/metrics"}
        _result, rows = run(tmp_path, cluster({"brokers": {1: "http://127.0.0.1:1/"}}, node_exporter=exporters))
        assert [headers.get("Authorization") for _p, headers, _b in host.seen] == [None]
    assert [(r["broker"], r["outcome"], r["listen_drops"]) for r in rows("hosts")] == [
        (1, "ok", 5),
        (2, "failed", None),
    ]
