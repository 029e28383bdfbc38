"""Findings over days: takes a cluster's judgements in brief, gives when each fired and what an upgrade did to it.

A finding fires on a day on which its symptom was seen (confirmed, look-alike, or exposed with a detection) or, where no
signature shows it, on which release and settings have it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kafka_fleet.documents.day_summaries import CLEAN_DAYS
from kafka_fleet.documents.summary import DaySummary, SummaryRow
from kafka_fleet.domain import VERDICT_RANK

State = Literal["fired", "clean", "unseen"]
Outcome = Literal["still there", "gone", "waiting", ""]


@dataclass(frozen=True)
class DayOf:
    """A finding on one day. release: of what the finding is about, else of the brokers; None: not read.

    state: `unseen` is a day that was judged and could not look for it. had_it: the release was exposed on that day.
    """

    ds: str
    state: State
    verdict: str
    release: str | None
    had_it: bool


@dataclass(frozen=True)
class Timeline:
    """One finding of one cluster over the judged days, the oldest first.

    outcome: what came of it on the days after the last on which it was confirmed, on releases that have the fix:
    `still there`, `gone` (CLEAN_DAYS of them and more), `waiting` for more of them; '' where there is no such day.
    """

    cluster: str
    key: str
    signature: str | None
    cause: str | None
    days: tuple[DayOf, ...]
    outcome: Outcome

    def of(self, state: State) -> tuple[DayOf, ...]:
        """The days of one state."""
        return tuple(one for one in self.days if one.state == state)

    @property
    def first(self) -> DayOf | None:
        """The first day on which it fired."""
        return next(iter(self.of("fired")), None)

    @property
    def worst(self) -> str:
        """The worst verdict of any day."""
        return max((one.verdict for one in self.days), key=VERDICT_RANK.__getitem__)

    def plain(self) -> dict[str, Any]:
        """As JSON: the finding, its outcome, and every day."""
        fired = self.of("fired")
        return {
            "cluster": self.cluster,
            "finding": self.key,
            "signature": self.signature,
            "cause": self.cause,
            "first_fired": fired[0].ds if fired else None,
            "last_fired": fired[-1].ds if fired else None,
            "worst": self.worst,
            "after_upgrade": self.outcome or None,
            "days": [
                {"ds": one.ds, "state": one.state, "verdict": one.verdict, "release": one.release} for one in self.days
            ],
        }


def row_fires(row: SummaryRow) -> bool:
    """Whether a finding of a day fires: by its symptom where a signature shows it, else by release and settings."""
    return row.has_symptom if row.signature else row.verdict == "exposed"


def day_state(ds: str, row: SummaryRow | None, like: SummaryRow, found: DaySummary) -> DayOf:
    """What a day says of a finding. like: the row of some day, for a day that has none of it."""
    release = (row.release if row else None) or found.release
    verdict = row.verdict if row else "not_affected"
    had_it = row is not None and row.exposure == "exposed"
    if not found.reached or (row and row.verdict == "unknown" and not row_fires(row)):
        return DayOf(ds, "unseen", "unknown", release, had_it)
    if row and row_fires(row):
        return DayOf(ds, "fired", verdict, release, had_it)
    looked = like.signature is None or found.states.get(like.signature) in ("quiet", "detected")
    return DayOf(ds, "clean" if looked else "unseen", verdict, release, had_it)


def _outcome(days: Sequence[DayOf]) -> Outcome:
    places = [place for place, one in enumerate(days) if one.verdict == "confirmed"]
    after = [one for one in days[places[-1] + 1 :] if not one.had_it] if places else []
    if any(one.state == "fired" for one in after):
        return "still there"
    clean = sum(one.state == "clean" for one in after)
    return "" if not clean else "gone" if clean >= CLEAN_DAYS else "waiting"


def timelines(cluster: str, summaries: Mapping[str, DaySummary], only: Collection[str] | None = None) -> list[Timeline]:
    """Every finding that any of the days has, the worst first. summaries: by judged day. only: keys of findings."""
    rows = {ds: {row.key: row for row in found.rows} for ds, found in sorted(summaries.items())}
    made = []
    for key in sorted({key for found in rows.values() for key in found}):
        if only is not None and key not in only:
            continue
        like = next(found[key] for found in rows.values() if key in found)
        days = tuple(day_state(ds, rows[ds].get(key), like, summaries[ds]) for ds in rows)
        cause = next((found[key].cause for found in rows.values() if key in found and found[key].cause), None)
        made.append(Timeline(cluster, key, like.signature, cause, days, _outcome(days)))
    return sorted(made, key=lambda one: (-VERDICT_RANK[one.worst], one.key))
