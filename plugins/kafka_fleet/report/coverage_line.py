"""What was measured, in one line: takes a report and its findings, gives sweeps, brokers, and what is undecided."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from kafka_fleet.documents.cluster_report import BrokerCoverage, ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.report.finding_addresses import COVERAGE, UNDECIDED, cluster_url
from kafka_fleet.report.formatting import clock, joined, moment, plural
from kafka_fleet.report.headline import UNFINISHED
from kafka_fleet.report.protocol_gaps import protocol_gaps
from kafka_fleet.report.sanitize import displayed
from kafka_fleet.report.screen_model import Brevity, Line, News, Span, line
from kafka_fleet.report.undecided import deciders

OFTEN = 0.1  # of its sweeps: from so many on a broker's silence is told


def _hours(report: ClusterReport) -> str:
    """From when to when; what is missing of the day is said."""
    first, last = report.coverage.first_sweep, report.coverage.last_sweep
    if first is None or last is None:
        return ""
    begin, end = moment(first), moment(last)
    midnight = datetime.fromisoformat(report.ds).replace(tzinfo=UTC)
    cut = begin - midnight > UNFINISHED or midnight + timedelta(days=1) - end > UNFINISHED
    only = ", only" if cut else ""
    return f"{only} from {begin:%H:%M} to {clock(end.replace(second=0), report.ds)} UTC"


def _now_and_then(brokers: Sequence[BrokerCoverage]) -> str:
    """Brokers that were silent in a good part of the sweeps: which one and how often it answered, or how many."""
    asked = {one.broker: one.reads + one.failed for one in brokers}
    own = [one for one in brokers if one.reads and one.failed >= OFTEN * asked[one.broker]]
    if not own:
        return ""
    first = own[0]
    if len(own) > 1:
        return f", {len(own):,} of them not always"
    return f", broker {first.broker} in {first.reads:,} of {plural(asked[first.broker], 'sweep')}"


def _decided_by(unknown: Sequence[Finding]) -> str:
    """What would decide most of them; how many wait for it where that is not all of them."""
    first = deciders(unknown)[0]
    if len(first.findings) < len(unknown):
        return f". {first.line}"
    return f": {first.text[:1].lower()}{first.text[1:].rstrip('.')}."


def coverage_line(report: ClusterReport, findings: Sequence[Finding], news: News, brief: Brevity) -> Line:
    """One line; its counts lead to the page. In a short letter it does not say what would decide the rest."""
    brokers = report.coverage.brokers
    silent = [str(one.broker) for one in brokers if not one.reads]
    names = joined([*silent[:3], *([f"{len(silent) - 3} more"] if len(silent) > 3 else [])])
    answered = f"{len(brokers) - len(silent):,} of {plural(len(brokers), 'broker')}"
    never = f", {'broker' if len(silent) == 1 else 'brokers'} {names} never" if silent else ""
    sweeps = Span(plural(report.coverage.sweeps, "sweep"), cluster_url(news.page, report.cluster, report.ds, COVERAGE))
    gaps = protocol_gaps(report.coverage.admin) if report.coverage.sweeps else ""
    mute = f"; {gaps}" if gaps else ""
    parts: list[str | Span] = [sweeps, f"{_hours(report)}, {answered} answered{never}{_now_and_then(brokers)}{mute}."]
    unknown = [one for one in findings if one.verdict == "unknown"]
    if unknown:
        count = Span(plural(len(unknown), "issue"), cluster_url(news.page, report.cluster, report.ds, UNDECIDED))
        parts += [" ", count, f" undecided{_decided_by(unknown)}" if brief.extras else " undecided."]
    parts += _not_looked_for(report, news, brief)
    return line(*parts)


def _not_looked_for(report: ClusterReport, news: News, brief: Brevity) -> list[str | Span]:
    """Symptoms without enough measurements, by their names where they are few; it leads to what was missing."""
    missed = [one.signature.replace("_", " ") for one in report.signatures if one.state == "not_evaluated"]
    if not missed:
        return []
    where = cluster_url(news.page, report.cluster, report.ds, COVERAGE)
    few = len(missed) <= brief.names
    what = joined([displayed(one, 40) for one in missed]) if few else plural(len(missed), "symptom")
    return [" Could not look for ", Span(what, where), "."]
