"""What was measured and is wrong, and all that it takes to act: takes a finding, gives what a first screen says."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import SEVERITIES, VERDICT_RANK
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.knowledge.verdicts import rival_advisories
from kafka_fleet.report.cards import component_words, own_text
from kafka_fleet.report.owner_sentences import OwnerSentences, owner_sentences, phrase
from kafka_fleet.report.priority import weighed
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.report.screen_model import Brevity, Ids, News, Span, Trouble, few, line

_LEAST_TO_DO = 40  # words: what to do is never cut short before anything else is
_CAN_WAIT = {"critical": 1, "high": 7, "medium": 30}  # days, by the severity as it weighs there
_CLIENTS = {"client-producer": "producers", "client-consumer": "consumers", "client": "clients", "streams": "clients"}


def own_severity(finding: Finding, signatures: Mapping[str, Signature]) -> str | None:
    """That of its known issue; where none explains the symptom, of the symptom by itself."""
    signature = signatures.get(finding.signature or "")
    words = signature.owner_words.get(finding.cause or "") if signature and finding.advisory is None else None
    return words.severity if words else finding.severity


def _aside(finding: Finding) -> bool:
    """Whether its symptom, told by itself, says all that is known."""
    fixed = finding.advisory is not None and finding.verdict == "look_alike" and finding.exposure == "not_exposed"
    return fixed or is_suspicion(finding)


def measured(
    report: ClusterReport, findings: Sequence[Finding], accepted: frozenset[str], signatures: Mapping[str, Signature]
) -> list[Finding]:
    """What was confirmed, then look-alikes: what nobody acknowledged first, then by the severity as it weighs there.

    Of a symptom that is proven by itself, issues are left out to which it does no more than point, or which what runs
    here has not.
    """
    own = [one for one in findings if one.verdict in ("confirmed", "look_alike")]
    proven = {(one.signature, one.cause) for one in own if one.advisory is None and not is_suspicion(one)}
    own = [one for one in own if not (_aside(one) and (one.signature, one.cause) in proven)]

    def order(one: Finding) -> tuple[bool, int, int, bool, str]:
        severity = SEVERITIES.index(weighed(own_severity(one, signatures), report.environment))
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
    if upgrades:
        clients = phrase(finding.subjects, "client", 1, brief.name)
        return f"the owners of the {side}{': ' + clients if clients else ''}"
    group, topic = (phrase(finding.subjects, kind, 1, brief.name) for kind in ("group", "topic"))
    if side == "consumers":
        return f"the owners of {group or 'the consumers'}"
    return f"the owners of the {side}{' of ' + topic if topic else ''}"


def can_wait(severity: str, environment: str | None, ds: str) -> str:
    """Until when a finding of the day `ds` can wait that weighs so much there: a sentence."""
    days = _CAN_WAIT.get(severity)
    where = f"severity {severity}{f', {environment}' if environment else ''}"
    if days is None:
        return f"It can wait for the next planned change ({where})."
    last = date.fromisoformat(ds) + timedelta(days=days)
    return f"Not later than {last} ({where})." if days == 1 else f"It can wait until {last} ({where})."


def _when(finding: Finding, said: OwnerSentences, report: ClusterReport) -> str:
    severity = weighed(finding.severity if finding.advisory else said.severity, report.environment)
    return can_wait(severity, report.environment, report.ds)


def what_to_do(finding: Finding, said: OwnerSentences, upgrades: bool) -> str:
    """What to do, and in which order."""
    if not upgrades:
        return said.act
    what = component_words([one for one in finding.components or () if one not in ("topic", "host")] or ["broker"])
    start = f" from {displayed(finding.release, 40)}" if finding.release and len(finding.release) <= 40 else ""
    what = what.replace("broker", "brokers").replace("controller", "controllers")
    upgrade = f"Upgrade {what}{start} to {finding.upgrade_to}."
    if said.when == "instead":
        return upgrade
    now, then = (said.act, upgrade) if said.when == "before" else (upgrade, said.act)
    return f"{now} Then: {then[:1].lower()}{then[1:]}"


def is_suspicion(finding: Finding) -> bool:
    """Whether the measurement points to the symptom itself and does not prove it."""
    return finding.verdict == "look_alike" and finding.strength == "suggestive"


def is_doubted(finding: Finding, advisories: Mapping[str, Advisory]) -> bool:
    """Whether it may be a known bug, and is not proven to be one."""
    return finding.verdict == "look_alike" and bool(rival_advisories(advisories, finding.signature, finding.cause))


def doubt(finding: Finding, advisories: Mapping[str, Advisory]) -> str:
    """What stands after the short words of a finding that proves less than they say; else empty."""
    if is_suspicion(finding):
        return " (not proven)"
    return ", no bug proven" if is_doubted(finding, advisories) else ""


def _note(finding: Finding, news: News, advisories: Mapping[str, Advisory]) -> str:
    ack, void = news.standing.get(finding.key, (None, None))
    if ack is not None and void is None:
        return f"Acknowledged by {displayed(ack.owner, 60)} until {ack.expires}."
    if finding.verdict == "look_alike" and finding.exposure == "not_exposed":
        return "This release has the fix, so look for another cause."
    if finding.verdict != "look_alike":
        return ""
    if is_suspicion(finding):
        return "The measurement points to it, but does not prove it."
    if is_doubted(finding, advisories):
        return "No known bug of these releases is proven to cause it."
    return "It is no known bug of Kafka."


def make_trouble(
    finding: Finding,
    said: OwnerSentences,
    report: ClusterReport,
    advisories: Mapping[str, Advisory],
    news: News,
    ids: Ids,
    brief: Brevity,
) -> Trouble:
    """What stands on top. said: the finding's words; ids: that the letter may still name."""
    upgrades = finding.verdict == "confirmed" and finding.upgrade_to is not None
    parts: list[str | Span] = [few(capital(said.what), max(30, 2 * brief.words))]
    if finding.advisory and ids.take(finding.key):
        parts += [" ", ids.span(finding, displayed(finding.key, 40))]
    return Trouble(
        what=line(*parts),
        verdict=finding.verdict,
        proof=said.proof,
        do=few(what_to_do(finding, said, upgrades), max(_LEAST_TO_DO, brief.words)),
        who=capital(f"{_who(finding, said, upgrades, report, brief)}."),
        when=_when(finding, said, report),
        meanwhile=few(own_text(displayed(finding.workaround or "", 1000)), brief.words) if upgrades else "",
        note=_note(finding, news, advisories),
    )
