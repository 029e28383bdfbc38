"""What an exposure means on this cluster: takes a finding, its known issue and the report, gives an order and reasons.

A severity is the issue's own. Here it weighs less where the environment is no production, where nothing shows that what
it needs is in use, and where the cluster is far smaller than those on which it was seen; and more where anybody who
reaches a listener can bring it about, the measurement points to it, or a condition was measured that has a date.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import SEVERITIES
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.conditions import asked_by, load_conditions
from kafka_fleet.knowledge.detection_rows import template
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.priority import weighed
from kafka_fleet.report.sanitize import displayed

FAR_BELOW = 0.1  # of the partitions per broker on which an issue was seen
_PLACE = 60  # characters of a place
DATED = 3  # severities that what has a date is before what only may happen
_REACH = {"anyone": "anyone who reaches a listener", "login": "anyone who may log in", "privileged": ""}


@dataclass(frozen=True)
class Weight:
    """score: the smaller, the more pressing; its whole steps are those of severities. reasons: in words."""

    score: float
    brokers: int
    reasons: tuple[str, ...]


def partitions_per_broker(report: ClusterReport) -> float | None:
    """Mean of the partitions that brokers hold; None where no broker told."""
    told = [one.partitions for one in report.coverage.brokers if one.partitions is not None]
    return sum(told) / len(told) if told else None


def _hit(finding: Finding, report: ClusterReport) -> int:
    """How many brokers it would hit: those that it names, else all where it is theirs."""
    named = sum(1 for one in finding.subjects if one.startswith("broker "))
    own = {"broker", "controller", "topic", "host"} & set(finding.components or ())
    return named or (len(report.coverage.brokers) if own else 0)


def told_of(finding: Finding, advisory: Advisory) -> str:
    """What the letter tells of a condition that cannot wait: `full in 2 to 3 days: broker 1, /data`.

    Empty where no condition of the issue has such words, or none of what they need was measured.
    """
    known = load_conditions()
    for condition in (known[name] for name in asked_by(advisory) if name in known):
        names = {line.metric: name for name, line in condition.evidence.items()}
        wanted = template(condition.letter).names
        lines = [line for line in finding.evidence if names.get(line.metric) in wanted]
        worst = {names[line.metric]: line.value for line in lines if line.where == lines[0].where}
        if worst:
            said = template(condition.letter).of_nulls(dict.fromkeys(wanted) | worst)
            return f"{said}: {displayed(lines[0].where or '', _PLACE)}"
    return ""


def exposure_weight(finding: Finding, advisory: Advisory | None, report: ClusterReport) -> Weight:
    """The weight of one finding. An issue that the catalogue no longer has weighs by its severity alone."""
    severity = weighed(finding.severity, report.environment)
    score = float(SEVERITIES.index(severity))
    reasons = [severity]
    hit = _hit(finding, report)
    pointed = finding.signature_state == "detected" and bool(finding.cause)
    if pointed:
        score -= 1
        reasons.append("the measurement points to it")
    if advisory is not None:
        if told := told_of(finding, advisory):
            score -= DATED
            reasons.append(told)
        if not pointed and any(one.kind == "shown_by_symptom" for one in advisory.preconditions):
            score += 1
            reasons.append("whether what it needs is in use is not seen")
        if advisory.reach is not None and _REACH[advisory.reach]:
            score -= 1 if advisory.reach == "anyone" else 0
            reasons.append(f"open to {_REACH[advisory.reach]}")
        size, seen = partitions_per_broker(report), advisory.partitions_per_broker
        if size is not None and seen is not None and size < FAR_BELOW * seen:
            score += 2
            reasons.append(f"it was seen from about {seen:,} partitions per broker on, and here are {size:,.0f}")
    if hit:
        reasons.append(f"would hit {plural(hit, 'broker')}")
    return Weight(score, hit, tuple(reasons))


def weighed_exposures(
    findings: Sequence[Finding], advisories: Mapping[str, Advisory], report: ClusterReport
) -> list[tuple[Finding, Weight]]:
    """Findings with their weights, the most pressing first; of equal ones what hits more brokers, then by id."""
    found = [(one, exposure_weight(one, advisories.get(one.advisory or ""), report)) for one in findings]
    return sorted(found, key=lambda pair: (pair[1].score, -pair[1].brokers, pair[0].key))
