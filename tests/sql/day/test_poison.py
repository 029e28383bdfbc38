"""No value that is stored makes a query fail: clusters of every kind of nonsense in one day, beside a recorded one.

The recorded cluster is told what it is told without them, to the byte. `python -m benchmarks.poison` tries every column
with every value; here are all that were attacks, and a sample.
"""

import json
import random
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fleet_spark.facts import write_facts
from fleet_spark.judge import write_findings
from fleet_spark.signatures import run_signatures
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.report.render import write_letter
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.builders.cases import cases
from support.homes.recorded import recorded_day
from support.poison.attacks import Poisoned, attacks, cells, extreme, made, singles
from support.poison.eventful_cluster import eventful
from support.poison.poisoned_cases import cluster, poisoned
from support.poison.poisoned_days import failures, held
from support.spark_runs.analysed import Analysed, analysed, spark
from support.spark_runs.fact_schemas import fact_schemas
from support.spark_runs.given_rows import give_all

pytestmark = [pytest.mark.sampled, pytest.mark.timeout(1800), pytest.mark.fault(64)]
HEALTHY = "follower331"
SINGLES, EXTREMES, SEEDS = 40, 16, 3


class Story(NamedTuple):
    """The day as it was judged, and what was done to each of its clusters."""

    day: Analysed
    done: dict[str, str]


def as_landed(name: str) -> Poisoned:
    """A recorded cluster of the analysed day, as its home holds it."""
    sweeps = [one for one in manifests(analysed().home, recorded_day())[0] if one.cluster == name]
    return Poisoned(name, {table: read_rows(analysed().home, sweeps, table) for table in raw_schemas()}, True)


def clusters() -> tuple[list[Poisoned], dict[str, str]]:
    """Every attack, a sample of single columns, and clusters of extremes; what was done, by cluster."""
    sample = random.Random(20).sample(list(singles()), SINGLES)  # noqa: S311  # repeatable, and no secret
    done = {f"single-{number}": name for number, (name, _change) in enumerate(sample)}
    found = [made(name, change) for name, change in attacks().items()]
    found += [made(name, change) for name, (_done, change) in zip(done, sample, strict=True)]
    found += [made(f"extreme-{seed}", extreme(seed)) for seed in range(EXTREMES)]
    return found, done


@cache
def story_in(folder: Path) -> Story:
    found, done = clusters()
    every = [*found, as_landed(HEALTHY), Poisoned("eventful", eventful("eventful"))]
    day = held(folder, recorded_day(), every)
    try:
        write_facts(day, [])
        write_findings(day, None, [], [])
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
        named = [f"{one.query} on {one.cluster} ({done.get(one.cluster, '')}): {one.error}"
                 for one in failures(folder / "again", recorded_day(), every)]  # fmt: skip
        if not named:
            raise  # no query: what takes the rows did
        pytest.fail("\n".join(named))
    return Story(Analysed(folder, recorded_day(), day.generation), done)


@pytest.fixture
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return story_in(tmp_path_factory.getbasetemp() / "poison")


def test_every_cluster_is_judged_whatever_it_holds(story: Story) -> None:
    judged = {one["cluster"] for one in json.loads(story.day.outputs()["findings.json"])}
    assert judged == {*attacks(), *story.done, *(f"extreme-{seed}" for seed in range(EXTREMES)), HEALTHY, "eventful"}
    reports = [story.day.dossier(name) for name in sorted(judged)]
    assert {one["cluster"]: one["set_aside"] for one in reports if one["set_aside"]} == {}
    assert [one["cluster"] for one in reports if one["readiness"] is None] == []  # each could be asked about a roll


def test_the_recorded_cluster_is_told_what_it_is_told_without_them(story: Story) -> None:
    own, alone = story.day.outputs(), analysed().outputs()
    assert story.day.findings(HEALTHY) == analysed().findings(HEALTHY)
    assert len(analysed().findings(HEALTHY)) > 20
    for path in (f"clusters/{HEALTHY}.json", f"verdicts/{HEALTHY}.json", f"plots/{HEALTHY}.json"):
        assert own[path] == alone[path], path


def test_the_eventful_cluster_gives_rows_to_nearly_every_fact(story: Story) -> None:
    """Where no row meets another, no value can do harm, and nothing would be shown."""
    empty = {
        path.name for path in (story.day.home / "facts").iterdir() if not story.day.facts(path.name, cluster="eventful")
    }
    # looks have days of their own: test_close_looks.py
    assert empty <= {"lost_producers", "look_steps"}


@pytest.mark.parametrize("name", ["start-at-the-end-of-time", "agent-time", "extreme-2", "no-replicas"])
def test_a_letter_is_written_of_what_was_judged(story: Story, name: str) -> None:
    write_letter(story.day.home, recorded_day(), story.day.generation, name)


@pytest.mark.parametrize(
    ("name", "advisory", "missing"),
    [
        ("agent-time", "OPS-CLOCK-SKEW", "the clock of broker 1 was not read"),
        ("starts-in-microseconds", "OPS-LAST-ROLL", "the process start of broker 1 was not read"),
    ],
)
def test_what_nobody_can_mean_counts_as_not_measured(story: Story, name: str, advisory: str, missing: str) -> None:
    found = story.day.finding(name, advisory)
    assert found["verdict"] == "unknown"
    assert any(missing in sentence for sentence in found["missing"]), found["missing"]


def test_no_signature_fails_on_the_facts_of_its_cases() -> None:
    schemas, rows, asked = fact_schemas(), defaultdict(list), {}
    signatures = load_signatures(sql_dir())
    for name in signatures:
        for case in cases(sql_dir() / "signatures" / name):
            if case.kind == "missing":
                continue
            for seed in range(SEEDS):
                asked[cluster(case, seed)] = {name: case.thresholds}
                for table, given in poisoned(case, schemas, seed).items():
                    rows[table] += given
    give_all(spark(), schemas, rows)
    found: dict[str, Any] = run_signatures(spark(), list(signatures.values()), asked)
    states = {result.result.state for one in found.values() for result in one.values()}
    assert states == {"detected", "quiet", "not_evaluated"}


def test_every_column_is_tried() -> None:
    tried = {name.partition(" ")[0] for name, _change in singles()}
    assert {f"{table}.{column}" for table, column in cells()} <= tried
