"""Webhooks and Teams by Airflow's HttpHook: takes a body, gives what sends it once.

Every option that could break a rule is said here and wins over the connection's: no redirects, a bound on the time,
certificates checked, nothing read of an answer but its status. Other texts in `extra` are headers, as the hook has it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests
from airflow.providers.http.exceptions import HttpSrvLookupException
from airflow.providers.http.hooks.http import HttpHook

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.addresses import address, authorities, login
from kafka_fleet.notify.hooks import connected, quiet
from kafka_fleet.notify.outcome import AGENT, TIMEOUT, Outcome, Sender, of_requests, of_status, unaskable

_HEADERS = {"Content-Type": "application/json", "User-Agent": AGENT}
_FILES = ("ca_file", "client_cert", "client_key", "cert")  # of which the hook would take three for headers
_OPTIONS = ("srv_lookup", "trust_env")  # which may be no text


def http_sender(channel: Channel, connection: Connection, ca_file: str | None, body: Mapping[str, Any]) -> Sender:
    """Raises CredentialsError where the connection has no address with TLS."""
    url, auth = address(channel, connection), login(channel, connection)
    there = connection._replace(host=url, schema=None, port=None, extra=_extra(channel, connection))
    hook = connected(HttpHook, channel.connection, there)(
        http_conn_id=channel.connection, auth_type=lambda *_login: auth
    )
    options = {
        "verify": authorities(connection, ca_file) or True,
        "cert": _certificate(channel, connection),
        "allow_redirects": False,
        "timeout": TIMEOUT,
        "stream": True,
        "check_response": False,
    }

    def send() -> Outcome:
        with quiet():
            try:
                answer = hook.run(data=json.dumps(body), headers=_HEADERS, extra_options=options)
            except requests.RequestException as error:
                return of_requests(error)
            except HttpSrvLookupException:
                return Outcome("deferred", "its SRV record cannot be looked up")
            except ValueError as error:  # such as a header that is not of Latin-1
                return unaskable(error)
            answer.close()
            return of_status(answer.status_code)

    return Sender(url, send)


def _extra(channel: Channel, connection: Connection) -> dict[str, Any]:
    """What the hook may read of `extra`: proxies, its two options, and headers."""
    found: dict[str, Any] = {}
    for key, value in connection.extra.items():
        if key in ("proxies", "proxy"):
            if not isinstance(value, Mapping | None):
                raise CredentialsError(f"connection {channel.connection}: {key} must be a mapping of scheme to address")
            found[key] = value
        elif key in _OPTIONS or (key not in _FILES and isinstance(value, str)):
            found[key] = value
    return found


def _certificate(channel: Channel, connection: Connection) -> tuple[str, ...] | str | None:
    """A client's certificate, and its key where that is in another file."""
    given = connection.extra.get("cert") or [connection.extra.get(name) for name in ("client_cert", "client_key")]
    files = [one for one in ([given] if isinstance(given, str) else given) if one]
    if not all(isinstance(one, str) and Path(one).is_file() for one in files):
        raise CredentialsError(f"connection {channel.connection}: cert must name files that are there")
    return tuple(files) if len(files) == 2 else files[0] if files else None
