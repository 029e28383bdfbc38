"""What cannot be read is one sentence: which file, which document, which field, what was expected; exit code 2."""

import io
import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from kafka_fleet.cli import main as cli

DATA = Path(__file__).resolve().parents[2] / "data/discover"


KAFKA = {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka", "metadata": {"name": "a", "namespace": "b"}}
MSK = {"ClusterArn": "arn:aws:kafka:eu-west-1:1:cluster/a/b", "ClusterName": "a"}


@pytest.mark.parametrize(
    ("source", "text", "sentence"),
    [
        ("strimzi", "", "file.yml: is empty"),
        ("strimzi", "a: [\n", "file.yml, line 2: is not valid YAML: "),
        ("strimzi", "{\n'a'", "file.yml, line 2: is not valid JSON: "),
        ("strimzi", "a: 1\n", "file.yml: has no kind; expected what kubectl get kafka,kafkanodepool -A -o yaml prints"),
        ("strimzi", "kind: List\nitems: []\n", "file.yml: has no resource of the kind Kafka (kafka.strimzi.io/v1 or "),
        ("strimzi", "kind: Pod\n", "its kinds are: Pod"),
        ("strimzi", "kind: List\nitems: {a: 1}\n", "file.yml: items: must be a list, not a mapping"),
        ("strimzi", json.dumps(KAFKA), "file.yml: Kafka b/a: spec.kafka: is missing"),
        (
            "strimzi",
            json.dumps({**KAFKA, "spec": {"kafka": {"listeners": [{"port": 1}]}}}),
            "file.yml: Kafka b/a: spec.kafka.listeners[0].name: is missing",
        ),
        (
            "strimzi",
            "kind: Pod\n---\n" + yaml.safe_dump({**KAFKA, "spec": {"kafka": {"listeners": "9092"}}}),
            "file.yml, document 2: Kafka b/a: spec.kafka.listeners: must be a list, not text",
        ),
        ("msk", "[]", "file.yml: ClusterInfoList: has no clusters; is the region right?"),
        ("msk", "[1]", "file.yml: ClusterInfoList[0]: must be a mapping, not a number"),
        ("msk", '{"Clusters": 1}', "file.yml: has no ClusterInfoList; expected what aws kafka list-clusters-v2 --out"),
        ("msk", '{"ClusterInfoList": []}', "file.yml: ClusterInfoList: has no clusters; is the region right?"),
        ("msk", '{"ClusterInfoList": [{}]}', "file.yml: ClusterInfoList[0].ClusterArn: is missing"),
        (
            "msk",
            json.dumps({"ClusterInfoList": [{**MSK, "Provisioned": {"OpenMonitoring": []}}]}),
            "file.yml: ClusterInfoList[0].Provisioned.OpenMonitoring: must be a mapping, not a list",
        ),
        ("compose", "a: 1\n", "file.yml: has no services; expected a Compose file, or what docker compose config p"),
        ("compose", "services: [a]\n", "file.yml: services: must be a mapping, not a list"),
        ("compose", "services: {web: {image: nginx}}\n", "file.yml: services: has no Kafka broker"),
        ("compose", "services: {k: {image: apache/kafka, ports: 9}}\n", "k.ports: must be a list, not a number"),
        ("confluent", "all: {vars: {a: 1}}\n", "file.yml: has no group kafka_broker; it has no groups with hosts"),
        ("confluent", "kafka_connect: {hosts: {a: }}\n", "no group kafka_broker; its groups are: kafka_connect"),
        ("confluent", "kafka_broker:\n  vars: {a: 1}\n", "file.yml: group kafka_broker has no hosts"),
        ("confluent", "kafka_broker: {hosts: 1}\n", "file.yml: kafka_broker.hosts: must be a mapping, not a number"),
        ("confluent", "kafka_broker: {hosts: {'k[1:99999]': }}\n", "hosts: has a range of more than 10000 hosts"),
        ("confluent", "all: {vars: {ccloud_kafka_enabled: true}}\n", "its brokers are in Confluent Cloud"),
        ("hosts", "", "file.yml: has no clusters; expected lines such as: payments broker-1:9092,broker-2:9092"),
        ("hosts", "\na b:x\n", "file.yml, line 2: a server must be host:port with a port of 1 to 65535"),
        ("hosts", "a b:1 color=red\n", "file.yml, line 1: an unknown key; allowed: environment, env, owner, owners"),
        ("hosts", "a me:pw@b:1\n", "file.yml, line 1: carries a user or password; a fleet file names a connection"),
        ("hosts", "[a]\n\n[b]\nc\n", "file.yml: a has no servers; expected: name host:port,host:port"),
        ("hosts", "a 169.254.169.254:1\n", "file.yml, line 1: a server link-local addresses"),
    ],
)  # fmt: skip
def test_each_bad_input_is_one_clear_sentence(refused, source, text, sentence):
    said = refused(source, text)
    assert sentence in said
    assert said.startswith("file.yml")
    assert "pw" not in said


def test_what_is_not_text_or_too_large_is_refused(refused, monkeypatch):
    assert refused("hosts", b"\xff\xfea\x00") == "file.yml: is not UTF-8 text (byte 0)"
    monkeypatch.setattr("kafka_fleet.cli.discover_input.MAX_BYTES", 2**20)
    assert refused("hosts", "a" * 2**21) == "file.yml: larger than 1 MiB"


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{n}: &{n} [{', '.join(['*' + m] * 9)}]\n" for m, n in pairwise("abcdefghi")),
        "a: &a {x: 1}\n"
        + "".join(f"{n}: &{n} {{<<: [{', '.join(['*' + m] * 9)}]}}\n" for m, n in pairwise("abcdefghi")),
        "[" * 5000 + "]" * 5000,
        "a: " + "[" * 100 + "]" * 100,
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "a: &a [*a]\n",
        "a: " + "9" * 10_000 + "\n",
        '{"a": ' + "9" * 10_000 + "}",
        "a: !!python/object/apply:os.system [true]\n",
        "a: 2026-99-99\n? [b]\n: 1\n",
        "a: \x01\n",
    ],
    ids=range(11),
)  # fmt: skip
@pytest.mark.parametrize("source", ["strimzi", "msk", "compose", "confluent"])
def test_bombs_and_odd_documents_are_refused_in_a_moment(refused, source, text):
    begun = time.monotonic()
    assert refused(source, text).startswith("file.yml")
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--write"], "--write takes --fleet FILE"),
        (["--owner", "nobody"], "--owner must be an e-mail address"),
        (["--prefix", "EU_"], "--prefix must be at most 31 characters"),
        (["--listener", "x"], "has no listener of the name in --listener; it has: none"),
    ],
)
def test_options_that_cannot_be_are_told(refused, options, sentence):
    assert sentence in refused("hosts", "a b:1\n", *options)


def test_a_file_that_is_not_there_and_a_terminal_are_told(capsys, monkeypatch):
    assert cli.main(["discover", "msk", "/nowhere/msk.json"]) == 2
    assert "/nowhere/msk.json: cannot be read: No such file" in capsys.readouterr().err

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    assert cli.main(["discover", "msk"]) == 2
    said = capsys.readouterr().err
    assert (
        "nothing is piped in, and no FILE is named; such as: aws kafka list-clusters-v2 | kafka-fleet discover" in said
    )


def test_standard_input_is_named_so(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"kind: Pod\n")))
    assert cli.main(["discover", "strimzi", "-"]) == 2
    assert capsys.readouterr().err.startswith("kafka-fleet: standard input: has no resource of the kind Kafka")
