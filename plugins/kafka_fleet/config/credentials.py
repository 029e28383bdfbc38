"""Credentials by connection id: takes an id of the fleet file, gives the settings that the connection holds.

Inside Airflow a connection of that name; outside, the environment (AIRFLOW_CONN_<ID> as JSON) or the file that
KAFKA_FLEET_SECRETS names (YAML: id -> login, password, extra). What they hold never reaches a log, row or letter.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.base.yaml import FleetFileError, load_yaml
from kafka_fleet.settings import read_settings


class Credentials(NamedTuple):
    """What a connection gives for an HTTP endpoint; None of it is ever printed."""

    user: str | None = None
    password: str | None = None
    ca_file: str | None = None
    client_cert: str | None = None
    client_key: str | None = None

    def __repr__(self) -> str:
        return "Credentials(hidden)"


class CredentialsError(ValueError):
    """A connection cannot be had; the text names the connection and holds no value."""


class Connection(NamedTuple):
    """The parts of an Airflow connection that are used here."""

    login: str | None
    password: str | None
    extra: Mapping[str, Any]
    host: str | None = None
    port: int | None = None
    schema: str | None = None

    def __repr__(self) -> str:
        return "Connection(hidden)"


Resolver = Callable[[str], Connection]


def _connection(conn_id: str, where: str, content: Any) -> Connection:
    extra = content.get("extra") if isinstance(content, dict) else None
    if isinstance(extra, str):
        try:
            extra = json.loads(extra) if extra.strip() else {}
        except ValueError:
            raise CredentialsError(f"connection {conn_id}: its extra in {where} is not JSON") from None
    if not isinstance(content, dict) or not isinstance(extra or {}, dict):
        raise CredentialsError(f"connection {conn_id}: {where} must hold a mapping with login, password, extra")
    login, password = (_text(conn_id, where, name, content.get(name)) for name in ("login", "password"))
    host, schema = (_text(conn_id, where, name, content.get(name)) for name in ("host", "schema"))
    port = content.get("port")
    return Connection(login, password, extra or {}, host, port if isinstance(port, int) else None, schema)


def _text(conn_id: str, where: str, name: str, value: Any) -> str | None:
    """YAML reads an unquoted 0123 as the number 83: only text is taken."""
    if value is None or isinstance(value, str):
        return value
    raise CredentialsError(f"connection {conn_id}: its {name} in {where} must be text in quotes")


def local_credentials(environment: Mapping[str, str] = os.environ) -> Resolver:
    """A resolver for use outside Airflow."""

    def resolve(conn_id: str) -> Connection:
        variable = f"AIRFLOW_CONN_{conn_id.upper().replace('-', '_').replace('.', '_')}"
        if variable in environment:
            try:
                return _connection(conn_id, variable, json.loads(environment[variable]))
            except ValueError as error:
                if isinstance(error, CredentialsError):
                    raise
                raise CredentialsError(f"connection {conn_id}: {variable} is not JSON") from None
        secrets = read_settings("secrets", environ=environment).secrets
        if secrets:
            try:
                content = load_yaml(Path(secrets))
            except FleetFileError as error:  # without what YAML quotes of a file that is full of passwords
                place = error.place if secrets in error.place else secrets
                raise CredentialsError(f"connection {conn_id}: {place}: cannot be read as YAML") from None
            if isinstance(content, dict) and conn_id in content:
                return _connection(conn_id, secrets, content[conn_id])
        raise CredentialsError(f"connection {conn_id}: neither {variable} nor the file of KAFKA_FLEET_SECRETS has it")

    return resolve


def http_credentials(conn_id: str | None, resolver: Resolver) -> Credentials:
    """Basic auth, CA file and client certificate for an HTTP endpoint; extra: ca_file, client_cert, client_key."""
    if conn_id is None:
        return Credentials()
    found = resolver(conn_id)
    extra: dict[str, str | None] = {}
    for name in ("ca_file", "client_cert", "client_key"):
        value = found.extra.get(name) or None
        if value is not None and not (isinstance(value, str) and Path(value).is_file()):
            raise CredentialsError(f"connection {conn_id}: {name} must be the path of a file that is there")
        extra[name] = value
    return Credentials(found.login or None, found.password or None, **extra)


_KAFKA_SETTINGS = {
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
    "ssl.endpoint.identification.algorithm": "ssl_check_hostname",
}
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI")
_VALUES = {
    "security.protocol": ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    "sasl.mechanism": _MECHANISMS,
    "sasl.mechanisms": _MECHANISMS,
    "ssl.endpoint.identification.algorithm": ("https", "none", ""),
}


def kafka_settings(conn_id: str | None, resolver: Resolver) -> dict[str, Any]:
    """Client settings for the admin protocol out of a connection whose extra has librdkafka's names, as Airflow's do.

    Raises CredentialsError for a setting that is not known: a mistyped security setting must not be ignored.
    """
    if conn_id is None:
        return {}
    found = resolver(conn_id)
    settings: dict[str, Any] = {}
    for name, value in found.extra.items():
        if name == "bootstrap.servers" or (value is None and name in _KAFKA_SETTINGS):
            continue  # the fleet file names them; a field of Airflow's form that was left empty is null
        if name not in _KAFKA_SETTINGS:
            raise CredentialsError(f"connection {conn_id}: {name[:60]}: allowed: {', '.join(_KAFKA_SETTINGS)}")
        if not isinstance(value, str):
            raise CredentialsError(f"connection {conn_id}: {name}: must be text in quotes")
        if value not in _VALUES.get(name, (value,)):
            raise CredentialsError(f"connection {conn_id}: {name}: allowed: {', '.join(_VALUES[name])}")
        if name.endswith(".location") and not Path(value).is_file():
            raise CredentialsError(f"connection {conn_id}: {name} must be the path of a file that is there")
        settings[_KAFKA_SETTINGS[name]] = (value not in ("", "none")) if name.startswith("ssl.endpoint") else value
    if found.login:
        settings.setdefault("sasl_plain_username", found.login)
        settings.setdefault("sasl_plain_password", found.password or "")
    return settings
