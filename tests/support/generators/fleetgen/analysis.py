"""Homes of generated clusters through the real facts and signatures, by Spark or, for speed, by DuckDB.

DuckDB runs the same queries, translated (benchmarks/duckdb_engine.py); benchmarks/analysis.py compares the tables.
"""

import atexit
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.duckdb_engine import Duck
from fleet_spark.conditions import answer, refused_table, release_table
from fleet_spark.coverage import thresholds_table
from fleet_spark.facts import write_facts
from fleet_spark.judge import tables_needed
from fleet_spark.session import DEFAULTS, FIXED
from fleet_spark.signatures import Measured, run_signatures
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.conditions import Answered, load_conditions
from kafka_fleet.knowledge.detection_rows import detection_row
from kafka_fleet.knowledge.detections import SignatureResult
from kafka_fleet.knowledge.signature_rows import detections_of
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.generations import claim_generation
from support.generators.fleetgen.shape import DS


@cache
def spark() -> SparkSession:
    """A session with the settings of the jobs, on two cores of this machine."""
    builder = SparkSession.builder.master("local[2]").appName("fleetgen").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.memory", "3g")
    for key, value in (DEFAULTS | FIXED).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    atexit.register(session.stop)
    return session


def analyse(
    home: Path, clusters: list[str], signatures: Sequence[str] = (), session: SparkSession | None = None
) -> list[dict[str, Any]]:
    """Facts and signatures, all or the named ones: one dict per cluster and signature, as signatures.json has them."""
    began = time.monotonic()
    day = Day(session or spark(), home, DS, claim_generation(home, DS), sql_dir())
    write_facts(day, [], tables_needed(day.sql, signatures))
    print(f"facts: {time.monotonic() - began:.0f} s", flush=True)
    measured: dict[str, dict[str, Measured]] = {name: {} for name in clusters}
    for name, signature in load_signatures(sql_dir()).items():
        if not signatures or name in signatures:
            began = time.monotonic()
            found = run_signatures(day.spark, [signature], {name: {} for name in clusters}, day.profiles)
            for cluster, one in found.items():
                measured[cluster] |= one
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    results = {cluster: {name: one.result for name, one in found.items()} for cluster, found in measured.items()}
    return [plain(cluster, one) for cluster, found in results.items() for one in found.values()]


def plain(cluster: str, result: SignatureResult) -> dict[str, Any]:
    """A result as signatures.json has it, with its cluster."""
    detections = [
        {
            "cause": d.cause,
            "strength": d.strength,
            "subjects": list(d.subjects),
            "evidence": list(d.evidence),
            "bounds": d.bounds,
        }
        for d in result.detections
    ]
    return {
        "cluster": cluster,
        "signature": result.signature,
        "state": result.state,
        "missing": list(result.missing),
        "detections": detections,
    }


def analyse_by_duckdb(
    home: Path, clusters: list[str], signatures: Sequence[str] = (), duck: Duck | None = None
) -> list[dict[str, Any]]:
    """The same by DuckDB. duck: a session of the caller's, which then holds the facts."""
    began = time.monotonic()
    duck = duck or Duck(home, DS, sql_dir())
    duck.load_raw()
    duck.facts()
    found = []
    for name, signature in load_signatures(sql_dir()).items():
        if signatures and name not in signatures:
            continue
        values = {key: float(threshold.value) for key, threshold in signature.thresholds.items()}
        judged = duck.signature(name, clusters)
        rows, named = (_by_cluster(judged.rows.get(kind, [])) for kind in ("detections", "subjects"))
        for cluster, covered in judged.coverage.items():
            own = detections_of(signature, rows[cluster], named[cluster], values)
            state: Any = "detected" if own else "quiet" if covered.evaluated else "not_evaluated"
            found.append(plain(cluster, SignatureResult(name, state, own, covered.missing)))
    print(f"DuckDB: {time.monotonic() - began:.0f} s", flush=True)
    return found


def conditions_by_duckdb(duck: Duck, clusters: Sequence[str]) -> dict[str, dict[str, Answered]]:
    """Cluster -> condition -> answer, after the facts of a day were made; by the thresholds that ship."""
    releases = {row["kafka_release"] for row in duck.rows("SELECT DISTINCT kafka_release FROM broker_days")} - {None}
    duck.table("release_days", release_table(releases, duck.ds))
    duck.table("refused_requests", refused_table())
    found: dict[str, dict[str, Answered]] = {name: {} for name in clusters}
    for name, condition in load_conditions(sql_dir()).items():
        values = {key: float(threshold.value) for key, threshold in condition.thresholds.items()}
        duck.table(f"{name}_thresholds", thresholds_table(condition, dict.fromkeys(clusters, values)))
        rows = _by_cluster(duck.condition(name))
        for cluster in clusters:
            found[cluster][name] = answer(condition, map(detection_row, rows[cluster]), values)
    return found


def _by_cluster(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["cluster"]].append(row)
    return found
