"""What changed since the last letter sent: takes changes, gives HTML and text for the full report and for digests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.day_summaries import CLEAN_DAYS
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.cards import own_text
from kafka_fleet.report.changes import KINDS, NOT_JUDGED, UNREACHED, Change, Changes, Kind
from kafka_fleet.report.formatting import VERDICTS
from kafka_fleet.report.priority import sentence
from kafka_fleet.report.sanitize import clean
from kafka_fleet.report.screen_model import Standing
from kafka_fleet.report.templating import fragment, plain
from kafka_fleet.report.view_models import Cut, cut_list

ROOM = 12_000  # bytes of HTML that every letter leaves for this
PLACE = "<!--since-->"  # where the letter's HTML has it
_LEVELS = (12, 8, 5, 3, 1)  # changes shown of a kind
_CLIP = 240
_LONG = 700  # characters of a reason
_WORDS: dict[Kind, str] = {
    "new": "New",
    "worse": "Worse",
    "persists": "Still there after the fixed release",
    "reopened": "Reopened: the acknowledgement does not hold any more",
    "unseen": "Could not be measured",
    "better": "Better",
    "resolved": "Resolved",
}


@dataclass(frozen=True)
class Line:
    """One change in words: what it is about, its verdict now and before, and a sentence."""

    id: str
    title: str
    severity: str | None
    now: str
    was: str
    why: str


@dataclass(frozen=True)
class SinceView:
    """All that is said: a heading, notes, changes by kind, what is acknowledged, and what is quiet but not yet gone."""

    heading: str
    notes: tuple[str, ...]
    groups: tuple[tuple[str, Cut], ...]
    acknowledged: Cut
    pending: Cut
    clean_days: int


def _line(change: Change, advisories: Mapping[str, Advisory]) -> Line:
    advisory = advisories.get(change.key)
    return Line(
        id=change.key[:1].upper() + change.key[1:],
        title=own_text(advisory.title) if advisory else "",
        severity=change.severity,
        now=change.now,
        was=VERDICTS[change.was].label.lower() if change.was and change.was != change.now else "",
        why=change.why,
    )


def _acknowledged(standing: Standing, findings: Sequence[Finding], advisories: Mapping[str, Advisory]) -> list[Line]:
    """Findings that are there and acknowledged: who, why and until when."""
    lines = []
    for one in findings:
        ack, void = standing.get(one.key, (None, None))
        if ack is not None and void is None:
            by = f", entered by {ack.acknowledged_by}" if ack.acknowledged_by else ""
            why = f"{ack.reason} Acknowledged by {ack.owner} until {ack.expires}{by}."
            change = Change("new", one.key, None, one.verdict, one.severity, why)
            lines.append(_line(Change(**clean(vars(change), _LONG)), advisories))
    return lines


def _persisting(changes: Changes) -> list[Change]:
    """What was reported earlier as still there after an upgrade, and is there today as well."""
    lines = []
    for key, release in changes.persisting:
        row = changes.told[key]
        why = f"It had been confirmed on {release}; {row.release} has the fix."
        line = Change("persists", key, None, row.verdict, row.severity, why)
        lines.append(Change(**clean(vars(line), _CLIP)))
    return lines


def _notes(changes: Changes) -> list[str]:
    notes = []
    if changes.unsure:
        rest = (
            "This one stands by itself." if changes.since is None else "What changed is told since the one before it."
        )
        notes = [f"It is not known whether the letter of {changes.unsure} came: no answer of the mail server. {rest}"]
    notes += changes.late
    if changes.since is None:
        return [*notes, "Later letters begin with what changed."]
    if any(one.key == UNREACHED and one.kind == "new" for one in changes.changes):
        return [*notes, "Nothing was measured on this day: all that was told before stands as it was told."]
    if any(one.key == NOT_JUDGED and one.kind == "new" for one in changes.changes):
        return [*notes, "The cluster was not judged on this day: all that was told before stands as it was told."]
    if not changes.changes and changes.late and not changes.unsure:
        return [*notes, "Nothing changed since."]
    if not changes.changes:
        why = (
            "All that holds is below."
            if changes.unsure
            else "This letter is sent so that silence is not taken for health."
        )
        return [*notes, f"Nothing changed. {why}"]
    return notes


def first_part(
    changes: Changes,
    advisories: Mapping[str, Advisory],
    findings: Sequence[Finding] = (),
    standing: Standing | None = None,
    faults: Sequence[str] = (),
    pressing: Finding | None = None,
    environment: str | None = None,
) -> tuple[str, str]:
    """HTML and text, with the same facts; the HTML has at most ROOM bytes: lists shorten and say how many more.

    findings: the cluster's of the day. standing: their acknowledgements. faults: entries that are not valid.
    pressing: the worst finding that nobody has acknowledged, weighed by the cluster's environment.
    """
    urgent = [text] if (text := sentence(pressing, environment)) else []
    shown = [Change(**clean(vars(one), _CLIP)) for one in changes.changes]
    groups = [(_WORDS[kind], [one for one in shown if one.kind == kind]) for kind in KINDS]
    groups.append(("Still there after the fixed release, as told before", _persisting(changes)))
    accepted = _acknowledged(standing or {}, findings, advisories)
    waiting = [clean(f"{key}: {days} of {CLEAN_DAYS}", _CLIP) for key, days in changes.pending]
    html = text = ""
    for most in _LEVELS:
        view = SinceView(
            heading="The first letter" if changes.since is None else f"Since the letter of {changes.since}",
            notes=(*_notes(changes), *clean([*urgent, *faults[:most]], _LONG)),
            groups=tuple(
                (label, cut_list([_line(one, advisories) for one in lines], most)) for label, lines in groups if lines
            ),
            acknowledged=cut_list(accepted, most),
            pending=cut_list(waiting, most),
            clean_days=CLEAN_DAYS,
        )
        html = fragment("since.html.j2", v=view)
        text = plain("since.txt.j2", v=view)
        if len(html.encode("utf-8")) <= ROOM:
            break
    return html, text


def with_first_part(letter_html: str, letter_text: str, html: str, text: str) -> tuple[str, str]:
    """A published letter with the first part in its place: below its headline, and on top of its text."""
    head, found, rest = letter_html.partition(PLACE)
    if not found:  # a letter that was published before letters had the place
        head, found, rest = letter_html.partition("<body")
        tag, _end, rest = rest.partition(">")
        head = f"{head}{found}{tag}>" if found else ""
        rest = rest if found else letter_html
    return f"{head}{html}{rest}", f"{text}\n\n{letter_text}"
