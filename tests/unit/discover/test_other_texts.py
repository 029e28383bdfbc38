"""What people pipe in by mistake is told as what it is, with the command that prints what is read."""

import json

import pytest

KUBECTL = "what kubectl get kafka,kafkanodepool -A -o yaml prints"
AWS = "what aws kafka list-clusters-v2 --output json prints"
INVENTORY = "an inventory in YAML, or what ansible-inventory --list prints"
INI = (
    "file.yml: is an Ansible inventory in INI, which is not read; run ansible-inventory -i INVENTORY --list | "
    "kafka-fleet discover confluent"
)
CFK = "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\nmetadata: {name: kafka}\n"
CFK_TOLD = "(Confluent for Kubernetes, which is not read: kafka-fleet discover hosts takes a list of clusters)"
POOL = "kind: KafkaNodePool\napiVersion: kafka.strimzi.io/v1\nmetadata: {name: a, labels: {strimzi.io/cluster: b}}\n"
STRIMZI = {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka", "metadata": {"name": "a"}}
TABLE = """
-----------------------------
|      ListClustersV2       |
+---------------------------+
||  State: |  ACTIVE       ||
"""


@pytest.mark.parametrize(
    ("source", "text", "sentence"),
    [
        ("strimzi", "text\n", f"file.yml: is plain text; expected {KUBECTL}"),
        ("strimzi", "- 1\n", "file.yml: must be a mapping, not a list"),
        ("strimzi", "NAMESPACE   NAME\nkafka       a: b\n", f"file.yml: is a table or plain text; expected {KUBECTL}"),
        ("strimzi", "NAME\tREADY\na\tb\n", f"file.yml: is a table or plain text; expected {KUBECTL}"),
        ("strimzi", "kind: Pod\n---\nNone found\n", f"file.yml, document 2: is plain text; expected {KUBECTL}"),
        ("msk", TABLE, f"file.yml: is a table or plain text; expected {AWS}"),
        ("msk", "CLUSTERINFOLIST\tarn:aws: a\n", f"file.yml: is a table or plain text; expected {AWS}"),
        ("msk", "a\n", f"file.yml: is plain text; expected {AWS}"),
        ("compose", "a\n", "is plain text; expected a Compose file, or what docker compose config prints"),
        ("confluent", "host1\nhost2\n", f"file.yml: is plain text; expected {INVENTORY}"),
    ],
)
def test_text_for_people_is_told_with_the_command_that_prints_data(refused, source, text, sentence):
    assert sentence in refused(source, text)


@pytest.mark.parametrize(
    "text",
    [
        "[kafka_broker]\nhost1 ansible_host=10.0.0.1\n",
        "; ours\nhost1 a=b\n\n[kafka_broker:children]  # all\nb\n",
        "# c: d\n[all:vars]\nssl_enabled: true\n",
    ],
)
def test_an_inventory_in_ini_names_what_to_run(refused, text):
    assert refused("confluent", text) == INI


@pytest.mark.parametrize(
    ("source", "text", "sentence"),
    [
        ("strimzi", CFK, f"v1 or v1beta2); its kinds are: platform.confluent.io/v1beta1 Kafka {CFK_TOLD}"),
        (
            "strimzi",
            f"{CFK}---\nkind: Pod\napiVersion: v1\n",
            f"platform.confluent.io/v1beta1 Kafka, v1 Pod {CFK_TOLD}",
        ),
        ("strimzi", POOL, "its kinds are: kafka.strimzi.io/v1 KafkaNodePool"),
        (
            "confluent",
            CFK,
            f"file.yml: is a manifest of Kubernetes, not {INVENTORY}; its kinds are: "
            f"platform.confluent.io/v1beta1 Kafka {CFK_TOLD}",
        ),
        (
            "confluent",
            json.dumps({"apiVersion": "v1", "kind": "List", "items": [STRIMZI]}),
            "its kinds are: kafka.strimzi.io/v1 Kafka (kafka-fleet discover strimzi)",
        ),
        # groups may have any name
        (
            "confluent",
            "apiVersion: {hosts: {a: }}\nkind: {hosts: {b: }}\n",
            "file.yml: has no group kafka_broker; its groups are: apiVersion, kind",
        ),
    ],
)
def test_a_manifest_is_told_with_api_version_and_kind(refused, source, text, sentence):
    assert refused(source, text).endswith(sentence)


@pytest.mark.parametrize(("hosts", "said"), [("{a: }", "# 1 broker of"), ("{a: , b: }", "# 2 brokers of")])
def test_one_broker_is_counted_as_one(found, hosts, said):
    printed, _clusters = found("confluent", f"kafka_broker:\n  hosts: {hosts}\n")
    assert f"{said} the inventory\n" in printed.out
