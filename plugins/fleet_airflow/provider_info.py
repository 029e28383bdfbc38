"""What Airflow shows of this package as a provider: connection types with the fields of their forms, link, notifier.

Loaded in every process of Airflow, so it imports nothing. kafka_fleet.config.credentials reads these fields.
"""

from typing import Any

_PACKAGE = "kafka-fleet-health"
_NAME = "Kafka Fleet Health"
_MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI"]


def _field(label: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"label": label, "description": description, "schema": {"type": ["string", "null"], **schema}}


def _file(label: str) -> dict[str, Any]:
    return _field(label, "A path on the machines that run fleet_collect")


def _kafka() -> dict[str, Any]:
    return {
        "connection-type": "kafka_fleet_kafka",
        "hook-class-name": "fleet_airflow.hooks.FleetKafkaHook",
        "hook-name": "Kafka Fleet: Kafka user",
        "conn-fields": {
            "security.protocol": _field(
                "Security protocol",
                "Of the listener that the fleet file names; null: PLAINTEXT",
                enum=["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", None],
            ),
            "sasl.mechanism": _field("SASL mechanism", "null: none", enum=[*_MECHANISMS, None]),
            "ssl.ca.location": _file("CA file"),
            "ssl.certificate.location": _file("Client certificate"),
            "ssl.key.location": _file("Client key"),
            "ssl.key.password": _field("Password of the client key", "Empty: the key has none", format="password"),
            "ssl.endpoint.identification.algorithm": _field(
                "Host name check",
                "null: https; none: a certificate's name is not checked",
                enum=["https", "none", None],
            ),
        },
        "ui-field-behaviour": {
            "hidden-fields": ["host", "port", "schema"],
            "relabeling": {"login": "SASL user", "password": "SASL password"},
        },
    }


def _http() -> dict[str, Any]:
    return {
        "connection-type": "kafka_fleet_http",
        "hook-class-name": "fleet_airflow.hooks.FleetHttpHook",
        "hook-name": "Kafka Fleet: Jolokia, metrics endpoint, Loki",
        "conn-fields": {
            "ca_file": _file("CA file"),
            "client_cert": _file("Client certificate"),
            "client_key": _file("Client key"),
        },
        "ui-field-behaviour": {"hidden-fields": ["host", "port", "schema"], "relabeling": {"login": "User"}},
    }


def get_provider_info() -> dict[str, Any]:
    """The entry point `apache_airflow_provider`, by Airflow's provider_info.schema.json."""
    return {
        "package-name": _PACKAGE,
        "name": _NAME,
        "description": "Which of Kafka's known bugs the clusters of a fleet have, with the measurement that proves it.",
        "integrations": [{"integration-name": _NAME, "tags": ["apache"]}],
        "operators": [{"integration-name": _NAME, "python-modules": ["fleet_airflow.spark_submit"]}],
        "sensors": [{"integration-name": _NAME, "python-modules": ["fleet_airflow.last_sweep"]}],
        "hooks": [{"integration-name": _NAME, "python-modules": ["fleet_airflow.hooks"]}],
        "asset-uris": [
            {
                "schemes": ["fleet"],
                "handler": None,
                "to_openlineage_converter": "fleet_airflow.lineage.openlineage_dataset",
            }
        ],
        "connection-types": [_kafka(), _http()],
        "extra-links": ["fleet_airflow.page_link.FleetPageLink"],
        "notifications": ["fleet_airflow.notifier.PlatformOwnersNotifier"],
    }
