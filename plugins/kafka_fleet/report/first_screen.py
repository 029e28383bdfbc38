"""A cluster's day in thirty seconds: takes its report, findings and news, gives all words of the first screen.

In reading order: what is wrong in the owner's words, the figure that proves it, what to do and until when, the way
round meanwhile; what changed; the upgrade in three lines; coverage in one.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import SEVERITIES, VERDICT_RANK
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature, load_signatures
from kafka_fleet.report.cards import component_words, own_text
from kafka_fleet.report.change_lines import change_lines
from kafka_fleet.report.coverage_line import coverage_line
from kafka_fleet.report.exposure_weight import weighed_exposures
from kafka_fleet.report.finding_addresses import EXPOSED, cluster_url
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.not_measured import unreached_facts
from kafka_fleet.report.owner_sentences import OwnerSentences, owner_sentences, phrase
from kafka_fleet.report.priority import weighed
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.report.screen_model import (
    BREVITIES,
    Brevity,
    FirstScreen,
    Ids,
    Kind,
    Line,
    News,
    Span,
    Trouble,
    few,
    line,
)
from kafka_fleet.report.upgrade_lines import affected, upgrade_lines

_CAN_WAIT = {"critical": 1, "high": 7, "medium": 30}  # days, by the severity as it weighs there
_CLIENTS = {"client-producer": "producers", "client-consumer": "consumers", "client": "clients", "streams": "clients"}


def kind_of(report: ClusterReport, findings: Sequence[Finding]) -> Kind:
    """What the day comes to, which decides what is said first."""
    if report.set_aside is not None:
        return "not_judged"
    if report.declaration_error or not report.reached:
        return "unreached"
    worst = max((one.verdict for one in findings), key=VERDICT_RANK.__getitem__, default="not_affected")
    kinds: dict[str, Kind] = {"confirmed": "confirmed", "look_alike": "look_alike", "exposed": "exposed"}
    return kinds.get(worst, "healthy")


def measured(report: ClusterReport, findings: Sequence[Finding], accepted: frozenset[str]) -> list[Finding]:
    """What was confirmed, then look-alikes: what nobody acknowledged first, then by the severity as it weighs there."""
    own = [one for one in findings if one.verdict in ("confirmed", "look_alike")]

    def order(one: Finding) -> tuple[bool, int, int, bool, str]:
        severity = SEVERITIES.index(weighed(one.severity, report.environment))
        return one.key in accepted, -VERDICT_RANK[one.verdict], severity, one.advisory is None, one.key

    return sorted(own, key=order)


def words_of(
    finding: Finding, advisories: Mapping[str, Advisory], signatures: Mapping[str, Signature], brief: Brevity
) -> OwnerSentences:
    """A finding in its owner's words."""
    advisory = advisories.get(finding.advisory or "")
    signature = signatures.get(finding.signature or "")
    title = own_text(advisory.title) if advisory else signature.title if signature else finding.key
    return owner_sentences(finding, signature, title, brief.names, brief.name)


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _who(finding: Finding, said: OwnerSentences, upgrades: bool, report: ClusterReport, brief: Brevity) -> str:
    side = next((_CLIENTS[one] for one in finding.components or () if one in _CLIENTS), None) if upgrades else said.who
    side = "brokers" if side is None else side
    if side in ("brokers", "hosts"):
        return f"whoever runs the {side} of {report.cluster}"
    kind = "client" if upgrades else "group" if side == "consumers" else "topic"
    of = phrase(finding.subjects, kind, 1, brief.name)
    joint = " of " if kind == "topic" else ": "
    return f"the owners of the {side}{joint + of if of else ''}"


def _until(finding: Finding, report: ClusterReport) -> str:
    severity = weighed(finding.severity, report.environment)
    days = _CAN_WAIT.get(severity)
    where = f"{severity} on a {report.environment} cluster" if report.environment else severity
    if days is None:
        return f"can wait for the next planned upgrade ({where})"
    last = date.fromisoformat(report.ds) + timedelta(days=days)
    return f"not later than {last} ({where})" if days == 1 else f"can wait until {last} ({where})"


