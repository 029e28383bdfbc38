"""Names in Prometheus are turned back into columns, by data: the shipped ones and those of a --map file."""

from pathlib import Path

import pytest

from kafka_fleet.base.errors import UsageError
from kafka_fleet.knowledge.metric_tables import load_names
from kafka_fleet.prometheus_import.mapping import load_mapping
from kafka_fleet.prometheus_import.targets import Choice, ClusterTargets, find_targets, shared_hosts
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.metric_names import Names, Source
from support.servers.recorded_prometheus import payments

NAMES = load_names()


def fitting(name: str, labels: dict[str, str], names: Names = NAMES) -> list[str]:
    own = {label.lower(): value for label, value in labels.items()}
    return [f"{one.bean.table}.{one.column.name}" for one in names.sources.get(name.lower(), []) if one.fits(own)]


@pytest.mark.parametrize(
    ("name", "labels", "column"),
    [
        ("kafka_server_brokertopicmetrics_messagesin_total", {"topic": "orders"}, "broker_topics.messages_in"),
        ("kafka_server_brokertopicmetrics_messagesin_total", {}, "broker_metrics.messages_in"),
        ("kafka_server_BrokerTopicMetrics_Count", {"name": "MessagesInPerSec"}, "broker_metrics.messages_in"),
        ("kafka_network_requestmetrics_requests_total", {"request": "Produce", "version": "9"}, "requests.requests"),
        ("kafka_network_requestmetrics_requests_total", {"request": "Produce"}, "requests.requests"),  # before 2.0
        ("kafka_network_requestmetrics_deprecatedrequests_total",
         {"request": "Produce", "version": "2", "clientSoftwareName": "a", "clientSoftwareVersion": "1"},
         "deprecated_requests.requests"),
        ("kafka_network_requestmetrics_errors_total", {"request": "Fetch", "error": "NONE"}, "request_errors.errors"),
        ("kafka_network_requestmetrics_remotetimems", {"request": "FetchConsumer", "quantile": "0.999"},
         "request_times.p999_ms"),
        ("kafka_network_requestmetrics_remotetimems_count", {"request": "FetchConsumer"}, "request_times.observations"),
        ("kafka_network_requestmetrics_remotetimems_count_total", {"request": "FetchConsumer"},
         "request_times.observations"),
        ("kafka_network_RequestMetrics_Mean", {"name": "TotalTimeMs", "request": "Produce"}, "request_times.mean_ms"),
        ("kafka_server_delayedfetchmetrics_expires_total", {"fetcherType": "consumer"},
         "broker_metrics.expired_consumer_fetches"),
        ("kafka_log_log_logendoffset", {"topic": "orders", "partition": "0"}, "partitions.log_end_offset"),
        ("kafka_log_Log_Value", {"name": "Size", "topic": "orders", "partition": "0"}, "partitions.size_bytes"),
        ("kafka_cluster_partition_insyncreplicascount", {"topic": "o", "partition": "0"}, "partitions.isr_count"),
        ("kafka_server_replicamanager_isrshrinks_total", {}, "broker_metrics.isr_shrinks"),
        ("kafka_server_replicafetchermanager_maxlag", {"clientId": "Replica"}, "broker_metrics.fetcher_max_lag"),
        ("kafka_server_fetcherlagmetrics_consumerlag", {"clientId": "r", "topic": "o", "partition": "0"},
         "fetcher_lags.lag"),
        ("kafka_controller_controllerstats_controlledshutdownrateandtimems_count", {},
         "broker_metrics.controlled_shutdowns"),
        ("kafka_server_socket_server_metrics_connection_creation_total", {"listener": "A", "networkProcessor": "0"},
         "listeners.connections_created"),
        ("kafka_server_socket_server_metrics_connection_creation", {"listener": "A", "networkProcessor": "0"},
         "listeners.connections_created"),
        ("process_start_time_seconds", {}, "broker_metrics.jvm_start_ms"),
        ("kafka_server_app_info", {"version": "3.3.1"}, "broker_metrics.release"),
    ],
)  # fmt: skip
def test_a_metric_is_the_column_that_its_mbean_fills(name: str, labels: dict[str, str], column: str) -> None:
    assert column in fitting(name, labels)
    assert len(fitting(name, labels)) == (2 if "app_info" in name else 1)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("kafka_log_log_logendoffset", {"topic": "o", "partition": "0", "is_future": "true"}),
        ("kafka_log_log_logendoffset", {"topic": "o"}),
        ("kafka_network_requestmetrics_requests_total", {"request": "Metadata", "version": "9"}),
        ("kafka_network_requestmetrics_remotetimems", {"request": "Produce", "quantile": "0.9"}),
        ("kafka_server_app_info_version", {"id": "1"}),
        ("kafka_server_brokertopicmetrics_messagesin_rate", {}),
    ],
)
def test_another_metric_is_none(name: str, labels: dict[str, str]) -> None:
    assert fitting(name, labels) == []


