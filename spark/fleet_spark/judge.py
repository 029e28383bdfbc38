"""Signatures x advisories to findings: takes a day's facts, writes its findings and one dossier per cluster.

signatures/ds=D/<generation>/signatures.json        state and detections per cluster and signature
findings/ds=D/<generation>/findings.json            the contract's list, all clusters
findings/ds=D/<generation>/clusters/<cluster>.json  what the cluster's letter needs besides
findings/ds=D/<generation>/verdicts/<cluster>.json  the cluster's judgement in brief
findings/ds=D/<generation>/plots/<cluster>.json     what the cluster's page draws of the day (plots.py)
findings/ds=D/<generation>/summary.json             all clusters in brief, for the page in Airflow's UI
"""

import datetime as dt
import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from fleet_spark.cluster_facts import cluster_facts, rows_by_cluster
from fleet_spark.conditions import run_conditions
from fleet_spark.dossier import Case, dossier, unreached
from fleet_spark.facts import fact_queries
from fleet_spark.plots import write_plots
from fleet_spark.signatures import run_signatures
from fleet_spark.tables import Day
from fleet_spark.ways import tables_read
from kafka_fleet.inventory import Fleet, load_fleet
from kafka_fleet.knowledge.advisories import Advisory, load_advisories
from kafka_fleet.knowledge.basis import basis
from kafka_fleet.knowledge.briefs import brief, brief_path, summary
from kafka_fleet.knowledge.detections import SignatureResult
from kafka_fleet.knowledge.exposure import Exposure, exposure
from kafka_fleet.knowledge.facts import ClusterFacts, Declared
from kafka_fleet.knowledge.fleets import affected_releases, release_text, side
from kafka_fleet.knowledge.measured import Answered, load_conditions, with_answers
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.knowledge.upgrade import plan, upgrade_to
from kafka_fleet.knowledge.verdicts import Row, judge
from kafka_fleet.store.generations import publish
from kafka_fleet.store.judged import NOT_ASKED
from kafka_fleet.store.kept_fleet import kept_fleet

NO_SWEEP = "no sweep reached this cluster on this day"
TABLES = ("cluster_days", "broker_days", "config_days", "client_days", "group_days", "member_days", "dropped")


def tables_needed(sql: Path, signatures: Collection[str] = ()) -> set[str] | None:
    """Fact tables that judging by these signatures reads; None, which is all, when none is named."""
    if not signatures:
        return None
    queries = [query for name in signatures for query in load_signatures(sql)[name].queries]
    queries += [condition.query for condition in load_conditions(sql).values()]
    return set(TABLES).union(*map(tables_read, queries)) & set(fact_queries(sql))


