"""The compose file as far as it can be checked without an engine: schema, wiring, secrets, what services may do."""

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from fleet_demo.container import BROKERS, agents
from kafka_fleet.config.fleet import load_fleet
from support.compose import compose_file
from support.compose.compose_file import ROOT, Missing
from support.servers.postgres_server import RELEASE

TEXT = compose_file.FILE.read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
GIVEN = {name: f"given-{name.lower()}" for name in compose_file.variables()}
FILE = compose_file.load(GIVEN)
SERVICES = FILE["services"]
AIRFLOW = {name: service for name, service in SERVICES.items() if name.startswith("airflow-")}
OURS = sorted(name for name, service in SERVICES.items() if service["image"].startswith("kafka-fleet-"))
SECRETS = ("AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API__SECRET_KEY", "AIRFLOW__API_AUTH__JWT_SECRET")
REAL = compose_file.program()


def test_the_services_of_an_installation_and_of_its_demo():
    airflow = {f"airflow-{part}" for part in ("init", "apiserver", "scheduler", "dag-processor", "triggerer")}
    demo = {"kafka-buggy", "kafka-fixed"}
    assert (
        set(SERVICES)
        == {"postgres", "mailpit", "spark-master", "spark-worker", "log-groomer", "watch"} | airflow | demo
    )
    assert {name for name, service in SERVICES.items() if "profiles" in service} == demo


def test_it_keeps_the_schema_of_the_compose_specification():
    schema = json.loads((ROOT / "tests/data/compose/compose-spec.json").read_text())
    check = jsonschema.Draft7Validator(schema)
    assert [error.message for error in check.iter_errors(FILE)] == []
    damaged = {**FILE, "services": {**SERVICES, "postgres": {**SERVICES["postgres"], "imagee": "x"}}}
    assert len(list(check.iter_errors(damaged))) == 1, "the schema notices a word that there is not"


def refusal(given: dict[str, str], folder: Path) -> str:
    """What compose says; where there is no compose, what its rules say."""
    if REAL:
        made, said = compose_file.config(REAL, given, folder)
        assert made is None
        return said
    with pytest.raises(Missing) as caught:
        compose_file.load(given)
    return str(caught.value)


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("value", [None, ""])
def test_every_variable_is_required_and_named_when_it_is_absent(name, value, tmp_path):
    given = {other: text for other, text in GIVEN.items() if other != name} | ({} if value is None else {name: value})
    said = refusal(given, tmp_path)
    assert f"required variable {name} is missing a value: set {name}" in said
    assert "\n" not in said


def test_compose_reads_the_file_as_these_tests_do(tmp_path):
    assert set(GIVEN) == {
        "POSTGRES_PASSWORD", "AIRFLOW_ADMIN_PASSWORD", "AIRFLOW_JWT_SECRET", "AIRFLOW_SECRET_KEY", "AIRFLOW_FERNET_KEY",
        "SPARK_SECRET",
    }  # fmt: skip
    if REAL:  # beside it the schema and the rules above are checked in any case
        made, said = compose_file.config(REAL, GIVEN, tmp_path)
        assert made is not None, said
        assert set(made["services"]) == set(SERVICES)
        for name, service in made["services"].items():
            own = SERVICES[name]
            texts = {key: str(value) for key, value in own.get("environment", {}).items()}
            assert (service.get("environment") or {}) == texts
            assert service.get("command") == own.get("command")
            test = own.get("healthcheck", {}).get("test")
            assert service.get("healthcheck", {}).get("test") == test


def test_no_service_has_a_secret_of_its_own():
    for service in yaml.safe_load(TEXT)["services"].values():
        for name, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD$|SECRET|FERNET", name):
                assert value.startswith("${"), name


