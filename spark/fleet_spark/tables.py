"""The tables of one day: takes a home, a day and a generation, gives raw views to read and facts to write.

Raw is read by manifest only. A day reads its own sweeps and, for the first interval, each cluster's last sweep of the
day before; of the last sweeps of earlier days a few tables alone: free disk space of a week, and in views of their own
log ends and committed offsets of two weeks.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.types import StructType

from fleet_spark.aside import AT_ONCE
from fleet_spark.frames import empty_frame, held, local_frame
from fleet_spark.parquet import read_footer, write_distributed, write_local
from fleet_spark.query_profiles import QueryProfiles, few, tables_read, weight
from fleet_spark.raw_frames import raw_frame
from fleet_spark.sql_files import written_in
from kafka_fleet.schema.raw_tables import EARLIER, raw_views
from kafka_fleet.store.files import read_file, replace_file
from kafka_fleet.store.generations import Unchangeable, current_generation, publish
from kafka_fleet.store.home import Home, HomeGeneration
from kafka_fleet.store.raw.earlier_sweeps import earlier_sweeps
from kafka_fleet.store.raw.manifests import Damaged, Manifest, manifests

GROWTH_DAYS = 7  # before the day, over which disks are seen to fill: a week has each day's load once
EARLIER_DAYS = 14  # before the day, over which it is seen whether anybody writes: what is done by the week is done


class Day:
    """One day's tables in one generation. Raw is read below `home`; what comes of it is written below `results`,
    which is the same unless a replay keeps what it finds apart.
    """

    def __init__(
        self, spark: SparkSession, home: Path, ds: str, generation: str, sql: Path, results: Path | None = None
    ) -> None:
        self.spark = spark
        self.home = home
        self.results = home if results is None else results
        self.ds = ds
        self.generation = generation
        self.sql = sql
        self.profiles = QueryProfiles(spark)
        self._known: set[str] = set()
        self._used: list[Manifest] | None = None  # None: of a job that reads no raw
        self._earlier: list[Manifest] = []  # last sweeps of days before, for views raw_earlier_<table>
        self._left_out: set[str] = set()

    @cached_property
    def _shared(self) -> set[str]:
        """What several facts read."""
        queries = [path.read_text(encoding="utf-8") for path in (self.sql / "marts").glob("*.sql")]
        reads = Counter(table for query in queries for table in tables_read(query))
        return {table for table, times in reads.items() if times > 1}

    def load_raw(self, clusters: list[str]) -> list[Manifest]:
        """Register `raw_<table>` views over the committed sweeps; gives the day's manifests."""
        sweeps, self.damaged = self.sweeps(clusters)
        before = (date.fromisoformat(self.ds) - timedelta(days=1)).isoformat()
        earlier = {m.cluster: m for m in manifests(self.home, before)[0]}  # in time order: the last one stays
        # a last sweep that shares its files has lost its own: they would bring in the rest of its day
        alone = [m for m in earlier.values() if not m.joined]
        named = {one.cluster for one in sweeps}
        self._used = sweeps + [m for m in alone if m.cluster in named]
        self._earlier = earlier_sweeps(self.home, self.ds, EARLIER_DAYS, ["disks", *EARLIER], named)
        week = (date.fromisoformat(self.ds) - timedelta(days=GROWTH_DAYS)).isoformat()
        recent = [m for m in self._earlier if m.sweep_at.date().isoformat() >= week and "disks" in m.files]
        self._used += [m._replace(files={"disks": m.files["disks"]}) for m in recent]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._load, raw_views()))
        return sweeps

    def _load(self, view: str, clusters: Collection[str] | None = None) -> None:
        """clusters: whose rows the view has; None: of all that are used."""
        table = raw_views()[view]
        every = (self._used or []) if view == f"raw_{table}" else self._earlier
        used = [one for one in every if clusters is None or one.cluster in clusters]
        rows = sum(one.files[table].rows for one in used if table in one.files)
        self._view(raw_frame(self.spark, self.home, table, used), view, rows)

    def show(self, tables: Collection[str], clusters: Collection[str]) -> None:
        """Register those of these views that are there with the rows of these clusters alone."""
        for name in sorted(tables):
            if name in raw_views() and self._used is not None:
                self._load(name, clusters)
            elif name in self._known:
                self._register(name, clusters)

    def leave_out(self, clusters: Collection[str]) -> None:
        """Read no row of these clusters any more: as if they had no sweep. What is stored of them stays there."""
        if set(clusters) <= self._left_out:
            return
        self._left_out |= set(clusters)
        if self._used is not None:
            self._used = [one for one in self._used if one.cluster not in self._left_out]
            self._earlier = [one for one in self._earlier if one.cluster not in self._left_out]
            for view in raw_views():
                self._load(view)
        for table in sorted(self._known):
            self._register(table)

    def _view(self, frame: DataFrame, name: str, rows: int) -> None:
        """Few rows are one partition, so that joins and windows over them need no shuffle; and are read once."""
        if rows and few(rows):
            frame = frame.coalesce(1)
        if rows and few(rows) and name in self._shared:
            with suppress(PySparkException, Py4JJavaError):  # what cannot be read fails in the query that reads it
                frame = held(frame)
        frame.createOrReplaceTempView(name)
        self.profiles.rows[name] = rows

    def sweeps(self, clusters: list[str]) -> tuple[list[Manifest], list[Damaged]]:
        """Committed sweeps of the day and those that are damaged, of the named clusters or of all."""
        whole, damaged = manifests(self.home, self.ds)
        wanted = set(clusters)
        used = [one for one in whole if not wanted or one.cluster in wanted]
        return used, [one for one in damaged if not wanted or one.cluster in wanted]

    def facts_path(self, table: str) -> Path:
        """Folder of one fact table of this day; its generations are below."""
        return Home(self.results).day(self.ds).facts(table)

    def write_fact(self, table: str, query: str, values: Mapping[str, Any]) -> int:
        """Compute a fact table, store it as this generation, register it under its name; gives its rows."""
        folder = self.facts_path(table) / self.generation
        with self.profiles.for_query(query) as small:
            with written_in(f"sql/marts/{table}.sql"):
                frame = self.spark.sql(query, args=dict(values))
            if small:
                found = self.profiles.rows_of(frame)
                write_local(folder, found, frame.schema)
                self._held(table, found, frame.schema)
                return int(found.num_rows)
            rows = write_distributed(folder, frame)
            self._fact(table, frame.schema, rows)
            return rows

    @property
    def stored(self) -> HomeGeneration:
        """Where the documents of this generation lie."""
        return Home(self.results).generation(self.ds, self.generation)

    @property
    def judged(self) -> bool:
        """Whether readers follow this generation's findings: then it changes no more."""
        return current_generation(Home(self.results).day(self.ds).findings) == self.generation

    def put(self, path: Path, content: bytes) -> None:
        """Write a document of this generation. Raises Unchangeable where it is published with another content."""
        if not self.judged:
            replace_file(path, content)
        elif not path.exists() or read_file(path) != content:
            raise Unchangeable(self.generation, self.ds)

    def publish_facts(self, tables: Iterable[str]) -> None:
        """Point readers at this generation of every table, when all of them are whole."""
        for table in tables:
            publish(self.facts_path(table), self.generation)

    def read_fact(self, table: str) -> None:
        """Register one fact table of this generation under its name, if this job has not done so."""
        if table in self._known:
            return
        self._register(table)

    def _register(self, table: str, clusters: Collection[str] | None = None) -> None:
        """clusters: whose rows it has; None: of all but those left out."""
        found = read_footer(self.facts_path(table) / self.generation)
        if few(found.rows):
            self._held(table, self._of(found.read(), clusters), found.schema, clusters)
        else:
            self._fact(table, found.schema, found.rows, clusters)

    def _of(self, rows: pa.Table, clusters: Collection[str] | None) -> pa.Table:
        """The rows of these clusters; None: of all but those left out."""
        if clusters is None and not self._left_out:
            return rows
        own = pc.is_in(rows["cluster"], pa.array(sorted(self._left_out if clusters is None else clusters), pa.string()))
        return rows.filter(pc.invert(own) if clusters is None else own)

    def clusters(self) -> set[str]:
        """Those that have facts in this generation, but for those left out."""
        stored = read_footer(self.facts_path("cluster_days") / self.generation).read()
        return set(stored["cluster"].to_pylist()) - self._left_out

    def rows_of_fact(self, table: str, clusters: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Every row of a stored fact table, of these clusters; None: of all but those left out."""
        stored = read_footer(self.facts_path(table) / self.generation).read()
        found: list[dict[str, Any]] = self._of(stored, clusters).to_pylist()
        return found

    def _held(self, table: str, found: pa.Table, schema: StructType, clusters: Collection[str] | None = None) -> None:
        """Rows that the driver has: it keeps them, unless their texts are so long that they are read again."""
        counted = weight(found)
        if not few(counted):
            self._fact(table, schema, counted, clusters)
            return
        local_frame(self.spark, found, schema).createOrReplaceTempView(table)
        self.profiles.rows[table] = counted
        self._known.add(table)

    def _fact(self, table: str, schema: StructType, rows: int, clusters: Collection[str] | None = None) -> None:
        path = str(self.facts_path(table) / self.generation)
        frame = self.spark.read.schema(schema).parquet(path) if rows else empty_frame(self.spark, schema)
        if clusters is not None:
            frame = frame.where(col("cluster").isin(sorted(clusters)))
        elif self._left_out:
            frame = frame.where(~col("cluster").isin(sorted(self._left_out)))
        self._view(frame, table, rows)
        self._known.add(table)
