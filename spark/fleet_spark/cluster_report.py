"""The report of one cluster: takes what was judged, gives the document that its letter is written from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet_spark.signatures import Measured
from fleet_spark.unread_brokers import reads_of, unread_brokers
from kafka_fleet.documents.cluster_report import (
    AdviceReport,
    BrokerCoverage,
    ChartReport,
    ClientLibrary,
    ClusterCoverage,
    ClusterReport,
    DetectionReport,
    DetectionTable,
    DroppedIntervals,
    LookAlikeReport,
    ProtocolCoverage,
    SignatureReport,
    ThresholdReport,
    UpgradePlan,
)
from kafka_fleet.documents.document import SCHEMA_VERSION
from kafka_fleet.documents.finding import Evidence
from kafka_fleet.knowledge.detections import Detection, SignatureResult
from kafka_fleet.knowledge.evidence import iso
from kafka_fleet.knowledge.facts import ClusterFacts, Declared
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.store.raw.manifests import Damaged
from kafka_fleet.upgrade.plan_types import Plan

Json = dict[str, Any]
DISCARDED = {  # reasons of discarded_intervals
    "process_changed": "the broker process changed between two sweeps; its counters are not compared",
    "clock_set": "the collector's clock or the broker's was set between two reads",
    "no_time": "no time passed between two reads",
    "counter_ran_back": "a counter ran backwards within one process",
    "log_went_back": "a partition's log end or start went back, or its topic was created anew",
}
_NO_PLAN: Plan = {
    "now": None, "next": None, "clients": None, "candidates": {"server": [], "client": []}, "note": None,
    "old_protocol": None,
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One cluster on one day. `about` and the rows are of the fact tables; without any sweep about is None.

    aside: why the day is judged without it, one sentence; then `about` and the rows are what its sweeps say (unjudged).
    """

    cluster: str
    entry: Json
    declared: Declared
    facts: ClusterFacts
    about: Json | None
    brokers: list[Json]
    clients: list[Json]
    discarded: list[Json]
    aside: str | None = None

    @property
    def reached(self) -> bool:
        """Whether any broker, or the admin protocol, answered in any sweep."""
        admin = self.about is not None and self.about["admin_ok"] + self.about["admin_partial"] > 0
        return admin or any(row["kafka_release"] is not None or reads_of(row) > 0 for row in self.brokers)


def _coverage(case: Case, missing: Sequence[str]) -> ClusterCoverage:
    about = case.about
    brokers = [
        BrokerCoverage(
            broker=row["broker"],
            host=row["advertised_host"],
            rack=row["rack"],
            release=row["kafka_release"],
            ok=row["ok_reads"],
            partial=row["partial_reads"],
            truncated=row["truncated_reads"],
            failed=row["failed_reads"],
            failures=row["failure_kinds"],
            # a pattern without a match is a thing that is not there, not one that could not be read
            missing=[mbean for mbean in row["missing_mbeans"] or [] if "*" not in mbean],
            partitions=row["replica_count"],
        )
        for row in case.brokers
    ]
    admin = ProtocolCoverage(
        ok=about["admin_ok"] if about else 0,
        partial=about["admin_partial"] if about else 0,
        failed=about["admin_failed"] + about["admin_partial"] if about else 0,
        failures=about["admin_details"] if about else [],
    )
    reasons: dict[str, int] = {}
    for row in case.discarded:
        sentence = DISCARDED[row["reason"]]
        reasons[sentence] = reasons.get(sentence, 0) + row["intervals"]
    return ClusterCoverage(
        sweeps=about["sweep_count"] if about else 0,
        first_sweep=iso(about["first_sweep"]) if about else None,
        last_sweep=iso(about["last_sweep"]) if about else None,
        brokers=brokers,
        admin=admin,
        dropped_intervals=[DroppedIntervals(reason=reason, count=count) for reason, count in sorted(reasons.items())],
        not_measured=list(dict.fromkeys(missing)),
    )


