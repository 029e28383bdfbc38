"""Prometheus' answers under hard limits: what is no answer is one named failure, and nothing of it is believed."""

import json
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from kafka_fleet.collect.connections.http import Failure, Limits
from kafka_fleet.collect.connections.prometheus import Prometheus, promql_string
from kafka_fleet.config.credentials import Credentials
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.scrape_rows import Scrape, read_scrape
from support.servers.recorded_prometheus import Form, Recorded, recorded

LIMITS = Limits(connect_s=10.0, read_s=20.0, deadline_s=40.0, max_bytes=2_000_000)
AT = 1_700_000_000_123
TARGET = frozenset({("job", "kafka"), ("instance", "10.0.0.1:7071")})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorded]:
    monkeypatch.setattr("kafka_fleet.collect.connections.query_api.PAUSE_S", 0.0)
    with recorded() as found:
        yield found


def says(body: bytes) -> Callable[[str, Form, bytes], bytes]:
    return lambda _path, _form, _body: body


def matrix(*series: object, **more: object) -> bytes:
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}, **more}).encode()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "not_json"),
        (b"<html>Bad Gateway</html>", "not_json"),
        (b'{"status":"success"', "not_json"),
        (b"\xff\xfe{}", "not_json"),
        (b"[" * 100_000, "protocol"),
        (b"[]", "protocol"),
        (b"null", "protocol"),
        (b'{"status":"error","errorType":"bad_data","error":"<script>"}', "protocol"),
        (b'{"status":"success"}', "protocol"),
        (b'{"status":"success","data":[]}', "protocol"),
        (b'{"status":"success","data":{"resultType":"vector","result":[]}}', "protocol"),
        (matrix({"metric": {}, "values": [["soon", "1"]]}), "protocol"),
        (matrix({"metric": {}, "values": [[1, 1]]}), "protocol"),
        (matrix({"metric": {"__name__": 7}, "values": []}), "protocol"),
        (matrix({"metric": [], "values": []}), "protocol"),
        (matrix({"values": []}), "protocol"),
        (matrix(warnings=["partial"]), "partial"),
        (b'{"status":"success","data":"' + b"x" * 3_000_000 + b'"}', "too_large"),
    ],
)
def test_what_is_no_answer_is_a_named_failure_without_its_text(server: Recorded, body: bytes, kind: str) -> None:
    server.change = says(body)
    with pytest.raises(Failure) as failure:
        Prometheus(server.url, Credentials(), LIMITS).samples("{}", AT, 1)
    assert failure.value.kind == kind
    assert len(str(failure.value)) < 120
    assert "script" not in str(failure.value)


@pytest.mark.parametrize(("status", "kind"), [(302, "redirect"), (401, "auth"), (422, "http"), (503, "http")])
def test_a_status_is_a_failure_and_no_redirect_is_followed(server: Recorded, status: int, kind: str) -> None:
    server.status = lambda path, form: status
    with pytest.raises(Failure) as failure:
        Prometheus(server.url, Credentials(), LIMITS).names("{}", AT, AT + 1)
    assert failure.value.kind == kind
    assert len(server.asked) == (2 if status == 503 else 1)  # one more try, where that may help


