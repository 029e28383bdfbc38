"""Webhooks and Teams by Airflow's HttpHook: takes a body, gives what sends it once.

Every option that could break a rule is said here and wins over the connection's: no redirects, a bound on the time,
certificates checked, nothing read of an answer but its status. Other keys of `extra` are headers, as the hook has it.
"""

import json
from collections.abc import Mapping
from typing import Any

import requests
from airflow.providers.http.exceptions import HttpSrvLookupException
from airflow.providers.http.hooks.http import HttpHook

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection
from kafka_fleet.notify.addresses import address, authorities, login
from kafka_fleet.notify.hooks import connected, quiet
from kafka_fleet.notify.outcome import AGENT, TIMEOUT, Outcome, Sender, of_requests, of_status

_HEADERS = {"Content-Type": "application/json", "User-Agent": AGENT}
_FILES = ("ca_file", "client_cert", "client_key")  # which the hook would take for headers


def http_sender(channel: Channel, connection: Connection, ca_file: str | None, body: Mapping[str, Any]) -> Sender:
    """Raises CredentialsError where the connection has no address with TLS."""
    url, auth = address(channel, connection), login(channel, connection)
    extra = {key: value for key, value in connection.extra.items() if key not in _FILES}
    there = connection._replace(host=url, schema=None, port=None, extra=extra)
    hook = connected(HttpHook, channel.connection, there)(
        http_conn_id=channel.connection, auth_type=lambda *_login: auth
    )
    options = {
        "verify": authorities(connection, ca_file) or True,
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
            answer.close()
            return of_status(answer.status_code)

    return Sender(url, send)
