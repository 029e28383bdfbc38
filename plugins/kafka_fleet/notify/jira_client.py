"""Jira's REST API v2: takes a method and a path, gives JSON; JiraError where Jira did not do it. No text has a secret.

Jira Cloud takes an e-mail address with an API token (basic), Data Center a personal access token (bearer). Where Jira
says how long to wait (Retry-After, with 429 or 503), short times are waited here.
"""

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.bodies import address, login
from kafka_fleet.notify.http import Answer, Outcome, Verdict, exchange
from kafka_fleet.report.sanitize import shorten

MOST = 4_000_000  # bytes of an answer
WAIT, WAITS = 20, 3  # s that are waited at once, and how often in all
SAID = 300  # characters of what Jira says


class JiraError(Exception):
    """One sentence. verdict: refused, deferred (surely not done) or unknown (it may have been). status: of HTTP."""

    def __init__(self, verdict: Verdict, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.verdict, self.status = verdict, status


class JiraClient:
    """One connection. Raises CredentialsError where it has no address with TLS, or no secret."""

    def __init__(self, channel: Channel, connection: Connection, ca_file: str | None) -> None:
        secret = connection.password or ""
        if not secret or "://" in secret or not connection.host:
            raise CredentialsError(
                f"connection {channel.connection}: it must have Jira's address as host, and as password an API token "
                "(with the e-mail address as login) or, on Data Center, a personal access token (without a login)"
            )
        self._base = address(channel, connection).rstrip("/") + "/rest/api/2/"
        self._headers = {"Accept": "application/json", **login(channel, connection)}
        self._secrets = (secret, self._headers["Authorization"].split(" ", 1)[1])
        self._ca_file, self._waits = ca_file, 0

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
        url = self._base + quote(path, safe="/") + (f"?{urlencode(query)}" if query else "")
        while True:
            answer = exchange(method, url, self._headers, body, self._ca_file, MOST)
            if isinstance(answer, Outcome):
                verdict = "deferred" if method == "GET" and answer.verdict == "unknown" else answer.verdict
                raise JiraError(verdict, f"Jira, {what}: {answer.reason}")
            if 200 <= answer.status < 300:
                return self._content(answer, what)
            wait = _seconds(answer.headers.get("Retry-After"))
            if answer.status not in (429, 503) or wait is None or wait > WAIT or self._waits >= WAITS:
                raise self._error(answer, method, what, wait)
            self._waits += 1
            time.sleep(wait)

    def _content(self, answer: Answer, what: str) -> Any:
        try:
            return json.loads(answer.body) if answer.body.strip() else None
        except ValueError:
            raise JiraError("refused", f"Jira, {what}: what answers gives no JSON", answer.status) from None

    def _error(self, answer: Answer, method: str, what: str, wait: int | None) -> JiraError:
        said = self._said(answer.body)
        text = f"Jira answered {answer.status}, {what}" + (f": {said}" if said else "")
        if answer.status in (429, 503):
            return JiraError("deferred", text + (f" (it asks for {wait} s)" if wait else ""), answer.status)
        if answer.status >= 500:
            return JiraError("deferred" if method == "GET" else "unknown", text, answer.status)
        return JiraError("refused", text, answer.status)

    def _said(self, body: bytes) -> str:
        """The sentences of `errorMessages` and `errors`, as one line."""
        try:
            found = json.loads(body)
        except ValueError:
            return ""
        if not isinstance(found, dict):
            return ""
        general, fields = found.get("errorMessages"), found.get("errors")
        parts = [str(one) for one in general] if isinstance(general, list) else []
        parts += [f"{name}: {one}" for name, one in fields.items()] if isinstance(fields, dict) else []
        text = " ".join("; ".join(parts).split())
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return shorten(text, SAID)


def _seconds(text: str | None) -> int | None:
    return int(text) if text and text.strip().isdigit() else None
