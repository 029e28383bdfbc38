"""The Dockerfile as far as it can be checked without an engine: users, content, the agent, Kubernetes' values."""

import hashlib
import re

import yaml

from fleet_demo.artifacts import jolokia_agent, kafka_jars
from fleet_demo.node import POLICY, Node, access_policy
from support.compose import compose_file
from support.compose.compose_file import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES = compose_file.load({name: f"given-{name.lower()}" for name in compose_file.variables()})["services"]


def test_every_stage_of_the_image_ends_as_its_own_user():
    stages = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]
    assert len(stages) == 2
    assert [re.findall(r"^USER (.*)$", stage, re.MULTILINE)[-1] for stage in stages] == ["fleet", "fleet"]


def test_base_images_are_pinned_by_tag_and_digest_and_have_a_stand_in():
    ours = {"fleet", "kafka"}
    bases = {one for one in re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) if one not in ours}
    bases |= {one["image"] for one in SERVICES.values() if not one["image"].startswith("kafka-fleet-")}
    assert {one.partition(":")[0] for one in bases} == {"python", "postgres", "axllent/mailpit"}
    made = (ROOT / "scripts/stand-in-images").read_text()
    for one in bases:
        name, _, digest = one.partition("@")
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", digest), one
        assert f"--tag {name} " in made


def test_the_image_copies_only_what_exists_and_is_let_through():
    ignored = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    lines = re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE)
    copied = {source for line in lines for source in line.split()}
    assert copied == ignored
    assert all((ROOT / source).exists() for source in copied), "every COPY source is in the checkout"


def test_the_agents_sum_is_that_of_the_published_jar():
    (found,) = re.findall(r'echo "(\w{64})  /opt/kafka/\$\{KAFKA_RELEASE\}/(\S+)" \| sha256sum --check', DOCKERFILE)
    jar = jolokia_agent(kafka_jars("3.3.1"))
    assert found == (hashlib.sha256(jar.read_bytes()).hexdigest(), jar.name)


def test_the_values_for_kubernetes_are_those_of_the_image():
    values = yaml.safe_load((ROOT / "docs/kubernetes-values.yaml").read_text())
    image = f"{values['defaultAirflowRepository'].rpartition('/')[2]}:{values['defaultAirflowTag']}"
    assert image == SERVICES["airflow-scheduler"]["image"]
    locked = re.search(r"^apache-airflow==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert locked
    assert values["airflowVersion"] == locked[1]
    for one in values["env"]:
        assert f"{one['name']}={one['value']}" in DOCKERFILE
    mounted = {one["name"] for one in values["volumeMounts"]}
    assert mounted == {one["name"] for one in values["volumes"]}
    assert values["createUserJob"]["enabled"] is False, "its user would be the FAB provider's, which is not in the lock"


def test_an_agent_in_a_container_has_the_documented_policy_without_its_address(tmp_path):
    own = access_policy(Node(1, ("broker",), None, folder=tmp_path, host="kafka-buggy")).read_text()
    assert "<remote>" not in own
    kept = re.sub(r"\s*<remote>.*?</remote>", "", POLICY.read_text(), flags=re.DOTALL)
    assert own == kept
    assert own.count("<mbean>") > 50
    assert POLICY == ROOT / "docs/jolokia-access.xml"
