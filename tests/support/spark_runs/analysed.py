"""The recorded day, analysed once per test run: real sweeps and every mutation, through the real facts and verdicts."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import yaml
from pyspark.sql import SparkSession

from fleet_spark.facts import write_facts
from fleet_spark.judge import tables_needed, write_findings
from fleet_spark.query_profiles import apply_profile
from fleet_spark.session import DEFAULTS, FIXED
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.cli.main import main
from kafka_fleet.store.generations import claim_generation
from kafka_fleet.store.raw.compaction import compact
from kafka_fleet.store.raw.manifests import Damaged, Manifest
from support.builders.mutations import every_mutation
from support.homes.golden_homes import unpack
from support.homes.recorded import land_all, recorded_day, write_home
from support.homes.stored_days import entries, store_day

JUDGED_BY = ["fetch_latency"]  # of eight signatures; tests/live judges days by all of them


@cache
def spark() -> SparkSession:
    """The one session of a test run, with the settings of the jobs, on two cores of this machine."""
    builder = SparkSession.builder.master("local[2]").appName("tests").config("spark.driver.host", "127.0.0.1")
    for key, value in (DEFAULTS | FIXED).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    apply_profile(session, rows=0)  # for what is asked without a day
    atexit.register(session.stop)
    return session


class Backwards(Day):
    """A day that hands its files to Spark in the opposite order."""

    def sweeps(self, clusters: list[str]) -> tuple[list[Manifest], list[Damaged]]:
        whole, damaged = super().sweeps(clusters)
        return whole[::-1], damaged[::-1]


class Analysed(NamedTuple):
    """One generation of one day."""

    home: Path
    ds: str
    generation: str

    def facts(self, table: str, **keys: object) -> list[dict[str, Any]]:
        """Rows of a fact table whose columns have the given values."""
        rows = pq.read_table(self.home / f"facts/{table}/ds={self.ds}" / self.generation).to_pylist()
        return [row for row in rows if all(row[key] == value for key, value in keys.items())]

    def outputs(self) -> dict[str, bytes]:
        """Content of every published result file, by path below the generation."""
        found = {}
        for stage in ("findings", "signatures"):
            folder = self.home / f"{stage}/ds={self.ds}" / self.generation
            found |= {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.json"))}
        return found

    def findings(self, cluster: str) -> list[dict[str, Any]]:
        """Findings of one cluster."""
        return [one for one in json.loads(self.outputs()["findings.json"]) if one["cluster"] == cluster]

    def finding(self, cluster: str, advisory: str) -> dict[str, Any]:
        """One cluster's finding on one advisory."""
        return next(one for one in self.findings(cluster) if one["advisory"] == advisory)

    def state(self, cluster: str) -> dict[str, Any]:
        """State and detections of fetch_latency on one cluster."""
        rows = json.loads(self.outputs()["signatures.json"])
        return next(one for one in rows if one["cluster"] == cluster and one["signature"] == "fetch_latency")

    def dossier(self, cluster: str) -> dict[str, Any]:
        """What the cluster's letter is written from."""
        found: dict[str, Any] = json.loads(self.outputs()[f"clusters/{cluster}.json"])
        return found


def analyse(home: Path, ds: str, kind: type[Day] = Day, signatures: Sequence[str] = ()) -> Analysed:
    """Facts and findings of one day as a new generation, in this process; of all signatures unless some are named."""
    day = kind(spark(), home, ds, claim_generation(home, ds), sql_dir())
    write_facts(day, [], tables_needed(day.sql, signatures))
    write_findings(day, None, [], signatures)
    return Analysed(home, ds, day.generation)


def by_hand(home: Path, ds: str, fleet: Path, signatures: list[str]) -> None:
    """Judge a day of a folder by some signatures and write its letters, all in this process and without Airflow."""
    day = Day(spark(), home, ds, claim_generation(home, ds), sql_dir())
    write_facts(day, [], tables_needed(day.sql, signatures))
    write_findings(day, fleet, [], signatures)
    assert main(["report", "--fleet", str(fleet), "--home", str(home), "--date", ds]) == 0


@cache
def judged_by_hand(other: str, ds: str, *clusters: str) -> Path:
    """Home of two days of recorded clusters, `ds` judged by JUDGED_BY here, with letters; nobody may change it."""
    folder = Path(tempfile.mkdtemp(prefix="fleet-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    home, fleet = folder / "home", folder / "fleet.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": entries(*clusters)}))
    for day in (other, ds):
        store_day(home, day, *clusters)
    by_hand(home, ds, fleet, JUDGED_BY)
    return home


def recorded_home(home: Path) -> None:
    """Land every recorded cluster and every mutation; two of them are hurt after they were committed.

    As on a finished day their sweeps are joined, but for those two and for what older versions wrote.
    """
    write_home(home)
    mutations = every_mutation()
    hurt = {name: mutations.pop(name) for name in ("halved", "damaged")}
    for sweeps in mutations.values():
        land_all(home, sweeps)
    compact(home, recorded_day(), today=date.max)
    unpack(home, "raw")
    landed = {name: land_all(home, sweeps) for name, sweeps in hurt.items()}
    for manifest in landed["halved"][1::2]:
        (home / f"raw/manifests/ds={manifest.sweep_at.date()}/halved.{manifest.sweep}.json").unlink()
    path = home / landed["damaged"][2].files["requests"].path
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@cache
def analysed() -> Analysed:
    """The analysed day; its folder goes when the test run ends."""
    home = Path(tempfile.mkdtemp(prefix="fleet-tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    recorded_home(home)
    return analyse(home, recorded_day())