def _do(finding: Finding, said: OwnerSentences, upgrades: bool) -> str:
    """What to do, and in which order."""
    if not upgrades:
        return said.act
    what = component_words([one for one in finding.components or () if one not in ("topic", "host")] or ["broker"])
    start = f" from {displayed(finding.release, 40)}" if finding.release and len(finding.release) <= 40 else ""
    what = what.replace("broker", "brokers").replace("controller", "controllers")
    upgrade = f"Upgrade {what}{start} to {finding.upgrade_to}."
    return f"{said.act} Then: {upgrade[:1].lower()}{upgrade[1:]}" if said.first else upgrade


def _note(finding: Finding, news: News) -> str:
    ack, void = news.standing.get(finding.key, (None, None))
    if ack is not None and void is None:
        return f"Acknowledged by {displayed(ack.owner, 60)} until {ack.expires}."
    if finding.verdict == "look_alike" and finding.exposure == "not_exposed":
        return "This release has the fix, so look for another cause."
    if finding.verdict == "look_alike":
        return "The symptom was measured; no known bug of these releases is proven to cause it."
    return ""


def _trouble(
    finding: Finding, said: OwnerSentences, report: ClusterReport, news: News, ids: Ids, brief: Brevity
) -> Trouble:
    upgrades = finding.verdict == "confirmed" and finding.upgrade_to is not None
    parts: list[str | Span] = [few(capital(said.what), max(30, 2 * brief.words))]
    if finding.advisory and ids.take(finding.key):
        parts += [" ", ids.span(finding, displayed(finding.key, 40))]
    return Trouble(
        what=line(*parts),
        verdict=finding.verdict,
        proof=said.proof,
        do=few(_do(finding, said, upgrades), max(16, brief.words)),
        who=capital(f"{_who(finding, said, upgrades, report, brief)}; {_until(finding, report)}."),
        until=_until(finding, report),
        meanwhile=few(own_text(displayed(finding.workaround or "", 1000)), brief.words) if upgrades else "",
        note=_note(finding, news),
    )


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
            return (
                f"Nothing is confirmed in {name}. It is open to {plural(count, 'known bug')} by release and settings."
            )
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
) -> tuple[Line, ...]:
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
    every = Span("Most pressing exposure", cluster_url(news.page, report.cluster, report.ds, EXPOSED))
    return (line(every, ": ", ids.span(finding, finding.key), f"{title} ({why}).{closes}"),)


def build_screen(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    news: News | None = None,
    brief: Brevity = BREVITIES[0],
    signatures: Mapping[str, Signature] | None = None,
) -> FirstScreen:
    """The first screen of one cluster's day. findings: of this cluster; signatures: the catalogue unless given."""
    told = news or News()
    known = load_signatures() if signatures is None else signatures
    kind = kind_of(report, findings)
    ids = Ids(told.page, report.cluster, report.ds)
    seen = measured(report, findings, told.accepted) if kind in ("confirmed", "look_alike") else []
    trouble = _trouble(seen[0], words_of(seen[0], advisories, known, brief), report, told, ids, brief) if seen else None
    also: tuple[Line, ...] = ()
    for one in seen[1 : 1 + brief.others]:
        short = few(capital(words_of(one, advisories, known, brief).short), 16)
        own: tuple[Span, ...] = (
            (Span(" "), ids.span(one, displayed(one.key, 40))) if one.advisory and ids.take(one.key) else ()
        )
        also += ((Span(short), *own, Span("." if one.verdict == "confirmed" else ", cause not proven.")),)
    rest = len(seen) - 1 - len(also)
    also += (
        (line(f"And {plural(rest, 'more finding')} that {'was' if rest == 1 else 'were'} measured."),)
        if rest > 0
        else ()
    )
    judged = kind not in ("unreached", "not_judged")
    since = change_lines(findings, told, ids, brief)
    pressing = _most_pressing(report, findings, advisories, told, ids, brief) if judged else ()
    upgrade = upgrade_lines(report, findings, advisories, ids, told) if judged else ()
    why = (("Why", few(displayed(report.set_aside, 400), 40)),) if report.set_aside is not None else ()
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
        upgrade=(*pressing, *upgrade),
        coverage=coverage_line(report, findings, told) if judged else (),
        page=cluster_url(told.page, report.cluster, report.ds),
    )
