"""Connections by id: where they are looked up, what is refused, and that no value is ever in a text."""

import json

import pytest

from kafka_fleet.config.credentials import (
    Connection,
    Credentials,
    CredentialsError,
    http_credentials,
    kafka_settings,
    local_credentials,
)

CANARY = "canary-hunter2"


def env(**content):
    return local_credentials({"AIRFLOW_CONN_KAFKA_EU": json.dumps(content)})


def secrets(tmp_path, text):
    path = tmp_path / "secrets.yaml"
    path.write_text(text)
    return local_credentials({"KAFKA_FLEET_SECRETS": str(path)})


def refusal(call, *arguments):
    with pytest.raises(CredentialsError) as caught:
        call(*arguments)
    text = str(caught.value)
    assert text.startswith("connection kafka")
    assert "\n" not in text
    assert "canary" not in text
    assert caught.value.__cause__ is None  # a logged traceback would print it
    return text


def test_the_environment_comes_before_the_file(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(f"kafka-eu: {{login: a, password: {CANARY}}}\nother: {{login: b}}")
    resolve = local_credentials({"AIRFLOW_CONN_KAFKA_EU": '{"login": "c"}', "KAFKA_FLEET_SECRETS": str(path)})
    assert resolve("kafka-eu").login == resolve("kafka.eu").login == "c"
    assert resolve("other") == Connection("b", None, {})


def test_an_extra_may_be_json_in_text_as_airflow_stores_it():
    assert env(extra='{"ssl.ca.location": "/x"}')("kafka_eu").extra == {"ssl.ca.location": "/x"}
    assert env(extra="")("kafka_eu").extra == {}


@pytest.mark.fault(56)
@pytest.mark.parametrize(
    "text",
    [
        f"kafka_eu: {{password: {CANARY}",
        f"kafka_eu: {{password: !{CANARY} x}}",
        f"kafka_eu: *{CANARY}",
        f"{CANARY}: 1\n{CANARY}: 2",
        "kafka_eu: {password: 1234}",
        f"kafka_eu: [{CANARY}]",
        f"kafka_eu: {CANARY}",
        f"kafka_eu: {{extra: '{CANARY}'}}",
        f"kafka_eu: {{extra: [{CANARY}]}}",
        "other: {}",
        "",
    ],
)
def test_a_secrets_file_that_does_not_serve_is_one_sentence_without_its_content(tmp_path, text):
    refusal(secrets(tmp_path, text), "kafka_eu")


def test_no_connection_anywhere(tmp_path):
    assert "AIRFLOW_CONN_KAFKA_EU" in refusal(local_credentials({}), "kafka_eu")
    refusal(local_credentials({"KAFKA_FLEET_SECRETS": str(tmp_path / "missing.yaml")}), "kafka_eu")
    refusal(local_credentials({"AIRFLOW_CONN_KAFKA_EU": f"kafka://u:{CANARY}@h"}), "kafka_eu")


def test_http_credentials(tmp_path):
    assert http_credentials(None, env()) == Credentials()
    ca = tmp_path / "ca.pem"
    ca.write_text("x")
    found = http_credentials("kafka_eu", env(login="u", password=CANARY, extra={"ca_file": str(ca)}))
    assert found == Credentials("u", CANARY, str(ca), None, None)
    assert CANARY not in f"{found!r} {found} {env(password=CANARY)('kafka_eu')!r}"


@pytest.mark.parametrize("name", ["ca_file", "client_cert", "client_key"])
@pytest.mark.parametrize("value", ["/missing/canary.pem", True, 7, ["canary"]])
def test_a_certificate_that_is_not_there_is_refused_before_any_connection(name, value):
    assert name in refusal(http_credentials, "kafka_eu", env(extra={name: value}))


def test_kafka_settings(tmp_path):
    ca = tmp_path / "ca.pem"
    ca.write_text("x")
    extra = {
        "bootstrap.servers": "elsewhere:9092",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "ssl.ca.location": str(ca),
        "ssl.endpoint.identification.algorithm": "none",
    }
    assert kafka_settings("kafka_eu", env(login="u", password=CANARY, extra=extra)) == {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "ssl_cafile": str(ca),
        "ssl_check_hostname": False,
        "sasl_plain_username": "u",
        "sasl_plain_password": CANARY,
    }
    assert kafka_settings(None, env()) == {}
    assert kafka_settings("kafka_eu", env(extra={"ssl.endpoint.identification.algorithm": "https"})) == {
        "ssl_check_hostname": True
    }


@pytest.mark.parametrize(
    ("name", "value", "about"),
    [
        ("security.protokol", CANARY, "allowed: security.protocol"),
        ("security.protocol", "SASL", "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ("sasl.mechanism", CANARY, "SCRAM-SHA-256"),
        ("ssl.ca.location", "/missing/canary", "file that is there"),
        ("sasl.password", 7, "in quotes"),
        ("ssl.endpoint.identification.algorithm", False, "in quotes"),
        ("ssl.endpoint.identification.algorithm", "non", "https, none"),
    ],
)
def test_a_mistyped_security_setting_is_refused(name, value, about):
    assert about in refusal(kafka_settings, "kafka_eu", env(extra={name: value}))
