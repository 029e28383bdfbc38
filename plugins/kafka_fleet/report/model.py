"""The letter before it is drawn: takes a cluster's report, its findings and the catalogue, gives every word of it.

Both twins, HTML and text, are drawn from this one object, so they cannot state different facts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.cards import component_words, make_card
from kafka_fleet.report.exposure_weight import weighed_exposures
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.headline import alerts, headline, verdict_counts
from kafka_fleet.report.readiness_line import readiness_line
from kafka_fleet.report.sanitize import cleaned
from kafka_fleet.report.sections import (
    Row,
    Undecided,
    broker_rows,
    make_row,
    not_measured,
    signature_rows,
    sort_key,
    undecided,
)
from kafka_fleet.report.view_models import Card, Cut, Limits, cut_list

# A letter is first built whole; while it is too large for a mail client it is built again from the next level.
LEVELS = (
    Limits(12, 12, 160, 12, 6, 3, 48, 8, 24, 20, 300, 8),
    Limits(8, 10, 60, 8, 4, 2, 48, 6, 16, 16, 200, 5),
    Limits(5, 8, 60, 8, 3, 1, 32, 5, 12, 12, 160, 3),
    Limits(3, 6, 40, 6, 3, 1, 24, 4, 8, 10, 120, 0),
    Limits(2, 5, 40, 5, 2, 1, 24, 3, 8, 8, 100, 0),
    Limits(1, 4, 20, 4, 2, 1, 16, 3, 6, 6, 80, 0),
    Limits(1, 3, 12, 3, 1, 1, 16, 2, 3, 3, 40, 0),
    Limits(1, 2, 6, 2, 1, 0, 16, 1, 2, 2, 20, 0),
)


@dataclass(frozen=True)
class Step:
    """One step of the upgrade plan: what to which release, what it closes, leaves and opens, and how."""

    label: str
    component: str
    release: str
    closes: Cut
    leaves: Cut
    opens: Cut
    steps: Cut
    client_floor: str | None
    why: str


@dataclass(frozen=True)
class LetterView:
    """Everything a letter says, in reading order."""

    ds: str
    cluster: str
    report: ClusterReport
    headline: str
    judged: bool
    alerts: tuple[str, ...]
    counts: Mapping[str, int]
    plan: tuple[Step, ...]
    plan_note: str
    roll: str
    cards: Mapping[str, tuple[Card, ...]]
    cards_more: Mapping[str, tuple[tuple[Row, ...], Cut]]
    exposed: tuple[Row, ...]
    exposed_more: Cut
    unknown: tuple[Undecided, ...]
    quiet: str
    not_measured: Cut
    owners: Cut
    servers: Cut
    brokers: Cut
    clients: Cut
    signatures: Cut


def _plan(report: ClusterReport, limits: Limits) -> tuple[Step, ...]:
    made = []
    plan = report.plan
    for raw, label in ((plan.now, "Now"), (plan.next, "Next"), (plan.clients, "Client libraries")):
        if raw is None:
            continue
        steps = cut_list(raw.steps, limits.sentences)
        made.append(
            Step(
                label,
                component_words([raw.component]),
                raw.release,
                closes=cut_list(raw.closes, limits.ids),
                leaves=cut_list(raw.leaves, limits.ids),
                opens=cut_list(raw.opens, limits.ids),
                steps=steps,
                client_floor=raw.client_floor,
                why=raw.why,
            )
        )
    return tuple(made)


def _plan_note(report: ClusterReport, count: Mapping[str, int]) -> str:
    if report.set_aside is not None:
        return "No upgrade is proposed: the cluster was not judged on this day."
    if not report.judged:
        return "No upgrade is proposed: no release could be read on this day."
    if count["confirmed"]:
        return "No single release that closes what is confirmed could be named; see each finding."
    return "No upgrade is proposed by what was measured on this day."


def _quiet(report: ClusterReport, count: Mapping[str, int]) -> str:
    quiet = [s.title for s in report.signatures if s.state == "quiet"]
    said = []
    if quiet:
        said.append(f"{plural(len(quiet), 'symptom')} looked for and not found: {'; '.join(quiet[:20])}.")
    if count["not_affected"]:
        issues = plural(count["not_affected"], "known issue does", "known issues do")
        said.append(f"{issues} not apply: the release has the fix, or a precondition does not hold.")
    return " ".join(said)


def build_letter(
    report: ClusterReport, findings: Sequence[Finding], advisories: Mapping[str, Advisory], limits: Limits
) -> LetterView:
    """The view of one cluster's letter. `findings` may hold other clusters' rows; they are left out."""
    own = sorted((cleaned(f, limits.clip) for f in findings if f.cluster == report.cluster), key=sort_key)
    known = cleaned(report, limits.clip)
    count = verdict_counts(own)
    signatures = {s.signature: s for s in known.signatures}
    seen: dict[str, str] = {}
    cards: dict[str, tuple[Card, ...]] = {}
    more: dict[str, tuple[tuple[Row, ...], Cut]] = {}
    for verdict in ("confirmed", "look_alike", "exposed", "unknown"):
        measured = [f for f in own if f.verdict == verdict and (f.evidence or verdict in ("confirmed", "look_alike"))]
        made = []
        full = limits.cards if verdict == "confirmed" else max(1, limits.cards // 3)
        for finding in measured[:full]:
            name = finding.signature
            above = seen.get(name, "") if name else ""  # what has no symptom shares none
            made.append(make_card(finding, advisories, signatures.get(name or ""), known.ds, limits, above))
            if name:
                seen.setdefault(name, finding.advisory or "the symptom")
        cards[verdict] = tuple(made)
        rest = [f.model_copy(update={"advisory": f.advisory or f"symptom {f.signature}"}) for f in measured[full:]]
        rows = tuple(make_row(f, advisories) for f in rest[: limits.rows])
        more[verdict] = (rows, cut_list([f.advisory for f in rest[limits.rows :]], limits.ids))
    unmeasured = [f for f in own if f.verdict == "exposed" and not f.evidence]
    exposed = [f for f, _weight in weighed_exposures(unmeasured, advisories, known)]
    unknown = [f for f in own if f.verdict == "unknown" and not f.evidence]
    return LetterView(
        ds=known.ds,
        cluster=known.cluster,
        report=known,
        headline=headline(known, own),
        judged=known.judged,
        alerts=alerts(known),
        counts=count,
        plan=_plan(known, limits),
        plan_note=_plan_note(known, count),
        roll=readiness_line(known.readiness),
        cards=cards,
        cards_more=more,
        exposed=tuple(make_row(f, advisories) for f in exposed[: limits.rows]),
        exposed_more=cut_list([f.advisory for f in exposed[limits.rows :]], limits.ids),
        unknown=undecided(unknown, advisories, limits),
        quiet=_quiet(known, count),
        not_measured=not_measured(known, limits),
        owners=cut_list(known.owners, limits.sentences),
        servers=cut_list(known.bootstrap_servers, limits.sentences),
        brokers=broker_rows(known, limits),
        clients=cut_list(sorted(known.clients, key=lambda c: (-(c.connections or 0), str(c.software))), limits.brokers),
        signatures=signature_rows(known, limits),
    )
