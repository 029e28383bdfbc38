"""What is asked for once more and what is not: dropped packets, names that come and go, 5xx, answers that break off."""

import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from kafka_fleet.collect.connections import http as transport
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.hosts import sweep_host
from kafka_fleet.collect.jolokia.client import sweep_broker
from kafka_fleet.collect.metrics.client import sweep_metrics
from support.builders.broker_sweeps import LIMITS, SECRET, failed, sweep
from support.builders.metric_answers import recorded
from support.servers.hostile_answers import dropping
from support.servers.jolokia_simulator import Agent, agent, answer

resolved = socket.getaddrinfo


@pytest.fixture
def broker():
    with agent(Agent()) as one:
        yield one


@pytest.mark.fault(3)
def test_dropped_packets_cost_two_times_to_connect_and_no_more():
    limits = LIMITS._replace(connect_s=1.0)
    with dropping() as url:
        started = time.monotonic()
        found = sweep_broker(url, SECRET, limits)
        took = time.monotonic() - started
    assert (found.outcome, found.kind, found.detail) == ("failed", "timeout", "no connection in time")
    assert 2 * 1.0 <= took < 3 * 1.0
    assert Limits().connect_s == 3.0


def flapping(monkeypatch, failures, port):
    """The name broker.test resolves to this machine after so many failures; gives the list of its look-ups."""
    asked = []

    def lookup(host, *more, **options):
        if host != "broker.test":
            return resolved(host, *more, **options)
        asked.append(host)
        if len(asked) <= failures:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    return asked


@pytest.mark.fault(4)
@pytest.mark.parametrize(("failures", "kind", "lookups"), [(1, None, 2), (9, "dns", 2)])
def test_a_name_that_does_not_resolve_is_looked_up_once_more(broker, monkeypatch, failures, kind, lookups):
    port = int(broker.url.rsplit(":", 1)[1].split("/")[0])
    asked = flapping(monkeypatch, failures, port)
    found = sweep_broker(f"http://broker.test:{port}/jolokia", SECRET, LIMITS)
    assert (found.outcome, found.kind) == ("failed" if kind else "ok", kind)
    assert len(asked) == lookups
    assert kind is None or found.detail == "the host name does not resolve"


def refusing(broker, *statuses, **headers):
    """The agent answers these statuses first; gives the times of all requests."""
    left, times = list(statuses), []

    def wire(handler):
        times.append(time.monotonic())
        if left:
            answer(handler, b"<h1>canary</h1>", left.pop(0), **headers)
        else:
            broker.wire = None
            handler.serve_answers(broker.seen[-1][2])

    broker.wire = wire
    return times


@pytest.mark.fault(13)
@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_5xx_is_tried_once_more_after_a_random_wait(broker, status):
    times = refusing(broker, status)
    found = sweep(broker)
    assert (found.outcome, found.detail) == ("ok", None)
    assert len(broker.seen) == 3
    low, high = transport.WAIT_S
    assert low <= times[1] - times[0] < high + 0.3


@pytest.mark.fault(13)
@pytest.mark.parametrize(("status", "tries"), [(404, 1), (410, 1), (500, 2), (503, 2)])
def test_what_goes_on_failing_is_failed_after_so_many_tries_of_each_bulk(broker, status, tries):
    refusing(broker, *[status] * 9)
    assert failed(broker, "http").detail == f"HTTP {status}"
    assert len(broker.seen) == 2 * tries


@pytest.mark.fault(13)
def test_no_two_waits_are_the_same():
    waits = {transport._wait_s(type("Answer", (), {"headers": {}})) for _try in range(20)}
    assert len(waits) > 15


@pytest.mark.fault(13)
@pytest.mark.parametrize(
    ("after", "least", "tries"),
    [
        ("1", 1.0, 2),
        ("0", 0.2, 2),
        ("soon", 0.2, 2),
        ("-9", 0.2, 2),
        ("9" * 400, 0, 1),
        ("6", 0, 1),
        ("date", 0.2, 2),
        ("later", 0, 1),
    ],
)
def test_retry_after_is_waited_for_where_the_sweep_has_the_time(broker, after, least, tries):
    when = {"date": timedelta(seconds=-5), "later": timedelta(hours=1)}.get(after)
    value = after if when is None else format_datetime(datetime.now(UTC) + when, usegmt=True)
    times = refusing(broker, 503, 503, 503, Retry_After=value)
    with transport.Endpoint(broker.url, SECRET, LIMITS) as endpoint, pytest.raises(transport.Failure, match="HTTP 503"):
        endpoint.send("POST", broker.url, b"[]")
    assert len(times) == tries
    assert times[-1] - times[0] >= least


@pytest.mark.fault(13)
def test_the_deadline_is_kept_by_those_who_wait(broker):
    times = refusing(broker, *[503] * 9, Retry_After="4")
    started = time.monotonic()
    assert sweep(broker, LIMITS._replace(deadline_s=4.0)).detail == "HTTP 503"
    assert time.monotonic() - started < 4.0
    assert len(times) == 2, "each bulk once: a second try would have come too late"


@pytest.mark.fault(13)
def test_the_metrics_of_a_host_are_asked_for_once_more_too(broker):
    left = [503]

    def wire(handler):
        answer(handler, b"node_boot_time_seconds 7\n", left.pop() if left else 200)

    broker.wire = wire
    assert sweep_host(1, broker.url, LIMITS)["outcome"] == "ok"


@pytest.mark.fault(13)
@pytest.mark.parametrize(
    ("statuses", "outcome", "tries"), [([503], "partial", 2), ([503] * 9, "failed", 2), ([404], "failed", 1)]
)
def test_a_metrics_endpoint_that_is_busy_is_asked_once_more_too(broker, statuses, outcome, tries):
    left, times = list(statuses), []

    def wire(handler):
        times.append(time.monotonic())
        if left:
            answer(handler, b"canary", left.pop(0), Retry_After="1")
        else:
            answer(handler, recorded("kafka-2_0_0"))

    broker.wire = wire
    assert sweep_metrics(broker.url, SECRET, LIMITS).outcome == outcome
    assert len(times) == tries
    assert tries == 1 or times[1] - times[0] >= 1.0


def test_a_mistake_of_who_takes_an_answer_is_no_failure_of_the_far_side(broker):
    def wire(handler):
        answer(handler, b"up 1")

    def take(_piece):
        raise ValueError("a mistake")

    broker.wire = wire
    with transport.Endpoint(broker.url, SECRET, LIMITS) as endpoint, pytest.raises(ValueError, match="a mistake"):
        endpoint.read(broker.url, take)


@pytest.mark.fault(9)
@pytest.mark.parametrize(("broken", "outcome", "partitions"), [("BrokerState", "partial", 6), ("Size", "truncated", 0)])
def test_a_broker_of_which_one_bulk_broke_off_is_never_ok(broker, broken, outcome, partitions):
    """Without its partitions it is truncated: what needs them all must not take it for read."""

    def wire(handler):
        if not any(f"name={broken}" in read["mbean"] for read in broker.seen[-1][2]):
            handler.serve_answers(broker.seen[-1][2])
        else:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n[{")

    broker.wire = wire
    found = sweep(broker)
    assert (found.outcome, found.kind) == (outcome, "cut_off")
    assert len(broker.seen) == 3
    assert len(found.rows.by_table["partitions"]) == partitions
    assert bool(found.rows.by_table["broker_metrics"]) == (outcome == "truncated")
