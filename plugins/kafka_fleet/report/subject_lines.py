"""The subject of a letter: takes a judged day and what changed, gives the news in one line."""

from collections.abc import Mapping, Sequence

from kafka_fleet.base.text import one_line
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.report.change_lines import shown_changes
from kafka_fleet.report.changes import Change, Changes
from kafka_fleet.report.first_screen import kind_of
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.screen_model import BREVITIES, News
from kafka_fleet.report.trouble import doubt, measured, words_of

LONGEST = 150  # characters
_FOR_SUBJECTS = BREVITIES[2]


def _with_id(finding: Finding, text: str) -> str:
    return f"{text} ({finding.advisory})" if finding.advisory else text


def _change_words(changes: Sequence[Change]) -> str:
    """What changed, counted by what it means to the reader."""
    counts = {
        "still there after the fixed release": [one for one in changes if one.kind == "persists"],
        "reopened": [one for one in changes if one.kind == "reopened"],
        "not measured": [one for one in changes if one.kind == "unseen"],
        "better": [one for one in changes if one.kind == "better"],
        "resolved": [one for one in changes if one.kind == "resolved"],
    }
    new = [one for one in changes if one.kind in ("new", "worse") and one.now == "exposed"]
    parts = [plural(len(new), "new exposure")] if new else []
    for words, own in counts.items():
        if own:
            first = own[0].key if len(own) == 1 else f"{len(own):,} findings"
            parts.append(f"{first} {words}")
    return ", ".join(parts[:3])


def _unmeasured(report: ClusterReport, news: News) -> str:
    if report.declaration_error:
        return "not measured, its entry in the fleet file is not valid"
    if report.set_aside is not None:
        return "not judged, its measurements made a query fail"
    since = f" since {news.last_measured}" if news.last_measured else f" on {report.ds}"
    return f"not measured{since}"


def subject_line(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    changes: Changes,
    news: News,
    signatures: Mapping[str, Signature] | None = None,
) -> str:
    """One line without control characters: the cluster, and what its owner has to know first."""
    known = load_signatures() if signatures is None else signatures
    kind = kind_of(report, findings)
    again = " (told again)" if changes.unsure and not changes.changes else ""
    accepted = f"; {len(news.accepted):,} acknowledged" if news.accepted else ""
    if kind in ("unreached", "not_judged"):
        return one_line(f"{report.cluster}: {_unmeasured(report, news)}{again}", LONGEST)
    open_ones = [one for one in measured(report, findings, news.accepted, known) if one.key not in news.accepted]
    shown = shown_changes(changes)
    told = {one.key for one in shown if one.kind in ("new", "worse", "reopened", "persists")}
    if open_ones:
        fresh = [one for one in open_ones if changes.since is None or one.key in told]
        first = (fresh or open_ones)[0]
        words = words_of(first, advisories, known, _FOR_SUBJECTS).short
        text = _with_id(first, words) + doubt(first, advisories)
        others = f" and {plural(len(open_ones) - 1, 'more finding')}" if len(open_ones) > 1 else ""
        rest = "" if fresh or changes.since is None else _change_words(shown) or "nothing changed"
        rest = f"{rest}; still: " if rest else ""
        return one_line(f"{report.cluster}: {rest}{text}{others}{accepted}{again}", LONGEST)
    calm = "nothing new confirmed" if any(one.verdict == "confirmed" for one in findings) else "nothing confirmed"
    exposed = sum(1 for one in findings if one.verdict == "exposed")
    if changes.since is None:
        state = f"{calm}; {plural(exposed, 'exposure')}" if exposed else calm
        return one_line(f"{report.cluster}: {state}{accepted}{again}", LONGEST)
    what = _change_words(shown)
    if not what:
        what = plural(len(shown), "change") if shown else "" if again else "nothing changed"
    return one_line(f"{report.cluster}: {calm}{'; ' + what if what else ''}{accepted}{again}", LONGEST)
