"""Jira's REST API v2 by Airflow's JiraHook: takes a method and a path, gives JSON; JiraError where Jira did not do it.

Jira Cloud takes an e-mail address with an API token (basic), Data Center a personal access token (bearer). Where Jira
says how long to wait (Retry-After, with 429 or 503), short times are waited here: the library would wait half an hour.
No text has a secret.
"""

import base64
import io
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import requests
from urllib3.exceptions import HTTPError

from kafka_fleet.config.channel_providers import require_provider
from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.addresses import authorities, hosted, login, safe
from kafka_fleet.notify.answers import members, words_without
from kafka_fleet.notify.outcome import AGENT, TIMEOUT, Verdict, of_requests
from kafka_fleet.notify.sending import unusable_provider

if TYPE_CHECKING:
    from atlassian import Jira

MOST = 4_000_000  # bytes of an answer
WAIT, WAITS = 20, 3  # s that are waited at once, and how often in all


class JiraError(Exception):
    """One sentence. verdict: refused, deferred (surely not done) or unknown (it may have been). status: of HTTP."""

    def __init__(self, verdict: Verdict, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.verdict, self.status = verdict, status


def jira_client(channel: Channel, connection: Connection, ca_file: str | None) -> "JiraClient":
    """Contacts nobody. Raises CredentialsError: no address with TLS, no secret, or no provider."""
    secret = connection.password or ""
    if not secret or "://" in secret or not connection.host:
        raise CredentialsError(
            f"connection {channel.connection}: it must have Jira's address as host, and as password an API token "
            "(with the e-mail address as login) or, on Data Center, a personal access token (without a login)"
        )
    there = hosted(connection)
    safe(channel, there.host or "")
    require_provider(channel.via)
    try:
        from airflow.providers.atlassian.jira.hooks.jira import JiraHook

        from kafka_fleet.notify.hooks import connected
    except ImportError as error:
        raise unusable_provider(channel, error) from error
    client = connected(JiraHook, channel.connection, there)(jira_conn_id=channel.connection).get_conn()
    client.retry_with_header = False
    client.timeout = TIMEOUT
    client.verify_ssl = authorities(connection, ca_file) or True
    client.session.auth = login(channel, connection)
    # each request has a connection of its own, so that none meets one that Jira has closed meanwhile
    client.session.headers.update({"User-Agent": AGENT, "Connection": "close"})
    client.session.hooks["response"].append(_bounded)
    pair = base64.b64encode(f"{connection.login}:{secret}".encode()).decode()
    return JiraClient(client, (secret, pair))


def _bounded(answer: requests.Response, **_options: Any) -> None:
    """Of an answer the first bytes, before requests reads all of it."""
    with answer.raw as whole:
        answer.raw = io.BytesIO(whole.read(MOST, decode_content=True))


class JiraClient:
    """Asks one Jira. secrets: what is left out of Jira's own words."""

    def __init__(self, client: "Jira", secrets: tuple[str, ...]) -> None:
        self._client, self._secrets, self._waits = client, secrets, 0

    def __repr__(self) -> str:
        return "JiraClient(hidden)"

    def ask(
        self,
        method: str,
        path: str,
        what: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """The JSON of an answer, None where it has none. path: below the API; what: was to be done, for the sentence.

        Raises JiraError.
        """
        while True:
            answer = self._asked(method, path, what, body, query)
            if 200 <= answer.status_code < 300:
                return self._content(answer, what)
            wait = _seconds(answer.headers.get("Retry-After"))
            if answer.status_code not in (429, 503) or wait is None or wait > WAIT or self._waits >= WAITS:
                raise self._error(answer, method, what, wait)
            self._waits += 1
            time.sleep(wait)

    def _asked(
        self, method: str, path: str, what: str, body: Mapping[str, Any] | None, query: Mapping[str, str] | None
    ) -> requests.Response:
        from kafka_fleet.notify.hooks import quiet

        try:
            with quiet():
                return self._client.request(
                    method,
                    self._client.resource_url(quote(path, safe="/")),
                    data=None if body is None else dict(body),
                    params=dict(query or {}),
                    advanced_mode=True,
                    allow_redirects=False,
                )
        except (requests.RequestException, HTTPError) as error:
            outcome = of_requests(error)
        verdict = "deferred" if method == "GET" and outcome.verdict == "unknown" else outcome.verdict
        raise JiraError(verdict, f"Jira, {what}: {outcome.reason}")

    def _content(self, answer: requests.Response, what: str) -> Any:
        try:
            return json.loads(answer.content) if answer.content.strip() else None
        except ValueError:
            raise JiraError("refused", f"Jira, {what}: what answers gives no JSON", answer.status_code) from None

    def _error(self, answer: requests.Response, method: str, what: str, wait: int | None) -> JiraError:
        said, status = self._said(answer.content), answer.status_code
        text = f"Jira answered {status}, {what}" + (f": {said}" if said else "")
        if status in (429, 503):
            return JiraError("deferred", text + (f" (it asks for {wait} s)" if wait else ""), status)
        if status >= 500:
            return JiraError("deferred" if method == "GET" else "unknown", text, status)
        return JiraError("refused", text, status)

    def _said(self, body: bytes) -> str:
        """The sentences of `errorMessages` and `errors`, as one line."""
        found = members(body)
        general, fields = found.get("errorMessages"), found.get("errors")
        parts = [str(one) for one in general] if isinstance(general, list) else []
        parts += [f"{name}: {one}" for name, one in fields.items()] if isinstance(fields, dict) else []
        return words_without(self._secrets, parts)


def _seconds(text: str | None) -> int | None:
    return int(text) if text and text.strip().isdigit() else None
