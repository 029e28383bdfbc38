"""Where the mail server is: takes an Airflow connection or the environment, gives checked settings."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parseaddr
from typing import Any

from kafka_fleet.base.text import ADDRESS, DEFAULT_DOMAIN, DOMAIN, one_line
from kafka_fleet.settings import read_settings, variable

_AIRFLOW = "AIRFLOW_CONN_SMTP_DEFAULT"


class SmtpSettingsError(ValueError):
    """The mail settings cannot be used; one sentence that never holds the password."""


@dataclass(frozen=True)
class SmtpSettings:
    """How to reach the mail server. `timeout` is seconds per network step; `ssl` is TLS from the first byte."""

    host: str
    port: int
    from_email: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ssl: bool = True
    starttls: bool = True
    timeout: float = 30.0
    verify_certificates: bool = True
    message_id_domain: str = DEFAULT_DOMAIN

    def __post_init__(self) -> None:
        if not self.host or one_line(self.host) != self.host:
            raise SmtpSettingsError("the mail server's host is missing")
        if not 1 <= self.port <= 65535:
            raise SmtpSettingsError(f"the mail server's port must be 1 to 65535, not {self.port}")
        if one_line(self.from_email) != self.from_email or not ADDRESS.fullmatch(parseaddr(self.from_email)[1]):
            raise SmtpSettingsError("from_email must be one mail address: set the extra from_email of the connection")
        if not DOMAIN.fullmatch(self.message_id_domain):
            raise SmtpSettingsError("message_id_domain must be a domain name")
        if not 0 < self.timeout <= 600:
            raise SmtpSettingsError(f"timeout must be above 0 and at most 600 seconds, not {self.timeout:g}")


def _flag(extra: Mapping[str, Any], name: str) -> bool:
    value = extra.get(name, False)
    return value.strip().lower() in ("1", "true", "yes", "on") if isinstance(value, str) else bool(value)


def _number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SmtpSettingsError(f"{name} of the mail connection must be a number") from None


def _settings(host: Any, port: Any, user: Any, password: Any, extra: Mapping[str, Any]) -> SmtpSettings:
    use_ssl = not _flag(extra, "disable_ssl")
    starttls = not use_ssl and not _flag(extra, "disable_tls")
    if extra.get("auth_type", "basic") not in ("basic", None, ""):
        raise SmtpSettingsError("auth_type of the mail connection must be basic")
    if extra.get("ssl_context", "default") not in ("default", "none", None):
        raise SmtpSettingsError("ssl_context of the mail connection must be default or none")
    return SmtpSettings(
        host=str(host or ""),
        port=int(_number(port or (465 if use_ssl else 587 if starttls else 25), "port")),
        from_email=str(extra.get("from_email") or ""),
        user=user or None,
        password=password or None,
        ssl=use_ssl,
        starttls=starttls,
        timeout=_number(extra.get("timeout") or 30, "timeout"),
        verify_certificates=extra.get("ssl_context") != "none",
        message_id_domain=str(extra.get("message_id_domain") or DEFAULT_DOMAIN),
    )


def from_airflow_connection(connection: Any) -> SmtpSettings:
    """Settings of an Airflow connection of type `smtp`, with the extras of the provider's own hook.

    Read are host, port, login, password and the extras from_email, disable_ssl, disable_tls, timeout, ssl_context
    (default | none) and message_id_domain; retry_limit is left to Airflow's retries, which the outbox makes safe.
    """
    extra = connection.extra_dejson
    return _settings(connection.host, connection.port, connection.login, connection.password, extra)


def from_environment(environ: Mapping[str, str] = os.environ) -> SmtpSettings:
    """Settings from JSON in KAFKA_FLEET_SMTP, else AIRFLOW_CONN_SMTP_DEFAULT, both in Airflow's connection form."""
    own = read_settings("smtp", environ=environ).smtp
    given = {variable("smtp"): own and own.get_secret_value(), _AIRFLOW: environ.get(_AIRFLOW)}
    for name, text in given.items():
        if not text:
            continue
        try:
            content = json.loads(text)
            extra = content.get("extra") or {}
            extra = json.loads(extra) if isinstance(extra, str) else extra
        except (ValueError, AttributeError):
            content = extra = None
        if not isinstance(content, dict) or not isinstance(extra, dict):
            raise SmtpSettingsError(f"{name} must be a JSON object with host, port, login, password and extra")
        return _settings(
            content.get("host"),
            content.get("port"),
            content.get("login"),
            content.get("password"),
            {**content, **extra},
        )
    raise SmtpSettingsError("no mail server is set: put a JSON connection into KAFKA_FLEET_SMTP")
