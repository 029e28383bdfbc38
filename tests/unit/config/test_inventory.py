"""The fleet file: every mistake is one sentence that names file, cluster, field and what is allowed; secrets never."""

import itertools
import random
from typing import Any

import pytest

from kafka_fleet.config.fleet import parse_fleet
from support.builders.fleet_entries import GOOD, changed, fleet

LOKI = {"url": "http://loki/", "selectors": {"broker": '{host="{host}"}'}}

PUSHED = {"prometheus": "http://prometheus/"}


def selecting(selector: str) -> Any:
    return {"loki": {**LOKI, "selectors": {"broker": selector}}}


# (path of the value, value, field of the sentence, what the sentence says is allowed); None as value: taken out
MISTAKES: list[tuple[tuple[Any, ...], Any, str, str]] = [
    (("id",), "Payments", "id", "slug of a-z"),
    (("id",), "../../etc", "id", "slug of a-z"),
    (("id",), "a/b", "id", "slug of a-z"),
    (("id",), "a\nb", "id", "slug of a-z"),
    (("id",), "index", "id", "is reserved"),
    (("id",), 7, "id", "must be text"),
    (("id",), None, "id", "is required"),
    (("environment",), "prod", "environment", "production, staging or development"),
    (("owners",), [], "owners", "at least one"),
    (("owners",), "a@b.org", "owners", "must be a list"),
    (("owners", 0), "nobody", "owners, entry 1", "e-mail"),
    (("owners", 0), "a@b.org\nBcc: x@y.org", "owners, entry 1", "e-mail"),
    (("owners", 0), "a\x00@b.org", "owners, entry 1", "e-mail"),
    (("bootstrap_servers", 0), "broker-1", "bootstrap_servers, entry 1", "host:port"),
    (("bootstrap_servers", 0), "169.254.169.254:80", "bootstrap_servers, entry 1", "link-local"),
    (("kafka_connection",), "a b", "kafka_connection", "connection id"),
    (("jolokia",), "http://h/", "jolokia", "brokers, url_template, controllers, connection"),
    (("jolokia", "brokers"), {}, "jolokia", "needs brokers"),
    (("jolokia", "brokers", 1), "file:///etc/passwd", "jolokia.brokers.1", "http://"),
    (("jolokia", "brokers", 1), ["x"], "jolokia.brokers.1", "must be text"),
    (("jolokia", "brokers", "one"), "http://h/", "jolokia.brokers.one", "whole number"),
    (("jolokia", "brokers", -1), "http://minus/", "jolokia.brokers.-1", "0 to 2147483647"),
    (("jolokia", "brokers", 2), "http://broker-1.example.org:8778/jolokia", "jolokia.brokers.2", "each has its own"),
    (("jolokia", "controllers", 1), "http://c/", "jolokia.controllers.1", "once"),
    (("jolokia", "url_template"), "http://h:8778/", "jolokia.url_template", "{host} once"),
    (("jolokia", "url_template"), "http://{host}/{x}", "jolokia.url_template", "no other braces"),
    (("jolokia", "url_template"), "http://u:p@{host}/", "jolokia.url_template", "connection"),
    (("jolokia", "connection"), "a/b", "jolokia.connection", "connection id"),
    (("jolokia", "borkers"), {}, "jolokia.borkers", "allowed: brokers, url_template, controllers, connection"),
    (("node_exporter", 1), "http://169.254.1.1/", "node_exporter.1", "link-local"),
    (("log_marks",), {}, "log_marks", "needs loki or textfile"),
    (("log_marks",), {"loki": LOKI, "textfile": {"brokers": {1: "http://h/"}}}, "log_marks", "one of them is enough"),
    (("log_marks",), {"lokki": LOKI}, "log_marks.lokki", "did you mean loki?"),
    (("log_marks",), {"loki": {**LOKI, "tennant": "a"}}, "log_marks.loki.tennant", "did you mean tenant?"),
    (("log_marks",), {"loki": {**LOKI, "password": "a"}}, "log_marks.loki.password", "name a connection"),
    (("log_marks",), {"loki": {**LOKI, "tenant": "a\nb"}}, "log_marks.loki.tenant", "must be a tenant id"),
    (("log_marks",), {"loki": {**LOKI, "selectors": {}}}, "log_marks.loki.selectors", "needs at least one entry"),
    (("log_marks",), {"loki": {**LOKI, "url": "file:///x"}}, "log_marks.loki.url", "http://"),
    (("log_marks",), selecting("kafka"), "log_marks.loki.selectors.broker", "must be a stream selector of LogQL"),
    (("log_marks",), selecting('{app="kafka"}'), "log_marks.loki.selectors.broker", "all brokers would have one log"),
    (("log_marks",), selecting("{app={host}}"), "log_marks.loki.selectors.broker", "in quoted values alone"),
    (("log_marks",), selecting('{a="{host}"} |= `x`'), "log_marks.loki.selectors.broker", "must be a stream selector"),
    (("log_marks",), {"textfile": {}}, "log_marks.textfile", "needs brokers (id: URL) or url_template"),
    (("log_marks",), {"textfile": {1: "http://h/"}}, "log_marks.textfile", "write brokers: {1: …} under textfile"),
    (("log_marks",), {"textfile": {"url_template": "http://h/"}}, "log_marks.textfile.url_template", "{host} once"),
    (("client_metrics",), {}, "client_metrics.prometheus", "is required"),
    (("client_metrics",), "http://h/", "client_metrics", "prometheus, selector, metrics, connection"),
    (("client_metrics",), {"prometeus": "http://h/"}, "client_metrics.prometeus", "did you mean prometheus?"),
    (("client_metrics",), {**PUSHED, "password": "a"}, "client_metrics.password", "name a connection"),
    (("client_metrics",), {"prometheus": "http://u:canary@h/"}, "client_metrics.prometheus", "connection"),
    (("client_metrics",), {"prometheus": "http://169.254.169.254/"}, "client_metrics.prometheus", "link-local"),
    (("client_metrics",), {**PUSHED, "connection": "a/b"}, "client_metrics.connection", "connection id"),
    (("client_metrics",), {**PUSHED, "selector": '{job="a"}'}, "client_metrics.selector", "must be matchers such as"),
    (("client_metrics",), {**PUSHED, "selector": 'a="b"} or {c="d"'}, "client_metrics.selector", "must be matchers"),
    (("client_metrics",), {**PUSHED, "metrics": {"a": "lost"}}, "client_metrics.metrics.a", "record_errors"),
    (("client_metrics",), {**PUSHED, "metrics": {"a": "topic"}}, "client_metrics.metrics.a", "record_errors"),
    (("client_configs", "topics"), {}, "client_configs.topics", "allowed: groups, producers"),
    (
        ("client_configs", "groups", "billing-*", "auto.ofset"),
        1,
        "client_configs.groups.billing-*.auto.ofset",
        "auto.offset.reset",
    ),
    (("client_configs", "groups", "g", "acks"), [1], "client_configs.groups.g.acks", "text, a number"),
    (("client_configs", "groups", "g"), "x", "client_configs.groups.g", "must be a mapping"),
    (
        ("client_configs", "producers"),
        [{"version": "2.0"}],
        "client_configs.producers, entry 1, software",
        "is required",
    ),
    (
        ("client_configs", "producers"),
        [{"software": "apache-kafka-java", "version": "old"}],
        "client_configs.producers, entry 1, version",
        ">=2.4,<3.3",
    ),
    (
        ("client_configs", "producers"),
        [{"software": "x", "version": 2.1}],
        "client_configs.producers, entry 1, version",
        "in quotes",
    ),
    (
        ("client_configs", "producers"),
        [{"software": "x", "retry": 1}],
        "client_configs.producers, entry 1, retry",
        "retries",
    ),
    (("thresholds", "latency"), {"min_ratio": 0.3}, "thresholds.latency", "did you mean fetch_latency"),
    (("thresholds", "fetch_latency", "max"), 1, "thresholds.fetch_latency.max", "allowed: min"),
    (("thresholds", "fetch_latency", "min_ratio"), "0.3", "thresholds.fetch_latency.min_ratio", "a number"),
    (("thresholds", "fetch_latency", "min_ratio"), True, "thresholds.fetch_latency.min_ratio", "a number"),
    (("thresholds", "fetch_latency", "min_ratio"), float("nan"), "thresholds.fetch_latency.min_ratio", "a number"),
    (("thresholds", "fetch_latency", "min_ratio"), 99, "thresholds.fetch_latency.min_ratio", "must be"),
    ((5,), "red", "5", "unknown key; allowed: id, environment"),
    (("colour",), "red", "colour", "allowed: id, environment, owners, bootstrap_servers"),
]


