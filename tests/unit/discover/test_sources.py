"""What each source says of its clusters: blocks of the fleet file that load, and comments on what nobody knows."""

import json
from pathlib import Path

import pytest
import yaml

from kafka_fleet.config.fleet import Cluster

DATA = Path(__file__).resolve().parents[2] / "data/discover"
DEFAULTS = ["--owner", "platform@example.org", "--environment", "staging"]


def uncommented(text: str) -> dict:
    """The entries of a printed fleet file, those that are comments too."""
    lines = [line.replace("  # - id", "  - id").replace("  #   ", "    ") for line in text.splitlines()]
    return {one["id"]: one for one in yaml.safe_load("\n".join(lines))["clusters"]}


def test_strimzi_gives_the_strictest_listener_that_can_be_used_inside(found):
    said, clusters = found("strimzi", "strimzi-list.yaml")
    assert set(clusters) == {"payments"}
    one = clusters["payments"]
    assert one.environment == "production"
    assert one.owners == ["payments-oncall@example.org"]
    assert one.bootstrap_servers == ["payments-kafka-bootstrap.kafka.svc:9093"]
    assert one.kafka_connection == "kafka_payments"
    assert one.metrics.url_template == "http://{host}:9404/metrics"
    assert set(one.metrics.controllers) == {3, 4, 5}
    assert one.metrics.controllers[3] == "http://payments-controller-3.payments-kafka-brokers.kafka.svc:9404/metrics"
    assert '{"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "ssl.ca.location": ' in said.out
    assert "not used: listener plain (type internal, PLAINTEXT) payments-kafka-bootstrap.kafka.svc:9092" in said.out
    assert "not used: listener external (type loadbalancer, SSL, client certificate) 203.0.113.17:9094" in said.out
    assert "kubectl get secret payments-cluster-ca-cert -n kafka" in said.out


def test_a_cluster_that_cannot_be_used_as_it_is_is_a_comment_that_says_what_to_fill_in(found):
    said, _ = found("strimzi", "strimzi-list.yaml")
    other = uncommented(said.out)["my-cluster"]
    assert other["environment"] == "FILL-IN"
    assert other["owners"] == ["FILL-IN"]
    assert other["kafka_connection"] == "FILL-IN"
    assert "OAUTHBEARER cannot be used" in said.out
    assert "fill in production, staging or development" in said.out


def test_strimzi_reads_json_one_resource_and_manifests_alike(found):
    resources = yaml.safe_load((DATA / "strimzi-list.yaml").read_text())
    _, listed = found("strimzi", json.dumps(resources, indent=4, default=str), *DEFAULTS)
    _, single = found("strimzi", json.dumps(resources["items"][0], indent=4, default=str), *DEFAULTS)
    assert listed["payments"].bootstrap_servers == single["payments"].bootstrap_servers
    said, manifests = found("strimzi", "strimzi-manifests.yaml", *DEFAULTS)
    assert manifests["orders"].bootstrap_servers == ["orders-kafka-bootstrap:9092"]
    assert manifests["orders"].kafka_connection is None
    assert "no namespace in the manifest" in said.out


def test_another_listener_has_metrics_by_the_names_of_the_pods(found):
    _, clusters = found("strimzi", "strimzi-list.yaml", "--listener", "external")
    one = clusters["payments"]
    assert one.bootstrap_servers == ["203.0.113.17:9094"]
    assert one.metrics.url_template is None
    assert one.metrics.brokers[2] == "http://payments-broker-2.payments-kafka-brokers.kafka.svc:9404/metrics"


def test_msk_says_which_command_gives_the_addresses_and_reads_its_answer(found, tmp_path):
    said, clusters = found("msk", "msk-clusters.json")
    assert clusters == {}
    assert "aws kafka get-bootstrap-brokers --region eu-west-1 --cluster-arn arn:aws:kafka:eu-west-1:1234" in said.out
    both = (DATA / "msk-clusters.json").read_text() + (DATA / "msk-brokers.json").read_text()
    said, clusters = found("msk", both)
    one = clusters["payments"]
    assert len(one.bootstrap_servers) == 3
    assert one.bootstrap_servers[0] == "b-1.payments.a1b2c3.c4.kafka.eu-west-1.amazonaws.com:9096"
    assert (one.environment, one.owners) == ("production", ["payments-oncall@example.org"])
    assert one.metrics.url_template == "http://{host}:11001/metrics"
    assert "serverless clusters take logins by IAM alone" in said.out
    assert "AWS_MSK_IAM cannot be used" in said.out


