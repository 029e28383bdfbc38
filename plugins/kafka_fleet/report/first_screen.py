"""A cluster's day in thirty seconds: takes its report, findings and news, gives all words of the first screen.

In reading order: what is wrong in the owner's words, the figure that proves it, what to do and until when, the way
round meanwhile; what changed; the upgrade in three lines; whether a roll could have begun; coverage in one.
"""

from collections.abc import Mapping, Sequence

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import VERDICT_RANK
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.report.cards import own_text
from kafka_fleet.report.change_lines import change_lines
from kafka_fleet.report.coverage_line import coverage_line
from kafka_fleet.report.exposure_weight import told_of, weighed_exposures
from kafka_fleet.report.finding_addresses import FINDINGS, cluster_url
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.not_measured import unreached_facts
from kafka_fleet.report.readiness_line import roll_line
from kafka_fleet.report.sanitize import cleaned, displayed
from kafka_fleet.report.screen_model import (
    BREVITIES,
    Brevity,
    FirstScreen,
    Ids,
    Kind,
    Line,
    News,
    Span,
    few,
    line,
)
from kafka_fleet.report.trouble import capital, doubt, make_trouble, measured, words_of
from kafka_fleet.report.upgrade_lines import affected, upgrade_lines

_ACT = 24  # words of what to do about what has a date
_CLIP = 300  # characters of any name or sentence, before it is shortened where it stands


def kind_of(report: ClusterReport, findings: Sequence[Finding]) -> Kind:
    """What the day comes to, which decides what is said first."""
    if report.set_aside is not None:
        return "not_judged"
    if report.declaration_error or not report.reached:
        return "unreached"
    worst = max((one.verdict for one in findings), key=VERDICT_RANK.__getitem__, default="not_affected")
    kinds: dict[str, Kind] = {"confirmed": "confirmed", "look_alike": "look_alike", "exposed": "exposed"}
    return kinds.get(worst, "healthy")


def _headline(kind: Kind, report: ClusterReport, findings: Sequence[Finding], brief: Brevity) -> str:
    name = report.cluster
    if report.declaration_error:
        return f"{name} is not measured: its entry in the fleet file is not valid."
    match kind:
        case "not_judged":
            return f"{name} was not judged: its measurements made a query fail. Nothing is known to be healthy."
        case "unreached":
            return f"{name} was not reached on {report.ds}. Nothing is known to be healthy."
        case "exposed":
            count = len(affected(findings))
            return f"Nothing is confirmed in {name}. Releases and settings expose it to {plural(count, 'known bug')}."
        case "healthy":
            return f"{name} shows no known bug in what could be measured."
    return ""


def _most_pressing(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    news: News,
    ids: Ids,
    brief: Brevity,
) -> Line:
    """The exposure that weighs most here, and why."""
    exposed = [one for one in affected(findings) if one.verdict == "exposed" and one.key not in news.accepted]
    if not exposed:
        return ()
    finding, weight = weighed_exposures(exposed, advisories, report)[0]
    if not ids.take(finding.key):
        return ()
    advisory = advisories.get(finding.key)
    title = f": {few(own_text(advisory.title), brief.words)}" if advisory else ""
    why = "; ".join(weight.reasons[: 1 + brief.others])
    closes = f" {finding.upgrade_to} closes it." if finding.upgrade_to else ""
    if advisory and told_of(finding, advisory):
        closes = f" {few(own_text(advisory.workaround), _ACT)}"
    return line(ids.span(finding, finding.key), f"{title} ({why}).{closes}")


def build_screen(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    news: News | None = None,
    brief: Brevity = BREVITIES[0],
    signatures: Mapping[str, Signature] | None = None,
) -> FirstScreen:
    """The first screen of one cluster's day. findings: of this cluster; signatures: the catalogue unless given."""
    report, findings = cleaned(report, _CLIP), [cleaned(one, _CLIP) for one in findings]
    told = news or News()
    known = load_signatures() if signatures is None else signatures
    kind = kind_of(report, findings)
    ids = Ids(told.page, report.cluster, report.ds)
    seen = measured(report, findings, told.accepted, known) if kind in ("confirmed", "look_alike") else []
    trouble = (
        make_trouble(seen[0], words_of(seen[0], advisories, known, brief), report, advisories, told, ids, brief)
        if seen
        else None
    )
    also: tuple[Line, ...] = ()
    for one in seen[1 : 1 + brief.others]:
        short = few(capital(words_of(one, advisories, known, brief).short), 16)
        own: tuple[Span, ...] = (
            (Span(" "), ids.span(one, displayed(one.key, 40))) if one.advisory and ids.take(one.key) else ()
        )
        also += ((Span(short), *own, Span(f"{doubt(one, advisories)}.")),)
    rest = len(seen) - 1 - len(also)
    if rest > 0:
        counted = plural(rest, "more finding" if also else "other finding")
        also += (line(Span(counted, cluster_url(told.page, report.cluster, report.ds, FINDINGS)), "."),)
    judged = kind not in ("unreached", "not_judged")
    why = (("Why", few(displayed(report.set_aside, 400), 40)),) if report.set_aside is not None else ()
    since = change_lines(findings, told, ids, brief)
    pressing = _most_pressing(report, findings, advisories, told, ids, brief) if judged and brief.extras else ()
    closed_first = pressing[0].text if pressing else ""
    upgrade = upgrade_lines(report, findings, advisories, ids, told, brief, closed_first) if judged else ()
    return FirstScreen(
        ds=report.ds,
        cluster=report.cluster,
        environment=report.environment or "",
        kind=kind,
        headline=_headline(kind, report, findings, brief),
        trouble=trouble,
        also=also,
        facts=unreached_facts(report, told.last_measured, brief) if kind == "unreached" else why,
        since=since,
        exposure=pressing,
        upgrade=upgrade,
        roll=roll_line(report, told.page) if judged and brief.roll else (),
        coverage=coverage_line(report, findings, told, brief) if judged else (),
        page=cluster_url(told.page, report.cluster, report.ds),
    )
