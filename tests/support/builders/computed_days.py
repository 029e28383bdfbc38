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
from fleet_spark.stored import look, write_few
from fleet_spark.tables import Day
from kafka_fleet.documents.day_summaries import day_summary
from kafka_fleet.documents.published import Published
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.render import publish, render_letter, write_letter
from kafka_fleet.store.generations import claim_generation, current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.manifests import sweep_times
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
        write_few(day.facts_path(table) / generation, rows, SCHEMA)
    day.publish_facts(TABLES)


def judge(home: Path, generation: str, row: Json, ds: str = DS, clusters: Sequence[str] = CLUSTERS) -> None:
    """Judge each cluster alike; of those that have raw, the dossiers count their sweeps."""
    day = Computed(home, generation, ds)
    rows = [{**row, "cluster": name, "ds": ds} for name in clusters]
    states = [{"cluster": name, "signature": "fetch_latency", "state": row["signature_state"]} for name in clusters]
    briefs = {one["cluster"]: day_summary([one], {"fetch_latency": row["signature_state"]}, True, {}) for one in rows}
    dossiers = [dossier(name, ds) for name in clusters]
    for one in dossiers:
        day.put(Home(home).generation(ds, generation).plots(one["cluster"]), canonical({"sweeps": row["verdict"]}))
        if count := len(sweep_times(home, ds, one["cluster"])):
            one["coverage"] = one["coverage"] | {"sweeps": count}
    store(day, rows, dossiers, briefs, states)


def report(home: Path, generation: str) -> None:
    for name in CLUSTERS:
        write_letter(home, DS, generation, name)
    publish(home, DS, generation)


def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw each letter once: where it is the writing that is tested, and many times."""
    drawn = cache(lambda cluster, found: render_letter(json.loads(cluster), json.loads(found), load_advisories()))
    monkeypatch.setattr(
        "kafka_fleet.report.render.render_letter",
        lambda dossier, findings, _advisories: drawn(json.dumps(dossier), json.dumps(findings)),
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
        table: look(folder / str(current_generation(folder))).read().to_pylist() for table, folder in folders.items()
    }


def judged(home: Path) -> tuple[Any, Any, Any]:
    """The stages of a judgement as readers find them, the page among them."""
    page = Published(home)
    shown = [(page.dossier(DS, name), page.brief(DS, name), page.plots(DS, name)) for name in CLUSTERS]
    return published(home, "signatures", DS), published(home, "findings", DS), (page.summary(DS), shown)


def copies(home: Path) -> dict[str, bytes]:
    """What lies at the paths that people link to."""
    folder = home / f"reports/ds={DS}"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".html", ".txt")}
