"""Measured conditions on given rows: answers, sentences, subjects, evidence, gaps, and the findings made of them."""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from fleet_spark.conditions import run_conditions
from fleet_spark.facts import fact_queries
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.knowledge.catalogue_folders import CatalogueError
from kafka_fleet.knowledge.conditions import Answered, asked_by, listed_subjects, load_conditions, with_answers
from kafka_fleet.knowledge.verdicts import Row
from support.builders.cases import Case, rows_of
from support.inspection.finding_shape import EVIDENCE
from support.spark_runs.analysed import analysed, spark
from support.spark_runs.fact_schemas import fact_schemas
from support.spark_runs.given_rows import give_all

pytestmark = pytest.mark.timeout(1800)
CONDITIONS = load_conditions()
READ = {"topics_sweep": "11:00:00", "configs_sweep": "11:00:00", "offsets_sweep": "11:00:00"}


def cases() -> list[Case]:
    """The cases of every condition; each is a cluster."""
    found = []
    for name in CONDITIONS:
        for one in yaml.load(
            (sql_dir() / f"conditions/{name}/cases.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
        ):
            given = one.get("given", {})
            given["cluster_days"] = [{**READ, **given.get("cluster_days", [{}])[0]}]
            found.append(Case(name, f"{name}--{one['name']}", one["about"], "fires", one["expect"], given))
    return found


ALL = cases()
UNSWEPT = "without-sweeps"


def register() -> None:
    """Let the fact tables have the rows of all cases."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in ALL:
        for table, found in rows_of(case, fact_schemas()).items():
            rows[table] += found
    # of a cluster of which there is no sweep that counts
    for table in ("broker_days", "broker_settings", "topic_days"):
        rows[table] += [{**row, "cluster": UNSWEPT} for row in rows[table]]
    give_all(spark(), fact_schemas(), rows)


READ_BY_QUERIES = (
    *fact_queries(sql_dir()),
    "release_days",
    "refused_requests",
    *(f"{name}_thresholds" for name, one in CONDITIONS.items() if one.thresholds),
)


@cache
def run() -> tuple[dict[str, dict[str, Answered]], dict[str, pa.Table]]:
    """Cluster -> condition -> answer: all cases of all conditions in one run; and every table that it read."""
    register()
    found = run_conditions(spark(), CONDITIONS, "2026-11-20")
    return found, {table: spark().table(table).toArrow() for table in READ_BY_QUERIES}


def answers() -> dict[str, dict[str, Answered]]:
    """Cluster -> condition -> answer."""
    return run()[0]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    found = answers()[case.cluster][case.signature]
    expect = case.expect
    assert found.holds is expect["holds"], found
    assert list(found.subjects) == expect["subjects"]
    assert list(found.missing) == expect.get("missing", [])
    assert found.sentence
    if "sentence" in expect:
        assert found.sentence == expect["sentence"]
    if "evidence" in expect:
        values: dict[str, list[float]] = defaultdict(list)
        names = {(line.metric, line.unit): name for name, line in CONDITIONS[case.signature].evidence.items()}
        for line in found.evidence:
            values[names[line["metric"], line["unit"]]].append(line["value"])
        assert dict(values) == expect["evidence"]
    for line in found.evidence:
        assert set(line) == set(EVIDENCE)
        assert all(type(line[key]) in types for key, types in EVIDENCE.items()), line
        assert line["from"] <= line["to"]


def test_a_cluster_without_a_sweep_has_no_answer() -> None:
    assert set(answers()) == {case.cluster for case in ALL}


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_has_a_case_of_each_kind_and_an_advisory_that_asks_for_it(name: str) -> None:
    assert {case.expect["holds"] for case in ALL if case.signature == name} == {True, False, None}
    assert [a.id for a in load_advisories().values() if name in asked_by(a)]


def test_every_condition_that_an_advisory_asks_for_is_there() -> None:
    asked = {name for advisory in load_advisories().values() for name in asked_by(advisory)}
    assert asked <= set(CONDITIONS)


def test_a_list_of_subjects_is_cut_and_counted() -> None:
    topics = [f"topic t{number:04}" for number in range(4000)]
    assert listed_subjects(topics)[19:] == ("topic t0019", "and 3,980 more topics")
    assert listed_subjects(topics[:20]) == tuple(topics[:20])
    assert listed_subjects(topics[:21])[-1] == "and 1 more topic"
    assert listed_subjects([*topics[:20], "topic a", "broker 1"])[-1] == "and 2 more subjects"


def row(advisory: str, verdict: str, exposure: str, *missing: str) -> Row:
    return Row(advisory, None, None, None, verdict, exposure, None, missing=missing)  # type: ignore[arg-type]


def test_a_finding_carries_what_its_condition_found() -> None:
    advisory = load_advisories()["CFG-REPLICATION-FACTOR-1"]
    one = answers()["replication-factor-1--fires"]
    made = with_answers(row(advisory.id, "exposed", "exposed"), advisory, one)
    assert made.subjects == one["replication_factor_1"].subjects
    assert [line["value"] for line in made.evidence] == [3, 1, 63]
    unread = answers()["log-cleaner-unwell--missing"]
    advisory = load_advisories()["OPS-LOG-CLEANER"]
    made = with_answers(row(advisory.id, "unknown", "unknown", unread["log_cleaner_unwell"].sentence), advisory, unread)
    assert (made.subjects, made.evidence) == ((), ())
    assert made.missing == ("the log cleaner of broker 2 was not read",)


@pytest.mark.parametrize(
    ("advisory", "verdict"),
    [
        ("CFG-REPLICATION-FACTOR-1", "not_affected"),
        ("CFG-REPLICATION-FACTOR-2", "exposed"),
        ("CFG-MIN-ISR", "exposed"),
        ("CFG-UNCLEAN-ELECTION", "not_affected"),
        ("OPS-LAST-ROLL", "not_affected"),
        ("OPS-MIXED-RELEASES", "not_affected"),
        ("OPS-UNSUPPORTED-RELEASE", "exposed"),
        ("OPS-LOG-CLEANER", "not_affected"),
        ("OPS-CONSUMER-LAG", "not_affected"),
        ("OPS-CLOCK-SKEW", "not_affected"),
    ],
)
def test_a_recorded_cluster(advisory: str, verdict: str) -> None:
    """Two brokers at 3.3.1, started a moment before: two copies of every topic, a minimum of one."""
    finding = analysed().finding("follower331", advisory)
    assert finding["verdict"] == verdict, finding["missing"]
    assert finding["signature"] is finding["cause"] is finding["strength"] is None
    assert bool(finding["subjects"]) == (verdict == "exposed")
    assert finding["missing"] == []
    unseen = ("OPS-CONSUMER-LAG", "OPS-CLOCK-SKEW")  # they have nothing to show of it
    assert bool(finding["evidence"]) == (advisory not in unseen)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "other"}, "differs from its folder"),
        ({"question": "no question"}, "question"),
        ({"evidence": {"age": {"metric": "m", "unit": "u", "source": "nowhere.at_all"}}}, "no such table.column"),
        ({"thresholds": {}}, "no such threshold: max_days"),
        ({"sentence": "{% if %}"}, "template"),
    ],
)
def test_a_faulty_folder_is_named(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    whole = sql_dir() / "conditions/not_rolled_for_long"
    folder = tmp_path / "conditions/not_rolled_for_long"
    folder.mkdir(parents=True)
    content = yaml.safe_load((whole / "condition.yaml").read_text(encoding="utf-8"))
    (folder / "condition.yaml").write_text(yaml.safe_dump(content | changes))
    (folder / "detections.sql").write_text((whole / "detections.sql").read_text(encoding="utf-8"))
    with pytest.raises(CatalogueError, match=rf"condition.yaml, line \d+: .*{words}"):
        load_conditions(tmp_path)


def test_a_cluster_has_its_own_thresholds_in_the_same_query() -> None:
    name, clusters = "not_rolled_for_long", ["not-rolled-for-long--fires", "not-rolled-for-long--healthy"]
    usual = answers()
    register()
    own = {clusters[1]: {name: {"max_days": 1.0}}}
    found = run_conditions(spark(), {name: CONDITIONS[name]}, "2026-11-20", overrides=own)
    assert found[clusters[0]][name] == usual[clusters[0]][name]
    assert "are older than 180 days" in found[clusters[0]][name].sentence
    assert (found[clusters[1]][name].holds, usual[clusters[1]][name].holds) == (True, False)
