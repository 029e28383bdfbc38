"""One finished day of a large cluster, analysed by Spark and by DuckDB from the same raw files, in part by Polars too.

PYTHONPATH=…:tests python -m benchmarks.analysis --partitions 200000 --rounds 1
Every engine runs in a process of its own with two threads. Prints times, the ratio and what differs; ends with 1 when a
value differs or the gate is missed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.duckdb_engine import Duck
from benchmarks.large_day import CLUSTER, make
from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import MANIFESTS, days_in
from kafka_fleet.store.raw.compaction import compact_finished
from kafka_fleet.store.raw.manifests import manifests

GATE = 2.0
PLACES = 9  # significant digits to which doubles have to agree: sums are taken in another order
ENGINES = ("spark", "duckdb", "polars")


def by_spark(home: Path, ds: str, work: Path, passes: int) -> dict[str, float]:
    """Facts and signatures in one session, as the jobs do; the seconds of each part.

    passes: the day is judged so often by one JVM; `again` is the last pass: what is left when all code is compiled.
    """
    from pyspark.sql import SparkSession

    from fleet_spark.facts import write_facts
    from fleet_spark.session import DEFAULTS, FIXED
    from fleet_spark.signatures import run_signatures
    from fleet_spark.tables import Day

    began = time.monotonic()
    builder = SparkSession.builder.master("local[2]").appName("benchmark").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.memory", "4g")
    for key, value in (DEFAULTS | FIXED).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.range(1).count()
    started = time.monotonic()
    chosen = list(load_signatures(sql_dir()).values())
    seconds: list[tuple[float, float]] = []
    for _ in range(passes):
        begun = time.monotonic()
        day = Day(spark, home, ds, claim_generation(home, ds), sql_dir())
        write_facts(day, [])
        stored = time.monotonic()
        clusters = sorted({one.cluster for one in day.sweeps([])[0]})
        measured = run_signatures(spark, chosen, {name: {} for name in clusters}, day.profiles)
        seconds.append((stored - begun, time.monotonic() - stored))
    states = {name: one.result.state for name, one in measured[clusters[0]].items()}
    (work / "spark.json").write_text(json.dumps({"generation": day.generation, "states": states}))
    peak = _peak_mib(spark.sparkContext._gateway.proc.pid)  # type: ignore[union-attr]
    facts, signatures = seconds[0]
    again = {"again": sum(seconds[-1])} if passes > 1 else {}
    return {"start": started - began, "facts": facts, "signatures": signatures, "peak": peak, **again}


def _peak_mib(pid: int) -> float:
    """Largest resident memory that a process has had."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


def by_duckdb(home: Path, ds: str, work: Path) -> dict[str, float]:
    """The same by DuckDB; its tables are written for the comparison after the clock has stopped."""
    began = time.monotonic()
    duck = Duck(home, ds, sql_dir())
    duck.load_raw()
    started = time.monotonic()
    seconds = duck.facts()
    stored = time.monotonic()
    found = {name: duck.signature(name, [CLUSTER]) for name in load_signatures(sql_dir())}
    ended = time.monotonic()
    states = {
        name: "detected" if one.rows["detections"] else "quiet" if one.coverage[CLUSTER].evaluated else "not_evaluated"
        for name, one in found.items()
    }
    (work / "duckdb.json").write_text(json.dumps({"states": states, "facts": seconds}))
    for table in fact_queries(sql_dir()):
        duck.connection.execute(f"COPY {table} TO '{work}/{table}.parquet'")
    return {"start": started - began, "facts": stored - started, "signatures": ended - stored}


def by_polars(home: Path, ds: str, work: Path) -> dict[str, float]:
    """The partition part alone: each leader's rate in each interval, and its topics' sums, mean and largest."""
    import polars as pl

    began = time.monotonic()
    sweeps = manifests(home, ds)[0]

    def paths(table: str) -> list[Path]:
        return list(dict.fromkeys(home / one.files[table].path for one in sweeps if table in one.files))

    rows = pl.scan_parquet(paths("partitions"))
    base = pl.scan_parquet(paths("sweeps")).select("sweep_at", "previous_sweep_at")
    reads = pl.scan_parquet(paths("brokers")).select("broker", "sweep_at", "read_at")
    before = reads.rename({"sweep_at": "previous_sweep_at", "read_at": "from_at"})
    spans = reads.join(base, on="sweep_at").join(before, on=["broker", "previous_sweep_at"])
    spans = spans.with_columns(seconds=(pl.col("read_at") - pl.col("from_at")).dt.total_microseconds() / 1e6)
    led = rows.filter((pl.col("replicas_count") > 0) & pl.col("previous_log_end_offset").is_not_null())
    rates = (
        led.drop("read_at")
        .join(spans, on=["broker", "sweep_at"])
        .with_columns(records=pl.col("log_end_offset") - pl.col("previous_log_end_offset"))
        .with_columns(rate=pl.col("records") / pl.col("seconds"))
    )
    topics = rates.group_by("topic", "sweep_at").agg(
        pl.col("records").sum(), pl.col("rate").sum().alias("rate_sum"), pl.col("rate").max().alias("max_rate")
    )
    rates.sink_parquet(work / "polars_rates.parquet")
    topics.sink_parquet(work / "polars_topics.parquet")
    return {"start": 0.0, "facts": time.monotonic() - began, "signatures": 0.0}


