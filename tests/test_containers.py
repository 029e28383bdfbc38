"""The container files, as far as they can be checked without an engine: wiring, secrets, what the image copies."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docker-compose.yml").read_text()
SERVICES = yaml.safe_load(TEXT)["services"]
AIRFLOW = {name: service for name, service in SERVICES.items() if name.startswith("airflow-")}
SECRETS = ("AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API__SECRET_KEY", "AIRFLOW__API_AUTH__JWT_SECRET")


def test_the_services_of_an_airflow_with_its_own_database_and_mail_catcher():
    parts = {"init", "apiserver", "scheduler", "dag-processor", "triggerer"}
    assert set(SERVICES) == {"postgres", "mailpit"} | {f"airflow-{part}" for part in parts}


def test_every_variable_is_required_and_says_so():
    used = re.findall(r"(?<!\$)\$\{([^}]*)\}", TEXT)
    assert {name.partition(":")[0] for name in used} >= {
        "POSTGRES_PASSWORD",
        "AIRFLOW_JWT_SECRET",
        "AIRFLOW_FERNET_KEY",
    }
    assert all(re.fullmatch(r"[A-Z_]+:\?set [A-Z_]+.*", name) for name in used)


def test_no_service_has_a_secret_of_its_own():
    for service in SERVICES.values():
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


def test_a_missing_fleet_file_is_not_made_up_as_a_folder():
    (fleet,) = [volume for volume in AIRFLOW["airflow-scheduler"]["volumes"] if isinstance(volume, dict)]
    assert fleet["bind"]["create_host_path"] is False
    assert fleet["read_only"] is True
    assert f"KAFKA_FLEET_FILE={fleet['target']}" in (ROOT / "Dockerfile").read_text()


def test_every_named_volume_is_declared_and_owned_by_the_user_of_the_image():
    declared = set(yaml.safe_load(TEXT)["volumes"])
    mounted = dict(v.split(":")[:2] for s in SERVICES.values() for v in s.get("volumes", []) if isinstance(v, str))
    assert set(mounted) == declared
    owned = re.search(r"install -d -o fleet -g fleet (.*)", (ROOT / "Dockerfile").read_text())
    assert owned
    assert {mounted[name] for name in declared - {"postgres"}} <= set(owned[1].split())


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"airflow-init"}))
def test_long_running_services_have_a_health_check_and_wait_for_what_exists(name):
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert set(SERVICES[name].get("depends_on", {})) <= set(SERVICES)


def test_ports_are_open_on_loopback_only_and_images_are_pinned():
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert all(re.search(r":v?\d+\.\d+", service["image"]) for service in SERVICES.values())


def test_the_image_copies_only_what_exists_and_is_let_through():
    ignored = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    lines = re.findall(r"^COPY (.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    copied = {source for line in lines for source in line.split()}
    assert copied == ignored
    assert all((ROOT / source).exists() for source in copied), "every COPY source is in the checkout"
