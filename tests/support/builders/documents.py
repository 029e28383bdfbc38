"""Documents as tests write them, which is as JSON: what reads or makes documents, called with that.

Each function is the one of the same name, with its arguments parsed by their models.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from kafka_fleet.config import acknowledgements
from kafka_fleet.documents import day_summaries
from kafka_fleet.documents.cluster_report import ChartReport, ClusterReport
from kafka_fleet.documents.finding import Finding, parsed_findings
from kafka_fleet.documents.plots import Plots
from kafka_fleet.documents.summary import ClusterSummary, DaySummary, Reported, SummaryRow, kept_reported, read_reported
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.page import day_plots as plots_of_day
from kafka_fleet.report import attachments as evidence_files
from kafka_fleet.report import (
    changes,
    changes_section,
    charts,
    letter,
    priority,
    screen_model,
    short_letter,
    subject_lines,
)

Json = dict[str, Any]


def report(content: Json) -> ClusterReport:
    return ClusterReport.model_validate(content)


def render_letter(
    content: Json, findings: Sequence[Json], advisories: Any, label: str | None = None, knowledge: str | None = None
) -> letter.Letter:
    return letter.render_letter(report(content), parsed_findings(list(findings)), advisories, label, knowledge)


def render_index(
    ds: str, reports: Mapping[str, Json], findings: Sequence[Json], unwritten: Collection[str] = ()
) -> str:
    parsed = {name: report(content) for name, content in reports.items()}
    return letter.render_index(ds, parsed, parsed_findings(list(findings)), unwritten)


def attachments(content: Json, findings: Sequence[Json]) -> dict[str, str]:
    return evidence_files.attachments(report(content), parsed_findings(list(findings)))


def told_of(findings: Sequence[Json]) -> Reported:
    return changes.told_of(parsed_findings(list(findings)))


def compare(before: Reported | None, findings: Sequence[Json], *more: Any) -> changes.Changes:
    """What was told `before` goes through the outbox."""
    kept = None if before is None else read_reported(kept_reported(before))
    return changes.compare(kept, parsed_findings(list(findings)), *more)


def first_part(found: changes.Changes, advisories: Any, findings: Sequence[Json] = (), *more: Any) -> tuple[str, str]:
    return changes_section.first_part(found, advisories, parsed_findings(list(findings)), *more)


def day_summary(findings: Sequence[Json], *more: Any) -> DaySummary:
    return day_summaries.day_summary(parsed_findings(list(findings)), *more)


def summary(content: Json, short: DaySummary) -> ClusterSummary:
    return day_summaries.summary(report(content), short)


def day_plots(content: Json) -> list[plots_of_day.Shown]:
    return plots_of_day.day_plots(Plots.model_validate(content))


def gaps_said(content: Json, *more: Any) -> str:
    return plots_of_day.gaps_said(Plots.model_validate(content), *more)


def chart(content: Json, ds: str, most: int) -> charts.Chart | None:
    return charts.chart(ChartReport.model_validate(content), ds, most)


def most_pressing(findings: Sequence[Json], accepted: Collection[str] = ()) -> Finding | None:
    return priority.most_pressing(parsed_findings(list(findings)), accepted)


def importance(content: Json | None, environment: str | None) -> priority.Importance:
    return priority.importance(None if content is None else Finding.model_validate(content), environment)


def sentence(content: Json | None, environment: str | None) -> str:
    return priority.sentence(None if content is None else Finding.model_validate(content), environment)


def of_finding(row: Json, *more: Any) -> acknowledgements.Acknowledgement:
    return acknowledgements.of_finding(SummaryRow.model_validate(row), *more)


def reopen_reason(one: acknowledgements.Acknowledgement, row: Json, ds: str) -> str | None:
    return acknowledgements.reopen_reason(one, SummaryRow.model_validate(row), ds)


def acknowledgement_states(
    entries: Sequence[acknowledgements.Acknowledgement], cluster: str, rows: Sequence[Json], ds: str
) -> dict[str, tuple[acknowledgements.Acknowledgement, str | None]]:
    return acknowledgements.acknowledgement_states(
        entries, cluster, [SummaryRow.model_validate(row) for row in rows], ds
    )


def render_short(
    content: Json, findings: Sequence[Json], since: str | None = None, before: Reported | None = None, **more: Any
) -> tuple[str, short_letter.ShortLetter]:
    """Subject and short letter of a day. since, before: the last letter; more: of News, beside the changes."""
    document = report(content)
    own = parsed_findings(list(findings))
    found = changes.compare(before, own, since, document.reached, lambda *_: 9)
    return short_of(document, own, found, **more)


def short_of(
    document: ClusterReport, own: Sequence[Finding], found: changes.Changes, **more: Any
) -> tuple[str, short_letter.ShortLetter]:
    """The same, of documents."""
    news = screen_model.News(found, **more)
    known = load_advisories()
    subject = subject_lines.subject_line(document, own, known, found, news)
    name = f"{document.cluster}_{document.ds}.html"
    return subject, short_letter.render_short(document, own, known, news, subject, name)
