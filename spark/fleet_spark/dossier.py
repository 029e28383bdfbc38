"""The dossier of one cluster: takes what was judged, gives the plain data its letter is written from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fleet_spark.signatures import Measured, iso
from kafka_fleet.knowledge.detections import SignatureResult
from kafka_fleet.knowledge.facts import ClusterFacts, Declared
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.store.raw.manifests import Damaged

Json = dict[str, Any]
FEW_DETAILS = 3  # sentences on reads of one broker that failed or were not whole
_NO_PLAN: Json = {"now": None, "next": None, "clients": None, "candidates": {"server": [], "client": []}, "note": None}


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
    dropped: list[Json]
    aside: str | None = None

    @property
    def reached(self) -> bool:
        """Whether any broker, or the admin protocol, answered in any sweep."""
        admin = self.about is not None and self.about["admin_ok"] + self.about["admin_partial"] > 0
        return admin or any(row["kafka_release"] is not None or _reads(row) > 0 for row in self.brokers)


def _reads(broker: Json) -> int:
    """How many sweeps of the day read a broker, wholly or in part."""
    reads: int = broker["ok_reads"] + broker["partial_reads"] + broker["truncated_reads"]
    return reads


def _coverage(case: Case, missing: Sequence[str]) -> Json:
    about = case.about
    brokers = [
        {
            "broker": row["broker"],
            "host": row["advertised_host"],
            "rack": row["rack"],
            "release": row["kafka_release"],
            "ok": row["ok_reads"],
            "partial": row["partial_reads"],
            "truncated": row["truncated_reads"],
            "failed": row["failed_reads"],
            "failures": row["failure_kinds"],
            # a pattern without a match is a thing that is not there, not one that could not be read
            "missing": [mbean for mbean in row["missing_mbeans"] or [] if "*" not in mbean],
        }
        for row in case.brokers
    ]
    admin = {
        "ok": about["admin_ok"] if about else 0,
        "partial": about["admin_partial"] if about else 0,
        "failed": about["admin_failed"] + about["admin_partial"] if about else 0,
        "failures": about["admin_details"] if about else [],
    }
    reasons: dict[str, int] = {}
    for row in case.dropped:
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + row["intervals"]
    return {
        "sweeps": about["sweep_count"] if about else 0,
        "first_sweep": iso(about["first_sweep"]) if about else None,
        "last_sweep": iso(about["last_sweep"]) if about else None,
        "brokers": brokers,
        "admin": admin,
        "dropped_intervals": [{"reason": reason, "count": count} for reason, count in sorted(reasons.items())],
        "not_measured": list(dict.fromkeys(missing)),
    }


def _not_measured(case: Case, results: Mapping[str, SignatureResult], damaged: Sequence[Damaged]) -> list[str]:
    sentences = [f"{signature}: {text}" for signature, one in results.items() for text in one.missing]
    if case.aside is not None:  # of which all of them say the same
        sentences = [case.aside]
    for row in case.brokers:
        if _reads(row) == 0:
            kinds = ", ".join(row["failure_kinds"]) or "no endpoint"
            sentences.append(f"broker {row['broker']}: nothing was read over Jolokia ({kinds})")
            continue
        details = row["failure_details"]  # as many as there were counts of lost values in a day
        sentences += [f"broker {row['broker']}, at times: {text}" for text in details[:FEW_DETAILS]]
        if len(details) > FEW_DETAILS:
            sentences.append(f"broker {row['broker']}: {len(details) - FEW_DETAILS} more such sentences")
    for one in damaged:
        sentences.append(f"the sweep {one.sweep} is not used: {one.reason}")
    return sentences


def _signature(signature: Signature, result: SignatureResult, measured: Measured | None, case: Case) -> Json:
    own = case.entry.get("thresholds", {}).get(signature.id, {})
    urls = {f"broker {row['broker']}": row["jolokia_url"] for row in case.brokers if row["jolokia_url"]}
    subjects = [subject for d in result.detections for subject in d.subjects]
    url = next((urls[subject] for subject in subjects if subject in urls), next(iter(urls.values()), "JOLOKIA_URL"))
    return {
        "signature": signature.id,
        "title": signature.title,
        "state": result.state,
        "detections": [
            {
                "cause": d.cause,
                "strength": d.strength,
                "subjects": list(d.subjects),
                "bounds": d.bounds,
                "evidence": [dict(line) for line in d.evidence],
            }
            for d in result.detections
        ],
        "missing": list(result.missing),
        "thresholds": [
            {
                "name": name,
                "value": own.get(name, threshold.value),
                "unit": threshold.unit,
                "reason": threshold.reason,
                "overridden": name in own,
            }
            for name, threshold in signature.thresholds.items()
        ],
        "look_alikes": [one.model_dump() for one in signature.look_alikes],
        "remeasure": signature.remeasure_for(url),
        "advice": [one.model_dump() for one in signature.advice],
        "charts": measured.charts if measured else [],
        "rows": measured.rows if measured else None,
    }


def dossier(
    ds: str,
    case: Case,
    results: Mapping[str, SignatureResult],
    measured: Mapping[str, Measured],
    catalogue: Mapping[str, Signature],
    plan: Json,
    damaged: Sequence[Damaged],
) -> Json:
    """Everything a letter says that is not in the findings."""
    entry = case.entry
    return {
        "schema_version": 1,
        "ds": ds,
        "cluster": case.cluster,
        "environment": entry.get("environment"),
        "owners": entry.get("owners", []),
        "bootstrap_servers": entry.get("bootstrap_servers", []),
        "declaration_error": None,
        "reached": case.reached,
        "set_aside": case.aside,
        "kafka_cluster_id": case.about["kafka_cluster_id"] if case.about else None,
        "mode": case.facts.mode,
        "coverage": _coverage(case, _not_measured(case, results, damaged)),
        "clients": [
            {
                "software": row["software"],
                "version": row["software_version"],
                "listener": row["listener"],
                "connections": float(row["connections"]),
            }
            for row in case.clients
        ],
        "signatures": [
            _signature(signature, results[name], measured.get(name), case) for name, signature in catalogue.items()
        ],
        "plan": plan,
    }


def unreached(ds: str, label: str, sentence: str) -> Json:
    """The dossier of a fleet entry that is not valid: it was not run, and it must not vanish."""
    case = Case(label, {}, Declared(), ClusterFacts(()), None, [], [], [])
    made = dossier(ds, case, {}, {}, {}, _NO_PLAN, [])
    return {**made, "declaration_error": sentence}
