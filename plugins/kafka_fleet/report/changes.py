"""What changed since the last letter sent: takes what that letter reported and the findings of a day, gives changes.

A finding is reported as better or gone only after CLEAN_DAYS days that looked for it and did not see it:
what could not be measured stays as it was reported.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kafka_fleet.documents.day_summaries import CLEAN_DAYS
from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.summary import Reported, ReportedFinding
from kafka_fleet.domain import VERDICT_RANK, SignatureState, Verdict, added_subjects, severity_rank, symptom_key
from kafka_fleet.report.formatting import quantity

Kind = Literal["new", "worse", "persists", "reopened", "better", "resolved", "unseen"]
KINDS: tuple[Kind, ...] = ("new", "worse", "persists", "reopened", "unseen", "better", "resolved")

CleanDays = Callable[[str, str | None], int]
UNREACHED = "measurement of the cluster"  # stands for all of it on a day on which nothing was measured
NOT_JUDGED = "judgement of the cluster"  # the same on a day that was judged without it


@dataclass(frozen=True)
class Change:
    """One finding that differs from what was reported. `was`, `now`: verdicts; `why`: one sentence, or empty."""

    kind: Kind
    key: str
    was: str | None
    now: str
    severity: str | None
    why: str


@dataclass(frozen=True)
class Changes:
    """All changes, the worst first within each kind, and what the reader knows after this letter.

    since: day of the last letter sent; None: this is the first. pending: quiet findings that are reported as they were,
    with their clean days so far. persisting: findings reported before as still there after a fixed release, and the
    release on which each had been confirmed. unsure: day of a letter after it of which it is not known whether it came.
    late: sentences on days between, which were judged late and had no letter.
    """

    since: str | None
    changes: tuple[Change, ...]
    pending: tuple[tuple[str, int], ...]
    told: Reported
    persisting: tuple[tuple[str, str], ...] = ()
    unsure: str | None = None
    late: tuple[str, ...] = ()

    def of(self, kind: Kind) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(one for one in self.changes if one.kind == kind)


def told_of(findings: Sequence[Finding]) -> Reported:
    """What a letter with these findings of one cluster reports; not_affected is left out."""
    told = {one.key: _row(one) for one in findings if one.verdict != "not_affected"}
    return {key: told[key] for key in sorted(told)}


def _row(finding: Finding) -> ReportedFinding:
    """What is reported of a finding, with the first line of its evidence as the figure that shows it."""
    figures = [f"{one.metric}: {quantity(one.value, one.unit, one.threshold)}" for one in finding.evidence[:1]]
    return ReportedFinding(
        advisory=finding.advisory,
        signature=finding.signature,
        cause=finding.cause,
        verdict=finding.verdict,
        severity=finding.severity,
        exposure=finding.exposure,
        signature_state=finding.signature_state,
        subjects=finding.subjects,
        release=finding.release,
        figure=figures[0] if figures else None,
    )


def _bare(verdict: Verdict, advisory: str | None = None, state: SignatureState | None = None) -> ReportedFinding:
    """A row that is of no finding of the day."""
    return ReportedFinding(
        advisory=advisory,
        signature=None,
        cause=None,
        verdict=verdict,
        severity=None,
        exposure=None,
        signature_state=state,
        subjects=[],
        release=None,
    )


def compare(
    before: Reported | None,
    findings: Sequence[Finding],
    since: str | None,
    reached: bool,
    clean_days: CleanDays,
    acknowledged: Mapping[str, str | None] | None = None,
    set_aside: bool = False,
) -> Changes:
    """The changes of one cluster from what was reported `before` (None: nothing) to a day's findings of it.

    reached: whether anything of the cluster was measured on this day. clean_days: gives, for a signature and cause, the
    days up to this one on which it was looked for and not there, back to the last on which it was. acknowledged: key of
    each finding with an acknowledgement, and why that does not hold any more; what is acknowledged as it stands is no
    news. set_aside: whether the day was judged without the cluster.
    """
    unseen = set_aside or not reached
    marks = acknowledged or {}
    rows = [_bare("unknown", NOT_JUDGED if set_aside else UNREACHED)] if unseen else [_row(one) for one in findings]
    now = {row.key: row for row in rows}
    if before is None:
        shown = {key: now[key] for key in sorted(now) if now[key].verdict != "not_affected"}
        return Changes(None, (), (), {key: _marked(row, _mark(marks, key)) for key, row in shown.items()})
    states = {row.signature: row.signature_state for row in now.values()}
    changes: list[Change] = []
    pending: list[tuple[str, int]] = []
    told: Reported = {}
    for key in sorted({*before, *now}):
        old = before.get(key)
        new = now.get(key)
        change: Change | None = None
        kept: ReportedFinding | None = new
        if old is None and new is not None:
            change = Change("new", key, None, new.verdict, new.severity, "") if VERDICT_RANK[new.verdict] else None
        elif old is not None and new is None and unseen:
            kept = old.model_copy(update={"unseen": True})
        elif old is not None:
            new = new or _bare("not_affected", state=states.get(old.signature))
            change, kept, days = _step(key, old, new, clean_days)
            pending += [(key, days)] if days is not None else []
        mark = old.acknowledged if old else None
        if key in now:
            change = _acknowledged(change, now[key], mark, key, marks)
        changes += [change] if change else []
        if kept is not None and kept.verdict != "not_affected":
            waits = key not in now or (change is not None and change.kind == "unseen")
            told[key] = _marked(kept, mark if waits else _mark(marks, key))
            if old and old.persists is not None and kept.verdict == old.verdict:
                told[key] = told[key].model_copy(update={"persists": old.persists})
    changes.sort(key=lambda one: (KINDS.index(one.kind), severity_rank(one.severity), -VERDICT_RANK[one.now], one.key))
    news = {one.key: one.kind for one in changes}
    stay = {key: row.persists for key, row in told.items() if row.persists is not None}
    # the symptom that no advisory explains any more is the same news
    same = {symptom_key(told[key].signature, told[key].cause) for key in stay if news.get(key) == "persists"}
    changes = [one for one in changes if one.kind != "new" or one.key not in same]
    return Changes(
        since, tuple(changes), tuple(pending), told, tuple(item for item in stay.items() if item[0] not in news)
    )


def _marked(row: ReportedFinding, mark: str | None) -> ReportedFinding:
    return row if row.acknowledged == mark else row.model_copy(update={"acknowledged": mark})


def _mark(acknowledged: Mapping[str, str | None], key: str) -> str | None:
    """What is kept of an acknowledgement with the report: whether it held, or was reported as no longer valid."""
    if key not in acknowledged:
        return None
    return "holds" if acknowledged[key] is None else "void"


def _acknowledged(
    change: Change | None, new: ReportedFinding, mark: str | None, key: str, acknowledged: Mapping[str, str | None]
) -> Change | None:
    """What is left of a change where the finding is acknowledged as it stands, or was and is no more."""
    void = (
        acknowledged.get(key, "Its acknowledgement was taken back.") if key in acknowledged or mark == "holds" else ""
    )
    if void is None:
        return None if change and change.kind in ("new", "worse") else change
    if change is None and void and mark != "void" and new.verdict != "not_affected":
        return Change("reopened", key, new.verdict, new.verdict, new.severity, void)
    return change


def _step(
    key: str, old: ReportedFinding, new: ReportedFinding, clean_days: CleanDays
) -> tuple[Change | None, ReportedFinding | None, int | None]:
    """One finding that was reported: its change, what is reported next, and its clean days while it waits."""
    was, now = old.verdict, new.verdict
    severity = new.severity or old.severity
    known = new.model_copy(update={"subjects": _union(old.subjects, new.subjects)})
    undecided = now == "unknown" and was != "unknown"
    if undecided or (new.signature_state == "not_evaluated" and old.has_symptom):
        if old.unseen:
            return None, old, None
        change = Change("unseen", key, was, now, severity, "It could not be measured; it stands as it was told.")
        return change, old.model_copy(update={"unseen": True}), None
    if VERDICT_RANK[now] > VERDICT_RANK[was]:
        kind: Kind = "new" if was == "unknown" else "worse"
        return Change(kind, key, was, now, severity, ""), new, None
    if VERDICT_RANK[now] < VERDICT_RANK[was]:
        if new.has_symptom and new.cause == old.cause:  # seen as before, and judged more mildly
            moved = new.release is not None and new.release != old.release
            if was == "confirmed" and new.exposure == "not_exposed" and moved:
                told = known.model_copy(update={"persists": old.release or "an unknown release"})
                return Change("persists", key, was, now, severity, _still_there(old, new)), told, None
            return Change("better", key, was, now, severity, ""), known, None
        days = clean_days(old.signature, old.cause) if old.has_symptom and old.signature else CLEAN_DAYS
        if days < CLEAN_DAYS:
            return None, old, days
        if now == "not_affected" and was != "unknown":
            return Change("resolved", key, was, now, old.severity, _gone(old, new)), None, None
        return Change("better", key, was, now, severity, ""), new, None
    if severity_rank(new.severity) < severity_rank(old.severity):
        return Change("worse", key, was, now, severity, f"Its severity was {old.severity}."), known, None
    more = added_subjects(old.subjects, new.subjects)
    if more:
        return Change("worse", key, was, now, severity, f"Now also: {', '.join(more[:6])}."), known, None
    if severity_rank(new.severity) > severity_rank(old.severity):
        return Change("better", key, was, now, severity, f"Its severity was {old.severity}."), known, None
    return None, known, None


def _still_there(old: ReportedFinding, new: ReportedFinding) -> str:
    figures = f" ({old.figure}; now {new.figure})" if old.figure and new.figure else ""
    return (
        f"It was confirmed on {old.release or 'a release that was not read'}. {new.release} has the fix, and the "
        f"symptom is measured as before{figures}: look for another cause."
    )


def _gone(old: ReportedFinding, new: ReportedFinding) -> str:
    """What is known of an end: the releases before and after, and the figure that is not measured any more."""
    moved = new.release is not None and new.release != old.release
    why = f"The release is {new.release} now; it was {old.release}." if moved else ""
    if old.has_symptom and old.figure:
        why += f" Told before: {old.figure}; since then looked for on {CLEAN_DAYS} days, and not there."
    return why.strip()


def _union(was: Sequence[str], now: Sequence[str]) -> list[str]:
    """Names that were reported once are no news when they come back."""
    return list(dict.fromkeys([*now, *was]))[:200]
