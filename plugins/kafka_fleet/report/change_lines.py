"""What changed since the last letter, in a few lines: takes changes and acknowledgements, gives a heading and lines.

The full report says the same with each finding's sentence (changes_section.py).
"""

from collections.abc import Sequence

from kafka_fleet.documents.finding import Finding, FindingRow
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.report.changes import KINDS, NOT_JUDGED, UNREACHED, Change, Changes, Kind
from kafka_fleet.report.formatting import VERDICTS, plural
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.report.screen_model import Brevity, Ids, Line, News, Span, few, line

_WORDS: dict[Kind, str] = {
    "new": "New",
    "worse": "Worse",
    "persists": "Still there after the fixed release",
    "reopened": "Reopened, the acknowledgement does not hold any more",
    "unseen": "Could not be measured",
    "better": "Better",
    "resolved": "Resolved",
}


def shown_changes(changes: Changes) -> list[Change]:
    """The changes of findings, without the one that says that nothing was measured or judged."""
    return [one for one in changes.changes if one.key not in (UNREACHED, NOT_JUDGED)]


def _row(change: Change, findings: Sequence[Finding], told: Changes) -> FindingRow | None:
    return next((one for one in findings if one.key == change.key), told.told.get(change.key))


def _line(
    label: str, own: Sequence[Change], findings: Sequence[Finding], changes: Changes, ids: Ids, brief: Brevity
) -> Line:
    """One kind of changes: the first ids, how many more, and the sentence of the first."""
    rows = {one.key: _row(one, findings, changes) for one in own}
    named = ids.named([one.key for one in own], brief.changes)
    parts: list[str | Span] = [f"{label}: "]
    for place, key in enumerate(named):
        row = rows[key]
        shown = displayed(key[:1].upper() + key[1:], brief.name)
        parts += [", " if place else "", ids.span(row, shown) if row is not None else shown]
    rest = len(own) - len(named)
    if rest:
        parts.append(f" and {rest:,} more" if named else plural(rest, "finding"))
    why = next((one.why for one in own if one.key in named[:1]), "")
    parts.append(f". {few(displayed(why, 240), max(8, brief.words // 2))}" if why else ".")
    return line(*parts)


def _by_kind(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    """Changes by label; what is new or worse by its verdict as well, the worst first."""
    found: list[tuple[str, list[Change]]] = []
    for kind in KINDS:
        own = [one for one in changes if one.kind == kind]
        if kind not in ("new", "worse"):
            found.append((_WORDS[kind], own))
            continue
        for verdict in sorted({one.now for one in own}, key=VERDICT_RANK.__getitem__, reverse=True):
            label = f"{_WORDS[kind]}, {'undecided' if verdict == 'unknown' else VERDICTS[verdict].label.lower()}"
            found.append((label, [one for one in own if one.now == verdict]))
    return [(label, own) for label, own in found if own]


def _notes(changes: Changes, news: News, brief: Brevity) -> list[str]:
    notes = []
    rest = ", so this one stands by itself" if brief.changes else ""
    if changes.unsure:
        notes.append(f"It is not known whether the letter of {changes.unsure} came{rest}.")
    late = [few(displayed(text, 240), max(8, brief.words)) for text in changes.late]
    notes += late[: brief.notes]
    more = "more " if brief.notes else ""
    if len(late) > brief.notes:
        notes.append(f"{plural(len(late) - brief.notes, f'{more}day')} had no letter; the report names them.")
    if changes.pending:
        notes.append(f"Quiet, and not yet counted as gone: {len(changes.pending):,}.")
    notes += [few(displayed(text, 240), max(10, brief.words)) for text in news.faults[: brief.notes]]
    if len(news.faults) > brief.notes:
        count = plural(len(news.faults) - brief.notes, f"{more}acknowledgement")
        notes.append(f"{count} not used{'; the report says why' if brief.notes else ''}.")
    return notes


def _acknowledged(findings: Sequence[Finding], news: News, ids: Ids, brief: Brevity) -> Line:
    own = [one for one in findings if one.key in news.accepted and one.verdict != "not_affected"]
    if not own:
        return ()
    named = ids.named([one.key for one in own], 1)
    parts: list[str | Span] = ["Acknowledged, and still there: "]
    if named:
        first = next(one for one in own if one.key == named[0])
        until = news.standing[first.key][0].expires
        parts += [ids.span(first, displayed(first.key, brief.name)), f" until {until}"]
    rest = len(own) - len(named)
    parts.append(f" and {rest:,} more." if rest and named else f"{rest:,}." if rest else ".")
    return line(*parts)


def change_lines(findings: Sequence[Finding], news: News, ids: Ids, brief: Brevity) -> tuple[str, tuple[Line, ...]]:
    """Heading and lines; both empty where nothing is compared."""
    changes = news.changes
    if changes is None:
        return "", ()
    lines = [line(note) for note in _notes(changes, news, brief)]
    shown = shown_changes(changes)
    lines += [_line(label, own, findings, changes, ids, brief) for label, own in _by_kind(shown)]
    if changes.persisting:
        lines.append(line(f"Still there after the fixed release, as told before: {len(changes.persisting):,}."))
    accepted = _acknowledged(findings, news, ids, brief)
    lines += [accepted] if accepted else []
    if changes.since is None:
        later = [line("Later letters say here what changed.")] if brief.changes > 1 else []
        return "The first letter", (*lines, *later)
    if not changes.changes:
        silence = (
            "" if changes.unsure or changes.late else " This letter is sent so that silence is not taken for health."
        )
        lines.insert(0, line(f"Nothing changed.{silence}"))
    elif not shown:
        lines.insert(
            0, line("All that was told before stands as it was told." if brief.changes else "All told before stands.")
        )
    return f"Since the letter of {changes.since}", tuple(lines)
