"""What a reader sees first: takes a report and its findings, gives the sentence on top and the alerts below it."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import FindingRow
from kafka_fleet.report.formatting import VERDICTS, clock, joined, moment, plural

_TO_DO = (
    "Look for a value that no healthy cluster gives: a setting that is no number, a time far from now, a committed "
    "offset far beyond the log end, a name or text of unusual length; with it mended, the next day is judged. Who runs "
    "this program is told as well, and can judge this day again once the query takes such a value."
)
UNFINISHED = timedelta(minutes=30)  # three times the ten minutes between sweeps


def releases(report: ClusterReport) -> list[str]:
    """The broker releases read on this day, sorted as text."""
    return sorted({b.release for b in report.coverage.brokers if b.release})


def verdict_counts(findings: Sequence[FindingRow]) -> dict[str, int]:
    """Findings per verdict; every verdict has an entry."""
    counted: Counter[str] = Counter(f.verdict for f in findings)
    return {key: counted[key] for key in VERDICTS}


def headline(report: ClusterReport, findings: Sequence[FindingRow]) -> str:
    """The first sentence of the letter and, without its full stop, the subject of the mail."""
    name, count = report.cluster, verdict_counts(findings)
    if report.declaration_error:
        return f"{name} is not measured: its entry in the fleet file is not valid"
    if report.set_aside is not None:
        return f"{name} was not judged: its measurements made a query fail, and nothing is known to be healthy"
    if not report.reached:
        return f"{name} was never reached: nothing was measured, and nothing is known to be healthy"
    parts = []
    if count["confirmed"]:
        parts.append(f"has {plural(count['confirmed'], 'known bug')}")
    if count["exposed"]:
        many = f"{count['exposed']:,} more" if count["confirmed"] else plural(count["exposed"], "known bug")
        parts.append(f"is exposed to {many}")
    if count["look_alike"]:
        parts.append(f"shows {plural(count['look_alike'], 'look-alike')}")
    if parts:
        return f"{name} {parts[0]}" + (f", {joined(parts[1:])}" if len(parts) > 1 else "")
    open_questions = sum(1 for s in report.signatures if s.state == "not_evaluated") + count["unknown"]
    if open_questions:
        return f"{name} shows no known bug in what could be measured; {plural(open_questions, 'question')} stayed open"
    return f"{name} shows no known bug and is exposed to none of those looked for"


def alerts(report: ClusterReport) -> tuple[str, ...]:
    """What the reader must know before the findings: an invalid entry, no measurement, an unfinished day."""
    coverage, ds = report.coverage, report.ds
    said = []
    if report.declaration_error:
        said.append(f"Fleet file: {report.declaration_error}")
    if (why := report.set_aside) is not None:
        said.append(f"{why} {_TO_DO} No part of this cluster is claimed to be healthy.")
    elif not report.reached:
        tried = plural(coverage.sweeps, "sweep") + " tried" if coverage.sweeps else "no sweep ran"
        said.append(f"Nothing was measured on this day ({tried}). No part of this cluster is claimed to be healthy.")
    if coverage.last_sweep is None or coverage.first_sweep is None:
        return tuple(said)
    first, last = moment(coverage.first_sweep), moment(coverage.last_sweep)
    midnight = datetime.fromisoformat(ds).replace(tzinfo=UTC)
    if midnight + timedelta(days=1) - last > UNFINISHED:
        said.append(
            f"This day is not complete: the last sweep was at {clock(last, ds)} UTC; what came later is not in here."
        )
    if first - midnight > UNFINISHED:
        said.append(f"Measuring began at {clock(first, ds)} UTC; what happened before is not in here.")
    return tuple(said)
