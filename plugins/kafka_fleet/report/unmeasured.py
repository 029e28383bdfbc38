"""Who has not been measured, and why: takes the clusters of a day, gives a row per cluster that lacks something large.

Clusters of which nothing is known come first, then those with brokers or a Kafka protocol that never answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import BrokerCoverage, ClusterReport
from kafka_fleet.report.fleet_members import Member
from kafka_fleet.report.formatting import joined, plural
from kafka_fleet.report.view_models import Cut, cut_list

MOST = 20
_NAMED = 5  # brokers


@dataclass(frozen=True)
class Unmeasured:
    """One cluster: what was not measured, why, and the last day on which it was (empty: not known)."""

    cluster: str
    wholly: bool
    what: str
    why: str
    last: str


def _kinds(failures: Sequence[str]) -> str:
    found = list(dict.fromkeys(failures))
    return joined(found[:3]) if found else "no reason was recorded"


def _silent(brokers: Sequence[BrokerCoverage]) -> tuple[str, str]:
    names = [str(one.broker) for one in brokers]
    named = joined(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")
    return f"broker{'s' if len(names) > 1 else ''} {named}", _kinds([text for one in brokers for text in one.failures])


def _nothing(report: ClusterReport) -> str:
    coverage = report.coverage
    if report.declaration_error:
        return f"its entry in the fleet file is not valid: {report.declaration_error}"
    if report.set_aside is not None:
        return report.set_aside
    if not coverage.sweeps:
        return "no sweep of this day is stored: fleet_collect did not run for it"
    failures = [text for one in coverage.brokers for text in one.failures] + list(coverage.admin.failures)
    return f"{plural(coverage.sweeps, 'sweep')} tried: {_kinds(failures)}"


def _rows(member: Member, last: str) -> list[Unmeasured]:
    report = member.report
    if report is None:
        return [Unmeasured(member.cluster, True, "everything", "this day has no document of it", last)]
    if report.declaration_error or not report.judged:
        what = "everything" if report.set_aside is None else "judged nothing"
        return [Unmeasured(member.cluster, True, what, _nothing(report), last)]
    found = []
    if silent := [one for one in report.coverage.brokers if one.reads == 0]:
        found.append(Unmeasured(member.cluster, False, *_silent(silent), ""))
    admin = report.coverage.admin
    if report.coverage.sweeps and not admin.ok:
        what = "the Kafka protocol" + (", in part" if admin.partial else "")
        found.append(Unmeasured(member.cluster, False, what, _kinds(admin.failures), ""))
    return found


def unmeasured(members: Sequence[Member], last: Mapping[str, str]) -> Cut:
    """The rows. last: by cluster the last day before this one on which it was measured."""
    found = [row for one in members for row in _rows(one, last.get(one.cluster, ""))]
    return cut_list(sorted(found, key=lambda row: (not row.wholly, row.cluster, row.what)), MOST)
