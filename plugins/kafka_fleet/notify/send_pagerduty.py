"""PagerDuty by Airflow's PagerdutyEventsHook: takes events of a message, gives what sends each of them once.

The hook has the key; its own send_event makes a client that waits out 429 without an end, tries lost answers again and
knows one region. So the client is made here, the same one, with one try.
"""

import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
from airflow.providers.pagerduty.hooks.pagerduty_events import PagerdutyEventsHook
from pagerduty import Error, EventsApiV2Client

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.addresses import authorities, hosted, safe, trust
from kafka_fleet.notify.answers import first_bytes, members, words_without
from kafka_fleet.notify.hooks import connected, quiet
from kafka_fleet.notify.outcome import (
    LATE,
    LOST,
    SILENT,
    TIMEOUT,
    UNREACHABLE,
    UNTRUSTED,
    Outcome,
    Sender,
    of_status,
    unaskable,
)

_PATH = "/v2/enqueue"


class _Answered(Exception):
    """Raised as soon as there is a status, so that the client neither waits, tries again nor reads all of a body."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__()
        self.status, self.body = status, body


def _answered(response: httpx2.Response) -> None:
    body = b""
    if not response.is_success:
        with suppress(httpx2.HTTPError):  # the status decides; words that break off are lost, and nothing else
            body = first_bytes(response.iter_raw())
    raise _Answered(response.status_code, body)


class _Client(EventsApiV2Client):
    url: str = ""  # what `safe` has looked at; the library's own refuses a relay on the same machine

    max_network_attempts = 0  # further ones, once an answer was lost
    timeout = httpx2.Timeout(TIMEOUT[1], connect=TIMEOUT[0])  # type: ignore[assignment]  # handed to httpx2 as it is


def pagerduty_sender(
    channel: Channel, connection: Connection, ca_file: str | None, events: Sequence[Mapping[str, Any]]
) -> Sender:
    """Raises CredentialsError where the connection has no key, or an address without TLS."""
    if not connection.password:
        raise CredentialsError(f"connection {channel.connection}: its password must be the routing key")
    hook = connected(PagerdutyEventsHook, channel.connection, connection)(pagerduty_events_conn_id=channel.connection)
    base, host = None, hosted(connection).host
    if host:
        base = safe(channel, host).rstrip("/").removesuffix(_PATH)
    context = trust(channel, authorities(connection, ca_file))
    try:
        client = _Client(
            hook.integration_key,
            base_url=base,
            verify=True if context is None else context,
            event_hooks={"response": [_answered]},
            headers={"Accept-Encoding": "identity"},
            limits=httpx2.Limits(max_keepalive_connections=0),
        )
    except (ValueError, httpx2.InvalidURL):
        raise CredentialsError("via pagerduty: the proxy that HTTPS_PROXY or ALL_PROXY names cannot be used") from None

    secrets = (connection.password, urlsplit(base or "").netloc)

    def send() -> Outcome:
        outcome = Outcome("sent", "")
        with quiet(), client:
            for number, event in enumerate(events):
                outcome = _sent(client, event, secrets)
                if outcome.verdict != "sent":
                    # what was taken of several is known by its key, so that all are sent again
                    return outcome._replace(verdict="unknown") if number and outcome.verdict == "deferred" else outcome
        return outcome

    return Sender(f"{client.url}{_PATH}", send)


def _sent(client: EventsApiV2Client, event: Mapping[str, Any], secrets: Sequence[str]) -> Outcome:
    try:
        client.send_event(**event)
    except _Answered as answer:
        return of_status(answer.status, _said(answer.body, secrets))
    except Error as error:
        return _of(error.__cause__ or error)
    except (httpx2.InvalidURL, UnicodeError) as error:
        return unaskable(error)
    raise AssertionError("an answer raises _Answered")


def _said(body: bytes, secrets: Sequence[str]) -> str:
    """`message` and `errors` of an answer; empty where it is no JSON, or longer than what is read of it."""
    found = members(body)
    errors = found.get("errors")
    parts = [found.get("message"), *(errors if isinstance(errors, list) else [errors])]
    return words_without(secrets, [one for one in parts if isinstance(one, str)])


def _of(error: BaseException) -> Outcome:
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ProxyError):
        return SILENT
    if isinstance(error, httpx2.ConnectError):
        return UNTRUSTED if _is_tls(error) else UNREACHABLE
    return LATE if isinstance(error, httpx2.TimeoutException) else LOST


def _is_tls(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None