def test_an_answer_of_msk_is_known_by_its_hosts_and_one_of_nobody_is_told(found):
    clusters = json.loads((DATA / "msk-clusters.json").read_text())
    answer = json.loads((DATA / "msk-brokers.json").read_text().split("\n", 1)[1])
    _, found_by_host = found("msk", json.dumps(clusters) + "\n" + json.dumps(answer))
    assert found_by_host["payments"].bootstrap_servers[2].startswith("b-3.payments.")
    foreign = {"BootstrapBrokerStringTls": "b-1.other.a1b2c3.c4.kafka.eu-west-1.amazonaws.com:9094"}
    said, left = found("msk", json.dumps({**clusters, "NextToken": "AAAA"}) + "\n" + json.dumps(foreign))
    assert left == {}
    assert "document 2: is of no listed cluster" in said.err
    assert "document 1: has a NextToken: there are more clusters" in said.err


def test_compose_gives_the_listener_for_clients_outside_and_the_published_agents(found):
    said, clusters = found("compose", "docker-compose.yml", *DEFAULTS)
    (one,) = clusters.values()
    assert one.id == "orders"
    assert one.bootstrap_servers == ["localhost:29092", "localhost:39092", "localhost:49092"]
    assert one.jolokia.brokers[3] == "http://localhost:48778/jolokia"
    assert one.jolokia.connection == "jolokia_orders"
    assert "kafka-ui" not in said.out
    _, inside = found("compose", "docker-compose.yml", *DEFAULTS, "--listener", "PLAINTEXT")
    assert inside["orders"].bootstrap_servers == ["kafka-1:19092", "kafka-2:19092", "kafka-3:19092"]
    assert inside["orders"].jolokia.url_template == "http://{host}:8778/jolokia"


def test_compose_tells_two_clusters_apart_and_names_variables_that_are_not_set(found):
    said, clusters = found("compose", "compose-two-clusters.yml", *DEFAULTS)
    assert clusters["broker"].bootstrap_servers == ["localhost:9092"]
    assert clusters["broker"].environment == "development"
    assert clusters["kafka"].bootstrap_servers == ["kafka-0:9092"]
    assert clusters["kafka"].kafka_connection == "kafka_kafka"
    assert "not set in this file: EXTERNAL_HOST" in said.out
    assert "JMX_PORT is RMI, which is not read" in said.out
    assert "SCRAM-SHA-256" in said.out


def test_confluent_gives_ports_and_numbers_of_its_collection(found):
    said, clusters = found("confluent", "confluent-hosts.yml")
    (one,) = clusters.values()
    assert one.bootstrap_servers[0] == "broker-1.example.org:9092"
    assert one.jolokia.url_template == "https://{host}:7771/jolokia"
    assert one.jolokia.controllers == {
        9990 + number: f"https://controller-{number}.example.org:7770/jolokia" for number in (1, 2, 3)
    }
    assert one.jolokia.connection == "jolokia_confluent"
    assert (one.environment, one.owners) == ("production", ["platform@example.org"])
    assert "listener CLIENT (listener client_listener, SSL, client certificate)" in said.out


def test_hosts_takes_names_sections_schemes_and_single_hosts(found):
    _, clusters = found("hosts", "hosts.txt", *DEFAULTS)
    assert {name: one.bootstrap_servers for name, one in clusters.items()} == {
        "payments-eu": ["broker-1.example.org:9092", "broker-2.example.org:9092"],
        "orders": ["orders-1.example.org:9093", "orders-2.example.org:9093"],
        "events": ["events-1.example.org:9092", "events-2.example.org:9092"],
        "lab-1-example-org": ["lab-1.example.org:9092"],
    }
    assert clusters["payments-eu"].owners == ["payments-oncall@example.org"]
    assert clusters["orders"].kafka_connection == "kafka_orders"
    assert clusters["events"].kafka_connection is None


@pytest.mark.parametrize(
    "line",
    [
        "payments b1:9092,b2:9092",
        "payments: b1:9092, b2:9092",
        "payments = b1:9092 b2:9092",
        "payments=b1:9092,b2:9092",
        "payments,b1:9092,b2:9092",
        "payments kafka://b1:9092/,kafka://b2:9092/",
        "[payments]\nb1:9092\nb2:9092",
        "payments b1:9092\npayments b2:9092",
        "payments:\n  b1\n  b2",
    ],
)
def test_a_list_is_read_however_it_is_written(found, line):
    _, clusters = found("hosts", f"# a list\n{line}\n", *DEFAULTS)
    assert {name: one.bootstrap_servers for name, one in clusters.items()} == {"payments": ["b1:9092", "b2:9092"]}
    assert isinstance(clusters["payments"], Cluster)
