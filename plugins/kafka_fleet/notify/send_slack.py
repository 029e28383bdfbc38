"""Slack by Airflow's SlackWebhookHook: takes a body, gives what posts it once to the incoming webhook."""

import re
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any, cast
from urllib.error import HTTPError
from urllib.request import (
    BaseHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    ProxyHandler,
    Request,
    build_opener,
    proxy_bypass,
)

from airflow.providers.slack.hooks.slack_webhook import SlackWebhookHook
from slack_sdk.webhook import WebhookClient, WebhookResponse

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.addresses import authorities, hosted, safe, trust
from kafka_fleet.notify.answers import SAID, first_bytes
from kafka_fleet.notify.hooks import NO_LOG, connected, quiet
from kafka_fleet.notify.outcome import TIMEOUT, Outcome, Sender, of_status, of_urllib

_WORD = re.compile(rb"[a-z_]{1,40}")  # Slack's refusals are one, such as channel_is_archived


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_words: Any) -> None:
        """None: the redirect is the answer."""


class _Client(WebhookClient):
    """The hook's client follows redirects and reads answers of any length; it has no setting for either."""

    def _perform_http_request_internal(self, url: str, req: Request) -> WebhookResponse:
        handlers: list[BaseHandler] = [_NoRedirects(), HTTPSHandler(context=self.ssl)]
        if self.proxy and not proxy_bypass(req.host):
            handlers.append(ProxyHandler({"http": self.proxy, "https": self.proxy}))
        try:
            with build_opener(*handlers).open(req, timeout=self.timeout) as answer:
                return WebhookResponse(url=url, status_code=answer.status, body="", headers={})
        except HTTPError as error:
            with error:
                return WebhookResponse(url=url, status_code=error.code, body=_word(error, url), headers={})


def _word(error: HTTPError, url: str) -> str:
    """Slack's word for a refusal; empty where the answer is no word, or is part of the address."""
    answer = cast(HTTPResponse, error.fp)
    try:
        found = first_bytes(iter(lambda: answer.read1(SAID), b"")).strip()
    except (OSError, HTTPException):  # the status decides; a word that breaks off is lost, and nothing else
        return ""
    return found.decode() if _WORD.fullmatch(found) and found.decode() not in url else ""


def slack_sender(channel: Channel, connection: Connection, ca_file: str | None, body: Mapping[str, Any]) -> Sender:
    """Raises CredentialsError where the connection has no address with TLS."""
    there = hosted(connection)
    if not (there.password or "").strip():  # the hook wants one; a host may be the whole address
        if not there.host:
            raise CredentialsError(f"connection {channel.connection}: its password must be the webhook's token")
        there = there._replace(password=there.host)
    if not isinstance(there.extra.get("proxy"), str | None):
        raise CredentialsError(f"connection {channel.connection}: proxy must be an address")
    hook = connected(SlackWebhookHook, channel.connection, there)(
        slack_webhook_conn_id=channel.connection, timeout=int(TIMEOUT[1]), retry_handlers=[]
    )
    made = hook.client
    client = _Client(
        safe(channel, made.url, "password" if "://" in (connection.password or "") else "host"),
        timeout=made.timeout,
        ssl=trust(channel, authorities(connection, ca_file)),
        proxy=made.proxy,
        logger=NO_LOG,
        retry_handlers=[],
    )

    def send() -> Outcome:
        with quiet():
            try:
                answer = client.send_dict(dict(body))
                return of_status(answer.status_code, answer.body)
            except (OSError, HTTPException, ValueError) as error:
                return of_urllib(error)

    return Sender(client.url, send)