def test_every_number_of_mbeans_yaml_has_a_name_with_rules_and_without() -> None:
    named: dict[str, set[str]] = {}
    for name, sources in NAMES.sources.items():
        for one in sources:
            named.setdefault(f"{one.bean.table}.{one.column.name}", set()).add(name)
    for table in mbeans.tables().values():
        for column in table.columns.values():
            if column.type != "string":
                assert named[f"{table.name}.{column.name}"], (table.name, column.name)


def _source(names: Names, name: str) -> Source:
    return names.sources[name][0]


def test_a_map_file_adds_names(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(
        "version: 1\n"
        "metrics:\n"
        "  my_log_end: [{column: partitions.log_end_offset, labels: {topic: my_topic}}]\n"
        "  my_start: [{column: broker_metrics.jvm_start_ms, factor: 60000}]\n"
        "names:\n"
        "  - {attribute: Count, name: '(.+)PerSec', metric: ['corp_{type}_{1}']}\n"
    )
    names = load_names(load_mapping(path).spelling())
    assert fitting("my_log_end", {"my_topic": "o", "partition": "0"}, names) == ["partitions.log_end_offset"]
    assert _source(names, "my_log_end").properties({"my_topic": "o", "partition": "0"}) == {
        "name": "LogEndOffset", "type": "Log", "topic": "o", "partition": "0"}  # fmt: skip
    assert _source(names, "my_start").factor == 60_000
    assert fitting("corp_BrokerTopicMetrics_BytesIn", {}, names) == ["broker_metrics.bytes_in"]
    assert fitting("kafka_log_log_logendoffset", {"topic": "o", "partition": "0"}, names)  # the shipped ones stay


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 2", "version"),
        ("versoin: 1", "versoin: unknown key"),
        ("clusters: {a: {selector: 'job=kafka'}}", "clusters.a.selector: must be matchers such as"),
        ("clusters: {a: {selector: 'job=\"kafka\"} or up{'}}", "clusters.a.selector: must be matchers such as"),
        ("clusters: {a: {broker_pattern: '['}}", "clusters.a.broker_pattern: is no regular expression"),
        ("clusters: {a: {broker_pattern: '(a{99999999999})'}}", "clusters.a.broker_pattern: is no regular expression"),
        (f"clusters: {{a: {{broker_pattern: '{'(' * 900}{')' * 900}'}}}}", "broker_pattern: is no regular expression"),
        ("clusters: {a: {broker_pattern: 'x'}}", "clusters.a.broker_pattern: must have one group"),
        ("clusters: {a: {brokers: {x: -1}}}", "clusters.a.brokers.x"),
        ("metrics: {m: [{column: partitions.nothing}]}", "metrics.m.0.column: is no column"),
        ("metrics: {m: [{column: nothing}]}", "metrics.m.0.column: is no column"),
        ("names: [{attribute: '(', metric: [a]}]", "names.0.attribute: is no regular expression"),
        ("names: [{attribute: Count, metric: ['{nothing}']}]", "names.0.metric: may hold"),
        ("connection: 'a b'", "connection"),
        ("[]", "map.yaml: "),
        ("a: [", "is not valid YAML"),
    ],
)
def test_a_mistake_in_a_map_file_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"\A[^\n]+\Z") as error:
        load_mapping(path)
    assert said in str(error.value)
    assert str(error.value).startswith(str(path))