@pytest.mark.parametrize("name", sorted(AIRFLOW))
def test_airflow_services_share_secrets_database_and_volumes(name):
    service, reference = AIRFLOW[name], AIRFLOW["airflow-apiserver"]
    for variable in (*SECRETS, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "AIRFLOW__CORE__EXECUTION_API_SERVER_URL"):
        assert service["environment"][variable] == reference["environment"][variable]
    assert service["volumes"] == reference["volumes"]
    assert service["image"] == reference["image"]


def test_driver_and_executors_share_the_home_the_settings_and_the_release():
    driver, worker = SERVICES["airflow-scheduler"], SERVICES["spark-worker"]
    assert "fleet:/var/lib/kafka-fleet" in driver["volumes"]
    assert "fleet:/var/lib/kafka-fleet" in worker["volumes"]
    assert {SERVICES[name]["image"] for name in ("spark-master", "spark-worker")} == {driver["image"]}
    assert driver["environment"]["SPARK_LOCAL_HOSTNAME"] == driver["hostname"] == "airflow-scheduler"
    assert json.loads(driver["environment"]["AIRFLOW_CONN_SPARK_DEFAULT"]) == {
        "conn_type": "spark", "host": "spark://spark-master", "port": 7077,
    }  # fmt: skip
    folder = driver["environment"]["SPARK_CONF_DIR"]
    for name in ("spark-master", "spark-worker"):
        assert SERVICES[name]["environment"]["SPARK_CONF_DIR"] == folder
        assert f"spark:{folder}:ro" in SERVICES[name]["volumes"]
        assert SERVICES[name]["hostname"] == SERVICES[name]["command"][SERVICES[name]["command"].index("--host") + 1]
    settings = (ROOT / "spark/conf/spark-defaults.conf").read_text()
    assert re.search(r"^spark\.authenticate\s+true$", settings, re.MULTILINE)
    assert not re.search(r"^spark\.authenticate\.secret", settings, re.MULTILINE)


def test_a_missing_fleet_file_is_not_made_up_as_a_folder():
    (fleet,) = [volume for volume in AIRFLOW["airflow-scheduler"]["volumes"] if isinstance(volume, dict)]
    assert fleet["bind"]["create_host_path"] is False
    assert fleet["read_only"] is True
    assert f"KAFKA_FLEET_FILE={fleet['target']}" in DOCKERFILE


def test_every_named_volume_is_declared_and_owned_by_the_user_of_the_image():
    mounted = dict(v.split(":")[:2] for s in SERVICES.values() for v in s.get("volumes", []) if isinstance(v, str))
    assert set(mounted) == set(FILE["volumes"])
    owned = re.search(r"install -d -o fleet -g fleet (.*)", DOCKERFILE)
    assert owned
    assert {mounted[name] for name in set(mounted) - {"postgres", "postgres-socket"}} <= set(owned[1].split())


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"airflow-init"}))
def test_long_running_services_have_a_health_check_and_wait_for_what_exists(name):
    kind, *words = SERVICES[name]["healthcheck"]["test"]
    assert kind == "CMD-SHELL" or (kind == "CMD" and not any(" " in word for word in words)), "Podman 4 parts words"
    assert set(SERVICES[name].get("depends_on", {})) <= set(SERVICES)


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_service_runs_without_capabilities_and_not_as_root(name):
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert name in OURS or service["user"] in ("postgres", "65534:65534")
    assert not {"privileged", "cap_add", "network_mode", "pid"} & set(service)


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_service_has_a_limit_of_memory_and_of_processes(name):
    service = SERVICES[name]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert service["pids_limit"] > 0


def test_what_a_service_writes_goes_to_volumes_and_memory_where_that_is_enough():
    written = {name for name, service in SERVICES.items() if not service["read_only"]}
    assert written == {"spark-worker", "kafka-buggy", "kafka-fixed"}, "executors spill, brokers keep data"
    for name in set(SERVICES) - written:
        assert any(place.split(":")[0] == "/tmp" for place in SERVICES[name]["tmpfs"]), name
    for name in set(AIRFLOW):
        assert any(place.startswith("/opt/airflow:mode=1777") for place in SERVICES[name]["tmpfs"]), "airflow.cfg"


