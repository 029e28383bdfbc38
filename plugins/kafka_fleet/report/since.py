"""The part of a mail that comes first: takes what changed since the last letter sent, gives subject, HTML and text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.report.cards import own_text
from kafka_fleet.report.changes import CLEAN_DAYS, KINDS, RANK, UNREACHED, Change, Changes, Kind
from kafka_fleet.report.headers import one_line
from kafka_fleet.report.safe import clean
from kafka_fleet.report.shapes import AdvisoryText, Cut, Json, cut
from kafka_fleet.report.templating import fragment, plain
from kafka_fleet.report.words import VERDICTS, plural

ROOM = 12_000  # bytes of HTML that every letter leaves for this
PLACE = "<!--since-->"  # where the letter's HTML has it
_LEVELS = (12, 8, 5, 3, 1)  # changes shown of a kind
_CLIP = 240
_WORDS: dict[Kind, str] = {
    "new": "New",
    "worse": "Worse",
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
    """All that is said: a heading, a note, changes by kind, and what is quiet but not yet told as gone."""

    heading: str
    note: str
    groups: tuple[tuple[str, Cut], ...]
    pending: Cut
    clean_days: int


def subject(cluster: str, ds: str, findings: Sequence[Json], reached: bool, changes: Changes) -> str:
    """Cluster, worst verdict, number of changes, day: one line."""
    worst = max((one["verdict"] for one in findings), key=RANK.__getitem__, default="not_affected")
    verdict = VERDICTS[worst].label.lower() if reached else "not measured"
    if changes.since is None:
        news = "first letter"
    else:
        news = plural(len(changes.changes), "change") if changes.changes else "no change"
    return one_line(f"{cluster}: {verdict}, {news} (Kafka, {ds})", 150)


def _line(change: Change, advisories: Mapping[str, AdvisoryText]) -> Line:
    advisory = advisories.get(change.key)
    return Line(
        id=change.key[:1].upper() + change.key[1:],
        title=own_text(advisory.title) if advisory else "",
        severity=change.severity,
        now=change.now,
        was=VERDICTS[change.was].label.lower() if change.was and change.was != change.now else "",
        why=change.why,
    )


def _view(changes: Changes, advisories: Mapping[str, AdvisoryText], most: int) -> SinceView:
    if changes.since is None:
        return SinceView("The first letter", "Later ones begin with what changed.", (), cut((), 1), CLEAN_DAYS)
    groups = tuple(
        (_WORDS[kind], cut([_line(one, advisories) for one in changes.of(kind)], most))
        for kind in KINDS
        if changes.of(kind)
    )
    note = "" if changes.changes else "Nothing changed. This letter is sent so that silence is not taken for health."
    if any(one.key == UNREACHED and one.kind == "new" for one in changes.changes):
        note = "Nothing was measured on this day: all that was told before stands as it was told."
    waiting = [f"{key}: {days} of {CLEAN_DAYS}" for key, days in changes.pending]
    return SinceView(f"Since the letter of {changes.since}", note, groups, cut(waiting, most), CLEAN_DAYS)


def first_part(changes: Changes, advisories: Mapping[str, AdvisoryText]) -> tuple[str, str]:
    """HTML and text, with the same facts; the HTML has at most ROOM bytes: lists shorten and say how many more."""
    shown = Changes(
        changes.since,
        tuple(Change(**clean(vars(one), _CLIP)) for one in changes.changes),
        tuple((clean(key, _CLIP), days) for key, days in changes.pending),
        {},
    )
    html = text = ""
    for most in _LEVELS:
        view = _view(shown, advisories, most)
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