class Known:
    """The part of a server that is asked for series; keeps what was asked."""

    def __init__(self, *targets: dict[str, str]) -> None:
        self.targets, self.asked = targets, list[str]()

    def series(self, selector: str, _start_ms: int, _end_ms: int) -> list[dict[str, str]]:
        self.asked.append(selector)
        mark = {"__name__": "kafka_server_replicamanager_partitioncount"}
        wanted = [part for part in ('cluster="payments-eu"', 'kafka_cluster="payments-eu"') if f",{part}}}" in selector]
        return [{**mark, **one} for one in self.targets if not wanted or all(_has(one, part) for part in wanted)]


def _has(labels: dict[str, str], matcher: str) -> bool:
    name, _equals, value = matcher.partition("=")
    return labels.get(name) == value.strip('"')


def told(*targets: dict[str, str], choice: Choice | None = None, shared: frozenset[str] = frozenset()) -> object:
    jolokia = {"brokers": {1: "http://b1.example.org:1/jolokia", 2: "http://b2.example.org:1/jolokia"}}
    whose = ClusterTargets(payments(jolokia=jolokia), choice or Choice(), shared)
    found = find_targets(Known(*targets), whose, NAMES, 0, 1)  # type: ignore[arg-type]
    return {b: [dict(t)["instance"] for t in targets] for b, targets in found.by_broker.items()}, found.untold


def test_a_broker_is_told_by_its_host() -> None:
    others = {"job": "x", "instance": "other.example.org:7071"}
    assert told({"instance": "b1.example.org:7071"}, {"instance": "B2.example.org:7071"}, others) == (
        {1: ["b1.example.org:7071"], 2: ["B2.example.org:7071"]},
        [],
    )


def test_a_broker_is_told_by_a_label_where_the_cluster_is() -> None:
    ours = {"cluster": "payments-eu", "broker_id": "7", "instance": "10.0.0.1:1"}
    theirs = {"cluster": "billing", "broker_id": "1", "instance": "10.0.0.2:1"}
    assert told(ours, theirs) == ({7: ["10.0.0.1:1"]}, [])
    assert told(theirs) == ({}, [])  # another cluster's, and no host of ours
    pod = {"pod": "kafka-2", "instance": "10.0.0.1:1"}
    choice = Choice(selector='job="kafka"', broker_label="pod", broker_pattern=r"-(\d+)$")
    assert told(pod, choice=choice) == ({2: ["10.0.0.1:1"]}, [])
    assert told(pod, choice=Choice(selector="", brokers={"10.0.0.1:1": 9})) == ({9: ["10.0.0.1:1"]}, [])


@pytest.mark.parametrize(
    ("target", "choice", "said"),
    [
        ({"instance": "10.0.0.1:1"}, Choice(selector=""), "no label tells its broker"),
        ({"instance": "x", "pod": "a"}, Choice(selector="", broker_label="pod"), "its label pod is 'a', and tells no"),
        ({"instance": "x"}, Choice(selector="", broker_label="pod"), "its label pod is missing"),
        ({"instance": "x", "broker": "9" * 5000}, Choice(selector=""), "no label tells its broker"),
    ],
)
def test_a_target_whose_broker_cannot_be_told_is_a_sentence(target: dict[str, str], choice: Choice, said: str) -> None:
    found, (sentence,) = told(target, choice=choice)  # type: ignore[misc]
    assert found == {}
    assert said in sentence
    assert len(sentence) < 250


def test_a_host_of_two_clusters_tells_neither() -> None:
    shared = shared_hosts([payments("a"), payments("b"), payments("c", host="c.example.org")])
    assert shared == {"127.0.0.1"}
    found, (sentence,) = told({"instance": "b1.example.org:9"}, shared=frozenset({"b1.example.org"}))  # type: ignore[misc]
    assert found == {}
    assert "have brokers on 'b1.example.org'; give each a selector" in sentence
