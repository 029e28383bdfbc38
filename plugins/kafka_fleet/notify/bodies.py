"""A message as each kind of channel takes it: takes the message, gives the body to post.

webhook    JSON of the message, for programs of one's own
teams      an Adaptive Card, for a workflow "when a Teams webhook request is received"
slack      an incoming webhook
pagerduty  Events API v2: one event for each finding, `dedup_key` its fingerprint; gone is `resolve`

Jira is asked before it is told anything, so that it is not here but in jira_issues.py.

Words from Kafka are only in elements that are shown as plain text: a TextRun, plain_text, the details of an event.
"""

from dataclasses import asdict
from typing import Any

from kafka_fleet.notify.message import Event, Message

AGAIN = "Sent again, since it is not known whether it came before."
_SEVERITIES = {"critical": "critical", "high": "error", "medium": "warning"}  # PagerDuty's; others are info
_SLACK_TEXT = 2900  # a section takes 3,000 characters
_TEAMS_TEXT = 18_000  # a message takes 28 KB


def webhook(message: Message, identity: str, again: bool) -> dict[str, Any]:
    """All of the message. identity: the same on every try. again: an earlier try may have arrived."""
    return {"version": 1, "id": identity, "sent_again": again, **asdict(message)}


def teams(message: Message, again: bool) -> dict[str, Any]:
    """An Adaptive Card."""

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


def slack(message: Message, again: bool) -> dict[str, Any]:
    """Blocks, and the text of the notification."""

    def section(text: str) -> dict[str, Any]:
        return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}

    blocks = [section(message.title), *([section(AGAIN)] if again else []), section(_cut(message.text, _SLACK_TEXT))]
    blocks += [_link(message.url)] if message.url else []
    fallback = message.title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return {"text": fallback, "blocks": blocks}


def pagerduty_events(message: Message) -> list[dict[str, Any]]:
    """What the client's send_event takes, for each finding."""
    return [_pagerduty(one, message) for one in message.events]


def _pagerduty(event: Event, message: Message) -> dict[str, Any]:
    if event.action == "close":
        return {"action": "resolve", "dedup_key": event.fingerprint}
    return {
        "action": "trigger",
        "dedup_key": event.fingerprint,
        "client": "Kafka Fleet Health",
        "payload": {
            "summary": f"{message.cluster}: {event.title} ({event.finding})"[:1024],
            "source": message.cluster,
            "severity": _SEVERITIES.get(event.severity, "info"),
            "group": message.environment,
            "class": event.finding,
            "custom_details": _details(event, message),
        },
        **({"links": [{"href": event.url, "text": "Finding"}]} if event.url else {}),
    }


def _details(event: Event, message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {"verdict": event.verdict, "day": message.day, "letter": message.title}
    found |= {"what_to_do": event.do} if event.do else {}
    return found | ({"evidence": list(event.evidence)} if event.evidence else {})


def _link(url: str) -> dict[str, Any]:
    """The page, as a link of mrkdwn: the address is ours, and nothing in it ends the link."""
    whole = url.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
    return {"type": "section", "text": {"type": "mrkdwn", "text": f"<{whole}|Open the cluster's page>"}}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
