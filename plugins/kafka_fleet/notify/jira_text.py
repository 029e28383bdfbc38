"""What is written into Jira: takes a message and its events, gives wiki markup in which foreign words are only words.

REST API v2 takes wiki markup on Jira Cloud and on Data Center. A backslash makes a character plain there; it has no
plain form of itself but an entity.
"""

import hashlib
import re

from kafka_fleet.notify.message import Event, Message

SUMMARY = 250  # characters; Jira takes 255
_LETTER = 20_000  # characters; a description takes 32,767
_EDGE = r"(?<![^\W_]){0}|{0}(?![^\W_])"  # a dash or underscore within a word is none of markup
_MARKUP = re.compile(r"[{}\[\]()!|*+^~?#@<>]|[:;](?=\S)|" + "|".join(_EDGE.format(one) for one in ("_", "-")))
_VERDICTS = {"look_alike": "look-alike", "not_affected": "not affected"}


def label(fingerprint: str) -> str:
    """By which the issue of a finding is found again."""
    return f"kafka-fleet-{fingerprint}"


def reference(identity: str, event: Event) -> str:
    """What stands in all that is written of an event: the same on each try, another one for each message."""
    return hashlib.sha256("\0".join([identity, event.fingerprint, event.action]).encode()).hexdigest()[:16]


def plain(text: str) -> str:
    """Foreign text of one line, for the middle of a line: no markup, link, mention, image or smiley is left of it."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()).replace("\\", "&#92;"))


def literal(text: str) -> str:
    """Foreign text of several lines as it is. A macro's name never follows its brace, so none can end the block."""
    shown = text if len(text) <= _LETTER else f"{text[: _LETTER - 1]}…"
    return "{noformat}\n" + re.sub(r"\{(?=\S)", "{ ", shown) + "\n{noformat}"


def summary(event: Event, message: Message) -> str:
    """One line, which Jira shows as it is."""
    text = " ".join(f"{message.cluster}: {event.title} ({event.finding})".split())
    return text if len(text) <= SUMMARY else f"{text[: SUMMARY - 1]}…"


def description(event: Event, message: Message, mark: str) -> str:
    """Of a new issue: what the finding is, then the short letter of the cluster's day."""
    rows = [
        ("Cluster", " ".join(filter(None, [message.cluster, message.environment]))),
        ("Finding", f"{event.finding}: {event.title}"),
        ("Verdict", _verdict(event.verdict)),
        ("Severity", event.severity),
        ("Day", message.day),
    ]
    lines = [f"* {name}: {plain(value)}" for name, value in rows]
    return "\n".join([*lines, *_more(event), "", literal(message.text), "", _foot(mark)])


def comment(event: Event, message: Message, mark: str, was_done: bool) -> str:
    """Of an issue that is there. was_done: somebody, or this program, had closed it."""
    verdict = _verdict(event.verdict)
    was = f" (it was {_verdict(event.was)})" if event.was and event.was != event.verdict else ""
    said = {
        "open": f"{'It is there again' if was_done else 'It has changed'}: {verdict}{was}, {event.severity}.",
        "unseen": "It could not be measured; it stands as it was told.",
        "close": f"It is gone: {verdict}{was}.",
    }[event.action]
    return "\n".join([f"{plain(message.day)}, {plain(message.cluster)}. {plain(said)}", *_more(event), "", _foot(mark)])


def _more(event: Event) -> list[str]:
    """The sentence on the change, and the page's address, which is ours."""
    why = [f"Why: {plain(event.why)}"] if event.why and event.action != "unseen" else []
    return [*why, *([f"[Finding|{event.url}]"] if event.url else [])]


def _verdict(verdict: str) -> str:
    return _VERDICTS.get(verdict, verdict)


def _foot(mark: str) -> str:
    return f"Kafka Fleet Health, {mark}"
