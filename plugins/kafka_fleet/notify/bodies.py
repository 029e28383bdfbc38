"""A message as each kind of channel takes it: takes message and connection, gives the requests to post.

webhook    JSON of the message, for programs of one's own
teams      an Adaptive Card, for a workflow "when a Teams webhook request is received"
slack      an incoming webhook
pagerduty  Events API v2: one event for each finding, `dedup_key` its fingerprint; gone is `resolve`

Jira is asked before it is told anything, so that it is not here but in jira_issues.py.

Words from Kafka are only in elements that are shown as plain text: a TextRun, plain_text.
"""

import base64
import ipaddress
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kafka_fleet.config.channels import Channel
from kafka_fleet.config.credentials import Connection, CredentialsError
from kafka_fleet.notify.message import Event, Message

PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
AGAIN = "Sent again, since it is not known whether it came before."
_SEVERITIES = {"critical": "critical", "high": "error", "medium": "warning"}  # PagerDuty's; others are info
_SLACK_TEXT = 2900  # a section takes 3,000 characters
_TEAMS_TEXT = 18_000  # a message takes 28 KB


class Post(NamedTuple):
    """One request. Neither its address nor its headers are ever printed."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    def __repr__(self) -> str:
        return "Post(hidden)"


def posts(channel: Channel, connection: Connection, message: Message, identity: str, again: bool) -> list[Post]:
    """The requests. identity: of the message, the same on every try. again: an earlier try may have arrived.

    Raises CredentialsError, whose sentence holds no value.
    """
    if channel.via == "pagerduty":
        key = connection.password
        if not key:
            raise CredentialsError(f"connection {channel.connection}: its password must be the routing key")
        url = address(channel, connection) if connection.host else PAGERDUTY
        return [Post(url, {}, _pagerduty(one, message, key)) for one in message.events]
    make = {"webhook": _webhook, "teams": _teams, "slack": _slack}[channel.via]
    return [Post(address(channel, connection), login(channel, connection), make(message, identity, again))]


def address(channel: Channel, connection: Connection) -> str:
    """The URL: the password where that is one; else the host, and for Teams and Slack the password as its end."""
    password, host = connection.password or "", connection.host or ""
    if "://" in password:
        url = password
    else:
        scheme = connection.schema or "https"
        url = host if "://" in host else f"{scheme}://{host}"
        if connection.port and urlsplit(url).port is None:
            at = urlsplit(url)
            url = at._replace(netloc=f"{at.netloc}:{connection.port}").geturl()
        if channel.via in ("teams", "slack") and password:
            url = f"{url.rstrip('/')}/{password.lstrip('/')}"
    parts = urlsplit(url)
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and _here(parts.hostname))):
        raise CredentialsError(f"connection {channel.connection}: it must have an address that begins with https://")
    return url


def _here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def login(channel: Channel, connection: Connection) -> dict[str, str]:
    """What Jira or a webhook of one's own is shown: login and password, or the password as a bearer token."""
    password = connection.password
    if channel.via not in ("webhook", "jira") or not password or "://" in password:
        return {}
    if not connection.login:
        return {"Authorization": f"Bearer {password}"}
    return {"Authorization": f"Basic {base64.b64encode(f'{connection.login}:{password}'.encode()).decode()}"}


def _webhook(message: Message, identity: str, again: bool) -> dict[str, Any]:
    return {"version": 1, "id": identity, "sent_again": again, **asdict(message)}


def _teams(message: Message, _identity: str, again: bool) -> dict[str, Any]:
    def block(text: str, **more: Any) -> dict[str, Any]:
        return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **more}]}

    body = [block(message.title, weight="Bolder", size="Medium"), *([block(AGAIN)] if again else [])]
    card = {
        "type": "AdaptiveCard",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "version": "1.4",
        "body": [*body, block(_cut(message.text, _TEAMS_TEXT), fontType="Monospace")],
        **({"actions": [{"type": "Action.OpenUrl", "title": "Open", "url": message.url}]} if message.url else {}),
    }
    return {
        "type": "message",
        "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}],
    }


def _slack(message: Message, _identity: str, again: bool) -> dict[str, Any]:
    def section(text: str) -> dict[str, Any]:
        return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}

    blocks = [section(message.title), *([section(AGAIN)] if again else []), section(_cut(message.text, _SLACK_TEXT))]
    fallback = message.title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": fallback, "blocks": blocks}


def _pagerduty(event: Event, message: Message, key: str) -> dict[str, Any]:
    head = {"routing_key": key, "dedup_key": event.fingerprint}
    if event.action == "close":
        return {**head, "event_action": "resolve"}
    return {
        **head,
        "event_action": "trigger",
        "client": "Kafka Fleet Health",
        "payload": {
            "summary": f"{message.cluster}: {event.title} ({event.finding})"[:1024],
            "source": message.cluster,
            "severity": _SEVERITIES.get(event.severity, "info"),
            "group": message.environment,
            "class": event.finding,
            "custom_details": {"verdict": event.verdict, "day": message.day, "letter": message.title},
        },
        **({"links": [{"href": event.url, "text": "Finding"}]} if event.url else {}),
    }


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
