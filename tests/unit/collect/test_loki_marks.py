"""Log marks of a sweep that a Loki gives: lines by broker and span, and how each of its failures is told."""

import base64
from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet.collect.log_marks import loki as module
from kafka_fleet.collect.log_marks import sweep_marks
from kafka_fleet.config.credentials import Connection
from support.builders.log_mark_sweeps import FLOOD, NOW, SEGMENT, UNCLEAN, Clock, cluster, short, swept
from support.servers.loki import Loki, loki_server

SELECTORS = {"broker": '{app="kafka", host="{host}"}', "kernel": '{job="kernel", node="{broker}"}'}
DATA = b'{"status":"success","data":{"resultType":%b}}'


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    monkeypatch.setattr(sweep_marks, "datetime", Clock)


@pytest.fixture
def loki(monkeypatch):
    monkeypatch.setattr("kafka_fleet.collect.connections.query_api.PAUSE_S", 0.01)
    with loki_server() as one:
        one.push({"app": "kafka", "host": "b1"}, (NOW - 100, SEGMENT), (NOW - 99, UNCLEAN), (NOW - 90, SEGMENT))
        one.push({"app": "kafka", "host": "b2"}, (NOW - 4000, "[2026-11-26 01:00:00,000] INFO started (k)"))
        one.push({"job": "kernel", "node": "1"}, (NOW - 80, FLOOD))
        yield one


def test_lines_of_a_broker_are_counted_by_log_with_their_times_and_numbers(loki):
    rows = swept(cluster(loki={"url": loki.url, "selectors": SELECTORS}))
    assert short(rows) == [
        (1, "broker", "ok", None, None, None, None),
        (1, "broker", "ok", "recovered_segment", None, 2, None),
        (1, "broker", "ok", "unclean_start", None, 1, 12),
        (1, "kernel", "ok", None, None, None, None),
        (1, "kernel", "ok", "syn_flood", 9092, 1, None),
    ]
    assert [rows[1][name].timestamp() for name in ("first_at", "last_at")] == pytest.approx([NOW - 100, NOW - 90])
    span = rows[0]["read_at"] - rows[0]["counted_from"]
    assert span == sweep_marks.FIRST
    assert not any("Recovering" in str(row) for row in rows)


def test_a_broker_that_fails_costs_no_other_and_a_quiet_one_was_read(loki):
    rows = swept(
        cluster(loki={"url": loki.url, "selectors": SELECTORS}), {1: "b1", 2: "b2", 3: 'b3"} |= "', 4: "elsewhere"}
    )
    told = [(row["broker"], row["log"], row["outcome"], row["detail"]) for row in rows if row.get("mark") is None]
    assert told == [
        (1, "broker", "ok", None),
        (1, "kernel", "ok", None),
        (2, "broker", "ok", None),
        (2, "kernel", "failed", "no_stream: no stream of the last 24 h has these labels"),
        (3, "broker", "failed", "forbidden: its advertised host is no name or address"),
        (3, "kernel", "failed", "forbidden: its advertised host is no name or address"),
        (4, "broker", "failed", "no_stream: no stream of the last 24 h has these labels"),
        (4, "kernel", "failed", "no_stream: no stream of the last 24 h has these labels"),
    ]


def test_a_span_goes_on_where_the_last_read_ended_and_lines_at_its_ends_count_once(loki):
    cut = datetime.fromtimestamp(round(NOW - 90), UTC)
    loki.streams = []
    loki.push({"app": "kafka", "host": "b1"}, *((cut.timestamp() + s, SEGMENT) for s in (-5, 0, 5)))
    made = cluster(loki={"url": loki.url, "selectors": {"broker": SELECTORS["broker"]}})
    (told, rows) = swept(made, unread={(1, "broker"): cut})
    assert (rows["lines"], told["counted_from"]) == (2, cut)
    long_ago = {(1, "broker"): cut - timedelta(days=3)}
    assert swept(made, unread=long_ago)[0]["counted_from"] > cut - timedelta(hours=7)
    gone = swept(made, {}, unread={(1, "broker"): cut})
    assert (gone[0]["outcome"], gone[0]["counted_from"]) == ("failed", cut), "it is asked for again when it is back"
    assert swept(made, {}, unread={(1, "broker"): cut}, replicas={1, 2}) == gone, "it is away, and has replicas"
    assert swept(made, {}, unread={(1, "broker"): cut}, replicas={2}) == [], "it was removed from the cluster"


