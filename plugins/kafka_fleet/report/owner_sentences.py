"""A finding in its owner's words: takes a finding and its signature's `owner_words`, gives sentences and the figure.

Names come from the cluster: they are made visible and short before they stand in a sentence, and are values of the
templates, never a part of them. HTML is escaped where it is drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.finding import Evidence, Finding
from kafka_fleet.domain import Severity
from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.knowledge.owner_words import NAMED, OwnerFigure, OwnerWords, When, Who
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.report.charts import usable
from kafka_fleet.report.formatting import joined, number, quantity, span
from kafka_fleet.report.sanitize import displayed, shorten

_NOUNS = {
    "broker": ("broker", "brokers"),
    "topic": ("topic", "topics"),
    "group": ("consumer group", "consumer groups"),
    "listener": ("listener", "listeners"),
    "partition": ("partition", "partitions"),
    "client": ("client", "clients"),
}
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0}
_LEAST = 2  # percent of a bar that is more than nought
_ABOUT_HALF = (0.45, 0.55)


@dataclass(frozen=True)
class Proof:
    """The figure that proves it, what it counts, and what a healthy cluster shows; both widths in percent of one scale.

    healthy: empty, and its width 0, where nothing is known of it.
    """

    value: str
    says: str
    healthy: str
    width: int
    healthy_width: int
    where: str
    when: str


@dataclass(frozen=True)
class OwnerSentences:
    """What is wrong, short and as a sentence; what to do, before or after any upgrade, who does it, how grave it is."""

    short: str
    what: str
    act: str
    when: When
    who: Who
    severity: Severity
    proof: Proof | None


def duration(value: float, unit: str) -> str:
    """A time as a person says it: `half a second`, `4 minutes`, `3 days`. unit: ms, s or min."""
    seconds = value * _SECONDS[unit]
    if _ABOUT_HALF[0] <= seconds <= _ABOUT_HALF[1]:
        return "half a second"
    for size, word, most in ((1.0, "second", 120), (60.0, "minute", 120), (3600.0, "hour", 48), (86400.0, "day", 1e9)):
        if seconds < size * most:
            count = seconds / size
            text = f"{count:.2g}" if count < 1 else f"{count:.0f}"
            return f"{text} {word}" if text == "1" else f"{text} {word}s"
    return f"{seconds:,.0f} seconds"


def _in_words(value: object, unit: str | None) -> str:
    """A figure as it stands in a sentence that names its unit."""
    if not usable(value):
        return displayed(number(value), 40)
    if unit in _SECONDS:
        return duration(float(value), unit)
    return quantity(value, unit if unit in ("ratio", "share", "fraction", "MB", "GB") else None)


def names_of(subjects: Sequence[str], kind: str, limit: int) -> tuple[list[str], int]:
    """The names of one kind, visible and at most about `limit` characters, and how many more there are."""
    names, more = [], 0
    for subject in subjects:
        head, _, name = subject.partition(" ")
        if head == kind and name:
            names.append(shorten(name, 2 * limit if kind == "client" else limit))
        elif head == "and" and subject.endswith((f" more {kind}s", f" more {kind}")):
            count = name.split(" ", 1)[0].replace(",", "")
            more += int(count) if count.isdigit() else 0
    return names, more


def phrase(subjects: Sequence[str], kind: str, most: int, limit: int) -> str:
    """`consumer group billing`, `brokers 1, 2 and 3 more`; empty where none of that kind is named."""
    names, more = names_of(subjects, kind, limit)
    if not names:
        return ""
    one, many = _NOUNS[kind]
    most = most + 1 if len(names) == most + 1 and not more else most  # as short as `and 1 more`
    shown, rest = names[:most], len(names) - len(names[:most]) + more
    parts = [*shown, *([f"{rest:,} more"] if rest else [])]
    return f"{one if len(parts) == 1 else many} {joined(parts)}"


def _values(finding: Finding, signature: Signature, most: int, limit: int) -> dict[str, str | bool]:
    """What the templates know: subjects as phrases, and figures in words; empty where there is none, or nought."""
    found: dict[str, str | bool] = {kind: phrase(finding.subjects, kind, most, limit) for kind in NAMED}
    groups, more = names_of(finding.subjects, "group", limit)
    found["one_group"] = len(groups) == 1 and not more
    found["several_groups"] = len(groups) + more > 1
    brokers, others = names_of(finding.subjects, "broker", limit)
    found["several_brokers"] = len(brokers) + others > 1
    metrics = {one.metric: one for one in reversed(finding.evidence)}
    for row in signature.evidence:
        line = metrics.get(row.metric)
        shown = line is not None and line.value not in (None, 0, False)
        found[row.value] = _in_words(line.value, line.unit) if line is not None and shown else ""
    return found


def _text(text: str, values: Mapping[str, str | bool]) -> str:
    return " ".join(template(text).of_nulls(values).split())


def _figure(
    figures: Sequence[OwnerFigure], signature: Signature, lines: Sequence[Evidence]
) -> tuple[OwnerFigure, Evidence] | None:
    """The first figure of the cause that was measured and is not nought; else the first that was measured."""
    metrics = {row.value: row.metric for row in signature.evidence}
    measured = [(one, line) for one in figures for line in lines if line.metric == metrics[one.value]]
    return next((pair for pair in measured if pair[1].value), next(iter(measured), None))


def _healthy(figure: OwnerFigure, signature: Signature, lines: Sequence[Evidence], own: Evidence) -> tuple[object, str]:
    """What is healthy, and the word before it: measured, known, or only bounded by the threshold."""
    value: object = figure.healthy
    if isinstance(value, str):
        metric = next(row.metric for row in signature.evidence if row.value == value)
        value = next((line.value for line in lines if line.metric == metric), None)
    if usable(value):
        return value, ""
    return (own.threshold, "below ") if usable(own.threshold) else (None, "")


def _proof(line: Evidence, says: str, healthy: object, word: str, ds: str, limit: int) -> Proof:
    unit = line.unit
    amount = float(line.value) if usable(line.value) else 0.0
    normal = float(healthy) if usable(healthy) else 0.0
    share = quantity(line.value, unit, healthy).endswith("%")
    top = 1.0 if share else max(amount, normal) or 1.0
    timed = unit in _SECONDS
    shown = (
        _in_words(line.value, unit)
        if timed or not usable(line.value)
        else quantity(line.value, unit if share else None, healthy)
    )
    usual = _in_words(healthy, unit) if timed and normal else quantity(healthy, unit if share else None, line.value)
    return Proof(
        value=shown,
        says=says,
        healthy=f"{word}{usual}" if usable(healthy) else "",
        width=max(_LEAST, min(100, round(100 * amount / top))) if amount else 0,
        healthy_width=max(_LEAST, min(100, round(100 * normal / top))) if normal else 0,
        where=displayed(line.where or "", limit),
        when=span(line.from_at, line.to_at, ds),
    )


def owner_sentences(
    finding: Finding, signature: Signature | None, title: str, most: int = 2, limit: int = 40
) -> OwnerSentences:
    """The words for one finding. title: of its known issue, for a symptom without words of its own.

    most: names of a kind in a sentence; limit: characters of each.
    """
    words: OwnerWords | None = signature.owner_words.get(finding.cause or "") if signature else None
    lines = finding.evidence
    if signature is None or words is None:
        where = [text for kind in ("broker", "topic", "group") if (text := phrase(finding.subjects, kind, most, limit))]
        own = next(iter(lines), None)
        proof = _proof(own, displayed(own.metric, 120), own.threshold, "below ", finding.ds, limit) if own else None
        what = f"{displayed(title, 200)}{f': {joined(where)}' if where else ''}."
        act = "Look at the finding in the full report."
        severity = finding.severity or "medium"
        return OwnerSentences(displayed(title, 80), what, act, "instead", "brokers", severity, proof)
    values = _values(finding, signature, most, limit)
    brief = _values(finding, signature, 1, min(limit, 40))
    found = _figure(words.figures, signature, lines)
    proof = None
    if found is not None:
        figure, line = found
        proof = _proof(line, _text(figure.says, values), *_healthy(figure, signature, lines, line), finding.ds, limit)
    return OwnerSentences(
        short=_text(words.short, brief),
        what=_text(words.what, values),
        act=_text(words.act, values),
        when=words.when,
        who=words.who,
        severity=words.severity,
        proof=proof,
    )
