"""A day's facts, judgement and letters under kill -9 at every write: readers follow the old day or the new one."""

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from crashes import DAYS_LATER, enough, every_kill, in_memory, killed, on_their_way, tree
from fleet_spark.judge import canonical, store
from fleet_spark.stored import look, write_few
from fleet_spark.tables import Day
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.briefs import brief
from kafka_fleet.knowledge.plots import plots_path
from kafka_fleet.page.published import Published
from kafka_fleet.report.render import publish, render_letter, write_letter
from kafka_fleet.store.compaction import tidy
from kafka_fleet.store.generations import Unchangeable, claim, current
from letter_rows import DS
from published_days import confirmed, dossier, exposed
from stored_days import published

pytestmark = pytest.mark.fault(42)  # kill -9 at each write of facts, signatures, findings, report
SCHEMA = StructType([StructField("cluster", StringType()), StructField("sweeps", LongType())])
TABLES = ("broker_days", "cluster_days")
CLUSTERS = ("archive-eu", "payments-eu")
Json = dict[str, Any]


class Computed(Day):
    """A day whose rows are computed already: what is left is to store and to publish them, without a session."""

    def __init__(self, home: Path, generation: str) -> None:
        self.home = self.results = home
        self.ds, self.generation = DS, generation


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as folder:
        yield folder


def facts(home: Path, generation: str, sweeps: int) -> None:
    day = Computed(home, generation)
    for table in TABLES:
        rows = pa.table({"cluster": list(CLUSTERS), "sweeps": [sweeps, sweeps]})
        write_few(day.facts_path(table) / generation, rows, SCHEMA)
    day.publish_facts(TABLES)


def judge(home: Path, generation: str, row: Json) -> None:
    day = Computed(home, generation)
    rows = [{**row, "cluster": name} for name in CLUSTERS]
    states = [{"cluster": name, "signature": "fetch_latency", "state": row["signature_state"]} for name in CLUSTERS]
    briefs = {one["cluster"]: brief([one], {"fetch_latency": row["signature_state"]}, True, {}) for one in rows}
    for name in CLUSTERS:
        day.put(plots_path(home, DS, generation, name), canonical({"sweeps": row["verdict"]}))
    store(day, rows, [dossier(name, DS) for name in CLUSTERS], briefs, states)


def report(home: Path, generation: str) -> None:
    for name in CLUSTERS:
        write_letter(home, DS, generation, name)
    publish(home, DS, generation)


def first(home: Path) -> None:
    """A day that was judged and told by its first run."""
    facts(home, claim(home, DS), 2)
    judge(home, "g0001", exposed())
    report(home, "g0001")


def made(home: Path, *jobs: Any) -> Path:
    home.mkdir()
    for job in jobs:
        assert killed(job, home, None) is None
    return home


def counted(home: Path) -> dict[str, Any]:
    """Rows of each fact table as its readers find them."""
    folders = {table: home / f"facts/{table}/ds={DS}" for table in TABLES}
    return {table: look(folder / str(current(folder))).read().to_pylist() for table, folder in folders.items()}


def judged(home: Path) -> tuple[Any, Any, Any]:
    """The stages of a judgement as readers find them, the page among them."""
    page = Published(home)
    shown = [(page.dossier(DS, name), page.brief(DS, name), page.plots(DS, name)) for name in CLUSTERS]
    return published(home, "signatures", DS), published(home, "findings", DS), (page.summary(DS), shown)


def copies(home: Path) -> dict[str, bytes]:
    """What lies at the paths that people link to."""
    folder = home / f"reports/ds={DS}"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".html", ".txt")}


def healed(home: Path, job: Any, whole: dict[str, bytes]) -> None:
    """The task is tried again as Airflow does, in the same generation, and the day is tidied."""
    assert killed(job, home, None) is None
    tidy(home, DAYS_LATER)
    assert on_their_way(home) == []
    assert tree(home) == whole


def test_facts_are_published_table_by_table_and_each_is_whole(place: Path) -> None:
    def second(home: Path) -> None:
        facts(home, "g0002", 3)

    template = made(place / "old", first)
    old, new = counted(template), counted(whole := made(place / "new", first, second))
    assert old != new
    points = set()
    for write, home in every_kill(second, template, place, 12):
        points.add(write)
        assert all(rows in (old[table], new[table]) for table, rows in counted(home).items()), write
        healed(home, second, tree(whole))
    enough(points, 2, 25)


def test_a_table_that_is_published_stays_readable_while_its_task_runs_again(place: Path) -> None:
    def again(home: Path) -> None:
        facts(home, "g0001", 2)

    template = made(place / "old", again)
    for write, home in every_kill(again, template, place, 6):
        assert counted(home) == counted(template), write


def test_a_judgement_is_published_whole(place: Path) -> None:
    def second(home: Path) -> None:
        judge(home, "g0002", confirmed())

    template = made(place / "old", first)
    old, new = judged(template), judged(whole := made(place / "new", first, second))
    points = set()
    for write, home in every_kill(second, template, place, 12):
        points.add(write)
        states, findings, page = judged(home)
        assert states in (old[0], new[0]), write
        assert (findings, page) in (old[1:], new[1:]), write
        assert findings == old[1] or states == new[0], write
        healed(home, second, tree(whole))
    enough(points, 5, 50)


def test_what_is_published_is_written_again_only_as_it_is(place: Path) -> None:
    home = made(place / "home", first)
    before = tree(home)
    judge(home, "g0001", exposed())
    with pytest.raises(Unchangeable, match="g0001 of 2026-11-20 is published and changes no more: clear the run from"):
        judge(home, "g0001", confirmed())
    assert tree(home) == before


def test_letters_are_published_whole(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = cache(lambda cluster, found: render_letter(json.loads(cluster), json.loads(found), load_advisories()))
    monkeypatch.setattr(  # it is the writing that is killed: each letter is drawn once
        "kafka_fleet.report.render.render_letter",
        lambda dossier, findings, _advisories: drawn(json.dumps(dossier), json.dumps(findings)),
    )

    def second(home: Path) -> None:
        report(home, "g0002")

    template = made(place / "old", first, lambda home: judge(home, "g0002", confirmed()))
    # a cluster that the day has no more: its copies go
    for kind in ("html", "txt"):
        (template / f"reports/ds={DS}/removed-eu.{kind}").write_text("old")
    whole = shutil.copytree(template, place / "new")
    second(whole)  # here, so that forks find the letters drawn
    old, new = published(template, "reports", DS), published(whole, "reports", DS)
    assert old.keys() == new.keys()
    points = set()
    for write, home in every_kill(second, template, place, 12):
        points.add(write)
        found = published(home, "reports", DS)
        assert found in (old, new), write
        for name, content in copies(home).items():
            assert content in (old.get(name, b"old"), new.get(name)), (write, name)
        assert copies(home).keys() >= new.keys(), "what was there before is there"
        healed(home, second, tree(whole))
    enough(points, 5, 60)
    assert json.loads((whole / f"reports/ds={DS}/_current.json").read_bytes()) == {"generation": "g0002"}