def _not_measured(case: Case, results: Mapping[str, SignatureResult], damaged: Sequence[Damaged]) -> list[str]:
    sentences = [f"{signature}: {text}" for signature, one in results.items() for text in one.missing]
    if case.aside is not None:  # of which all of them say the same
        sentences = [case.aside]
    sentences += unread_brokers(case.brokers, case.entry)
    for one in damaged:
        sentences.append(f"the sweep {one.sweep} is not used: {one.reason}")
    return sentences


def detection_report(found: Detection) -> DetectionReport:
    """A detection as documents have it."""
    return DetectionReport(
        cause=found.cause,
        strength=found.strength,
        subjects=list(found.subjects),
        bounds=found.bounds,
        evidence=[Evidence.model_validate(line) for line in found.evidence],
    )


def _thresholds(signature: Signature, case: Case) -> list[ThresholdReport]:
    own = case.entry.get("thresholds", {}).get(signature.id, {})
    return [
        ThresholdReport(
            name=name,
            value=own.get(name, threshold.value),
            unit=threshold.unit,
            reason=threshold.reason,
            overridden=name in own,
        )
        for name, threshold in signature.thresholds.items()
    ]


def _signature(signature: Signature, result: SignatureResult, measured: Measured | None, case: Case) -> SignatureReport:
    kind = "metrics_url" if case.entry.get("metrics") else "jolokia_url"
    urls = {f"broker {row['broker']}": row[kind] for row in case.brokers if row[kind]}
    subjects = [subject for d in result.detections for subject in d.subjects]
    url = next((urls[subject] for subject in subjects if subject in urls), next(iter(urls.values()), kind.upper()))
    return SignatureReport(
        signature=signature.id,
        title=signature.title,
        state=result.state,
        detections=[detection_report(one) for one in result.detections],
        missing=list(result.missing),
        thresholds=_thresholds(signature, case),
        look_alikes=[LookAlikeReport.model_validate(one.model_dump()) for one in signature.look_alikes],
        remeasure=signature.remeasure_by_metrics(url) if kind == "metrics_url" else signature.remeasure_for(url),
        advice=[AdviceReport.model_validate(one.model_dump()) for one in signature.advice],
        charts=[ChartReport.model_validate(one) for one in (measured.charts if measured else [])],
        rows=DetectionTable.model_validate(measured.rows) if measured and measured.rows else None,
    )


def cluster_report(
    ds: str,
    case: Case,
    results: Mapping[str, SignatureResult],
    measured: Mapping[str, Measured],
    catalogue: Mapping[str, Signature],
    plan: Plan,
    damaged: Sequence[Damaged],
    declaration_error: str | None = None,
) -> ClusterReport:
    """Everything a letter says that is not in the findings."""
    entry = case.entry
    clients = [
        ClientLibrary(
            software=row["software"],
            version=row["software_version"],
            listener=row["listener"],
            connections=float(row["connections"]),
        )
        for row in case.clients
    ]
    return ClusterReport(
        schema_version=SCHEMA_VERSION,
        ds=ds,
        cluster=case.cluster,
        environment=entry.get("environment"),
        owners=entry.get("owners", []),
        bootstrap_servers=entry.get("bootstrap_servers", []),
        declaration_error=declaration_error,
        reached=case.reached,
        set_aside=case.aside,
        kafka_cluster_id=case.about["kafka_cluster_id"] if case.about else None,
        mode=case.facts.mode,
        coverage=_coverage(case, _not_measured(case, results, damaged)),
        clients=clients,
        signatures=[
            _signature(signature, results[name], measured.get(name), case) for name, signature in catalogue.items()
        ],
        plan=UpgradePlan.model_validate(plan),
    )


def unreached(ds: str, label: str, sentence: str) -> ClusterReport:
    """The report of a fleet entry that is not valid: it was not run, and it must not vanish."""
    case = Case(label, {}, Declared(), ClusterFacts(()), None, [], [], [])
    return cluster_report(ds, case, {}, {}, {}, _NO_PLAN, [], sentence)
