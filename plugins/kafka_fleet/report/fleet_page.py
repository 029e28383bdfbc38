"""The fleet on one page: takes every report and finding of a day, gives a row per cluster and the shared issues."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import SEVERITIES, severity_rank
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.decisions import Accepted
from kafka_fleet.report.fleet_decides import FleetDecides, fleet_decides
from kafka_fleet.report.fleet_members import member
from kafka_fleet.report.formatting import VERDICTS, plural
from kafka_fleet.report.headline import alerts, releases, verdict_counts
from kafka_fleet.report.priority import most_pressing, weighed
from kafka_fleet.report.sanitize import clean, cleaned
from kafka_fleet.report.view_models import Cut, cut_list

_CLIP = 200
_SHARED = 15
_WORST = ("confirmed", "look_alike", "exposed", "unknown")


@dataclass(frozen=True)
class ClusterRow:
    """One cluster: link to its letter, worst verdict, counts, releases, coverage. `problem`: red, in words.

    weight: severity of its most pressing finding, weighed by the environment.
    """

    id: str
    href: str
    environment: str
    worst: str
    weight: str
    counts: Mapping[str, int]
    releases: Cut
    coverage: str
    problem: str
    label: str
    unmeasured: bool
    note: str


@dataclass(frozen=True)
class Shared:
    """One confirmed or exposed issue and the number of clusters that have it."""

    id: str
    severity: str
    confirmed: int
    exposed: int


@dataclass(frozen=True)
class FleetView:
    """Everything the fleet page says: clusters that need a look first."""

    ds: str
    headline: str
    rows: tuple[ClusterRow, ...]
    shared: Cut
    decides: FleetDecides
    links: Mapping[str, str]


def _coverage(report: ClusterReport) -> str:
    brokers = report.coverage.brokers
    whole = sum(b.ok for b in brokers)
    asked = sum(b.reads + b.failed for b in brokers)
    return f"{whole:,} of {asked:,} broker sweeps whole" if asked else "no broker sweep"


def _row(report: ClusterReport, findings: Sequence[Finding], written: bool) -> ClusterRow:
    counts = verdict_counts(findings)
    problem = ""
    if report.declaration_error:
        problem = f"not measured, the fleet file's entry is not valid: {report.declaration_error}"
    elif why := report.set_aside:
        problem = why
    elif not report.reached:
        problem = "never reached on this day; nothing is known to be healthy"
    elif not written:
        problem = "its letter could not be written; see the run that should have"
    pressing = most_pressing(findings)
    return ClusterRow(
        id=report.cluster,
        href=quote(f"{report.cluster}.html") if written else "",
        environment=report.environment or "",
        worst=next((key for key in _WORST if counts[key]), "not_affected" if not problem else "unknown"),
        weight=weighed(pressing.severity, report.environment) if pressing else "info",
        counts=counts,
        releases=cut_list(releases(report), 4),
        coverage=_coverage(report),
        problem=problem,
        unmeasured=bool(report.declaration_error) or not report.judged,
        label=_label(report, written),
        note="" if problem else " ".join(alerts(report)),
    )


def _label(report: ClusterReport, written: bool) -> str:
    if report.set_aside is not None:
        return "not judged"
    return "not measured" if written or not report.reached else "no letter"


def _shared(findings: Sequence[Finding]) -> Cut:
    clusters: dict[tuple[str, str], dict[str, set[str]]] = {}
    for finding in findings:
        if finding.advisory is not None and finding.verdict in ("confirmed", "exposed"):
            key = (str(clean(finding.advisory, _CLIP)), finding.severity or "")
            sets = clusters.setdefault(key, {"confirmed": set(), "exposed": set()})
            sets[finding.verdict].add(finding.cluster)
    rows = [Shared(name, worst, len(s["confirmed"]), len(s["exposed"])) for (name, worst), s in clusters.items()]
    rows.sort(key=lambda r: (-r.confirmed, severity_rank(r.severity), -r.exposed, r.id))
    return cut_list(rows, _SHARED)


def build_fleet(
    ds: str,
    reports: Sequence[ClusterReport],
    findings: Sequence[Finding],
    unwritten: Collection[str] = (),
    accepted: Accepted | None = None,
) -> FleetView:
    """The view of a day's fleet page; `reports` in any order; clusters in `unwritten` have no letter.

    accepted: of decisions, as acknowledgements stand when the page is written; None: they were not looked at.
    """
    by_cluster: dict[str, list[Finding]] = {}
    for finding in findings:
        by_cluster.setdefault(finding.cluster, []).append(finding)
    rows = [
        _row(
            cleaned(one.model_copy(update={"signatures": []}), _CLIP),
            by_cluster.get(one.cluster, []),
            one.cluster not in unwritten,
        )
        for one in reports
    ]
    order = list(VERDICTS)
    rows.sort(
        key=lambda r: (
            not r.problem,
            _WORST.index(r.worst) if r.worst in _WORST else len(order),
            SEVERITIES.index(r.weight),
            -r.counts[r.worst],
            r.id,
        )
    )
    sick = sum(1 for r in rows if r.counts["confirmed"])
    aside = sum(1 for one in reports if one.set_aside is not None)
    red = sum(1 for r in rows if r.problem) - aside
    headline = f"{plural(len(rows), 'cluster')}: {plural(sick, 'has', 'have')} a confirmed bug"
    if red:
        headline += f", {plural(red, 'was', 'were')} not measured"
    if aside:
        headline += f", {plural(aside, 'was', 'were')} not judged"
    members = [member(one.cluster, one, by_cluster.get(one.cluster, [])) for one in reports]
    # a page of one day: what was before it is on the page that is served
    decides = fleet_decides(members, load_advisories(), accepted or {}, None, {}, accepted is not None)
    return FleetView(ds, headline, tuple(rows), _shared(findings), decides, {row.id: row.href for row in rows})