def _rounded(columns: list[tuple[str, str]]) -> str:
    """Columns of a table in a form that two engines agree on: doubles to PLACES digits, zones and hashes left out."""
    texts = []
    for name, kind in columns:
        if name.endswith("_hash"):
            continue  # each engine has a hash of its own; they are compared with themselves only
        if kind == "DOUBLE":
            texts.append(f"CASE WHEN \"{name}\" = 0 THEN '0' ELSE format('{{:.{PLACES - 1}e}}', \"{name}\") END")
        elif kind.startswith("TIMESTAMP"):
            texts.append(f'epoch_us("{name}")')
        else:
            texts.append(f'"{name}"')
    return ", ".join(texts)


def differences(home: Path, ds: str, work: Path) -> dict[str, tuple[int, int]]:
    """Fact table -> rows that only one of Spark and DuckDB has, of those that differ."""
    generation = json.loads((work / "spark.json").read_text())["generation"]
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'; SET threads = 2")
    found = {}
    for table in fact_queries(sql_dir()):
        folder = Home(home).day(ds).facts(table) / generation
        mine = f"read_parquet('{folder}/*.parquet', hive_partitioning = false)"
        other = f"read_parquet('{work}/{table}.parquet')"
        columns = connection.execute(f"DESCRIBE SELECT * FROM {mine}").fetchall()
        shown = _rounded([(row[0], row[1]) for row in columns])
        counts = [
            connection.execute(
                f"SELECT count(*) FROM (SELECT {shown} FROM {a} EXCEPT ALL SELECT {shown} FROM {b})"
            ).fetchall()[0][0]
            for a, b in ((mine, other), (other, mine))
        ]
        if any(counts):
            found[table] = (counts[0], counts[1])
    return found


def run(engine: str, home: Path, ds: str, work: Path, passes: int = 1) -> dict[str, Any]:
    """One engine in a process of its own: its seconds, and the peak memory of it and what it started, in MiB."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.analysis",
        "--engine",
        engine,
        "--home",
        str(home),
        "--work",
        str(work),
        "--passes",
        str(passes),
    ]
    large = {
        name: value for name, value in os.environ.items() if name != "SPARK_SUBMIT_OPTS"
    }  # those are for small days
    done = subprocess.run([*command, "--ds", ds], stdout=subprocess.PIPE, text=True, check=False, env=large)
    if done.returncode != 0:
        raise SystemExit(f"{engine} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Make the day if it is not there, run the engines, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--sweeps", type=int, default=96)
    parser.add_argument("--home", type=Path, default=Path("build/large"))
    parser.add_argument("--work", type=Path, default=Path("build/large-results"))
    parser.add_argument("--ds", default="")
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--passes", type=int, default=1, help="judge the day so often in Spark's one JVM")
    given = parser.parse_args()
    if given.engine:
        if given.engine == "spark":
            seconds = by_spark(given.home, given.ds, given.work, given.passes)
        else:
            seconds = {"duckdb": by_duckdb, "polars": by_polars}[given.engine](given.home, given.ds, given.work)
        print(json.dumps({"peak": _peak_mib(os.getpid()), **seconds}))
        return 0
    if not Home(given.home).raw.exists():
        given.ds, rows = make(given.home, given.partitions, given.sweeps, copies=1)
        print(f"{rows:,} rows of partitions")
    ds = given.ds or days_in(Home(given.home).raw_folder(MANIFESTS))[-1]
    began = time.monotonic()
    for line in compact_finished(given.home, ds):
        print(f"{line}, {time.monotonic() - began:.1f} s")
    shutil.rmtree(given.work, ignore_errors=True)
    given.work.mkdir(parents=True)
    size = sum({file.path: file.bytes for one in manifests(given.home, ds)[0] for file in one.files.values()}.values())
    results = {engine: run(engine, given.home, ds, given.work, given.passes) for engine in ENGINES}
    print(
        f"{size / 2**20:.0f} MiB of raw files\n\n| engine | start s | facts s | signatures s | peak MiB |\n| --- |"
        + " ---: |" * 4
    )
    for engine, one in results.items():
        print(f"| {engine} | {one['start']:.1f} | {one['facts']:.1f} | {one['signatures']:.1f} | {one['peak']:.0f} |")
    if "again" in results["spark"]:
        print(f"\nonce more in the same JVM: {results['spark']['again']:.1f} s")
    spark, duck = (results[name]["facts"] + results[name]["signatures"] for name in ("spark", "duckdb"))
    differing = differences(given.home, ds, given.work)
    states = [json.loads((given.work / f"{name}.json").read_text())["states"] for name in ("spark", "duckdb")]
    print(f"\nSpark ÷ DuckDB after the start: {spark / duck:.2f} (at most {GATE})")
    for table, (mine, other) in differing.items():
        print(f"{table}: {mine} rows of Spark alone, {other} of DuckDB alone")
    if states[0] != states[1]:
        print(f"signatures differ: {states}")
    return int(bool(differing) or states[0] != states[1] or spark / duck > GATE)


if __name__ == "__main__":
    sys.exit(main())
