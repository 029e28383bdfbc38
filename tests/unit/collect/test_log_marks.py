"""Log marks of a sweep: what a Loki and a textfile give, and how each of their failures is told."""

import base64
from datetime import UTC, datetime, timedelta

import pytest

from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.log_marks import loki as module
from kafka_fleet.collect.log_marks import sweep_marks, textfile
from kafka_fleet.collect.log_marks.kafka_log_marks.counts import Counts, exposition
from kafka_fleet.collect.log_marks.kafka_log_marks.messages import message
from kafka_fleet.collect.log_marks.sweep_marks import MarkSweep
from kafka_fleet.collect.log_marks.textfile import parse
from kafka_fleet.config.credentials import Connection
from kafka_fleet.config.fleet import Cluster
from support.builders.fleet_entries import GOOD, fleet
from support.servers.jolokia_simulator import Agent, agent, answer
from support.servers.loki import Loki, loki_server

LIMITS = Limits(5.0, 5.0, 15.0, 4_000_000)
NOW = datetime(2026, 11, 26, 2, tzinfo=UTC).timestamp()
SELECTORS = {"broker": '{app="kafka", host="{host}"}', "kernel": '{job="kernel", node="{broker}"}'}
SEGMENT = "[2026-11-26 01:45:08,123] INFO [LogLoader partition=t-0, dir=/d] Recovering unflushed segment 0. 0/1"
UNCLEAN = "[2026-11-26 01:45:08,123] INFO Recovering 12 logs from /d since no clean shutdown file was found (k)"
DATA = b'{"status":"success","data":{"resultType":%b}}'
FLOOD = "TCP: request_sock_TCP: Possible SYN flooding on port [::]:9092. Sending cookies."


def cluster(**marks):
    found = fleet({**GOOD, "jolokia": {"url_template": "http://{host}:1/"}, "log_marks": marks})
    assert found.errors == []
    return found.clusters[0]


def swept(made: Cluster, hosts=None, unread=None, resolver=None, limits=LIMITS, replicas=None):
    def none(name: str) -> Connection:
        raise AssertionError(name)

    marks = MarkSweep(made, resolver or none, unread or {}, lambda: limits, str)
    asked = marks.brokers({1: "b1"} if hosts is None else hosts, replicas)
    return [row for b, host in asked.items() for row in marks.rows(b, host)]


def short(rows):
    names = ("broker", "log", "outcome", "mark", "port", "lines", "number")
    return [tuple(row.get(name) for name in names) for row in rows]


class Clock(datetime):
    """Stands at NOW: a run of all tests may be old when it comes to these."""

    @classmethod
    def now(cls, tz=None):
        return datetime.fromtimestamp(NOW, tz)


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    monkeypatch.setattr(sweep_marks, "datetime", Clock)
    monkeypatch.setattr(textfile, "datetime", Clock)


@pytest.fixture
def loki(monkeypatch):
    monkeypatch.setattr(module, "PAUSE_S", 0.01)
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
        lines = [(NOW - 300 + i // 2, SEGMENT) for i in range(30)]
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


def text(log="broker", broker=None, since=NOW - 5000, read=NOW - 30, **own):
    counts = Counts({})
    for line, at in ((SEGMENT, NOW - 60), (UNCLEAN, NOW)):
        counts.take("broker", message(line), at)
    counts.take("kernel", FLOOD, NOW - 70)
    return exposition(counts.kept, {log: True}, {"since": since, "read": read, "lost": 0, **own}, broker).encode()


def test_what_the_script_wrote_is_read_as_it_counted():
    with agent(Agent()) as one:
        one.wire = lambda handler: answer(handler, b"node_load1 0.5\n" + text("kernel"))
        rows = swept(cluster(textfile={"brokers": {1: one.url}}))
    assert short(rows) == [(1, "kernel", "ok", None, None, None, None), (1, "kernel", "ok", "syn_flood", 9092, 1, None)]
    assert [rows[1][name].timestamp() for name in ("first_at", "last_at")] == pytest.approx([NOW - 70] * 2, abs=0.01)
    assert rows[0]["counted_from"].timestamp() == pytest.approx(NOW - 5000, abs=0.01)


def parsed(body, broker=1):
    return parse(broker, body, datetime.fromtimestamp(NOW, UTC))


def test_several_brokers_of_a_host_are_told_apart_by_their_label():
    both = text(broker="1") + text(broker="2").replace(b"12.000", b"99.000")
    assert parsed(both, 2)["broker"].tallies["unclean_start", None].number == 99
    assert parsed(both, 1)["broker"].tallies["unclean_start", None].number == 12
    with pytest.raises(Failure, match="no log marks"):
        parsed(both, 3)
    with pytest.raises(Failure, match="given twice"):
        parsed(text() + text())


def test_a_textfile_without_marks_of_now_is_no_silence():
    for body, said in (
        (b"node_load1 1\n", "protocol: the answer has no log marks"),
        (text(read=NOW - 1000), "stale: the script has not run since"),
        (text("cleaner").replace(b"cleaner_died", b"unknown_mark"), "unreadable: the script could read none"),
        (text(since=0), "protocol: the answer has no log marks"),
        (text().replace(b"since_timestamp_seconds ", b"since_timestamp_seconds 9e"), "protocol: the answer has no"),
    ):
        with pytest.raises(Failure) as failure:
            parsed(body)
        assert str(failure.value).startswith(said)


def test_a_log_that_the_script_can_no_longer_read_is_a_failed_read_beside_those_that_it_reads():
    own = {"since": NOW - 5000, "read": NOW - 30, "lost": 0}
    with agent(Agent()) as one:
        body = exposition({}, {"broker": True, "cleaner": False}, own, None).encode()
        one.wire = lambda handler: answer(handler, body)
        rows = swept(cluster(textfile={"brokers": {1: one.url}}))
    assert [(row["log"], row["outcome"], row["detail"]) for row in rows] == [
        ("broker", "ok", None),
        ("cleaner", "failed", "unreadable: the script could not read this log in its last run"),
    ]


def test_what_a_script_does_not_count_or_lost_is_said():
    lines = [line for line in text(lost=3).split(b"\n") if b"isr_not_enqueued" not in line]
    assert parsed(b"\n".join(lines))["broker"].detail == (
        "the script does not count isr_not_enqueued; 3 log files went before they were read to their end"
    )


def test_hosts_of_the_cluster_are_checked_as_the_fleet_file_is():
    made = cluster(textfile={"url_template": "http://{host}:9100/metrics"})
    rows = swept(made, {1: "169.254.169.254"}, unread={})
    assert {row["detail"][:9] for row in rows} == {"forbidden"}
    rows = swept(cluster(textfile={"brokers": {7: "http://127.0.0.1:9/"}}), {1: "b1"})
    assert {(row["broker"], row["detail"].split(":")[0]) for row in rows} == {(1, "no_host"), (7, "unreachable")}


def test_the_server_of_these_tests_refuses_what_loki_refuses():
    one = Loki()
    form = {"query": '{a="b"}', "start": "0", "end": "9"}
    assert one.answer("/loki/api/v1/query_range", {**form, "limit": "5001"}, {})[0] == 400
    assert one.answer("/loki/api/v1/query_range", {**form, "query": "{}"}, {})[0] == 400
    assert Loki(tenants=True).answer("/loki/api/v1/series", {}, {})[0] == 401