def missing_files(words: list[str]) -> list[str]:
    """Absolute paths among the words of a command that the image does not have."""
    lines = re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE)
    copied = tuple(f"/opt/kafka-fleet/{source}" for line in lines for source in line.split())
    paths = [word for word in words if word.startswith("/") and not word.startswith("/tmp/")]
    there = [path for path in paths if path.startswith(copied) and (ROOT / path[len("/opt/kafka-fleet/") :]).exists()]
    return [path for path in paths if path not in there]


def commands(node: object) -> list[list[str]]:
    """Every command, and every list of arguments, in the values for Kubernetes."""
    if isinstance(node, dict):
        own = [node[key] for key in ("command", "args") if key in node]
        return own + [one for value in node.values() for one in commands(value)]
    return []


def test_no_command_names_a_file_that_the_image_lacks():
    for name in OURS:
        service = SERVICES[name]
        for words in (service["command"], service.get("healthcheck", {}).get("test", [])):
            assert missing_files([word for word in words if "\n" not in word]) == [], name
    assert missing_files(["bash", "/clean-logs"]) == ["/clean-logs"], "a file of another image is noticed"
    values = yaml.safe_load((ROOT / "docs/kubernetes-values.yaml").read_text())
    found = commands(values)
    assert len(found) == 7, "two probes of the scheduler, one of DAG processor and triggerer each, three log groomers"
    assert [missing_files(words) for words in found] == [[]] * 7
    for part in ("scheduler", "dagProcessor", "triggerer"):
        assert values[part]["logGroomerSidecar"]["args"] == SERVICES["log-groomer"]["command"], "not the chart's own"
        assert {"command", "timeoutSeconds"} <= set(values[part]["livenessProbe"])
    for part in ("scheduler", "apiServer", "dagProcessor", "triggerer"):
        assert {"requests", "limits"} <= set(values[part]["resources"])
    assert values["config"]["core"]["hostname_callable"] == "socket.gethostname", "job_alive.py asks for that name"


def test_what_an_installation_keeps_in_its_checkout_is_not_committed():
    names = (".env", "fleet.yaml", "acknowledgements.yaml", "secrets.yaml")
    said = subprocess.run(["git", "check-ignore", *names], cwd=ROOT, capture_output=True, text=True, check=False)
    if (ROOT / ".git").exists():
        assert said.stdout.split() == list(names)
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert not allowed & set(names)


def test_ports_are_open_on_loopback_only_and_images_are_pinned():
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert all(re.search(r":v?\d+\.\d+", service["image"]) for service in SERVICES.values())
    assert re.search(r"^FROM python:\d+\.\d+\.\d+-\S+ AS fleet$", DOCKERFILE, re.MULTILINE)
    assert SERVICES["postgres"]["image"].startswith(f"postgres:{RELEASE}-"), "the release that the tests run"


@pytest.mark.parametrize(("name", "release"), [("kafka-buggy", "3.3.1"), ("kafka-fixed", "3.3.2")])
def test_the_demo_clusters_are_those_of_their_fleet_file(name, release):
    service = SERVICES[name]
    assert service["build"] == {"context": ".", "target": "kafka", "args": {"KAFKA_RELEASE": release}}
    assert service["image"].endswith(f":{release}")
    assert service["command"] == ["python", "-m", "fleet_demo.container", name, release]
    fleet = load_fleet(ROOT / "demo/compose-fleet.yaml")
    assert not fleet.errors
    (entry,) = [cluster for cluster in fleet.clusters if cluster.id == name]
    assert dict(entry.jolokia.brokers) == agents(service["hostname"], 9092)
    assert list(entry.bootstrap_servers) == [f"{name}:{9092 + 3 * number}" for number in range(BROKERS)]
