"""One cluster's judgement: takes what a day measured of it, gives its findings and documents."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from fleet_spark.cluster_facts import cluster_facts
from fleet_spark.cluster_report import Case, cluster_report, detection_report
from fleet_spark.signatures import Measured
from fleet_spark.unjudged import Seen
from kafka_fleet.documents.cluster_report import ClusterReport, SignatureDay
from kafka_fleet.documents.day_summaries import day_summary
from kafka_fleet.documents.document import SCHEMA_VERSION
from kafka_fleet.documents.finding import Evidence, Finding
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.domain import fingerprint
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.client_populations import affected_releases, release_text, upgrade_side
from kafka_fleet.knowledge.conditions import Answered, with_answers
from kafka_fleet.knowledge.detections import SignatureResult
from kafka_fleet.knowledge.exposure import Exposure, exposure
from kafka_fleet.knowledge.exposure_settings import exposure_settings
from kafka_fleet.knowledge.facts import ClusterFacts, Declared
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.knowledge.verdicts import Row, judge
from kafka_fleet.store.judgement_status import NOT_ASKED
from kafka_fleet.store.raw.manifests import Damaged
from kafka_fleet.upgrade.plan import plan, upgrade_to

NO_SWEEP = "no sweep reached this cluster on this day"
Json = dict[str, Any]


class Judged(NamedTuple):
    """What is told of one cluster. states: of its signatures, as signatures.json has them."""

    findings: list[Finding]
    report: ClusterReport
    summary: DaySummary
    states: list[SignatureDay]


def case_of(cluster: str, entry: Json, rows: Mapping[str, list[Json]], answers: Mapping[str, Answered]) -> Case:
    """A cluster as its facts show it. rows: by fact table; none in cluster_days: it has no sweep."""
    about = rows["cluster_days"][0] if rows["cluster_days"] else None
    facts = ClusterFacts(())
    if about:
        names = ("broker_days", "broker_settings", "client_days", "group_days", "producer_releases")
        facts = cluster_facts(about, *(rows[name] for name in names))
    facts = replace(
        facts,
        measured={name: one.holds for name, one in answers.items()},
        because={name: one.sentence for name, one in answers.items()},
        found={name: one.subjects for name, one in answers.items()},
        unread={name: one.missing for name, one in answers.items()},
    )
    return Case(
        cluster, entry, Declared.from_fleet(entry.get("client_configs")), facts, about, rows["broker_days"],
        rows["client_days"], rows["discarded_intervals"],
    )  # fmt: skip


def case_aside(cluster: str, entry: Json, known: Seen, why: str) -> Case:
    """A cluster that the day is judged without. why: one sentence."""
    return Case(cluster, entry, Declared(), ClusterFacts(()), known.about, known.brokers, [], [], why)


def judge_cluster(
    ds: str,
    case: Case,
    measured: Mapping[str, Measured],
    answers: Mapping[str, Answered],
    catalogue: Mapping[str, Signature],
    damaged: Sequence[Damaged],
) -> Judged:
    """Its findings and documents. measured, answers: by signature and by condition; damaged: its own sweeps."""
    results = {name: one.result for name, one in measured.items()}
    reason = case.aside or (NOT_ASKED if case.reached else NO_SWEEP)
    for name in catalogue:
        results.setdefault(name, SignatureResult(name, "not_evaluated", (), (reason,)))
    advisories = load_advisories()
    exposed = {key: exposure(advisory, case.facts, case.declared) for key, advisory in advisories.items()}
    rows = judge(advisories, exposed, results, case.facts.members)
    rows = [with_answers(row, advisories[row.advisory], answers) if row.advisory else row for row in rows]
    if case.aside is not None:
        rows = [replace(row, verdict="unknown", exposure="unknown", missing=(case.aside,)) for row in rows]
    elif not case.reached:
        rows = [replace(row, missing=tuple(dict.fromkeys((NO_SWEEP, *row.missing)))) for row in rows]
    own = [_finding(ds, case.cluster, r, exposed.get(r.advisory or ""), case.facts) for r in rows]
    upgrade = plan(case.facts, rows, advisories, on=dt.date.fromisoformat(ds))
    states = {name: one.state for name, one in results.items()}
    rests = {key: exposure_settings(advisory, case.facts) for key, advisory in advisories.items()}
    return Judged(
        own,
        cluster_report(ds, case, results, measured, catalogue, upgrade, damaged),
        day_summary(own, states, case.reached, rests, release_text(None, None, case.facts)),
        [_state(case.cluster, result) for result in results.values()],
    )


def _finding(ds: str, cluster: str, row: Row, exposed: Exposure | None, facts: ClusterFacts) -> Finding:
    advisories = load_advisories()
    advisory: Advisory | None = advisories[row.advisory] if row.advisory else None
    target = None
    if advisory is not None and exposed is not None and exposed.state == "exposed":
        affected, fleet = affected_releases(advisory, exposed), upgrade_side(advisory, exposed)
        target = upgrade_to(advisory, affected, advisories, facts, fleet=fleet, on=dt.date.fromisoformat(ds)).release
    return Finding(
        schema_version=SCHEMA_VERSION,
        ds=ds,
        cluster=cluster,
        fingerprint=fingerprint(cluster, row),
        advisory=row.advisory,
        signature=row.signature,
        cause=row.cause,
        strength=row.strength,
        verdict=row.verdict,
        severity=advisory.severity if advisory else "info",
        components=list(advisory.components) if advisory else ["broker"],
        exposure=row.exposure,
        signature_state=row.signature_state,
        release=release_text(advisory, exposed, facts),
        subjects=list(row.subjects),
        upgrade_to=target,
        workaround=advisory.workaround if advisory else None,
        missing=list(row.missing),
        bounds=row.bounds,
        evidence=[Evidence.model_validate(line) for line in row.evidence],
    )


def _state(cluster: str, result: SignatureResult) -> SignatureDay:
    return SignatureDay(
        cluster=cluster,
        signature=result.signature,
        state=result.state,
        detections=[detection_report(one) for one in result.detections],
        missing=list(result.missing),
    )
