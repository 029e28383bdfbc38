"""Findings over rolls and upgrades as a picture: takes a cluster's days in brief, gives coordinates and words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.documents.timeline import DayOf, Timeline, timelines
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.report.formatting import joined, plural
from kafka_fleet.report.sanitize import clean

ROWS = 12
LEFT, RIGHT, TOP, ROW = 190.0, 714.0, 34.0, 22.0  # pixels
_CLIP, _LABEL = 120, 26
_WIDEST = 40.0  # pixels of a day
Rolls = Mapping[str, Sequence[RollReport] | None]  # by day; None: an earlier version kept none
OUTCOMES = {
    "still there": "still there on the release that has the fix",
    "gone": "gone after the upgrade",
    "waiting": "quiet since the upgrade, too few days yet",
    "": "",
}


@dataclass(frozen=True)
class Mark:
    """One day of a finding: its place, and the verdict; `clean` where it was looked for, `unseen` where it was not."""

    x: float
    width: float
    key: str
    said: str


@dataclass(frozen=True)
class Change:
    """What happened to the brokers on a day: another release, releases side by side, a start without a clean stop."""

    ds: str
    x: float
    kind: str
    said: str


@dataclass(frozen=True)
class TimelineRow:
    """A finding over the days."""

    key: str
    label: str
    y: float
    marks: tuple[Mark, ...]
    outcome: str


@dataclass(frozen=True)
class TimelinePicture:
    """The picture. more: findings that are not drawn. outcomes: finding's key -> what an upgrade did to it."""

    rows: tuple[TimelineRow, ...]
    changes: tuple[Change, ...]
    ticks: tuple[tuple[float, str], ...]
    bottom: float
    height: float
    more: int
    said: str


def _measured(one: RollReport) -> str:
    """A roll that sweeps showed: how many brokers, to which release, and how they were stopped."""
    brokers = len({restart.broker for restart in one.restarts})
    said = [f"{plural(brokers, 'broker')} restarted"]
    said += [f"to {joined(one.to_releases)}"] if one.kind == "upgrade" and one.to_releases else []
    killed = sum(restart.stop == "killed" for restart in one.restarts)
    return str(clean(" ".join(said) + (f", {killed:,} without a controlled shutdown" if killed else ""), _CLIP))


def _read_off(ds: str, was: str | None, found: DaySummary) -> Iterator[tuple[str, str]]:
    """What releases and findings of a day tell, where its rolls are not known."""
    now = found.release
    if was and now and was != now:
        mixed = "," in now
        words = f"{was} to {now}, {'side by side' if mixed else 'on all that were read'}"
        yield ("roll" if mixed else "upgrade"), clean(words, _CLIP)
    if any(row.signature == "unclean_restart" and row.has_symptom for row in found.rows):
        yield "restart", "a broker started without a controlled shutdown before"


def _changes(summaries: Mapping[str, DaySummary], rolls: Rolls, x_of: Mapping[str, float]) -> tuple[Change, ...]:
    """Rolls, upgrades and restarts, the earliest first: as sweeps showed them, else as releases and findings tell."""
    found, was = [], None
    for ds, one in sorted(summaries.items()):
        known = rolls.get(ds)
        told = _read_off(ds, was, one) if known is None else ((roll.kind, _measured(roll)) for roll in known)
        found += [Change(ds, x_of[ds], kind, said) for kind, said in told]
        was = one.release or was
    return tuple(found)


def _key(day: DayOf) -> str:
    if day.state == "unseen":
        return "unseen"
    return day.verdict if day.state == "fired" else "clean"


def _turned(line: Timeline) -> bool:
    """Whether it came or went within these days."""
    return len({_key(day) for day in line.days} - {"unseen"}) > 1


def _ticks(days: Sequence[str], x_of: Mapping[str, float]) -> tuple[tuple[float, str], ...]:
    """The first day, the last, and one between where there is room."""
    shown = {days[0], days[-1], *([days[len(days) // 2]] if len(days) > 8 else [])}
    return tuple((x_of[ds], ds) for ds in days if ds in shown)


def timeline_picture(
    cluster: str, summaries: Mapping[str, DaySummary], rolls: Rolls | None = None
) -> TimelinePicture | None:
    """The picture of the judged days, the oldest on the left; None of fewer than two, or where nothing ever fired."""
    days = sorted(summaries)
    lines = [line for line in timelines(cluster, summaries) if line.first]
    if len(days) < 2 or not lines:
        return None
    lines.sort(key=lambda line: (-VERDICT_RANK[line.worst], not _turned(line), line.key))
    width = min(_WIDEST, (RIGHT - LEFT) / len(days))
    x_of = {ds: round(LEFT + width * place, 1) for place, ds in enumerate(days)}
    rows = tuple(
        TimelineRow(
            key=clean(line.key, _CLIP),
            label=clean(line.key.removeprefix("symptom "), _LABEL),
            y=TOP + ROW * place,
            marks=tuple(
                Mark(x_of[day.ds], max(1.0, round(width - 1, 1)), _key(day), f"{day.ds}: {_key(day).replace('_', ' ')}")
                for day in line.days
            ),
            outcome=OUTCOMES[line.outcome],
        )
        for place, line in enumerate(lines[:ROWS])
    )
    changes = _changes(summaries, rolls or {}, x_of)
    turns = f"; {plural(len(changes), 'roll, upgrade or restart', 'rolls, upgrades or restarts')}" if changes else ""
    bottom = TOP + ROW * len(rows)
    return TimelinePicture(
        rows=rows,
        changes=changes,
        ticks=_ticks(days, x_of),
        bottom=bottom,
        height=bottom + 22,
        more=max(0, len(lines) - ROWS),
        said=f"{plural(len(lines), 'finding')} over {plural(len(days), 'judged day')}, {days[0]} to {days[-1]}{turns}",
    )
