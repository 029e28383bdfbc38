"""The upgrade in three lines: takes a plan and findings, gives what each release closes and what stays."""

from collections.abc import Mapping, Sequence

from kafka_fleet.documents.cluster_report import ClusterReport, PlanStep
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.refused_requests import FOUR
from kafka_fleet.knowledge.releases import parse_release
from kafka_fleet.report.exposure_weight import weighed_exposures
from kafka_fleet.report.finding_addresses import EXPOSED, cluster_url
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.report.screen_model import Brevity, Ids, Line, News, Span, line

_WHAT = {
    "broker": "Brokers",
    "controller": "Controllers",
    "client": "Java clients",
    "client-producer": "Java producers",
    "client-consumer": "Java consumers",
    "streams": "Streams applications",
    "connect": "Connect workers",
}


def affected(findings: Sequence[Finding]) -> list[Finding]:
    """Known issues that the cluster has or is exposed to."""
    return [one for one in findings if one.advisory and one.verdict in ("confirmed", "exposed")]


def _named(closed: Sequence[str], order: Sequence[Finding], ids: Ids, told: str) -> tuple[str | Span, ...]:
    """The most pressing of what a step closes, as a link; none where the letter has told of it with its release."""
    first = next((one for one in order if one.advisory in closed), None)
    if first is None or first.key == told or not ids.take(first.key):
        return ()
    return (" (", ids.span(first, first.key), " among them)" if len(closed) > 1 else ")")


def _refused(step: PlanStep, report: ClusterReport, brief: Brevity) -> str:
    """Clients that have to be upgraded before the brokers are, a sentence; empty where none was measured."""
    counted, release = report.plan.old_protocol, parse_release(step.release)
    ahead = step.component in ("broker", "controller") and release is not None and release >= FOUR
    if counted is None or not counted.answer or not ahead:
        return ""
    named = displayed(counted.clients[0].partition(" ")[2], 2 * brief.name) if brief.extras and counted.clients else ""
    such = f": {named}" if len(counted.clients) == 1 and named else f", such as {named}" if named else ""
    return f" First upgrade {plural(len(counted.clients), 'client')} that it refuses{such}."


def upgrade_lines(
    report: ClusterReport,
    findings: Sequence[Finding],
    advisories: Mapping[str, Advisory],
    ids: Ids,
    news: News,
    brief: Brevity,
    told: str = "",
) -> tuple[Line, ...]:
    """At most three: now, next, clients and what no release closes. None where there is nothing to upgrade for.

    told: the issue that the letter has named as most pressing. In a short letter they name no issue.
    """
    open_ones = affected(findings)
    if not open_ones:
        return ()
    confirmed = [one for one in open_ones if one.verdict == "confirmed"]
    rest = [one for one in open_ones if one.verdict != "confirmed"]
    order = [*confirmed, *(one for one, _weight in weighed_exposures(rest, advisories, report))]
    left = {str(one.advisory) for one in open_ones}
    where = cluster_url(news.page, report.cluster, report.ds, EXPOSED)
    every = len(left)
    lines: list[Line] = []
    opened: set[str] = set()
    for step in (report.plan.now, report.plan.next, report.plan.clients):
        if step is None:
            continue
        closed = [key for key in step.closes if key in left]
        if not closed:
            continue
        left -= set(closed)
        opened |= set(step.opens)
        opens = f", brings {len(step.opens):,} new" if step.opens else ""
        of = "more" if lines else f"of {plural(every, 'known issue')}"
        counted = Span(f"{len(closed):,} {of}", where)
        what = f"{_WHAT.get(step.component, step.component)} to {step.release}: closes "
        named = _named(closed, order, ids, told) if brief.extras else ()
        lines.append(line(what, counted, *named, f"{opens}.{_refused(step, report, brief)}"))
    if not lines:
        return (line("No upgrade that was looked at closes any of ", Span(f"{every:,}", where), ": see each of them."),)
    if left:
        settings = sum(1 for key in left if key in advisories and advisories[key].setting)
        what = "a setting" if settings == 1 else "settings"
        some = f"{settings:,} of them " if settings < len(left) else ""
        why = f" ({some}{what} to change)" if settings and brief.extras else ""
        end = lines[-1][-1]
        last = f"; {len(left):,} {'stays' if len(left) == 1 else 'stay'} open{why}."
        lines[-1] = (*lines[-1][:-1], Span(end.text.removesuffix(".") + last, end.url))
    return tuple(lines)
