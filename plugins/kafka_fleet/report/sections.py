"""The letter's tables: takes findings and a report, gives rows for what was not measured, and for how it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import BrokerCoverage, ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import severity_rank
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.cards import component_words, own_text
from kafka_fleet.report.formatting import number, plural, sentence
from kafka_fleet.report.undecided import Decider, deciders
from kafka_fleet.report.view_models import Cut, Limits, cut_list


@dataclass(frozen=True)
class Row:
    """A finding that was not measured: by release and configuration only."""

    id: str
    title: str
    severity: str | None
    components: str
    release: str | None
    upgrade_to: str | None
    workaround: str


@dataclass(frozen=True)
class Undecided:
    """Findings that one thing would decide. decided_by: a sentence; the worst findings, then the other ids."""

    decided_by: str
    reasons: Cut
    rows: tuple[Row, ...]
    ids: Cut


@dataclass(frozen=True)
class BrokerRow:
    """How often one broker was measured, and what it did not give."""

    name: str
    place: str
    release: str
    counts: str
    failures: str
    missing: Cut
    answered: bool


@dataclass(frozen=True)
class ThresholdRow:
    """One threshold in force; `overridden` by the fleet file or as shipped."""

    name: str
    value: str
    reason: str
    overridden: bool


@dataclass(frozen=True)
class SignatureRow:
    """One signature: what it came to on this day, and the thresholds it used."""

    title: str
    id: str
    state: str
    thresholds: Cut


def make_row(finding: Finding, advisories: Mapping[str, Advisory]) -> Row:
    """The table row of a finding with an advisory."""
    advisory = advisories.get(finding.advisory or "")
    return Row(
        id=str(finding.advisory),
        title=own_text(advisory.title) if advisory else "",
        severity=finding.severity,
        components=component_words(finding.components or []),
        release=finding.release,
        upgrade_to=finding.upgrade_to,
        workaround=own_text(finding.workaround or ""),
    )


def undecided(findings: Sequence[Finding], advisories: Mapping[str, Advisory], limits: Limits) -> tuple[Undecided, ...]:
    """Findings grouped by what would decide them, most of them first; what does not fit is in the last group."""
    groups = deciders(findings)
    kept, rest = groups[: limits.rows], groups[limits.rows :]
    if rest:
        others = tuple(finding for one in rest for finding in one.findings)
        kept.append(Decider("Other reasons, which the list of findings names", others, ()))
    most = max(1, limits.rows // max(1, len(kept)))
    return tuple(
        Undecided(
            decided_by=one.line,
            reasons=cut_list([sentence(reason) for reason in one.reasons], limits.sentences),
            rows=tuple(make_row(f, advisories) for f in one.findings[:most]),
            ids=cut_list([f.advisory for f in one.findings[most:]], limits.ids),
        )
        for one in kept
    )


def _counts(broker: BrokerCoverage) -> tuple[tuple[str, int], ...]:
    return ("ok", broker.ok), ("partial", broker.partial), ("truncated", broker.truncated), ("failed", broker.failed)


def broker_rows(report: ClusterReport, limits: Limits) -> Cut:
    """Brokers with the fewest good sweeps first, then by id."""
    brokers = sorted(report.coverage.brokers, key=lambda b: (b.ok, b.broker))
    rows = [
        BrokerRow(
            name=f"broker {b.broker}",
            place=", ".join([*([b.host] if b.host else []), *([f"rack {b.rack}"] if b.rack is not None else [])]),
            release=b.release or "release not read",
            counts=", ".join(f"{count:,} {kind}" for kind, count in _counts(b) if count),
            failures=", ".join(b.failures[: limits.sentences]),
            missing=cut_list(b.missing, limits.sentences),
            answered=b.reads > 0,
        )
        for b in brokers
    ]
    return cut_list(rows, limits.brokers)


def not_measured(report: ClusterReport, limits: Limits) -> Cut:
    """One sentence per thing the day lacks: silent brokers, signatures without input, dropped intervals."""
    coverage = report.coverage
    sentences = []
    for b in coverage.brokers:
        if b.reads == 0 and b.failures != ["no_endpoint"]:  # of which there is a sentence below
            why = f" ({', '.join(b.failures[: limits.sentences])})" if b.failures else ""
            sentences.append(f"Broker {b.broker} gave no measurement in any sweep{why}.")
    admin = coverage.admin
    if coverage.sweeps and not admin.ok:
        why = f" ({', '.join(admin.failures[: limits.sentences])})" if admin.failures else ""
        if admin.partial:
            in_part = plural(admin.partial, "sweep")
            sentences.append(f"The Kafka protocol answered in no sweep as a whole, and in part in {in_part}{why}.")
        else:
            none = "no configurations, groups or replicas"
            sentences.append(f"The Kafka protocol gave no answer in any sweep{why}: {none}.")
    named = tuple(f"{one.signature}: " for one in report.signatures if one.missing)
    # what a symptom lacks is said once, below with its title, and not by its id as well
    sentences += [sentence(text) for text in coverage.not_measured if not text.startswith(named)]
    for signature in report.signatures if report.set_aside is None else ():
        missing = [sentence(text) for text in signature.missing]
        if signature.state == "not_evaluated":
            why = " ".join(missing) or "No reason was recorded."
            sentences.append(f"{signature.title}: not evaluated. {why}")
        else:
            sentences += [f"{signature.title}: {text}" for text in missing]
    for dropped in coverage.dropped_intervals:
        count = plural(dropped.count, "interval")
        sentences.append(f"{count} between sweeps not used for deltas: {dropped.reason}.")
    return cut_list(list(dict.fromkeys(sentences)), limits.brokers)


def signature_rows(report: ClusterReport, limits: Limits) -> Cut:
    """Every signature with its state and thresholds, detected ones first."""
    order = ("detected", "not_evaluated", "quiet")
    rows = [
        SignatureRow(
            title=s.title,
            id=s.signature,
            state=s.state.replace("_", " "),
            thresholds=cut_list(
                [
                    ThresholdRow(t.name, f"{number(t.value)} {t.unit}".strip(), t.reason, t.overridden)
                    for t in s.thresholds
                ],
                limits.sentences,
            ),
        )
        for s in sorted(report.signatures, key=lambda s: (order.index(s.state), s.signature))
    ]
    return cut_list(rows, limits.signatures)


def sort_key(finding: Finding) -> tuple[int, bool, str, str, str]:
    """Worst first, symptoms without an advisory last within their severity."""
    advisory = finding.advisory
    return (
        severity_rank(finding.severity),
        advisory is None,
        advisory or "",
        finding.signature or "",
        finding.cause or "",
    )
