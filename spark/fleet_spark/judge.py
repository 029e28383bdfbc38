"""Signatures x advisories to findings: takes a day's facts, writes its findings and one report per cluster.

signatures/ds=D/<generation>/signatures.json        state and detections per cluster and signature
findings/ds=D/<generation>/findings.json            all findings of all clusters
findings/ds=D/<generation>/clusters/<cluster>.json  what the cluster's letter needs besides
findings/ds=D/<generation>/verdicts/<cluster>.json  the cluster's judgement in brief
findings/ds=D/<generation>/plots/<cluster>.json     what the cluster's page draws of the day (plots.py)
findings/ds=D/<generation>/summary.json             all clusters in brief, for the page in Airflow's UI
findings/ds=D/<generation>/knowledge.json           the pack of knowledge that all of it rests on
findings/ds=D/<generation>/set_aside.json           clusters that the day is judged without, where there are any
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fleet_spark.aside import Aside, Task, sentence
from fleet_spark.cluster_facts import rows_by_cluster
from fleet_spark.cluster_report import unreached
from fleet_spark.conditions import conditions_task
from fleet_spark.facts import fact_queries
from fleet_spark.failures import QueryFailed, running
from fleet_spark.judged_cluster import Json, Judged, case_aside, case_of, judge_cluster
from fleet_spark.plots import day_plots, plots_of, write_plots
from fleet_spark.query_profiles import tables_read
from fleet_spark.rolls import RollsOfDay
from fleet_spark.signatures import measured_of, signature_tasks, values_of
from fleet_spark.tables import Day
from fleet_spark.unjudged import declared_entry, seen
from kafka_fleet.config.fleet import Fleet, load_fleet
from kafka_fleet.documents.cluster_report import ClusterReport, SignatureDay
from kafka_fleet.documents.day_summaries import day_summary, summary
from kafka_fleet.documents.document import SCHEMA_VERSION, Document
from kafka_fleet.documents.finding import Finding
from kafka_fleet.documents.first_days import EarlierDays, dated, dated_summary
from kafka_fleet.documents.knowledge import KnowledgeOfDay
from kafka_fleet.documents.summary import DaySummary, FleetSummary
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.pack import used_pack
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.excluded_clusters import note_set_aside, set_aside_by_facts
from kafka_fleet.store.fleet_snapshot import kept_fleet
from kafka_fleet.store.generations import publish
from kafka_fleet.store.raw.manifests import Manifest

TABLES = (
    "cluster_days", "broker_days", "broker_settings", "client_days", "group_days", "producer_releases",
    "discarded_intervals",
)  # fmt: skip


def tables_needed(sql: Path, signatures: Collection[str] = ()) -> set[str] | None:
    """Fact tables that judging by these signatures reads; None, which is all, when none is named."""
    if not signatures:
        return None
    queries = [query for name in signatures for query in load_signatures(sql)[name].queries]
    queries += [condition.queries for condition in load_conditions(sql).values()]
    return set(TABLES).union(*map(tables_read, queries)) & set(fact_queries(sql))


def canonical(content: Document | Sequence[Document]) -> bytes:
    """JSON with sorted keys: equal content is equal bytes."""
    plain = content.plain() if isinstance(content, Document) else [one.plain() for one in content]
    return (json.dumps(plain, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


def write_findings(day: Day, fleet_file: Path | None, clusters: list[str], signatures: list[str]) -> None:
    """Judge the day and publish. Clusters: those named, else all of the fleet and of the day's sweeps.

    A cluster that makes a query fail, here or in the facts, is set aside (aside.py); it has its documents as all have.
    """
    sweeps, damaged = day.sweeps(clusters)
    by_facts = set_aside_by_facts(day.results, day.ds, day.generation)
    day.leave_out(by_facts)
    made = tables_needed(day.sql, signatures)
    for table in fact_queries(day.sql, made):
        day.read_fact(table)
    swept = _by_cluster(sweeps)
    aside = Aside(day, day.clusters(), f"judge {day.ds}")
    stored = aside.run_all({table: Task({table}, partial(_rows, day, table)) for table in TABLES})
    stored = {table: {c: own for c, own in rows.items() if c not in aside.sentences} for table, rows in stored.items()}
    fleet = _fleet(day, fleet_file)
    landed = {c: declared_entry(rows[0]["declaration"]) for c, rows in stored["cluster_days"].items()}
    landed |= {c: seen(day.home, swept[c]).entry for c in {*by_facts, *aside.sentences} if c in swept}
    declared: dict[str, Json] = landed | {c.id: json.loads(c.declaration()) for c in fleet.clusters}
    wanted = sorted(set(clusters) if clusters else set(declared))
    catalogue, overrides = load_signatures(day.sql), {c: declared.get(c, {}).get("thresholds", {}) for c in wanted}
    chosen = [one for name, one in catalogue.items() if not signatures or name in signatures]
    known = {c: own for c, own in overrides.items() if c in stored["cluster_days"]}
    values, plots = values_of(chosen, known), plots_of(day, made)
    tasks: dict[str, Task[Any]] = {**signature_tasks(day.spark, chosen, values, day.profiles)}
    tasks["conditions"] = conditions_task(day.spark, load_conditions(day.sql), day.ds, day.profiles, known)
    tasks["plots"] = day_plots(day, plots)
    found = aside.run_all(tasks)
    measured = measured_of(day.spark, chosen, values, found, day.profiles, aside)
    answered, drawn, rolls = found["conditions"], found["plots"], RollsOfDay(day, swept)

    def judged(cluster: str) -> Judged:
        entry, bad = declared.get(cluster, {}), [one for one in damaged if one.cluster == cluster]
        if why := (aside.sentences | by_facts).get(cluster):
            case = case_aside(cluster, entry, seen(day.home, swept.get(cluster, [])), why)
            return judge_cluster(day.ds, case, {}, {}, catalogue, bad)
        answers = answered.get(cluster, {})
        case = case_of(cluster, entry, {table: rows.get(cluster, []) for table, rows in stored.items()}, answers)
        one = judge_cluster(day.ds, case, measured.get(cluster, {}), answers, catalogue, bad)
        return one._replace(report=rolls.added_to(one.report))

    earlier = EarlierDays(day.results, day.ds)
    all_judged = {cluster: _dated(one, earlier) for cluster, one in _each(wanted, judged, aside).items()}
    for cluster, one in all_judged.items():
        detected = sum(state.state == "detected" for state in one.states)
        print(f"judge {day.ds}: {cluster}: {detected} of {len(one.states)} signatures detected", flush=True)
    sentences = {c: why for c, why in (aside.sentences | by_facts).items() if c in all_judged}
    write_plots(day, plots, drawn, sweeps, overrides, sentences)
    invalid = {} if clusters else fleet.invalid
    reports = [one.report for one in all_judged.values()]
    reports += [unreached(day.ds, name, why) for name, why in sorted(invalid.items()) if name not in wanted]
    summaries = {name: one.summary for name, one in all_judged.items()}
    summaries |= {one.cluster: day_summary([], {}, False, {}) for one in reports if one.cluster not in summaries}
    note_set_aside(day.results, day.ds, day.generation, "judge", aside.sentences, day.put)
    findings = [finding for one in all_judged.values() for finding in one.findings]
    asked = day.profiles
    print(f"judge {day.ds}: {asked.run} queries run, {asked.nothing_to_read} more had nothing to read", flush=True)
    store(day, findings, reports, summaries, [state for one in all_judged.values() for state in one.states])


def _by_cluster(sweeps: Collection[Manifest]) -> dict[str, list[Manifest]]:
    found: dict[str, list[Manifest]] = {}
    for one in sweeps:
        found.setdefault(one.cluster, []).append(one)
    return found


def _fleet(day: Day, fleet_file: Path | None) -> Fleet:
    """The fleet as the run found it that judges the day; else the fleet file as it is, and without one nobody."""
    kept = kept_fleet(day.home, day.ds, day.generation) if day.results == day.home else None
    if kept is not None:
        return kept
    return load_fleet(fleet_file) if fleet_file is not None else Fleet([], [])


def _rows(day: Day, table: str, clusters: list[str]) -> dict[str, list[Json]]:
    with running(f"rows of {table}"):
        return rows_by_cluster(day.rows_of_fact(table, clusters))


def _each(wanted: Collection[str], judged: Callable[[str], Judged], aside: Aside) -> dict[str, Judged]:
    """Every cluster's judgement; one whose measurements make that fail is set aside.

    Raises what was raised where it fails for every cluster by what need not be in their measurements.
    """
    found: dict[str, Judged] = {}
    failed: dict[str, QueryFailed] = {}
    for cluster in wanted:
        try:
            with running("judgement"):
                found[cluster] = judged(cluster)
        except QueryFailed as error:
            failed[cluster] = error
    if failed and not found and any(one.kind != "data" for one in failed.values()):
        raise next(iter(failed.values())).error
    for cluster, why in failed.items():
        aside.set_aside(cluster, sentence(why.query, why.condition))
    return {cluster: found[cluster] if cluster in found else judged(cluster) for cluster in wanted}


def _dated(one: Judged, earlier: EarlierDays) -> Judged:
    """With the days since which the cluster has its findings."""
    days = earlier.of(one.report.cluster, one.summary)
    return one._replace(findings=dated(one.findings, days), summary=dated_summary(one.summary, days))


def store(
    day: Day,
    findings: Sequence[Finding],
    reports: Sequence[ClusterReport],
    summaries: Mapping[str, DaySummary],
    states: Sequence[SignatureDay],
) -> None:
    """Write what was judged as the day's generation and publish it. Raises Unchangeable, Overtaken."""
    of = day.stored
    ordered = sorted(
        findings, key=lambda f: (f.cluster, f.advisory is None, f.advisory or "", f.signature or "", f.cause or "")
    )
    for report in reports:
        day.put(of.cluster(report.cluster), canonical(report))
    for name, short in summaries.items():
        day.put(of.verdict(name), canonical(short))
    rows = {one.cluster: summary(one, summaries[one.cluster]) for one in reports}
    day.put(of.summary, canonical(FleetSummary(schema_version=SCHEMA_VERSION, clusters=rows)))
    day.put(of.knowledge, canonical(KnowledgeOfDay.of(used_pack())))
    day.put(of.finding_list, canonical(ordered))
    day.put(of.signatures, canonical(states))
    publish(of.day.signatures, day.generation)
    publish(of.day.findings, day.generation)
    print(f"judge {day.ds}: {len(ordered)} findings of {len(reports)} clusters", flush=True)
