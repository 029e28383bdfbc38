"""Names and values of manifests are anybody's: none ends its line, and none that may be a secret is printed."""

import json

import pytest

from kafka_fleet.cli import main as cli
from kafka_fleet.config.fleet import load_fleet
from kafka_fleet.discover.interpolation import interpolated
from kafka_fleet.discover.java_agents import java_agents

EVIL = [
    "x\n  - id: evil\n    environment: production",
    "x\r\n- id: evil",
    "x\u2028- id: evil",
    "x\x85- id: evil",
    "# - id: evil",
    '"]}\n- id: evil',
    "x: {y: [",
    "\ud800\udfff\u202e",
    "index",
    "ünïcode",
    "-" * 300,
    "a" * 300,
    "!!python/name:os.system",
    "*alias",
]


def strimzi(text):
    listener = {"name": text, "port": 9092, "type": "internal", "tls": False}
    metadata = {"name": text, "namespace": text, "labels": {"env": text, "team": text}, "annotations": {text: text}}
    spec = {"kafka": {"version": text, "listeners": [listener], "metricsConfig": {"type": text}}}
    status = {"kafkaVersion": text, "listeners": [{"name": text, "bootstrapServers": text}]}
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka", "metadata": metadata, "spec": spec, "status": status}


def msk(text):
    spec = {
        "CurrentBrokerSoftwareInfo": {"KafkaVersion": text},
        "ClientAuthentication": {"Sasl": {"Scram": {"Enabled": 1}}},
    }
    one = {
        "ClusterArn": text,
        "ClusterName": text,
        "State": text,
        "Tags": {text: text, "env": text},
        "Provisioned": spec,
    }
    return {"ClusterInfoList": [one], "NextToken": text, "BootstrapBrokerStringSaslScram": text}


def compose(text):
    environment = {"KAFKA_ADVERTISED_LISTENERS": f"{text}://{text}:9092,B://{text}:9093", "KAFKA_NODE_ID": text}
    environment |= {"KAFKA_OPTS": f"-javaagent:/jolokia.jar=port=8778,host={text}", "KAFKA_CLUSTER_ID": text}
    service = {"image": f"apache/kafka:{text}", "environment": environment, "labels": {"owner": text, "env": text}}
    return {"name": text, "services": {text: service}}


def confluent(text):
    variables = {"jolokia_enabled": True, "owner": text, "environment": text, "kafka_broker_cluster_name": text}
    variables |= {"kafka_broker_custom_listeners": {text: {"name": text, "port": 9094, "sasl_protocol": text}}}
    variables |= {"hostname_aliasing_enabled": True, "hostname": text, "confluent_package_version": text}
    return {
        "all": {"vars": variables},
        "kafka_broker": {"hosts": {text: {}}},
        "kafka_controller": {"hosts": {text: {}}},
    }


@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
@pytest.mark.parametrize("given", [strimzi, msk, compose, confluent])
@pytest.mark.parametrize("options", [[], ["--owner", "a@example.org", "--environment", "staging"]])
def test_no_name_or_value_ends_its_line(given, text, options, tmp_path, capsys):
    (tmp_path / "given").write_text(json.dumps(given(text)))
    fleet = tmp_path / "fleet.yaml"
    words = ["discover", given.__name__, str(tmp_path / "given"), *options]
    assert cli.main(words) == 0
    printed = capsys.readouterr().out
    assert all(line.startswith(("  ", "version: 1", "clusters:")) or not line for line in printed.splitlines())
    assert "\u2028" not in printed
    assert cli.main([*words, "--fleet", str(fleet), "--write"]) == 0
    written = fleet.read_bytes()
    capsys.readouterr()
    if "\n  - id: " in written.decode():
        loaded = load_fleet(fleet)
        assert loaded.errors == []
        assert len(loaded.clusters) == 1
        assert loaded.clusters[0].id != "evil"
        assert "production" not in {one.environment for one in loaded.clusters}
    assert cli.main([*words, "--fleet", str(fleet), "--write"]) == 0
    assert "nothing appended" in capsys.readouterr().out
    assert fleet.read_bytes() == written


@pytest.mark.parametrize("name", ["1", "on", "null", "2026-01-01", "1e3", "0x1f", "true", "1-0"])
@pytest.mark.parametrize("options", [[], ["--owner", "a@example.org", "--environment", "staging"]])
def test_a_name_that_yaml_takes_for_something_else_is_an_id(name, options, tmp_path, capsys):
    (tmp_path / "given").write_text(f"{name} b:1\n")
    fleet = tmp_path / "fleet.yaml"
    words = ["discover", "hosts", str(tmp_path / "given"), *options, "--fleet", str(fleet), "--write"]
    assert cli.main(words) == 0
    text = fleet.read_text()
    assert not options or [one.id for one in load_fleet(fleet).clusters] == [name]
    assert cli.main(words) == 0
    assert (fleet.read_text(), capsys.readouterr().out.endswith("nothing appended\n")) == (text, True)


def test_an_address_with_a_password_in_it_is_left_out(tmp_path, capsys):
    one = compose("kafka")
    one["services"]["kafka"]["environment"] = {
        "KAFKA_ADVERTISED_LISTENERS": "SSL://me:canary@host:9092,B://169.254.169.254:1"
    }
    (tmp_path / "given").write_text(json.dumps(one))
    assert cli.main(["discover", "compose", str(tmp_path / "given")]) == 0
    said = capsys.readouterr().out
    assert "canary" not in said
    assert "169.254.169" not in said
    assert "bootstrap_servers: [FILL-IN]" in said
    assert "an address is left out: it must be host:port" in said


@pytest.mark.parametrize(
    ("given", "text", "unset"),
    [
        ("a${X}b", "a${X}b", ["X"]),
        ("$X", "${X}", ["X"]),
        ("${X:-d}", "d", []),
        ("${X-d:1}", "d:1", []),
        ("${X:?must be set}", "${X}", ["X"]),
        ("${X:+y}", "", []),
        ("$$X", "$X", []),
        ("${X:-${Y:-z}}", "z", []),
        ("${X:-${Y}}", "${Y}", ["Y"]),
        ("${", "${", []),
        ("$1", "$1", []),
    ],
)
def test_variables_have_what_the_file_says_and_never_what_this_process_has(given, text, unset, monkeypatch):
    monkeypatch.setenv("X", "canary")
    monkeypatch.setenv("Y", "canary")
    assert interpolated(given) == (text, unset)


def test_variables_that_grow_stay_small():
    assert len(interpolated("${A:-" * 3000 + "x" + "}" * 3000)[0]) < 20_000


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("-javaagent:/x/jmx_prometheus_javaagent-1.0.1.jar=9404:/etc/rules.yml", [("metrics", 9404, "http", False)]),
        ("-javaagent:/x/jmx_prometheus_javaagent.jar=0.0.0.0:9404:/etc/rules.yml", [("metrics", 9404, "http", False)]),
        ("-Xmx1G -javaagent:/x/jolokia-jvm.jar", [("jolokia", 8778, "http", False)]),
        ("-javaagent:/x/jolokia.jar=port=9999,protocol=https,user=a,password=b", [("jolokia", 9999, "https", True)]),
        ("-javaagent:/x/jolokia.jar=port=${P}", []),
        ("-javaagent:/x/other.jar=port=1", []),
        ("-javaagent:", []),
    ],
)
def test_agents_are_known_by_their_options(options, found):
    assert [(one.kind, one.port, one.scheme, one.login) for one in java_agents([options])] == found