@pytest.mark.fault(15, 40, 41)
@pytest.mark.parametrize(("path", "value", "field", "about"), MISTAKES, ids=lambda one: None)
def test_one_mistake_is_one_sentence(path, value, field, about):
    found = fleet(changed(GOOD, path, value), {**GOOD, "id": "other"})
    (error,) = found.errors
    assert [cluster.id for cluster in found.clusters] == ["other"]
    label = "payments-eu" if path != ("id",) else "index" if value == "index" else "entry 1"
    assert str(error).startswith(f"fleet.yaml: cluster {label}: {field}: ")
    assert about in error.problem
    assert str(error).isprintable()
    assert found.invalid == {label: f"{field}: {error.problem}"}


def independent(mistakes: tuple[Any, ...]) -> bool:
    """Whether the mistakes touch different parts of an entry."""
    paths = [mistake[0] for mistake in mistakes]
    return all(a[: len(b)] != b and b[: len(a)] != a for a, b in itertools.combinations(paths, 2))


def test_a_mapping_for_the_software_of_producers_is_one_sentence():
    found = parse_fleet(
        {
            "version": 1,
            "clusters": [changed(GOOD, ("client_configs", "producers"), [{"software": {}, "version": "1"}])],
        },
        "f",
    )
    assert [error.field for error in found.errors] == ["client_configs.producers, entry 1, software"]


