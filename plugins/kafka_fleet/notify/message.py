"""What a channel is told of a cluster's day: takes the changes since what it was told last, gives one message or none.

A channel hears of findings that its level asks for: when they begin, get worse or come back, when they could not be
measured, and when they are gone, which takes days that looked and saw nothing. What is acknowledged is not told.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from kafka_fleet.config.channels import Channel
from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.summary import read_reported
from kafka_fleet.domain import VERDICT_RANK, Named, Severity, fingerprint
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.mail.published_letter import JudgedDay
from kafka_fleet.report.changes import Changes
from kafka_fleet.report.finding_addresses import cluster_url, finding_url, page_url
from kafka_fleet.report.finding_brief import advice_for, evidence_lines
from kafka_fleet.report.sanitize import shorten

Action = Literal["open", "unseen", "close"]
LINE = 300  # characters of a title
Told = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Event:
    """What became of one finding. open: it is there; unseen: it could not be looked for; close: it is gone.

    why: one sentence on the change, or empty; do, evidence: of one that is there, what to do and its main figures. All
    three may hold names from Kafka.
    """

    fingerprint: str
    action: Action
    finding: str
    title: str
    was: str | None
    verdict: str
    severity: str
    url: str
    why: str = ""
    do: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Message:
    """One message. text: the short letter. All of it may be stored: it holds no address and no secret of a channel."""

    cluster: str
    environment: str
    day: str
    title: str
    text: str
    url: str
    events: tuple[Event, ...]

    def stored(self) -> str:
        """As the outbox keeps it."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def read(cls, text: str) -> "Message":
        """What the outbox kept."""
        content = json.loads(text)
        events = (Event(**{**one, "evidence": tuple(one.get("evidence", ()))}) for one in content["events"])
        return cls(**{**content, "events": tuple(events)})


def message_of(channel: Channel, judged: JudgedDay, changes: Changes, told: Told | None) -> Message | None:
    """The message of a day; None where nothing of it is for this channel. told: what it was told before.

    Raises UsageError where KAFKA_FLEET_PAGE_URL is no address.
    """
    events = tuple(_events(channel, judged, changes, told))
    if channel.via == "pagerduty":  # what could not be measured stays as it is there
        events = tuple(one for one in events if one.action != "unseen")
    if not events:
        return None
    title, short = judged.short(changes, attached=False)
    url = cluster_url(page_url(), judged.cluster, judged.ds)
    tier = judged.environment or ""
    return Message(judged.cluster, tier, judged.ds, shorten(title, LINE), short.text, url, events)


def _events(channel: Channel, judged: JudgedDay, changes: Changes, told: Told | None) -> Iterator[Event]:
    now: dict[str, Named] = {one.key: one for one in judged.findings}
    if changes.since is None:
        accepted = {key for key, (_one, void) in judged.standing.items() if void is None}
        for one in judged.findings:
            if VERDICT_RANK[one.verdict] >= channel.floor and one.key not in accepted:
                yield _event(judged, one, "open", None, one.verdict, one.severity)
        return
    before = read_reported(told or {})
    for change in changes.changes:
        was, is_now = VERDICT_RANK.get(change.was or "", 0), VERDICT_RANK[change.now]
        named = now.get(change.key) or before.get(change.key)
        if named is None:
            continue  # the cluster as a whole: the letter says what is the matter with its measurement
        action: Action | None = None
        if change.kind == "unseen":
            action = "unseen" if was >= channel.floor else None
        elif change.kind == "persists":  # confirmed before, and still there on the release with the fix
            action = "open" if was >= channel.floor else None
        elif is_now >= channel.floor:
            action = "open"
        elif was >= channel.floor:
            action = "close"
        if action:
            yield _event(judged, named, action, change.was, change.now, change.severity, change.why)


def _event(
    judged: JudgedDay,
    one: Named,
    action: Action,
    was: str | None,
    verdict: str,
    severity: Severity | str | None,
    why: str = "",
) -> Event:
    advisory, signature = load_advisories().get(one.advisory or ""), load_signatures().get(one.signature or "")
    title = advisory.title if advisory else signature.title if signature else ""
    found = one if action == "open" and isinstance(one, Finding) else None
    key = one.advisory or f"{one.signature} ({one.cause})"
    return Event(
        fingerprint=fingerprint(judged.cluster, one),
        action=action,
        finding=key,
        title=shorten(title or key, LINE),
        was=was,
        verdict=verdict,
        severity=severity or "info",
        url=finding_url(page_url(), judged.cluster, one, judged.ds),
        why=shorten(why, 3 * LINE),
        do=shorten(advice_for(found), 3 * LINE) if found else "",
        evidence=evidence_lines(found) if found else (),
    )