def test_pages_are_read_to_the_end_and_each_line_counts_once(loki, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 7)
    loki.streams = []
    for part in range(3):  # lines of several streams at the same moments
        lines = [(NOW - 300 + i // 2, f"{SEGMENT} {i}") for i in range(30)]
        loki.push({"app": "kafka", "host": "b1", "part": str(part)}, *lines)
    made = cluster(loki={"url": loki.url, "selectors": {"broker": SELECTORS["broker"]}})
    assert swept(made)[1]["lines"] == 90
    monkeypatch.setattr(module, "PAGES", 5)
    told, counted = swept(made)
    assert counted["lines"] == 35
    assert told["detail"].startswith("more than 35 lines: counted up to ")
    rest = swept(made, unread={(1, "broker"): told["read_at"]})
    assert counted["lines"] + rest[1]["lines"] > 35, "the next sweep goes on there"


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, b"parse error: canary", "http: the Loki refuses the query (HTTP 400)"),
        (401, b"no org id", "auth: HTTP 401"),
        (404, b"404 page not found", "http: HTTP 404; is this the address of a Loki?"),
        (429, b"too many outstanding requests", "http: the Loki takes no more requests now (HTTP 429)"),
        (500, b"rpc error: canary", "http: HTTP 500"),
        (504, b"context canceled", "http: HTTP 504"),
        (302, b"", "redirect: HTTP 302"),
        (200, b"<html>canary", "not_json: the answer is not JSON; is this a Loki?"),
        (
            200,
            DATA % b'"matrix","result":[]',
            "protocol: the answer holds no lines",
        ),
        (
            200,
            DATA % b'"streams","result":[{"values":[[1,"canary"]]}]',
            "protocol:",
        ),
        (200, b'{"status":"success"}', "protocol: the answer has not the form of Loki's API"),
        (200, b'{"status":' * 100_000, "protocol:"),
        (200, b" " * 5_000_000, "too_large"),
    ],
)
def test_what_a_loki_answers_instead_is_told_without_its_text(loki, status, text, kind):
    loki.fail = lambda path, number: (status, {"Location": "http://127.0.0.1:1/"}, text)
    rows = swept(cluster(loki={"url": loki.url, "selectors": {"broker": SELECTORS["broker"]}}))
    assert [row["outcome"] for row in rows] == ["failed"]
    assert rows[0]["detail"].startswith(kind)
    assert "canary" not in rows[0]["detail"]
    assert rows[0]["counted_from"] is not None


def test_a_loki_that_limits_requests_once_is_asked_again(loki):
    loki.fail = lambda path, number: (429, {}, b"too many outstanding requests") if number == 1 else None
    rows = swept(cluster(loki={"url": loki.url, "selectors": {"broker": SELECTORS["broker"]}}))
    assert [row["outcome"] for row in rows] == ["ok", "ok", "ok"]


def test_a_tenant_and_a_login_are_sent_and_no_row_has_them():
    login = "Basic " + base64.b64encode(b"reader:canary-password").decode()
    marks = {"selectors": {"broker": SELECTORS["broker"]}, "connection": "logs", "tenant": "team-a"}
    with loki_server(tenants=True, login=login) as one:
        one.push({"app": "kafka", "host": "b1"}, (NOW - 100, SEGMENT))
        made = cluster(loki={"url": one.url, **marks})
        rows = swept(made, resolver=lambda name: Connection("reader", "canary-password", {}))
        wrong = swept(made, resolver=lambda name: Connection("reader", "canary-other", {}))
    assert [row["outcome"] for row in rows] == ["ok", "ok"]
    assert {headers["X-Scope-OrgID"] for _path, _form, headers in one.asked} == {"team-a"}
    assert wrong[0]["detail"] == "auth: HTTP 401: the login or the client certificate is refused"
    assert "canary" not in str([rows, wrong, made.declaration()])


def test_a_connection_that_is_not_there_and_a_time_that_is_over_are_told(loki):
    marks = {"url": loki.url, "selectors": {"broker": SELECTORS["broker"]}, "connection": "logs"}
    rows = swept(cluster(loki=marks), resolver=lambda name: Connection("a", "b", {"ca_file": "/nowhere"}))
    assert rows[0]["detail"] == "credentials: connection logs: ca_file must be the path of a file that is there"
    late = swept(cluster(loki={**marks, "connection": None}), limits=None)
    assert late[0]["detail"].startswith("timeout: not asked")
    assert loki.asked == []


def test_the_server_of_these_tests_refuses_what_loki_refuses():
    one = Loki()
    form = {"query": '{a="b"}', "start": "0", "end": "9"}
    assert one.answer("/loki/api/v1/query_range", {**form, "limit": "5001"}, {})[0] == 400
    assert one.answer("/loki/api/v1/query_range", {**form, "query": "{}"}, {})[0] == 400
    assert Loki(tenants=True).answer("/loki/api/v1/series", {}, {})[0] == 401