def test_five_mistakes_are_five_sentences_in_many_combinations():
    chance, tried = random.Random(7), 0  # noqa: S311 - a sample of combinations, no secret
    usable = [
        one for one in MISTAKES if one[0] != ("jolokia", "brokers") and "each has" not in one[3] and one[3] != "once"
    ]
    while tried < 300:
        chosen = tuple(chance.sample(usable, 5))
        if not independent(chosen):
            continue
        entry = GOOD
        for path, value, _field, _about in chosen:
            entry = changed(entry, path, value)
        assert sorted(e.field for e in fleet(entry).errors) == sorted(field for _p, _v, field, _a in chosen), chosen
        tried += 1


@pytest.mark.parametrize(
    ("metrics", "field", "about"),
    [
        ({"url_template": "http://{host}:9404/metrics"}, "metrics", "one of them is enough"),
        ({}, "metrics", "needs brokers (id: URL) or url_template"),
        ({"url_template": "http://u:p@{host}/metrics"}, "metrics.url_template", "connection"),
        ({"brokers": {1: "http://169.254.169.254/metrics"}}, "metrics.brokers.1", "link-local"),
        ({"brokers": {1: "http://h/m", 2: "http://h/m"}}, "metrics.brokers.2", "each has its own"),
        ({"brokers": {1: "http://h/m"}, "controllers": {1: "http://c/m"}}, "metrics.controllers.1", "once"),
        ({"brokers": {1: "http://h/m"}, "password": "x"}, "metrics.password", "name a connection"),
        ({1: "http://u:p@h/m"}, "metrics", "has URLs by broker id; write brokers: {1: …} under metrics"),
        ({"1": "http://h/m", 2: "http://i/m"}, "metrics", "write brokers: {1: …, 2: …} under metrics"),
        ({n: f"http://h{n}/m" for n in range(9)}, "metrics", "write brokers: {0: …, 1: …, 2: …, …} under metrics"),
        ({"brokers": {1: "http://h/m"}, 2: "http://i/m"}, "metrics", "write brokers: {2: …} under metrics"),
        ({True: "http://h/m"}, "metrics", "write brokers: {1: …} under metrics"),  # YAML reads yes as true
        ("http://h/metrics", "metrics", "brokers, url_template, controllers, connection"),
    ],
)
def test_a_metrics_endpoint_has_the_mistakes_of_an_agent(metrics, field, about):
    jolokia = {"jolokia": GOOD["jolokia"]} if "enough" in about else {}
    entry = {key: value for key, value in GOOD.items() if key != "jolokia"} | {"metrics": metrics} | jolokia
    (error,) = fleet(entry).errors
    assert error.field == field
    assert about in error.problem


def test_a_cluster_is_read_by_an_agent_a_metrics_endpoint_or_the_kafka_protocol_alone():
    bare = {key: value for key, value in GOOD.items() if key != "jolokia"}
    metrics = {"url_template": "http://{host}:9404/metrics", "connection": "exporter"}
    found = [fleet(one).clusters[0] for one in (GOOD, bare | {"metrics": metrics}, bare)]
    assert [one.read_by for one in found] == ["jolokia", "metrics", None]
    assert [one.agents.connection for one in found[1:]] == ["exporter", None]
    assert found[2].agents.brokers == {}


@pytest.mark.fault(40, 41)
def test_mistakes_of_several_clusters_and_of_the_file_are_told_together():
    bad = changed(changed(GOOD, ("environment",), "x"), ("colour",), 1)
    content = {
        "version": 1,
        "cluster": [],
        "clusters": [GOOD, {**bad, "id": "second"}, "text", GOOD, {**bad, "id": "UP"}],
    }
    found = parse_fleet(content, "f")
    assert [(e.cluster, e.field) for e in found.errors] == [
        ("-", "cluster"),
        ("second", "environment"),
        ("second", "colour"),
        ("entry 3", "entry"),
        ("entry 4", "id"),
        ("entry 5", "id"),
        ("entry 5", "environment"),
        ("entry 5", "colour"),
    ]
    assert [cluster.id for cluster in found.clusters] == ["payments-eu"]
    assert set(found.invalid) == {"second", "entry 3", "entry 4", "entry 5"}


@pytest.mark.fault(40)
def test_a_second_entry_of_an_id_is_refused_even_when_the_first_is_broken():
    found = fleet(changed(GOOD, ("environment",), "x"), GOOD)
    assert [(e.cluster, e.field) for e in found.errors] == [("payments-eu", "environment"), ("entry 2", "id")]
    assert found.clusters == []


def test_a_fleet_file_written_as_json_has_its_broker_ids_in_quotes():
    one = {
        "id": "payments-eu",
        "environment": "production",
        "owners": ["oncall@example.org"],
        "bootstrap_servers": ["broker-1.example.org:9092"],
        "jolokia": {"brokers": {"1": "http://broker-1.example.org:8778/jolokia"}},
    }
    fleet = parse_fleet({"version": 1, "clusters": [one]}, "fleet.json")
    assert fleet.errors == []
    assert list(fleet.clusters[0].jolokia.brokers) == [1]