def test_a_large_answer_is_refused_before_it_is_in_memory(server: Recorded) -> None:
    server.change = says(b" " * 30_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(Failure, match="too_large"):
            Prometheus(server.url, Credentials(), LIMITS).samples("{}", AT, 1)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000  # 30 of them are the test server's own
    finally:
        tracemalloc.stop()


def test_credentials_go_in_a_header_alone(server: Recorded) -> None:
    Prometheus(server.url, Credentials("reader", "canary"), LIMITS).samples("{}", AT, 1)
    ((path, form, headers),) = server.asked
    assert headers["Authorization"].startswith("Basic ")
    assert "canary" not in path + json.dumps(form)
    assert (form["query"], form["time"]) == ("{}[1ms]", "1700000000.123")


def test_a_version_is_taken_only_where_it_looks_like_one(server: Recorded) -> None:
    client = Prometheus(server.url, Credentials(), LIMITS)
    server.change = says(b'{"status":"success","data":{"version":"2.42.0+ds"}}')
    assert client.version() == "2.42.0+ds"
    server.change = says(b'{"status":"success","data":{"version":"<b>2</b>"}}')
    assert client.version() is None
    server.status = lambda path, form: 404
    assert client.version() is None


def test_any_text_is_one_string_of_promql() -> None:
    text = 'a"},b=~".*\\\n\u202e\x00ä'
    assert promql_string(text) == '"a\\U00000022},b=~\\U00000022.*\\U0000005c\\U0000000a\\U0000202e\\U00000000ä"'


def scraped(server: Recorded, *series: tuple[str, dict[str, str], str]) -> dict[str, list[dict[str, object]]]:
    """Rows of one scrape of these metrics, beside those that no broker is without."""
    known = [
        ("process_start_time_seconds", {}, "1.7e9"),
        ("kafka_log_log_logendoffset", {"topic": "orders", "partition": "0"}, "5"),
        ("kafka_cluster_partition_replicascount", {"topic": "orders", "partition": "0"}, "2"),
        *series,
    ]
    found = [
        {"metric": {"__name__": name, **dict(TARGET), **labels}, "values": [[AT / 1000, value]]}
        for name, labels, value in known
    ]
    server.change = says(matrix(*found))
    client = Prometheus(server.url, Credentials(), LIMITS)
    one = read_scrape(client, load_names(), Scrape(1, TARGET, {name for name, _labels, _value in known}, AT))
    assert one.outcome == "partial"
    rows = {name: rows if isinstance(rows, list) else rows.to_pylist() for name, rows in one.rows.items()}
    return {**rows, "unusable": [{"number": one.rows.unusable}]}


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf", "1e300", "0x10", "", "seven", "1.5"])
def test_a_sample_that_is_no_whole_number_is_unusable(server: Recorded, value: str) -> None:
    name = "kafka_server_brokertopicmetrics_messagesin_total"
    rows = scraped(server, (name, {}, value))
    assert rows["broker_metrics"][0]["messages_in"] is None
    assert rows["unusable"] == [{"number": 1}]
    assert scraped(server, (name, {}, "9.007199254740991e15"))["broker_metrics"][0]["messages_in"] == 2**53 - 1


def test_labels_are_taken_as_text_and_never_as_names(server: Recorded) -> None:
    odd = 'x",topic="y\n<b>'
    end = "kafka_log_log_logendoffset"
    rows = scraped(
        server,
        (end, {"topic": odd, "partition": "3"}, "7"),
        (end, {"topic": "orders", "partition": "-1"}, "7"),
        (end, {"topic": "orders", "partition": "one"}, "7"),
        (end, {"topic": "orders", "partition": "2", "is_future": "true"}, "7"),  # a log that is being moved
        (end, {"topic": "orders", "partition": "0"}, "8"),  # a second one for the same replica: the first stays
        ("kafka_server_brokertopicmetrics_bytesin_total", {"topic": odd}, "1"),
    )
    ends = {(row["topic"], row["partition"]): row["log_end_offset"] for row in rows["partitions"]}
    assert ends == {("orders", 0): 5, (odd, 3): 7}
    assert [row["topic"] for row in rows["broker_topics"]] == [odd]
    assert rows["unusable"] == [{"number": 3}]


def test_a_large_broker_is_read_metric_by_metric_into_columns(server: Recorded) -> None:
    count = 5_000
    gauges = ["kafka_log_log_logendoffset", "kafka_log_log_logstartoffset", "kafka_cluster_partition_replicascount"]
    single = {"process_start_time_seconds": "1.7e9", "kafka_server_replicamanager_partitioncount": str(count)}

    def answer(_path: str, form: Form, _body: bytes) -> bytes:
        found = [
            {"metric": {"__name__": name, **dict(TARGET)}, "values": [[AT / 1000, value]]}
            for name, value in single.items()
            if name in form["query"]
        ]
        for number, name in enumerate(gauges):
            if name in form["query"]:
                found += [
                    {
                        "metric": {
                            "__name__": name,
                            **dict(TARGET),
                            "topic": f"t{p // 100}",
                            "partition": str(p % 100),
                        },
                        "values": [[AT / 1000, str(p + number)]],
                    }
                    for p in range(count)
                ]
        return matrix(*found)

    server.change = answer
    client = Prometheus(server.url, Credentials(), LIMITS)
    one = read_scrape(client, load_names(), Scrape(1, TARGET, [*single, *gauges], AT))
    assert [sum(name in form["query"] for name in gauges) for _path, form, _headers in server.asked] == [0, 1, 1, 1]
    table = dict(one.rows.items())["partitions"]
    assert not isinstance(table, list)
    assert (table.num_rows, one.outcome) == (count, "partial")
    assert table["log_end_offset"].to_pylist() == list(range(count))
    assert table["log_start_offset"].to_pylist() == list(range(1, count + 1))
