"""What each source may look like besides: other commands, older forms, several clusters, settings from elsewhere."""

import json
from pathlib import Path

import yaml

DATA = Path(__file__).resolve().parents[2] / "data/discover"
DEFAULTS = ["--owner", "platform@example.org", "--environment", "staging"]

ANSIBLE = {
    "_meta": {"hostvars": {"k1": {"ssl_enabled": False, "kafka_broker_jmxexporter_enabled": True}}},
    "all": {"children": ["ungrouped", "kafka_broker", "kafka_controller"]},
    "kafka_broker": {"hosts": ["k1", "k2"]},
    "kafka_controller": {"hosts": ["c1"]},
}


def test_confluent_reads_what_ansible_inventory_prints(found):
    _, clusters = found("confluent", json.dumps(ANSIBLE, indent=4), *DEFAULTS)
    (one,) = clusters.values()
    assert one.bootstrap_servers == ["k1:9092", "k2:9092"]
    assert one.kafka_connection is None
    assert one.metrics.url_template == "http://{host}:8080/metrics"


TWO = """
all:
  vars: {jmxexporter_enabled: "true", ssl_enabled: "{{ tls }}", hostname_aliasing_enabled: true}
  children:
    first:
      children:
        kafka_broker: {hosts: {a1: {ansible_host: 10.0.0.1}, a2: {hostname: a2.example.org}}}
        kafka_controller: {hosts: {c1: {node_id: 7}}}
    second:
      vars: {ssl_enabled: true, sasl_protocol: kerberos}
      children:
        kafka_broker2: {hosts: {b1: , b2: }, vars: {kafka_broker_cluster_name: second-cluster}}
        kafka_controller2: {hosts: {c2: }, vars: {kafka_controller_jmxexporter_port: 9999}}
"""


def test_confluent_tells_clusters_of_one_inventory_apart_and_names_templates(found):
    said, clusters = found("confluent", TWO, *DEFAULTS)
    first, second = clusters["confluent"], clusters["second-cluster"]
    assert first.bootstrap_servers == ["10.0.0.1:9092", "a2.example.org:9092"]
    assert first.metrics.controllers == {7: "http://c1:8079/metrics"}
    assert first.kafka_connection is None
    assert "ssl_enabled is a template, which is not filled in here" in said.out
    assert second.bootstrap_servers == ["b1:9092", "b2:9092"]
    assert second.kafka_connection == "kafka_second_cluster"
    assert "SASL_SSL, GSSAPI" in said.out
    assert second.metrics.controllers == {9991: "http://c2:9999/metrics"}


DEFAULT_IMAGES = """
services:
  one: {image: "apache/kafka:4.1.0", ports: ["9092:9092"]}
  two:
    image: quay.io/strimzi/kafka:0.45.0-kafka-3.9.0
    command: [sh, -c, "bin/kafka-server-start.sh c.properties --override advertised.listeners=PLAINTEXT://two:9092"]
    env_file: canary.env
  three:
    image: confluentinc/cp-kafka:7.9.0
    environment: {KAFKA_NODE_ID: 3, KAFKA_ADVERTISED_LISTENERS: "SSL://three:9093", KAFKA_PROCESS_ROLES: broker,
      KAFKA_OPTS: "-javaagent:/jmx_prometheus_javaagent.jar=7071:/rules.yml", KAFKA_SSL_CLIENT_AUTH: required}
"""


def test_compose_knows_images_without_settings_and_settings_of_a_command(found):
    said, clusters = found("compose", DEFAULT_IMAGES, *DEFAULTS)
    assert {name: one.bootstrap_servers[0] for name, one in clusters.items()} == {
        "one": "localhost:9092",
        "two": "two:9092",
        "three": "three:9093",
    }
    assert "env_file: another file, which is not read" in said.out
    assert "no KAFKA_ADVERTISED_LISTENERS: the address is where it listens, or what the image advertises" in said.out
    assert clusters["three"].metrics.url_template == "http://{host}:7071/metrics"
    assert "ssl.certificate.location" in said.out


def test_msk_reads_the_list_alone_and_the_first_version_of_it(found):
    listed = json.loads((DATA / "msk-clusters.json").read_text())["ClusterInfoList"]
    answer = (DATA / "msk-brokers.json").read_text()
    flat = {**listed[0], **listed[0]["Provisioned"]}
    del flat["Provisioned"]
    for given in (listed, {"ClusterInfoList": [flat]}):
        _, clusters = found("msk", json.dumps(given, indent=4) + "\n" + answer)
        assert clusters["payments"].metrics.url_template == "http://{host}:11001/metrics"
        assert clusters["payments"].bootstrap_servers[0].endswith(":9096")


def test_what_ansible_marks_as_unsafe_or_keeps_in_a_vault_is_known(found):
    variables = {"owner": "a@example.org", "jolokia_enabled": {"__ansible_vault": "canary"}, "sasl_protocol": "plain"}
    variables |= {"ssl_enabled": {"__ansible_unsafe": "true"}, "kafka_broker_configure_multiple_listeners": False}
    hosts = {"k1": variables, "k2": variables}
    given = {"_meta": {"hostvars": hosts}, "kafka_broker": {"hosts": ["k1", "k2"]}}
    said, clusters = found("confluent", json.dumps(given, indent=4), *DEFAULTS)
    assert clusters["confluent"].owners == ["a@example.org"]
    assert "jolokia_enabled is in a vault" in said.out
    assert '"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"' in said.out
    assert "BROKER" not in said.out


MECHANISMS = """
services:
  kafka:
    image: wurstmeister/kafka
    environment:
      KAFKA_ADVERTISED_HOST_NAME: 192.168.99.100
      KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
  other:
    image: confluentinc/cp-server:7.9.0
    environment:
      KAFKA_NODE_ID: 2
      KAFKA_ADVERTISED_LISTENERS: SASL_SSL://other:9093,TOKEN://other:9094
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "SASL_SSL:SASL_SSL, TOKEN:SASL_PLAINTEXT"
      KAFKA_SASL_ENABLED_MECHANISMS: OAUTHBEARER, SCRAM-SHA-512
      KAFKA_LISTENER_NAME_TOKEN_SASL_ENABLED_MECHANISMS: OAUTHBEARER
"""


def test_of_several_mechanisms_one_that_can_be_used_is_taken(found):
    said, clusters = found("compose", MECHANISMS, *DEFAULTS)
    assert clusters["kafka"].bootstrap_servers == ["192.168.99.100:9092"]
    assert clusters["other"].bootstrap_servers == ["other:9093"]
    assert "listener SASL_SSL (SASL_SSL, SCRAM-SHA-512)" in said.out
    assert "not used: listener TOKEN (SASL_PLAINTEXT, OAUTHBEARER)" in said.out


def test_a_listener_of_strimzi_that_advertises_other_hosts_has_no_metrics_by_them(found):
    resources = yaml.safe_load((DATA / "strimzi-list.yaml").read_text())
    listener = resources["items"][0]["spec"]["kafka"]["listeners"][1]
    listener["configuration"] = {"brokers": [{"broker": 0, "advertisedHost": "b0.example.org"}]}
    _, clusters = found("strimzi", json.dumps(resources, default=str, indent=1), "--listener", "tls")
    assert clusters["payments"].metrics.url_template is None
    assert set(clusters["payments"].metrics.brokers) == {0, 1, 2}
