"""What Prometheus scrapes: takes a home and acknowledgements, gives metrics of the latest judged day and of its age.

Labels are ids, verdicts, severities and whether somebody acknowledged a finding: no address of an owner, no reason, no
name from Kafka, no day. So there are as many series as clusters and findings, and at most MOST of findings. `unknown`
and `not_affected` are counted and have none.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fastapi import FastAPI
from fastapi.responses import Response

from kafka_fleet.config.acknowledgements import Acknowledgement, Acknowledgements
from kafka_fleet.documents.fleet_findings import fleet_of_day
from kafka_fleet.documents.published import Damaged, Published
from kafka_fleet.documents.summary import ClusterSummary, DaySummary, SummaryRow
from kafka_fleet.domain import VERDICT_RANK, fingerprint, severity_rank
from kafka_fleet.mail.mailing_status import letter_states, was_mailed
from kafka_fleet.mail.outbox import OutboxError
from kafka_fleet.page.accepted import standing_of
from kafka_fleet.page.exposition import CONTENT_TYPE, Gauge, Sample, exposition

PATH = "/metrics"
MOST = 20_000  # series of findings; beyond it the mildest are left out, and counted
COUNTED_S = {False: 300, True: 3600}  # how long letters are not counted again: while they go out, and afterwards
SHOWN = ("confirmed", "look_alike", "exposed")
Labels = dict[str, str]


class _Measured(NamedTuple):
    """Stored sweeps of a day, and the share of reads of brokers that were whole; None: no broker is known."""

    sweeps: int
    share: float | None


class _Finding(NamedTuple):
    """A finding that has a series. key: as acknowledgements name it."""

    cluster: str
    key: str
    labels: Labels


class _Series(NamedTuple):
    """What a judgement says for as long as it is published."""

    clusters: dict[str, ClusterSummary]
    measured: dict[str, _Measured]
    unreadable: frozenset[str]
    findings: tuple[_Finding, ...]
    omitted: int


def add_metrics(app: FastAPI, published: Callable[[], Published], accepted: Callable[[], Acknowledgements]) -> None:
    """Add the address that Prometheus scrapes. published, accepted: asked at each request."""

    @app.get(PATH)
    def metrics() -> Response:
        """Of the latest judged day."""
        found = gauges(published(), datetime.now(UTC), accepted().entries)
        return Response(exposition(found), media_type=CONTENT_TYPE)


def gauges(source: Published, now: datetime, entries: Sequence[Acknowledgement] = ()) -> Iterator[Gauge]:
    """Every metric; of a home without a judged day only how many days there are. Raises NotPublished."""
    days = source.days()
    yield Gauge("kafka_fleet_judgements", "Days of which a judgement is stored.", [Sample(len(days))])
    if not days:
        return
    ds = days[0]
    end = datetime.combine(date.fromisoformat(ds), datetime.min.time(), UTC) + timedelta(days=1)
    about = "Time since the end of the latest judged day, UTC."
    yield Gauge("kafka_fleet_day_age_seconds", about, [Sample(round((now - end).total_seconds()))])
    about = "End of the latest judged day, UTC, as a Unix time."
    yield Gauge("kafka_fleet_day_timestamp_seconds", about, [Sample(end.timestamp())])
    mailed = was_mailed(source.home, ds)
    about = "Whether all letters of the latest judged day that were due have gone."
    yield Gauge("kafka_fleet_day_mailed", about, [Sample(mailed)])
    states = _letters(source.home, ds, source.generation(ds), int(now.timestamp()) // COUNTED_S[mailed])
    about = "Recipients of letters of the latest judged day, by what became of their letter."
    yield Gauge("kafka_fleet_letters", about, [Sample(count, {"state": state}) for state, count in states])
    generation = source.generation(ds)
    yield from _judged(_series(source.home, ds, generation), _accepted(source.home, ds, generation, tuple(entries)))


def _judged(of: _Series, accepted: frozenset[tuple[str, str]]) -> Iterator[Gauge]:
    labels = {name: _labels(name, one) for name, one in of.clusters.items()}
    judged = [Sample(one.judged and name not in of.unreadable, labels[name]) for name, one in of.clusters.items()]
    yield Gauge("kafka_fleet_cluster_judged", "Whether the cluster was measured and judged; 0 is not health.", judged)
    sweeps = [Sample(one.sweeps, labels[name]) for name, one in of.measured.items()]
    yield Gauge("kafka_fleet_cluster_sweeps", "Stored sweeps of the latest judged day.", sweeps)
    shares = [Sample(one.share, labels[name]) for name, one in of.measured.items() if one.share is not None]
    yield Gauge("kafka_fleet_cluster_coverage_ratio", "Share of the reads of brokers that were whole.", shares)
    counts = [
        Sample(count, {**labels[name], "verdict": verdict})
        for name, one in of.clusters.items()
        for verdict, count in one.counts.items()
    ]
    yield Gauge("kafka_fleet_findings", "Findings of the cluster by verdict.", counts)
    about = "1 for each finding that is confirmed, a look-alike or exposed."
    found = [
        Sample(1, {**one.labels, "acknowledged": str((one.cluster, one.key) in accepted).lower()})
        for one in of.findings
    ]
    yield Gauge("kafka_fleet_finding", about, found)
    about = f"Findings that have no series, since there are more than {MOST}."
    yield Gauge("kafka_fleet_findings_omitted", about, [Sample(of.omitted)])


def _labels(name: str, one: ClusterSummary) -> Labels:
    return {"cluster": name, "environment": one.environment or ""}


@lru_cache(maxsize=1)
def _letters(home: Path, ds: str, _generation: str, _turn: int) -> tuple[tuple[str, int], ...]:
    """Counted once a turn: it reads every mail of the day. None where one is damaged: the day stays not mailed then."""
    try:
        return tuple(letter_states(home, ds).items())
    except OutboxError:
        return ()


@lru_cache(maxsize=1)
def _series(home: Path, ds: str, _generation: str) -> _Series:
    """Of a generation, which never changes. Raises NotPublished."""
    source = Published(home)
    clusters = dict(sorted(fleet_of_day(source, ds).items()))
    briefs = {name: _brief(source, ds, name) for name in clusters}
    rows = [(name, row) for name, brief in briefs.items() if brief for row in brief.rows if row.verdict in SHOWN]
    rows.sort(key=lambda pair: (-VERDICT_RANK[pair[1].verdict], severity_rank(pair[1].severity), pair[0], pair[1].key))
    found = tuple(_Finding(name, row.key, _finding(name, clusters[name], row)) for name, row in rows[:MOST])
    measured = {name: one for name in clusters if (one := _measured(source, ds, name)) is not None}
    unreadable = frozenset(name for name, brief in briefs.items() if brief is None)
    return _Series(clusters, measured, unreadable, found, max(0, len(rows) - MOST))


@lru_cache(maxsize=1)
def _accepted(
    home: Path, ds: str, _generation: str, entries: tuple[Acknowledgement, ...]
) -> frozenset[tuple[str, str]]:
    """(cluster, key) of findings whose acknowledgement holds: of a generation, and of these entries alone."""
    standing = standing_of(Published(home), ds, {one.cluster for one in entries}, entries)
    return frozenset(which for which, (_one, void) in standing.items() if void is None)


def _brief(source: Published, ds: str, cluster: str) -> DaySummary | None:
    """None where it cannot be read: then the cluster counts as not judged."""
    try:
        return source.day_summary(ds, cluster)
    except Damaged:
        return None


def _measured(source: Published, ds: str, cluster: str) -> _Measured | None:
    report = source.light_report(ds, cluster)
    if report is None:
        return None
    brokers = report.coverage.brokers
    reads = sum(one.reads + one.failed for one in brokers)
    return _Measured(report.coverage.sweeps, round(sum(one.ok for one in brokers) / reads, 4) if reads else None)


def _finding(name: str, cluster: ClusterSummary, row: SummaryRow) -> Labels:
    return {
        **_labels(name, cluster),
        "advisory": row.advisory or "",
        "signature": row.signature or "",
        "cause": row.cause or "",
        "verdict": row.verdict,
        "severity": row.severity or "",
        "fingerprint": fingerprint(name, row),
    }
