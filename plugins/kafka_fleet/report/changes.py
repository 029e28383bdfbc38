"""What changed since the last letter sent: takes what that letter reported and the findings of a day, gives changes.

A finding is reported as better or gone only after CLEAN_DAYS days that looked for it and did not see it:
what could not be measured stays as it was reported.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kafka_fleet.documents.day_summaries import CLEAN_DAYS, FIELDS, has_symptom
from kafka_fleet.domain import VERDICT_RANK, added_subjects, finding_key, severity_rank
from kafka_fleet.report.formatting import quantity
from kafka_fleet.report.view_models import Json

Kind = Literal["new", "worse", "persists", "reopened", "better", "resolved", "unseen"]
KINDS: tuple[Kind, ...] = ("new", "worse", "persists", "reopened", "unseen", "better", "resolved")

# finding's key -> what was reported of it: FIELDS of a brief, the figure that shows it, and where it is so
# `acknowledged`, `unseen`, and `persists`: the release on which it had been confirmed before one with the fix
Reported = dict[str, dict[str, Any]]
CleanDays = Callable[[str, str | None], int]
UNREACHED = "measurement of the cluster"  # stands for all of it on a day on which nothing was measured
NOT_JUDGED = "judgement of the cluster"  # the same on a day that was judged without it
_GONE: dict[str, Any] = {**dict.fromkeys(FIELDS), "verdict": "not_affected", "subjects": []}


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


def told_of(findings: Sequence[Json]) -> Reported:
    """What a letter with these findings of one cluster reports; not_affected is left out."""
    return dict(sorted((finding_key(one), _row(one)) for one in findings if one["verdict"] != "not_affected"))


def _row(finding: Json) -> dict[str, Any]:
    """What is reported of a finding: FIELDS, and the first line of its evidence as the figure that shows it."""
    row = {name: finding[name] for name in FIELDS}
    for first in finding.get("evidence", [])[:1]:
        row["figure"] = f"{first['metric']}: {quantity(first['value'], first['unit'], first['threshold'])}"
    return row


def compare(
    before: Reported | None,
    findings: Sequence[Json],
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
    if unseen:
        findings = [{**_GONE, "advisory": NOT_JUDGED if set_aside else UNREACHED, "verdict": "unknown"}]
    now = {finding_key(one): _row(one) for one in findings}
    if before is None:
        told = {key: {**row, **_mark(acknowledged or {}, key)} for key, row in told_of(findings).items()}
        return Changes(None, (), (), told)
    states = {row["signature"]: row["signature_state"] for row in now.values()}
    changes: list[Change] = []
    pending: list[tuple[str, int]] = []
    told = {}
    for key in sorted({*before, *now}):
        old = before.get(key)
        new = now.get(key)
        change: Change | None = None
        kept: Mapping[str, Any] | None = new
        if old is None and new is not None:
            change = (
                Change("new", key, None, new["verdict"], new["severity"], "") if VERDICT_RANK[new["verdict"]] else None
            )
        elif old is not None and new is None and unseen:
            kept = {**old, "unseen": True}
        elif old is not None:
            new = new or {**_GONE, "signature_state": states.get(old["signature"])}
            change, kept, days = _step(key, old, new, clean_days)
            pending += [(key, days)] if days is not None else []
        mark = old.get("acknowledged") if old else None
        if key in now:
            change = _acknowledged(change, now[key], mark, key, acknowledged or {})
        changes += [change] if change else []
        if kept is not None and kept["verdict"] != "not_affected":
            told[key] = {name: value for name, value in kept.items() if name != "acknowledged"}
            waits = key not in now or (change is not None and change.kind == "unseen")
            told[key] |= ({"acknowledged": mark} if mark else {}) if waits else _mark(acknowledged or {}, key)
            if old and "persists" in old and kept["verdict"] == old["verdict"]:
                told[key]["persists"] = old["persists"]
    changes.sort(key=lambda one: (KINDS.index(one.kind), severity_rank(one.severity), -VERDICT_RANK[one.now], one.key))
    news = {one.key: one.kind for one in changes}
    stay = {key: row["persists"] for key, row in told.items() if "persists" in row}
    # the symptom that no advisory explains any more is the same news
    same = {f"symptom {told[key]['signature']} ({told[key]['cause']})" for key in stay if news.get(key) == "persists"}
    changes = [one for one in changes if one.kind != "new" or one.key not in same]
    return Changes(
        since, tuple(changes), tuple(pending), told, tuple(item for item in stay.items() if item[0] not in news)
    )


def _mark(acknowledged: Mapping[str, str | None], key: str) -> dict[str, str]:
    """What is kept of an acknowledgement with the report: whether it held, or was reported as no longer valid."""
    if key not in acknowledged:
        return {}
    return {"acknowledged": "holds" if acknowledged[key] is None else "void"}


def _acknowledged(
    change: Change | None, new: Mapping[str, Any], mark: str | None, key: str, acknowledged: Mapping[str, str | None]
) -> Change | None:
    """What is left of a change where the finding is acknowledged as it stands, or was and is no more."""
    void = (
        acknowledged.get(key, "Its acknowledgement was taken back.") if key in acknowledged or mark == "holds" else ""
    )
    if void is None:
        return None if change and change.kind in ("new", "worse") else change
    if change is None and void and mark != "void" and new["verdict"] != "not_affected":
        return Change("reopened", key, new["verdict"], new["verdict"], new["severity"], void)
    return change


def _step(
    key: str, old: Mapping[str, Any], new: dict[str, Any], clean_days: CleanDays
) -> tuple[Change | None, Mapping[str, Any] | None, int | None]:
    """One finding that was reported: its change, what is reported next, and its clean days while it waits."""
    was, now = old["verdict"], new["verdict"]
    severity = new["severity"] or old["severity"]
    known = {**new, "subjects": _union(old["subjects"], new["subjects"])}
    undecided = now == "unknown" and was != "unknown"
    if undecided or (new["signature_state"] == "not_evaluated" and has_symptom(old)):
        if old.get("unseen"):
            return None, old, None
        change = Change("unseen", key, was, now, severity, "It could not be measured; it stands as it was told.")
        return change, {**old, "unseen": True}, None
    if VERDICT_RANK[now] > VERDICT_RANK[was]:
        kind: Kind = "new" if was == "unknown" else "worse"
        return Change(kind, key, was, now, severity, ""), new, None
    if VERDICT_RANK[now] < VERDICT_RANK[was]:
        if has_symptom(new) and new["cause"] == old["cause"]:  # seen as before, and judged more mildly
            moved = new["release"] is not None and new["release"] != old["release"]
            if was == "confirmed" and new["exposure"] == "not_exposed" and moved:
                told = {**known, "persists": old["release"] or "an unknown release"}
                return Change("persists", key, was, now, severity, _still_there(old, new)), told, None
            return Change("better", key, was, now, severity, ""), known, None
        days = clean_days(old["signature"], old["cause"]) if has_symptom(old) and old["signature"] else CLEAN_DAYS
        if days < CLEAN_DAYS:
            return None, old, days
        if now == "not_affected" and was != "unknown":
            return Change("resolved", key, was, now, old["severity"], _gone(old, new)), None, None
        return Change("better", key, was, now, severity, ""), new, None
    if severity_rank(new["severity"]) < severity_rank(old["severity"]):
        return Change("worse", key, was, now, severity, f"Its severity was {old['severity']}."), known, None
    more = added_subjects(old["subjects"], new["subjects"])
    if more:
        return Change("worse", key, was, now, severity, f"Now also: {', '.join(more[:6])}."), known, None
    if severity_rank(new["severity"]) > severity_rank(old["severity"]):
        return Change("better", key, was, now, severity, f"Its severity was {old['severity']}."), known, None
    return None, known, None


def _still_there(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    figures = f" ({old['figure']}; now {new['figure']})" if "figure" in old and "figure" in new else ""
    return (
        f"It was confirmed on {old['release'] or 'a release that was not read'}. {new['release']} has the fix, and the "
        f"symptom is measured as before{figures}: look for another cause."
    )


def _gone(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What is known of an end: the releases before and after, and the figure that is not measured any more."""
    moved = new["release"] is not None and new["release"] != old["release"]
    why = f"The release is {new['release']} now; it was {old['release']}." if moved else ""
    if has_symptom(old) and "figure" in old:
        why += f" Told before: {old['figure']}; since then looked for on {CLEAN_DAYS} days, and not there."
    return why.strip()


def _union(was: Sequence[str], now: Sequence[str]) -> list[str]:
    """Names that were reported once are no news when they come back."""
    return list(dict.fromkeys([*now, *was]))[:200]
