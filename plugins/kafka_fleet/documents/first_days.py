"""Since when a cluster has a finding: takes its judgement of a day and the days before, gives first and last day of it.

The first day is that of the unbroken run of days on which the cluster had the finding as it has it now: with its
symptom seen, or exposed by release and settings. A day that could not look, or was not judged, neither ends a run nor
begins one; a day that looked and saw nothing ends it. A finding that cannot be decided today keeps the run that was
open, with the last day on which it was decided.

Each judgement keeps the days, so that the next one goes on from there. It rests on earlier days as they were published
when the day was judged: one of them that is judged otherwise later changes it only when this day is judged again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Literal, NamedTuple

from kafka_fleet.documents.day_summaries import read_day_summary
from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.summary import DaySummary, SummaryRow
from kafka_fleet.documents.timeline import day_state, row_fires
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import days_in

# judgements of a cluster that are read: more than one only where earlier versions kept no days, or after long silence
LOOK_BACK = 31
Level = Literal["seen", "exposed"]


class Days(NamedTuple):
    """The first and the last day of a run; both None: there is none."""

    first: str | None
    last: str | None


@dataclass
class _Run:
    """One finding's run as far as it is known. level None: it cannot be decided today. before: days to look at."""

    like: SummaryRow
    level: Level | None
    days: Days
    before: str


def _level(row: SummaryRow) -> Level | None:
    return "seen" if row_fires(row) else "exposed" if row.exposure == "exposed" else None


def _goes_on(run: _Run, row: SummaryRow | None, ds: str, found: DaySummary) -> bool | None:
    """Whether an earlier day had the finding; None where that day did not see."""
    if not found.reached:
        return None
    if run.level == "seen":
        return {"fired": True, "clean": False, "unseen": None}[day_state(ds, row, run.like, found).state]
    if row is None:
        return False
    if run.level is None and row_fires(row):
        return True
    return {"exposed": True, "unknown": None}.get(row.exposure or "", False)


def _step(run: _Run, row: SummaryRow | None, ds: str, found: DaySummary) -> bool:
    """Look at one day before; whether to look further."""
    kept = row is not None and "first_day" in row.model_fields_set
    goes_on = _goes_on(run, row, ds, found)
    if goes_on is False:
        return False
    if goes_on is None or row is None:
        if row is not None and kept:
            if row.first_day is None or row.last_day is None:
                return False  # it knew of no run that was open
            run.before = _after(row.last_day)
        return True
    known = _level(row)
    run.level = run.level or known
    first = row.first_day if kept and row.first_day else ds
    if known == run.level:
        run.days, run.before = Days(first, run.days.last or ds), first
        return not kept
    # seen since the first day and exposed on this one: whether it was exposed on the first day, that day says
    run.days, run.before = Days(ds, run.days.last), _after(first) if first < ds else ds
    return True


def _after(ds: str) -> str:
    """A text that is after this day and before the next."""
    return f"{ds}~"


def run_days(
    ds: str, today: DaySummary, earlier: Iterator[tuple[str, Callable[[], DaySummary | None]]]
) -> dict[str, Days]:
    """By key the days of each finding of a cluster's day. earlier: days before, latest first, each with a reader."""
    runs = {}
    for row in today.rows:
        level = _level(row)
        runs[row.key] = _Run(row, level, Days(ds, ds) if level else Days(None, None), ds)
    open_ones, read = dict(runs), 0
    for day, reader in earlier:
        due = {key: run for key, run in open_ones.items() if day < run.before}
        if not open_ones or read >= LOOK_BACK:
            break
        found = reader() if due else None
        if found is None:
            continue
        read += 1
        rows = {row.key: row for row in found.rows}
        for key, run in due.items():
            if not _step(run, rows.get(key), day, found):
                del open_ones[key]
    return {key: run.days for key, run in runs.items()}


class EarlierDays:
    """The days of a home before one, for all of its clusters."""

    def __init__(self, home: Path, ds: str) -> None:
        self.home, self.ds = home, ds
        self._generations: dict[str, str | None] = {}

    @cached_property
    def _days(self) -> list[str]:
        return [ds for ds in days_in(Home(self.home).stage("findings"), last=self.ds) if ds < self.ds][::-1]

    def of(self, cluster: str, today: DaySummary) -> dict[str, Days]:
        """By key the days of each finding. An earlier judgement that cannot be read is told, and counts as no day."""
        return run_days(self.ds, today, ((ds, partial(self._read, cluster, ds)) for ds in self._days))

    def _read(self, cluster: str, ds: str) -> DaySummary | None:
        try:
            if ds not in self._generations:  # only of days that are looked at: a home has hundreds
                self._generations[ds] = current_generation(Home(self.home).day(ds).findings)
            generation = self._generations[ds]
            return read_day_summary(self.home, ds, cluster, generation) if generation else None
        except (ValueError, KeyError, TypeError) as error:
            why = f"its judgement of {ds} cannot be read ({type(error).__name__})"
            print(f"judge {self.ds}: {cluster}: {why}; since when it has a finding is told without it", flush=True)
            return None


def dated_summary(today: DaySummary, days: Mapping[str, Days]) -> DaySummary:
    """A cluster's judgement in brief with these days on its findings."""
    rows = [one.model_copy(update=_members(days[one.key])) for one in today.rows]
    return today.model_copy(update={"rows": rows})


def dated(findings: list[Finding], days: Mapping[str, Days]) -> list[Finding]:
    """The findings with these days; one that is not affected has none."""
    return [one.model_copy(update=_members(days.get(one.key, Days(None, None)))) for one in findings]


def _members(days: Days) -> dict[str, str | None]:
    return {"first_day": days.first, "last_day": days.last}
