"""A day whose rows are computed already: takes a home, writes and publishes its stages as the jobs do, and reads them.

What writes is the real code of facts, judgement and letters; only Spark is left out.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from fleet_spark.judge import canonical, store
from fleet_spark.parquet import read_footer, write_local
from fleet_spark.tables import Day
from kafka_fleet.documents.cluster_report import SignatureDay
from kafka_fleet.documents.finding import parsed_findings
from kafka_fleet.documents.plots import Plots
from kafka_fleet.documents.published import Published
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.render import publish, write_letter
from kafka_fleet.store.generations import claim_generation, current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.manifests import sweep_times
from support.builders.documents import day_summary, render_letter
from support.builders.documents import report as report_of
from support.builders.letter_rows import DS
from support.builders.published_days import dossier, exposed
from support.homes.stored_days import published

SCHEMA = StructType([StructField("cluster", StringType()), StructField("sweeps", LongType())])
TABLES = ("broker_days", "cluster_days")
CLUSTERS = ("archive-eu", "payments-eu")
Json = dict[str, Any]


class Computed(Day):
    """A day whose rows are computed already: what is left is to store and to publish them, without a session."""

    def __init__(self, home: Path, generation: str, ds: str = DS) -> None:
        self.home = self.results = home
        self.ds, self.generation = ds, generation


def facts(home: Path, generation: str, sweeps: int, ds: str = DS) -> None:
    day = Computed(home, generation, ds)
    for table in TABLES:
        rows = pa.table({"cluster": list(CLUSTERS), "sweeps": [sweeps, sweeps]})
        write_local(day.facts_path(table) / generation, rows, SCHEMA)
    day.publish_facts(TABLES)


def _plots(cluster: str, ds: str, verdict: str) -> Plots:
    """Nothing is drawn; the verdict tells one judgement from another."""
    sweeps = {"count": 0, "first": None, "last": None, "usual": None, "gaps": [], "gap_count": 0}
    return Plots.model_validate({"ds": ds, "cluster": cluster, "sweeps": sweeps, "plots": [], "verdict": verdict})


def judge(home: Path, generation: str, row: Json, ds: str = DS, clusters: Sequence[str] = CLUSTERS) -> None:
    """Judge each cluster alike; of those that have raw, the dossiers count their sweeps."""
    day = Computed(home, generation, ds)
    rows = [{**row, "cluster": name, "ds": ds} for name in clusters]
    state = {"signature": "fetch_latency", "state": row["signature_state"], "detections": [], "missing": []}
    states = [SignatureDay.model_validate({"cluster": name, **state}) for name in clusters]
    briefs = {one["cluster"]: day_summary([one], {"fetch_latency": row["signature_state"]}, True, {}) for one in rows}
    dossiers = [dossier(name, ds) for name in clusters]
    for one in dossiers:
        plots = canonical(_plots(one["cluster"], ds, row["verdict"]))
        day.put(Home(home).generation(ds, generation).plots(one["cluster"]), plots)
        if count := len(sweep_times(home, ds, one["cluster"])):
            one["coverage"] = one["coverage"] | {"sweeps": count}
    store(day, parsed_findings(rows), [report_of(one) for one in dossiers], briefs, states)


def report(home: Path, generation: str) -> None:
    for name in CLUSTERS:
        write_letter(home, DS, generation, name)
    publish(home, DS, generation)


def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw each letter once: where it is the writing that is tested, and many times."""
    drawn = cache(
        lambda cluster, found, pack: render_letter(
            json.loads(cluster), json.loads(found), load_advisories(), knowledge=pack
        )
    )
    monkeypatch.setattr(
        "kafka_fleet.report.render.render_letter",
        lambda report, findings, _advisories, knowledge=None: drawn(
            json.dumps(report.plain()), json.dumps([one.plain() for one in findings]), knowledge
        ),
    )


def first(home: Path) -> None:
    """A day that was judged and told by its first run."""
    facts(home, claim_generation(home, DS), 2)
    judge(home, "g0001", exposed())
    report(home, "g0001")


def counted(home: Path) -> dict[str, Any]:
    """Rows of each fact table as its readers find them."""
    folders = {table: home / f"facts/{table}/ds={DS}" for table in TABLES}
    return {
        table: read_footer(folder / str(current_generation(folder))).read().to_pylist()
        for table, folder in folders.items()
    }


def judged(home: Path) -> tuple[Any, Any, Any]:
    """The stages of a judgement as readers find them, the page among them."""
    page = Published(home)
    shown = [(page.cluster_report(DS, name), page.day_summary(DS, name), page.plots(DS, name)) for name in CLUSTERS]
    return published(home, "signatures", DS), published(home, "findings", DS), (page.summary(DS), shown)


def copies(home: Path) -> dict[str, bytes]:
    """What lies at the paths that people link to."""
    folder = home / f"reports/ds={DS}"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".html", ".txt")}
