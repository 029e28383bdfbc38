"""Brokers are asked whose connections they have when the sweep's own ones have said it."""

import threading
from typing import Any

from kafka_fleet.collect import sweep as module
from support.builders.swept_clusters import RESOLVER, cluster
from support.servers.jolokia_simulator import Agent, agent
from support.servers.wire_broker import Broker, running


def test_clients_are_counted_when_the_sweeps_own_connections_are_no_strangers(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "NAMED_S", 60.0)
    first_bulk = threading.Event()
    asked: dict[str, list[str]] = {}

    class Slow(Broker):
        def _DescribeConfigsRequest(self, request: Any, version: int) -> Any:
            assert first_bulk.wait(60)
            threading.Event().wait(0.3)  # long enough for an agent that is not waited with
            return super()._DescribeConfigsRequest(request, version)

    def seen(mbean: str, answer: dict[str, Any]) -> dict[str, Any]:
        first_bulk.set()
        asked.setdefault(mbean, list(broker.asked))
        return answer

    with running({}, kind=Slow) as (server, broker), agent(Agent()) as one:
        one.entry = seen
        found = module.sweep_cluster(
            cluster({"brokers": {7: one.url}}, kafka_connection=None, bootstrap_servers=[server]), tmp_path, RESOLVER
        )
    (counted,) = (mbean for mbean in asked if "clientSoftwareName" in mbean)
    assert "DescribeConfigsRequest" in asked[counted]
    assert [outcome for _broker, outcome, _kind, _detail in found.brokers] == ["ok"]


def test_brokers_do_not_wait_longer_for_it_than_they_may(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "NAMED_S", 0.0)
    both = threading.Event()

    class Stuck(Broker):
        def _MetadataRequest(self, request: Any, version: int) -> Any:
            assert both.wait(60)
            return super()._MetadataRequest(request, version)

    with running({}, kind=Stuck) as (server, _broker), agent(Agent()) as one:
        one.entry = lambda mbean, answer: (both.set() if "clientSoftwareName" in mbean else None) or answer
        found = module.sweep_cluster(
            cluster({"brokers": {7: one.url}}, kafka_connection=None, bootstrap_servers=[server]), tmp_path, RESOLVER
        )
    assert found.admin.outcome == "ok", "its metadata came when both bulks had been asked for"
