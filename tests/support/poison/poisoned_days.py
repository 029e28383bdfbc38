"""A day of poisoned clusters: takes their raw tables, runs every query over all of them, says which failed on whom.

Nothing is landed: the tables are written as Parquet files of raw's schemas, so that no bound of landing stands in the
way, and read as the jobs read raw.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.functions import col

from fleet_spark.conditions import run_conditions
from fleet_spark.facts import CLOCK_SECONDS, START_HOURS, fact_queries
from fleet_spark.plots import run_plots
from fleet_spark.query_profiles import tables_read
from fleet_spark.raw_frames import raw_frame
from fleet_spark.signatures import run_signatures
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.conditions import load_conditions
from kafka_fleet.knowledge.plots import load_plots
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.roll.day_rows import LAST
from kafka_fleet.roll.readiness import READS
from kafka_fleet.schema.raw_tables import SCHEMA_VERSION, raw_views
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.raw.manifests import Damaged, DataFile, Manifest
from support.poison.attacks import Poisoned, arrow
from support.spark_runs.analysed import spark


class Failure(NamedTuple):
    """A query that failed on a cluster by itself."""

    query: str
    cluster: str
    error: str


class Held(Day):
    """A day over raw tables that were written as they are."""

    poisoned: Sequence[Poisoned] = ()

    def sweeps(self, clusters: list[str]) -> tuple[list[Manifest], list[Damaged]]:
        return [one for one in self._manifests if not clusters or one.cluster in clusters], []

    @cached_property
    def _manifests(self) -> list[Manifest]:
        """The sweeps of each cluster, with files of their own of what is read without Spark (fleet_spark/rolls.py)."""
        found = []
        for one in self.poisoned:
            times = sorted({row["sweep_at"] for row in one.tables["sweeps"]})
            for at in times:
                tables = {*READS, *LAST} if at == times[-1] else {"broker_metrics"}
                files = {table: file for table in sorted(tables) if (file := self._file(one, table, at))}
                found.append(Manifest(one.cluster, at.isoformat(), at, SCHEMA_VERSION, files))
        return found

    def _file(self, one: Poisoned, table: str, at: datetime) -> DataFile | None:
        rows = [row for row in one.tables[table] if row["sweep_at"] == at]
        if not rows:
            return None
        path = self.home / f"held/{one.cluster}/{at:%Y%m%dT%H%M%S.%f}.{table}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(arrow(table, rows), path)
        return DataFile(table, str(path.relative_to(self.home)), len(rows), path.stat().st_size, "")

    def load_raw(self, clusters: list[str]) -> list[Manifest]:
        self.damaged = []
        for view, table in raw_views().items():
            earlier = view != f"raw_{table}"
            stored = [[] if earlier and one.first_day else one.tables[table] for one in self.poisoned]
            rows = pa.concat_tables(arrow(table, one) for one in stored)
            path = self.home / f"held/{view}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(rows, path, compression="zstd")
            file = DataFile(table, str(path), rows.num_rows, 0, "")
            read = [one._replace(files={table: file}) for one in self.sweeps([])[0]]
            self._view(raw_frame(self.spark, self.home, table, read), view, rows.num_rows)
        return self.sweeps(clusters)[0]


def held(home: Path, ds: str, poisoned: Sequence[Poisoned]) -> Held:
    """The day, its raw views registered."""
    day = Held(spark(), home, ds, claim_generation(home, ds), sql_dir())
    day.poisoned = poisoned
    return day


def failures(home: Path, ds: str, poisoned: Sequence[Poisoned]) -> Iterator[Failure]:
    """Run every query over all clusters; of one that fails, halve the clusters until those are found that make it.

    What a fact query cannot compute of a cluster is left out of its table, as if the cluster had not given it.
    """
    day = held(home, ds, poisoned)
    day.load_raw([])
    session, clusters = spark(), [one.cluster for one in poisoned]
    whole: dict[str, DataFrame] = {view: session.table(view) for view in raw_views()}
    bound: dict[str, Any] = {"ds": ds, "start_hours": START_HOURS, "clock_s": CLOCK_SECONDS}

    def only(names: Iterable[str], some: Sequence[str]) -> None:
        for name in names:
            frame = whole[name]
            if len(some) < len(clusters):
                frame = frame.filter(col("cluster").isin(list(some)))
            frame.createOrReplaceTempView(name)

    facts = fact_queries(day.sql)
    for table, query in facts.items():
        reads = tables_read(query) & set(whole)
        guilty: list[Failure] = []

        def compute(some: Sequence[str], query: str = query, reads: set[str] = reads) -> None:
            only(reads, some)
            session.sql(query, args={n: v for n, v in bound.items() if f":{n}" in query}).toArrow()

        guilty = list(halved(f"facts/{table}", clusters, compute))
        yield from guilty
        bad = {one.cluster for one in guilty}
        only(reads, [name for name in clusters if name not in bad])
        day.write_fact(table, query, {n: v for n, v in bound.items() if f":{n}" in query})
        only(reads, clusters)
        whole[table] = session.table(table)
    units: dict[str, Callable[[Sequence[str]], object]] = {}
    for name, signature in load_signatures(day.sql).items():
        units[f"signatures/{name}"] = lambda some, one=signature: run_signatures(
            session, [one], {cluster: {} for cluster in some}, day.profiles
        )
    for name, condition in load_conditions(day.sql).items():
        units[f"conditions/{name}"] = lambda _some, name=name, one=condition: run_conditions(
            session, {name: one}, ds, day.profiles
        )
    binned = (day.sql / "plots/binned.sql").read_text(encoding="utf-8")
    for name, plot in load_plots(day.sql).items():
        units[f"plots/{name}"] = lambda _some, name=name, one=plot: run_plots(
            session, {name: one}, binned, ds, day.profiles
        )
    for unit, run in units.items():

        def compute_some(some: Sequence[str], run: Callable[[Sequence[str]], object] = run) -> None:
            only(facts, some)
            run(some)

        yield from halved(unit, clusters, compute_some)
        only(facts, clusters)


def halved(query: str, clusters: Sequence[str], run: Callable[[Sequence[str]], object]) -> Iterator[Failure]:
    """The clusters on which a run fails: all together first, then either half of those that fail."""
    try:
        run(clusters)
    except Exception as error:  # whatever it is, it is named
        if len(clusters) == 1:
            yield Failure(query, clusters[0], f"{type(error).__name__}: {str(error).splitlines()[0][:160]}")
            return
        middle = len(clusters) // 2
        yield from halved(query, clusters[:middle], run)
        yield from halved(query, clusters[middle:], run)
