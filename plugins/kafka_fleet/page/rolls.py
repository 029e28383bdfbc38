"""What the cluster's page says of rolls: takes its report, gives whether one may begin, and what the day's did."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.readiness import LEVELS, Level, ReadinessReason
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.report.formatting import plural, sentence
from kafka_fleet.report.readiness_line import readiness_line
from kafka_fleet.report.readiness_words import STATE_WORDS, reason_lines
from kafka_fleet.report.roll_words import RESTART_HEAD, restart_cells, roll_lines, roll_title

TITLES: dict[Level, str] = {
    "blocks": "In the way", "unmeasured": "Not measured", "warns": "To be known before", "notes": "What will happen",
}  # fmt: skip
_EACH = 4  # lines of one code


@dataclass(frozen=True)
class Reasons:
    """Reasons of one level, a sentence each; the less pressing ones are folded."""

    title: str
    folded: bool
    lines: tuple[str, ...]


@dataclass(frozen=True)
class ShownRoll:
    """One roll: its restarts as a table, and a sentence for each thing that it did."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]


@dataclass(frozen=True)
class RollSection:
    """answer: one sentence, empty of a day that an earlier version judged. states: brokers by their answer.

    rolls: None where they are not known of the day.
    """

    answer: str
    sweep_at: str | None
    states: tuple[tuple[str, str], ...]
    reasons: tuple[Reasons, ...]
    rolls: tuple[ShownRoll, ...] | None


def roll_section(report: ClusterReport, rolls: Sequence[RollReport] | None) -> RollSection:
    """The section of one cluster and day. rolls: of the day, with their parts of other days; None: not known."""
    found = report.readiness
    shown = None if rolls is None else tuple(_roll(one, report.ds) for one in rolls)
    if found is None:
        return RollSection("", None, (), (), shown)
    states = tuple(
        (word, ", ".join(map(str, brokers))) for state, word in STATE_WORDS.items() if (brokers := found.of(state))
    )
    levels = [(level, [one for one in found.reasons if one.level == level]) for level in LEVELS]
    reasons = tuple(Reasons(TITLES[level], level == "notes", _lines(own)) for level, own in levels if own)
    return RollSection(readiness_line(found), found.sweep_at, states, reasons, shown)


def _lines(reasons: Sequence[ReadinessReason]) -> tuple[str, ...]:
    """A sentence each; of one code for many brokers the first few, and how many more there are."""
    shown: Counter[str] = Counter()
    lines: list[str] = []
    for one, line in reason_lines(reasons):
        shown[one.code] += 1
        if shown[one.code] <= _EACH:
            lines.append(sentence(line))
    more = sum(count - _EACH for count in shown.values() if count > _EACH)
    return (*lines, *([f"And {plural(more, 'more such line')}, of other brokers."] if more else []))


def _roll(one: RollReport, ds: str) -> ShownRoll:
    rows = tuple(tuple(restart_cells(restart, ds)) for restart in one.restarts)
    return ShownRoll(roll_title(one, ds), RESTART_HEAD, rows, tuple(sentence(line) for line in roll_lines(one)))
