"""One cluster's page: takes its report and its days in brief, gives findings with their history, coverage and plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.summary import DaySummary, SummaryRow
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.cards import own_text
from kafka_fleet.report.model import LEVELS, LetterView, build_letter
from kafka_fleet.report.sanitize import clean

LOOK_BACK = 60  # days of a history
_SHOWN = 28  # days of its strip


@dataclass(frozen=True)
class Event:
    """What became of a finding on a day: first seen, worse, better, not seen any more."""

    ds: str
    text: str


@dataclass(frozen=True)
class History:
    """One finding over the judged days: its verdict on each of the last ones, and its turns, the latest first."""

    key: str
    title: str
    severity: str
    now: str
    strip: tuple[tuple[str, str], ...]
    events: tuple[Event, ...]


def _turns(days: Sequence[tuple[str, str]], judged_before: bool) -> list[Event]:
    """days: verdict of the finding per judged day, the oldest first; '' where the day could not tell."""
    events: list[Event] = []
    last, seen = 0, False
    for place, (ds, verdict) in enumerate(days):
        if not verdict:
            continue
        rank, name = VERDICT_RANK[verdict], verdict.replace("_", " ").replace("look alike", "look-alike")
        if rank > last:
            if last:
                said = "worse"
            elif place == 0 and judged_before:
                said = "already there"
            else:
                first = f"first seen in {LOOK_BACK} judged days" if judged_before else "first seen"
                said = "seen again" if seen else first
            events.append(Event(ds, f"{said}: {name}"))
        elif rank < last:
            events.append(Event(ds, f"better: {name}" if rank else "resolved: not seen any more"))
        last, seen = rank, seen or rank > 0
    return events[::-1]


def histories(
    today: str, summaries: Mapping[str, DaySummary], advisories: Mapping[str, Advisory], older: bool
) -> list[History]:
    """Each finding of the days, worst of today first. summaries: by judged day.

    older: earlier days are judged as well.
    """
    days = sorted(summaries)
    rows = {ds: {row.key: row for row in summaries[ds].rows} for ds in days}
    keys = {key for found in rows.values() for key in found}
    made = []
    for key in keys:
        latest = next(rows[ds][key] for ds in reversed(days) if key in rows[ds])
        verdicts = [(ds, _verdict(rows[ds].get(key), latest, summaries[ds])) for ds in days]
        advisory = advisories.get(key)
        made.append(
            History(
                key=clean(key, 120),
                title=own_text(advisory.title) if advisory else "",
                severity=latest.severity or "",
                now=_verdict(rows[today].get(key), latest, summaries[today]) or "unknown",
                strip=tuple((ds, verdict or "none") for ds, verdict in verdicts[-_SHOWN:]),
                events=tuple(_turns(verdicts, older)),
            )
        )
    return sorted(made, key=lambda one: (-VERDICT_RANK[one.now], one.key))


def _verdict(row: SummaryRow | None, latest: SummaryRow, summary: DaySummary) -> str:
    """The verdict of a day; '' where nothing was measured, `not_affected` where it was and the finding is not there."""
    if not summary.reached:
        return ""
    if row is not None:
        return "" if row.verdict == "unknown" else row.verdict
    return "" if summary.states.get(latest.signature or "") == "not_evaluated" else "not_affected"


def letter_view(report: ClusterReport, advisories: Mapping[str, Advisory]) -> LetterView:
    """The parts of the letter that the page repeats: headline, alerts, plan, brokers, what could not be measured."""
    return build_letter(report, [], advisories, LEVELS[0])
