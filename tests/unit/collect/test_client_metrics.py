"""Metrics that clients push, of one sweep: a Prometheus gives rows, and each of its failures is one sentence."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.collect import sweep
from kafka_fleet.collect.client_metrics import client_series
from kafka_fleet.collect.client_metrics.sweep_clients import FRESH, LATE, Pushed, sweep_clients
from kafka_fleet.config.credentials import Connection, Resolver
from kafka_fleet.config.fleet import Cluster
from support.builders.swept_clusters import LIMITS, NO_ADMIN, cluster, run
from support.servers.pushed_prometheus import PushedPrometheus, pushed_prometheus

ERRORS, RETRIES = "org_apache_kafka_producer_record_error_total", "org_apache_kafka_producer_record_retry_total"
TOPIC_ERRORS = "org_apache_kafka_producer_topic_record_error_total"
OURS = {"cluster": "payments-eu", "client_id": "billing", "client_instance_id": "i-1"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PushedPrometheus]:
    monkeypatch.setattr("kafka_fleet.collect.connections.query_api.PAUSE_S", 0.0)
    with pushed_prometheus() as one:
        yield one


def declared(server: PushedPrometheus, **more: Any) -> Cluster:
    return cluster(None, client_metrics={"prometheus": server.url, **more})


def nobody(name: str) -> Connection:
    raise AssertionError(name)


def swept(one: Cluster, resolver: Resolver = nobody, limits: Any = LIMITS) -> Pushed:
    return sweep_clients(one, resolver, lambda: limits)


def test_the_newest_sample_of_each_series_counts_with_its_own_time(server: PushedPrometheus) -> None:
    now = datetime.now(UTC).timestamp()
    server.push(ERRORS, OURS, (now - 90, "5"), (now - 30, "7"))
    server.push(RETRIES, OURS, (now - 40, "0"))
    server.push(TOPIC_ERRORS, {**OURS, "topic": "orders"}, (now - 30, "7"))
    server.push(ERRORS, {**OURS, "cluster": "another"}, (now - 30, "9"))
    rows, detail = swept(declared(server))
    assert detail is None
    whole, topic = sorted(rows, key=lambda row: row["topic"] or "")
    assert (whole["client_id"], whole["record_errors"], whole["record_retries"]) == ("billing", 7, 0)
    assert whole["read_at"].timestamp() == pytest.approx(now - 30, abs=0.01)
    assert (topic["topic"], topic["record_errors"], "record_retries" in topic) == ("orders", 7, False)
    assert len(server.asked) == 1


def test_a_stale_sample_does_not_count(server: PushedPrometheus) -> None:
    now = datetime.now(UTC).timestamp()
    server.push(ERRORS, OURS, (now - FRESH.total_seconds() - 5, "5"))
    server.push(RETRIES, {**OURS, "client_id": "ahead"}, (now + 600, "5"))
    said = "no_samples: no series with a label cluster or kafka_cluster of its id tells of a client in the last 5 min"
    assert swept(declared(server)) == Pushed([], said)
    server.push(RETRIES, OURS, (now - FRESH.total_seconds() + 5, "2"))
    (row,), detail = swept(declared(server))
    assert ("record_errors" in row, row["record_retries"], detail) == (False, 2, None)


def test_a_selector_or_the_second_label_tells_whose_they_are(server: PushedPrometheus) -> None:
    now = datetime.now(UTC).timestamp()
    server.push(ERRORS, {"kafka_cluster": "payments-eu", "client_id": "a"}, (now - 1, "1"))
    server.push(ERRORS, {"job": "otel", "client_id": "b"}, (now - 1, "2"))
    server.push("corp_lost", {"job": "otel", "client_id": "c"}, (now - 1, "3"))
    assert [row["client_id"] for row in swept(declared(server)).rows] == ["a"]
    chosen = declared(server, selector='job="otel",', metrics={"Corp_Lost": "record_errors"})
    assert [(row["client_id"], row["record_errors"]) for row in swept(chosen).rows] == [("b", 2), ("c", 3)]
    nothing = swept(declared(server, selector='job="elsewhere"'))
    assert nothing.detail == "no_samples: no series with its selector tells of a client in the last 5 min"


def test_too_many_are_counted_and_told(server: PushedPrometheus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_series, "MOST", 2)
    for number in range(5):
        server.push(ERRORS, {**OURS, "client_id": str(number)}, (datetime.now(UTC).timestamp() - 1, "1"))
    rows, detail = swept(declared(server))
    assert ([row["client_id"] for row in rows], detail) == (["0", "1"], "3 clients and topics are not read, too many")


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (400, b"canary", "http: the Prometheus refuses the query (HTTP 400); is the selector right?"),
        (401, b"canary", "auth: HTTP 401: the login or the client certificate is refused"),
        (403, b"canary", "auth: HTTP 403"),
        (404, b"canary", "http: HTTP 404; is this the address of a Prometheus?"),
        (422, b"canary", "http: the Prometheus refuses the query (HTTP 422); is the selector right?"),
        (429, b"canary", "http: the Prometheus takes no more requests now (HTTP 429)"),
        (503, b"canary", "http: HTTP 503"),
        (302, b"", "redirect: HTTP 302"),
        (200, b"<html>canary", "not_json: the answer is not JSON; is this a Prometheus?"),
        (200, b'{"status":"success","data":{"resultType":"vector","result":[]}}', "protocol: the answer holds no"),
        (
            200,
            b'{"status":"success","data":{"resultType":"matrix","result":["canary"]}}',
            "protocol: the answer has not",
        ),
        (200, b'{"status":"error","error":"canary"}', "protocol: Prometheus answers with an error"),
        (200, b'{"status":"success","data":null,"warnings":["canary"]}', "partial: Prometheus says that its answer"),
        (200, b"[" * 100_000, "protocol:"),
        (200, b" " * 5_000_000, "too_large:"),
    ],
)
def test_what_is_answered_instead_is_told_without_its_text(
    server: PushedPrometheus, status: int, text: bytes, said: str
) -> None:
    server.instead = status, text
    rows, detail = swept(declared(server))
    assert rows == []
    assert detail is not None
    assert detail.startswith(said)
    assert "canary" not in detail
    assert len(server.asked) <= 2


def test_a_login_is_sent_in_a_header_and_is_in_nothing_that_is_kept(server: PushedPrometheus) -> None:
    server.login = "Basic " + base64.b64encode(b"reader:canary-password").decode()
    server.push(ERRORS, OURS, (datetime.now(UTC).timestamp() - 1, "1"))
    one = declared(server, connection="prom")
    right = swept(one, lambda name: Connection("reader", "canary-password", {}))
    wrong = swept(one, lambda name: Connection("reader", "canary-other", {}))
    assert (len(right.rows), right.detail) == (1, None)
    assert wrong == Pushed([], "auth: HTTP 401: the login or the client certificate is refused")
    assert "canary" not in str([right, wrong, one.declaration(), [form for _path, form, _headers in server.asked]])


def test_a_connection_that_is_not_there_and_a_time_that_is_over_are_told(server: PushedPrometheus) -> None:
    one = declared(server, connection="prom")
    missing = swept(one, lambda name: Connection("a", "b", {"ca_file": "/nowhere"}))
    assert missing.detail == "credentials: connection prom: ca_file must be the path of a file that is there"
    assert swept(declared(server), limits=None) == Pushed([], LATE)
    assert server.asked == []
    assert swept(cluster(None)) == Pushed([]), "nothing is declared"


def test_a_sweep_lands_them_and_says_what_is_missing(
    server: PushedPrometheus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "_admin", _no_admin)
    now = datetime.now(UTC).timestamp()
    hostile = 'x","cluster":"\n\u202e<script>{{7*7}}'
    server.push(ERRORS, {**OURS, "client_id": hostile}, (now - 1, "4"))
    server.push(ERRORS, {**OURS, "client_instance_id": "i-2", "topic": "\x00"}, (now - 1, "5"))
    result, rows = run(tmp_path / "home", declared(server))
    assert result.clients is None
    (told,) = rows("sweeps")
    assert told["client_metrics_detail"] is None
    landed = {row["client_instance_id"]: row for row in rows("client_metrics")}
    assert (landed["i-1"]["client_id"], landed["i-1"]["record_errors"]) == (hostile, 4)
    assert landed["i-2"]["record_errors"] == 5
    assert landed["i-2"]["read_at"] > told["sweep_at"] - timedelta(seconds=60)

    server.instead = 401, b"canary-login"
    failed, rows = run(tmp_path / "other", declared(server))
    said = "auth: HTTP 401: the login or the client certificate is refused"
    assert (failed.clients, rows("client_metrics")) == (said, [])
    (after,) = rows("sweeps")
    assert after["client_metrics_detail"] == said
    assert failed.summary().endswith(f"; client metrics: {said}")
    costs = ("admin_outcome", "admin_detail", "admin_missing")
    assert [after[name] for name in costs] == [told[name] for name in costs], "it costs nothing else"


def test_a_name_without_end_is_not_stored(
    server: PushedPrometheus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "_admin", _no_admin)
    server.push(ERRORS, {**OURS, "client_id": "y" * 100_000}, (datetime.now(UTC).timestamp() - 1, "4"))
    _result, rows = run(tmp_path, declared(server))
    (row,) = rows("client_metrics")
    assert (row["client_id"], row["client_instance_id"], row["record_errors"]) == (None, "i-1", 4)
    assert "client_metrics.client_id (1 value)" in rows("sweeps")[0]["admin_detail"]


def _no_admin(_cluster: Any, _resolver: Any, _limits: Any, named: Any, listed: Any, _certificates: Any) -> Any:
    named.set()
    listed.set_result({})
    return NO_ADMIN


def test_an_entry_without_the_key_is_stored_as_by_earlier_versions(server: PushedPrometheus) -> None:
    assert "client_metrics" not in json.loads(cluster(None).declaration())
    assert json.loads(declared(server).declaration())["client_metrics"]["prometheus"] == server.url
