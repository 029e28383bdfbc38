"""A day's judgement in brief: what letters compare with, and what trends are drawn from.

findings/ds=D/<generation>/verdicts/<cluster>.json   one cluster: state per signature, and every finding but those not
                                                     affected, without its evidence
findings/ds=D/<generation>/summary.json              all clusters: verdict per signature, counts
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding, parsed_findings
from kafka_fleet.documents.summary import ClusterSummary, DaySummary, SummaryRow
from kafka_fleet.domain import VERDICT_RANK, SignatureState
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home, HomeGeneration
from kafka_fleet.store.versions import document

CLEAN_DAYS = 3  # days on which a symptom was looked for and not there, before it is called better or gone


def day_summary(
    findings: Sequence[Finding],
    states: Mapping[str, SignatureState],
    answered: bool,
    basis: Mapping[str, Sequence[str]],
    release: str | None = None,
) -> DaySummary:
    """The document, from one cluster's findings. answered: whether anything of the cluster did, so that it was reached.

    basis: per advisory the settings that its exposure rests on. release: of the cluster's brokers.
    """
    rows = [
        SummaryRow(
            advisory=one.advisory,
            signature=one.signature,
            cause=one.cause,
            verdict=one.verdict,
            severity=one.severity,
            exposure=one.exposure,
            signature_state=one.signature_state,
            subjects=one.subjects,
            release=one.release,
            basis=list(basis.get(one.advisory or "", ())),
        )
        for one in findings
        if one.verdict != "not_affected"
    ]
    return DaySummary(
        schema_version=1, reached=answered, release=release, states=dict(sorted(states.items())), rows=rows
    )


def stored_day_summary(home: Path, ds: str, generation: str, cluster: str) -> DaySummary | None:
    """The document of a generation; of a day that was judged before there were any, made of findings and report.

    None where the generation has no such cluster. Raises ValueError for a damaged document.
    """
    of = Home(home).generation(ds, generation)
    try:
        text = of.verdict(cluster).read_bytes()
    except FileNotFoundError:
        return _older(of, cluster)
    return DaySummary.model_validate(document(text, f"the judgement of {cluster} on {ds}"))


def _older(of: HomeGeneration, cluster: str) -> DaySummary | None:
    try:
        text = of.cluster(cluster).read_bytes()
        own = _findings(of.finding_list).get(cluster, [])
    except FileNotFoundError:
        return None
    report = ClusterReport.model_validate(document(text, f"{of.findings}: {cluster}"))
    return day_summary(own, {one.signature: one.state for one in report.signatures}, report.reached, {})


@lru_cache(maxsize=1)
def _findings(path: Path) -> dict[str, list[Finding]]:
    """A day's findings by cluster; a generation's documents never change."""
    found: dict[str, list[Finding]] = {}
    for one in parsed_findings(document(path.read_bytes(), str(path))):
        found.setdefault(one.cluster, []).append(one)
    return found


def read_day_summary(home: Path, ds: str, cluster: str, generation: str | None = None) -> DaySummary | None:
    """None where the day was not judged, or not with this cluster. Raises ValueError for a damaged document.

    generation: the published one unless it is given.
    """
    generation = generation or current_generation(Home(home).day(ds).findings)
    return None if generation is None else stored_day_summary(home, ds, generation, cluster)


def cells(short: DaySummary) -> dict[str, str]:
    """Signature -> the worst verdict of its findings, else its state: `quiet` or `not_evaluated`."""
    found: dict[str, str] = dict(short.states)
    worst = dict.fromkeys(found, 0)
    for row in short.rows:
        name, rank = row.signature, VERDICT_RANK[row.verdict]
        # exposed by release alone says nothing of the symptom
        shown = rank > VERDICT_RANK["exposed"] or row.signature_state == "detected"
        if name in worst and shown and rank > worst[name]:
            worst[name], found[name] = rank, row.verdict
    return found


def summary(report: ClusterReport, short: DaySummary) -> ClusterSummary:
    """One cluster's row of summary.json, from its report and its judgement in brief."""
    counts = dict.fromkeys(VERDICT_RANK, 0)
    for row in short.rows:
        counts[row.verdict] += 1
    return ClusterSummary(
        environment=report.environment,
        owners=report.owners,
        reached=short.reached,
        problem=report.declaration_error or report.set_aside,
        counts={verdict: counts[verdict] for verdict in VERDICT_RANK if verdict != "not_affected"},
        cells=cells(short),
    )
