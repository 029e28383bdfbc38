"""One cluster never costs another its judgement: whose measurements make a query fail is set aside, and told of."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException

from fleet_spark import tables
from fleet_spark.facts import write_facts
from fleet_spark.judge import tables_needed, write_findings
from fleet_spark.sql_files import SqlFileError
from fleet_spark.tables import Day
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.store.excluded_clusters import set_aside
from kafka_fleet.store.generations import claim_generation, current_generation
from support.homes.recorded import changed, land_all, recorded_day, write_home
from support.poison.poisoned_sql import BROKEN, poisoned, raises
from support.spark_runs.analysed import Analysed, analyse, spark

pytestmark = [pytest.mark.sampled("set-aside"), pytest.mark.timeout(1200)]  # a mark at a test itself is nearer
HEALTHY = ["follower331", "idle331"]
BY = ["fetch_latency"]
# cluster -> the file that fails for it, and how the sentence calls that query; in the order in which they are run
GUILTY = {
    "a-hostile-fact": ("marts/broker_intervals", "broker_intervals"),
    "hostile-step": ("signatures/fetch_latency/1_fetch_spans", "fetch_latency/fetch_spans"),
    "hostile-need": ("signatures/fetch_latency/needs", "needs"),
    "z-hostile-condition": ("conditions/min_isr_unsafe/detections", "conditions"),
    "hostile-plot": ("plots/fetch_times/query", "plots"),
}
WHY = "Not judged on this day: its measurements made the query `{}` fail (USER_RAISED_EXCEPTION)."
SENTENCES = {cluster: WHY.format(name) for cluster, (_path, name) in sorted(GUILTY.items())}


class Untried(tables.Day):
    """A day on which nothing fails: then nothing is run or read for the sake of what might."""

    def show(self, names: Collection[str], clusters: Collection[str]) -> None:
        raise AssertionError(f"{names} of {clusters} are shown although nothing failed")


class Killed(BaseException):
    """As a signal that ends the process."""


def killed_while_it_looks(home: Path, sql: Path, generation: str) -> None:
    """Compute facts until the third trial, and no further."""
    trials = []

    class Day(tables.Day):
        def show(self, names: Collection[str], clusters: Collection[str]) -> None:
            trials.append(clusters)
            if len(trials) == 3:
                raise Killed
            super().show(names, clusters)

    with pytest.raises(Killed):
        write_facts(Day(spark(), home, recorded_day(), generation, sql), [], tables_needed(sql, BY))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    """The healthy clusters, judged where no other was ever stored."""
    home = tmp_path_factory.mktemp("alone")
    write_home(home, HEALTHY)
    return analyse(home, recorded_day(), Untried, signatures=BY)


def judged(home: Path, healthy: list[str], guilty: Collection[str]) -> Analysed:
    """These healthy clusters beside the guilty, each of which makes its query fail; by the retry of a killed job."""
    write_home(home, healthy)
    for name in guilty:
        land_all(home, changed("follower331", name, lambda _sweeps: None))
    sql = poisoned(home, {path: raises(name) for name, (path, _query) in GUILTY.items() if name in guilty})
    generation = claim_generation(home, recorded_day())
    killed_while_it_looks(home, sql, generation)
    assert current_generation(home / f"facts/broker_intervals/ds={recorded_day()}") is None
    write_facts(Day(spark(), home, recorded_day(), generation, sql), [], tables_needed(sql, BY))
    write_findings(Day(spark(), home, recorded_day(), generation, sql), None, [], BY)  # a submit of its own
    return Analysed(home, recorded_day(), generation)


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    """The healthy clusters beside one for each kind of query."""
    return judged(tmp_path_factory.mktemp("beside"), HEALTHY, GUILTY)


def of(day: Analysed, names: list[str]) -> dict[str, Any]:
    """All that is written of these clusters: findings and states as JSON, documents as bytes."""
    found: dict[str, Any] = {}
    for path, content in day.outputs().items():
        if path in ("findings.json", "signatures.json"):
            found[path] = [one for one in json.loads(content) if one["cluster"] in names]
        elif path == "summary.json":
            found[path] = {name: json.loads(content)["clusters"][name] for name in names}
        elif Path(path).stem in names:
            found[path] = content
    return found


@pytest.mark.fault(65)
def test_the_healthy_have_the_bytes_of_a_day_without_the_guilty(alone: Analysed, beside: Analysed) -> None:
    found = of(beside, HEALTHY)
    assert found == of(alone, HEALTHY)
    assert len(found) == 3 + 3 * len(HEALTHY)
    assert any(one["verdict"] == "confirmed" for one in found["findings.json"])


@pytest.mark.fault(65)
def test_each_guilty_cluster_has_a_sentence_with_its_query_and_all_its_documents(beside: Analysed) -> None:
    assert set_aside(beside.home, beside.ds, beside.generation) == SENTENCES
    findings = json.loads(beside.outputs()["findings.json"])
    for name, why in SENTENCES.items():
        own = [one for one in findings if one["cluster"] == name]
        assert [one["advisory"] for one in own] == sorted(load_advisories())
        assert {(one["verdict"], one["exposure"], tuple(one["missing"])) for one in own} == {
            ("unknown", "unknown", (why,))
        }
        dossier = beside.dossier(name)
        assert (dossier["reached"], dossier["set_aside"]) == (True, why)
        assert dossier["owners"] == beside.dossier("follower331")["owners"] != []
        coverage, like = dossier["coverage"], beside.dossier("follower331")["coverage"]
        for told in ("sweeps", "first_sweep", "last_sweep", "admin"):
            assert coverage[told] == like[told]
        answers = [(b["broker"], b["host"], b["rack"], b["ok"], b["failed"]) for b in coverage["brokers"]]
        assert answers == [(b["broker"], b["host"], b["rack"], b["ok"], b["failed"]) for b in like["brokers"]]
        plots = json.loads(beside.outputs()[f"plots/{name}.json"])["plots"]
        assert {text for plot in plots for text in plot["missing"]} == {why}


@pytest.mark.parametrize(
    "guilty",
    [
        pytest.param(["hostile-step"], marks=pytest.mark.sampled("set-aside-again-by-a-step")),
        pytest.param(["z-hostile-condition"], marks=pytest.mark.sampled("set-aside-again-by-a-condition")),
        pytest.param(["hostile-need", "hostile-plot"], marks=pytest.mark.sampled("set-aside-again-by-a-plot")),
    ],
    ids=["step", "condition", "need and plot"],
)
@pytest.mark.fault(65)
def test_a_second_run_gives_the_same_bytes_and_a_cleared_judge_changes_none(tmp_path: Path, guilty: list[str]) -> None:
    first = judged(tmp_path, HEALTHY, ["a-hostile-fact", *guilty])
    assert set(set_aside(first.home, first.ds, first.generation)) == {"a-hostile-fact", *guilty}
    before, sql = first.outputs(), first.home / "sql"
    day = Day(spark(), first.home, first.ds, claim_generation(first.home, first.ds), sql)
    write_facts(day, [], tables_needed(sql, BY))
    write_findings(day, None, [], BY)  # as analyze: both in one session
    assert Analysed(first.home, first.ds, day.generation).outputs() == before
    cleared = Day(spark(), first.home, first.ds, day.generation, sql)
    write_findings(cleared, None, [], BY)  # raises Unchangeable for a byte that is another


TABLE = "broker_settings"


def facts(tmp_path: Path, condition: str, clusters: list[str]) -> Path:
    """Compute one table, which has a condition on its rows."""
    home = tmp_path / "home"
    write_home(home, clusters)
    sql = poisoned(tmp_path, {f"marts/{TABLE}": condition})
    write_facts(Day(spark(), home, recorded_day(), claim_generation(home, recorded_day()), sql), [], {TABLE})
    return home


@pytest.mark.fault(65)
def test_every_cluster_may_be_guilty(tmp_path: Path) -> None:
    home = facts(tmp_path, "assert_true(cluster = '') IS NULL", HEALTHY)
    why = WHY.format(TABLE)
    assert set_aside(home, recorded_day(), "g0001") == dict.fromkeys(HEALTHY, why)
    assert current_generation(home / f"facts/{TABLE}/ds={recorded_day()}") == "g0001"


@pytest.mark.parametrize(
    ("condition", "clusters", "reason"),
    [
        (BROKEN, HEALTHY, rf"sql/marts/{TABLE}.sql, line \d+: .UNRESOLVED_COLUMN"),
        (
            "IF((SELECT count(DISTINCT cluster) FROM raw_sweeps) > 1, raise_error('together'), TRUE)",
            HEALTHY,
            "together",
        ),
    ],
    ids=["fails for nobody's rows as well", "fails for two clusters together only"],
)
@pytest.mark.fault(66)
def test_what_no_cluster_does_by_itself_ends_the_job_as_ever(
    tmp_path: Path, condition: str, clusters: list[str], reason: str
) -> None:
    with pytest.raises((PySparkException, SqlFileError), match=reason):
        facts(tmp_path, condition, clusters)
    assert set_aside(tmp_path / "home", recorded_day(), "g0001") == {}
    assert current_generation(tmp_path / f"home/facts/{TABLE}/ds={recorded_day()}") is None