def canonical(content: Any) -> bytes:
    """JSON with sorted keys: equal content is equal bytes."""
    return (json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


def _finding(ds: str, cluster: str, row: Row, exposed: Exposure | None, facts: ClusterFacts) -> dict[str, Any]:
    advisories = load_advisories()
    advisory: Advisory | None = advisories[row.advisory] if row.advisory else None
    target = None
    if advisory is not None and exposed is not None and exposed.state == "exposed":
        affected, fleet = affected_releases(advisory, exposed), side(advisory, exposed)
        target = upgrade_to(advisory, affected, advisories, facts, fleet=fleet, on=dt.date.fromisoformat(ds)).release
    return {
        "schema_version": 1,
        "ds": ds,
        "cluster": cluster,
        "advisory": row.advisory,
        "signature": row.signature,
        "cause": row.cause,
        "strength": row.strength,
        "verdict": row.verdict,
        "severity": advisory.severity if advisory else "info",
        "components": list(advisory.components) if advisory else ["broker"],
        "exposure": row.exposure,
        "signature_state": row.signature_state,
        "release": release_text(advisory, exposed, facts),
        "subjects": list(row.subjects),
        "upgrade_to": target,
        "workaround": advisory.workaround if advisory else None,
        "missing": list(row.missing),
        "bounds": row.bounds,
        "evidence": [dict(line) for line in row.evidence],
    }


def _judge(
    ds: str, case: Case, results: dict[str, SignatureResult], answers: dict[str, Answered]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One cluster's findings, and its judgement in brief."""
    advisories = load_advisories()
    exposed = {key: exposure(advisory, case.facts, case.declared) for key, advisory in advisories.items()}
    rows = judge(advisories, exposed, results, case.facts.members)
    rows = [with_answers(row, advisories[row.advisory], answers) if row.advisory else row for row in rows]
    if not case.reached:
        rows = [replace(row, missing=tuple(dict.fromkeys((NO_SWEEP, *row.missing)))) for row in rows]
    own = [_finding(ds, case.cluster, r, exposed.get(r.advisory or ""), case.facts) for r in rows]
    states = {name: one.state for name, one in results.items()}
    rests = {key: basis(advisory, case.facts) for key, advisory in advisories.items()}
    return own, brief(own, states, case.reached, rests, release_text(None, None, case.facts))


def write_findings(day: Day, fleet_file: Path | None, clusters: list[str], signatures: list[str]) -> None:
    """Judge the day and publish. Clusters: those named, else all of the fleet and of the day's sweeps."""
    sweeps, damaged = day.sweeps(clusters)
    for table in fact_queries(day.sql, tables_needed(day.sql, signatures)):
        day.read_fact(table)
    stored = {table: rows_by_cluster(day.rows_of_fact(table)) for table in TABLES}
    fleet = _fleet(day, fleet_file)
    declared: dict[str, dict[str, Any]] = {
        cluster: json.loads(rows[0]["declaration"]) for cluster, rows in stored["cluster_days"].items()
    }
    declared |= {cluster.id: json.loads(cluster.declaration()) for cluster in fleet.clusters}
    wanted = sorted(set(clusters) if clusters else set(declared))
    catalogue = load_signatures(day.sql)
    chosen = [one for name, one in catalogue.items() if not signatures or name in signatures]
    overrides = {c: declared[c].get("thresholds", {}) for c in wanted if c in stored["cluster_days"]}
    measured = run_signatures(day.spark, chosen, overrides, day.ways)
    answered = run_conditions(day.spark, load_conditions(day.sql), day.ds, day.ways)
    write_plots(day, tables_needed(day.sql, signatures), sweeps, {one: overrides.get(one, {}) for one in wanted})
    findings: list[dict[str, Any]] = []
    dossiers: list[dict[str, Any]] = []
    briefs: dict[str, dict[str, Any]] = {}
    states: list[dict[str, Any]] = []
    for cluster in wanted:
        answers = answered.get(cluster, {})
        case = _case(cluster, declared, stored, answers)
        found = measured.get(cluster, {})
        results = {name: one.result for name, one in found.items()}
        for signature in catalogue.values():
            reason = NOT_ASKED if case.reached else NO_SWEEP
            results.setdefault(signature.id, SignatureResult(signature.id, "not_evaluated", (), (reason,)))
        own, briefs[cluster] = _judge(day.ds, case, results, answers)
        upgrade = plan(case.facts, own, load_advisories(), on=dt.date.fromisoformat(day.ds))
        bad = [d for d in damaged if d.cluster == cluster]
        findings += own
        dossiers.append(dossier(day.ds, case, results, found, catalogue, upgrade, bad))
        states += [{"cluster": cluster, **_plain(result)} for result in results.values()]
        detected = sum(result.state == "detected" for result in results.values())
        print(f"judge {day.ds}: {cluster}: {detected} of {len(results)} signatures detected", flush=True)
    invalid = {} if clusters else fleet.invalid
    dossiers += [unreached(day.ds, name, sentence) for name, sentence in sorted(invalid.items()) if name not in wanted]
    briefs |= {one["cluster"]: brief([], {}, False, {}) for one in dossiers if one["cluster"] not in briefs}
    store(day, findings, dossiers, briefs, states)


def _fleet(day: Day, fleet_file: Path | None) -> Fleet:
    """The fleet as the run found it that judges the day; else the fleet file as it is, and without one nobody."""
    kept = kept_fleet(day.home, day.ds, day.generation) if day.results == day.home else None
    if kept is not None:
        return kept
    return load_fleet(fleet_file) if fleet_file is not None else Fleet([], [])


def _case(
    cluster: str,
    declared: dict[str, dict[str, Any]],
    stored: dict[str, dict[str, list[dict[str, Any]]]],
    answers: dict[str, Answered],
) -> Case:
    rows = {table: found.get(cluster, []) for table, found in stored.items()}
    about = rows["cluster_days"][0] if rows["cluster_days"] else None
    facts = cluster_facts(about, *(rows[table] for table in TABLES[1:-1])) if about else ClusterFacts(())
    facts = replace(
        facts,
        measured={name: one.holds for name, one in answers.items()},
        because={name: one.sentence for name, one in answers.items()},
    )
    entry = declared.get(cluster, {})
    return Case(
        cluster, entry, Declared.from_fleet(entry.get("client_configs")), facts, about, rows["broker_days"],
        rows["client_days"], rows["dropped"],
    )  # fmt: skip


def _plain(result: SignatureResult) -> dict[str, Any]:
    detections = [
        {
            "cause": d.cause,
            "strength": d.strength,
            "subjects": list(d.subjects),
            "bounds": d.bounds,
            "evidence": [dict(line) for line in d.evidence],
        }
        for d in result.detections
    ]
    return {
        "signature": result.signature,
        "state": result.state,
        "detections": detections,
        "missing": list(result.missing),
    }


def store(
    day: Day,
    findings: list[dict[str, Any]],
    dossiers: list[dict[str, Any]],
    briefs: dict[str, dict[str, Any]],
    states: list[dict[str, Any]],
) -> None:
    """Write what was judged as the day's generation and publish it. Raises Unchangeable, Overtaken."""
    folder = day.results / f"findings/ds={day.ds}"
    order = [
        (f["cluster"], f["advisory"] is None, f["advisory"] or "", f["signature"] or "", f["cause"] or "")
        for f in findings
    ]
    ordered = [finding for _key, finding in sorted(zip(order, findings, strict=True), key=lambda pair: pair[0])]
    for one in dossiers:
        day.put(folder / day.generation / "clusters" / f"{one['cluster']}.json", canonical(one))
    for name, one in briefs.items():
        day.put(brief_path(day.results, day.ds, day.generation, name), canonical(one))
    rows = {one["cluster"]: summary(one, briefs[one["cluster"]]) for one in dossiers}
    day.put(folder / day.generation / "summary.json", canonical({"schema_version": 1, "clusters": rows}))
    day.put(folder / day.generation / "findings.json", canonical(ordered))
    day.put(day.results / f"signatures/ds={day.ds}" / day.generation / "signatures.json", canonical(states))
    publish(day.results / f"signatures/ds={day.ds}", day.generation)
    publish(folder, day.generation)
    print(f"judge {day.ds}: {len(ordered)} findings of {len(dossiers)} clusters", flush=True)
