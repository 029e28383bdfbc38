"""One cluster's page from what is published: takes a home's readers, a cluster and a day, gives the page as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from kafka_fleet.config.acknowledgements import Acknowledgements, acknowledgement_states
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.published import Damaged, NotPublished, Published, readable
from kafka_fleet.documents.roll_report import RollReport
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.page.cluster import LOOK_BACK, histories, letter_view
from kafka_fleet.page.day_plots import day_plots, gaps_said
from kafka_fleet.page.findings import finding_groups
from kafka_fleet.page.plots import plots
from kafka_fleet.page.rolls import roll_section
from kafka_fleet.page.timeline import timeline_picture
from kafka_fleet.report.finding_addresses import finding_place
from kafka_fleet.report.first_screen import build_screen
from kafka_fleet.report.fleet_members import CLIP
from kafka_fleet.report.headline import headline, verdict_counts
from kafka_fleet.report.sanitize import cleaned
from kafka_fleet.report.screen_model import FirstScreen, News, Standing
from kafka_fleet.report.templating import render
from kafka_fleet.report.trouble import measured
from kafka_fleet.roll.over_midnight import whole_rolls

FURTHEST = 120  # judged days in which a cluster's own are looked for
BEFORE = 10  # days before a history that tell whether it has a beginning


@dataclass(frozen=True)
class _Days:
    """A cluster's judged days: those that can be chosen, its brief of each day of the history, whether there are more.

    damaged: days whose judgement cannot be read; they are named, and cost no other.
    """

    ds: str
    shown: list[str]
    found: dict[str, DaySummary]
    older: bool
    damaged: list[str]


def _days_of(source: Published, cluster: str, day: str) -> _Days:
    days = source.days()
    damaged: dict[str, str] = {}

    def judged(one: str) -> DaySummary | None:
        try:
            return source.day_summary(one, cluster)
        except Damaged as error:
            damaged[one] = str(error)
            return None

    # a cluster that left the fleet is not looked for in every day that was ever judged
    own = (one for one in days[:FURTHEST] if judged(one) is not None)
    shown = list(islice(own, LOOK_BACK))
    ds = day or next(iter(shown), days[0] if days else "")
    until = [one for one in days if one <= ds]
    past, before = until[:LOOK_BACK], until[LOOK_BACK:][:BEFORE]
    found = {one: document for one in past if (document := judged(one)) is not None}
    older = any(judged(one) is not None for one in before)
    return _Days(ds, shown, found, older, [damaged[one] for one in sorted(damaged, reverse=True)])


def _rolls(source: Published, cluster: str, days: Iterable[str]) -> dict[str, tuple[RollReport, ...] | None]:
    """The rolls of each day; None where they are not known, or its report cannot be read."""
    return {one: source.known_rolls(one, cluster) for one in days}


def _first(
    report: ClusterReport, findings: Sequence[Finding], standing: Standing, days: _Days
) -> tuple[FirstScreen, str]:
    """The letter's first screen, and where what it is about stands in full; empty where it is about no finding."""
    before = [one for one, short in sorted(days.found.items()) if one < days.ds and short.reached]
    news = News(standing=standing, last_measured=before[-1] if before else None)
    light = cleaned(report.model_copy(update={"signatures": []}), CLIP)
    own = [cleaned(one, CLIP) for one in findings]
    screen = build_screen(light, own, load_advisories(), news)
    seen = measured(report, findings, news.accepted, load_signatures()) if screen.trouble else []
    return screen, finding_place(seen[0]) if seen else ""


def cluster_page(source: Published, cluster: str, day: str, known: Acknowledgements, may_write: bool) -> str:
    """The page. day: the latest on which it was judged where empty. Raises NotPublished, Damaged, NewerVersion."""
    report_day = _days_of(source, cluster, day)
    ds = report_day.ds
    report, short = source.cluster_report(ds, cluster), source.day_summary(ds, cluster)
    if short is None:
        raise NotPublished(f"{ds} was judged without {cluster}")
    rows, drawn, advisories = short.rows, source.plots(ds, cluster), load_advisories()
    findings = source.findings(ds, cluster)
    with readable(f"{cluster} on {ds}"):
        view = letter_view(report, advisories)
        standing = acknowledgement_states(known.entries, cluster, rows, ds)
        first, in_full = _first(report, findings, standing, report_day)
        return render(
            "page_cluster.html.j2",
            v=view,
            ds=ds,
            days=report_day.shown if ds in report_day.shown else [*report_day.shown, ds],
            headline=headline(view.report, rows),
            counts=verdict_counts(rows),
            first=first,
            in_full=in_full,
            found=finding_groups(report, findings, advisories),
            timeline=timeline_picture(cluster, report_day.found, _rolls(source, cluster, report_day.found)),
            histories=histories(ds, report_day.found, advisories, report_day.older),
            plots=plots(view.report),
            roll=roll_section(report, whole_rolls(lambda one: source.known_rolls(one, cluster), ds)),
            day=day_plots(drawn) if drawn else None,
            gaps=gaps_said(drawn) if drawn else "",
            has_letter=source.letter(ds, cluster) is not None,
            run=source.run(ds),
            absent=[
                one for one in known.entries if one.cluster == cluster and one.key not in {row.key for row in rows}
            ],
            standing=standing,
            faults=[sentence for name, sentence in known.faults if name in (cluster, None)],
            may_write=may_write,
            damaged=report_day.damaged,
        )
