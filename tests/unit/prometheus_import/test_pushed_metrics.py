"""Metrics that clients push (KIP-714): what a real Prometheus received becomes rows; the rest tells nothing."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from kafka_fleet.collect.client_metrics import client_series
from kafka_fleet.collect.client_metrics.client_series import client_rows, clients_selectors
from kafka_fleet.collect.connections.http import Failure
from kafka_fleet.collect.connections.prometheus import Series
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.pushed import pushed_rows, pushed_series
from kafka_fleet.schema.metric_spelling import ClientNames, Spelling
from support.builders.client_samples import NAMES, WINDOW, Told, rows, series
from support.homes.history_runs import CHOICE, LIMITS, run, served  # noqa: F401
from support.servers.recorded_prometheus import FOLDER, STEP_S, Form, Recorded

ERRORS, RETRIES = "org_apache_kafka_producer_record_error_total", "org_apache_kafka_producer_record_retry_total"


@cache
def recorded() -> dict[str, Any]:
    """What a real Prometheus had of two real producers of 4.1.1, one of them without retries."""
    found: dict[str, Any] = json.loads(gzip.decompress((Path(FOLDER) / "pushed.json.gz").read_bytes()))
    return found


def test_real_producers_are_told_apart_and_the_one_without_retries_has_errors_alone() -> None:
    samples = [msgspec.convert(one, Series) for one in recorded()["samples"]]
    times = [round(at * 1000) for one in samples for at, _value in one.values]
    last = [
        Series(one.metric, [(at, value) for at, value in one.values][-1:]) for one in samples
    ]  # of the whole recording
    found, detail = client_rows(Told(last), "{}", NAMES, min(times), max(times) + 1)
    assert detail is None
    whole = {row["client_id"]: row for row in found if row["topic"] is None and row.get("record_sends")}
    topics = {row["client_id"]: row for row in found if row["topic"] == "orders"}
    assert set(whole) >= {"billing", "shop"} <= set(topics)
    assert whole["billing"]["record_errors"] > 0 == whole["billing"]["record_retries"]
    assert whole["shop"]["record_errors"] == 0 < whole["shop"]["record_retries"]
    assert topics["billing"]["record_errors"] == whole["billing"]["record_errors"]
    assert 0 <= whole["shop"]["queue_time_avg_ms"] <= whole["shop"]["queue_time_max_ms"]
    assert len({row["client_instance_id"] for row in whole.values()}) == len(whole)


@pytest.mark.parametrize("name", [ERRORS, f"clients_{ERRORS}", ERRORS.replace("_", "."), ERRORS.upper()])
def test_names_of_receivers_are_known(name: str) -> None:
    (row,) = rows(series(name))
    assert (row["record_errors"], row["client_id"], row["topic"]) == (7, "a", None)


def test_the_first_sample_of_the_window_counts() -> None:
    (row,) = client_rows(Told([series(ERRORS, (0.5, "1"), (2.0, "2"), (3.0, "3"))]), "{}", NAMES, 1_000, WINDOW).rows
    assert row["record_errors"] == 2
    assert row["read_at"] == datetime.fromtimestamp(2, UTC)


@pytest.mark.parametrize("at", [-1.0, 60.0, 1e308, float("inf"), float("nan")])
def test_a_sample_of_another_time_does_not_count(at: float) -> None:
    assert rows(series(ERRORS, (at, "1"))) == []


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-1", "1e300", "x"])
def test_what_is_no_count_is_not_measured(value: str) -> None:
    assert rows(series(ERRORS, (1.0, value))) == []


def test_a_series_that_tells_no_client_is_left_out() -> None:
    assert rows(Series({"__name__": ERRORS, "instance": "otel:1"}, [(1.0, "7")])) == []


def test_what_two_series_give_is_not_known_and_two_receivers_are_two_rows() -> None:
    (row,) = rows(series(ERRORS, job="x"), series(ERRORS, (1.0, "9"), job="y"), series(RETRIES))
    assert (row["record_errors"], row["record_retries"]) == (None, 7)
    assert len(rows(series(ERRORS, instance="1"), series(ERRORS, instance="2"))) == 2


def test_too_many_are_counted_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_series, "MOST", 2)
    found = [series(ERRORS, client_instance_id=str(number)) for number in range(5)]
    kept, detail = client_rows(Told(found), "{}", NAMES, 0, WINDOW)
    assert [row["client_instance_id"] for row in kept] == ["0", "1"]
    assert detail == "3 clients and topics are not read, too many"


def test_whose_they_are_is_said_by_a_label_or_by_the_map() -> None:
    first, second = clients_selectors("payments-eu", None, NAMES)
    assert first.endswith(',cluster="payments-eu"}')
    assert second.endswith(',kafka_cluster="payments-eu"}')
    assert "org[._]apache[._]kafka[._]producer[._]record[._]error[._]total" in first
    (chosen,) = clients_selectors("payments-eu", 'job="otel",', NAMES)
    assert chosen.endswith(',job="otel"}')
    (everything,) = clients_selectors("payments-eu", "", NAMES)
    assert everything.endswith('"}')
    assert clients_selectors("payments-eu", None, NAMES._replace(clients={})) == []


def test_names_of_ones_own_and_what_is_no_column() -> None:
    own = Spelling(clients=ClientNames(metrics={"Corp_Lost": "record_errors"}))
    assert load_names(own).clients["corp_lost"] == "record_errors"
    with pytest.raises(ValidationError, match="no column sold"):
        ClientNames(metrics={"corp": "sold"})


def test_an_import_lands_them_beside_the_brokers(server: Recorded, tmp_path: Path) -> None:
    def pushed(path: str, form: Form, body: bytes) -> bytes:
        if "org[._]apache" not in form.get("query", "") + form.get("match[]", ""):
            return body
        if path == "/api/v1/series":
            return json.dumps({"status": "success", "data": [{"__name__": ERRORS}]}).encode()
        at = float(form["time"]) - STEP_S / 2
        one = {"metric": {"__name__": ERRORS, "client_id": "a"}, "values": [(at, "7")]}
        return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [one]}}).encode()

    server.change = pushed
    result, found = run(server, tmp_path, choice=CHOICE.model_copy(update={"clients": 'job="otel"'}))
    assert (result.failed, list(result.said)) == (0, [])
    landed = found("client_metrics")
    assert len(landed) == result.landed == server.sweeps
    for row in landed:
        assert (row["client_id"], row["record_errors"], row["record_sends"]) == ("a", 7, None)
        assert row["sweep_at"] <= row["read_at"] < row["sweep_at"] + timedelta(seconds=STEP_S)


@pytest.mark.parametrize(
    ("path", "answer", "said"),
    [
        ("/api/v1/query", b'{"status":"error","error":"canary"}', "protocol: Prometheus answers with an error"),
        ("/api/v1/query", b"canary", "not_json: the answer is not JSON; is this a Prometheus?"),
        ("/api/v1/series", b'{"status":"success","data":["canary"]}', "protocol: the answer has not the form of"),
    ],
)
def test_that_they_cannot_be_read_costs_no_sweep_of_the_brokers(
    server: Recorded, tmp_path: Path, path: str, answer: bytes, said: str
) -> None:
    def refused(asked: str, form: Form, body: bytes) -> bytes:
        ours = "org[._]apache" in form.get("query", "") + form.get("match[]", "")
        if ours and asked == "/api/v1/series" != path:
            return json.dumps({"status": "success", "data": [{"__name__": ERRORS}]}).encode()
        return answer if ours and asked == path else body

    server.change = refused
    result, found = run(server, tmp_path)
    assert (result.failed, result.landed) == (0, server.sweeps)
    assert found("client_metrics") == []
    details = [row["client_metrics_detail"] for row in found("sweeps")]
    assert len(details) == server.sweeps
    assert all(detail.startswith(said) for detail in details)
    (sentence,) = result.said
    assert f"{server.day}: client metrics: {said}" in sentence, "once a day"
    assert "canary" not in str([details, result.said])


@pytest.mark.parametrize("failure", [Failure("timeout", "30 s"), Failure("http", "HTTP 429", 429)])
def test_a_window_of_which_they_may_still_be_had_is_left_to_the_next_import(failure: Failure) -> None:
    class Away(Told):
        def samples(self, selector: str, end_ms: int, back_ms: int) -> list[Series]:
            raise failure

    for asked in (
        lambda: pushed_rows(Away([]), NAMES, "{}", (0, WINDOW)),
        lambda: pushed_rows(Away([]), NAMES, pushed_series(Away([series(ERRORS)]), NAMES, "a", None, (0, 1)), (0, 1)),
    ):
        with pytest.raises(Failure) as raised:
            asked()
        assert raised.value is failure


def test_an_import_without_them_asks_once_a_day(server: Recorded, tmp_path: Path) -> None:
    result, found = run(server, tmp_path)
    assert result.landed == server.sweeps
    assert found("client_metrics") == []
    assert sum("org[._]apache" in str(form) for _path, form, _headers in server.asked) == 2
