"""Unclean elections from raw rows to detections: a busy log that grows past what it lost, and what looks like that."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from support.generators.days.cluster import EVERY_S, Sim, Steps
from support.generators.days.quiet import clients, finished, group, steady
from support.generators.days.rows import sweeps
from support.generators.days.traffic import produce
from support.generators.fleetgen.analysis import analyse_by_duckdb
from support.generators.fleetgen.landing import land_rows

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("duckdb"),
    pytest.mark.sampled("duckdb"),
]  # the first test waits for the analysis that all read
Row = dict[str, Any]
Sweep = tuple[str, datetime, dict[str, list[Row]]]
LOST = 2 * EVERY_S + 200


def elected(name: str, release: str, kraft: bool = True, partitions: int = 1, counted: int = 1) -> Sim:
    """Partitions whose set is broker 1 alone; it dies, broker 2 or 3 is elected, and records go on to come."""
    sim = Sim(name, release, kraft=kraft, sweeps=4)
    sim.topic("orders", 6)
    for number in (0, 3)[:partitions]:
        sim.logs["orders", number].isr.set(2 * EVERY_S - 30, [1])
    sim.controller.set(0.0, 3)
    sim.restart(1, LOST, LOST + 90, elected_back=4 * EVERY_S)
    sim.count(3, LOST, ("c", "unclean_leader_elections"), counted)
    sim.built()
    for broker in sim.brokers if kraft else ():  # each controller of a quorum counts all
        sim.gauges[broker]["unclean_leader_elections"] = Steps(0)
        if broker != 1:
            sim.gauges[broker]["unclean_leader_elections"].set(LOST, counted)
    clients(sim, release)
    produce(sim, steady(sim, "orders", 20))
    group(sim, "billing", "orders", 1)
    return finished(sim)


def rows() -> Iterator[Sweep]:
    """Sweeps of all clusters; one of them has eligible leader replicas."""
    made = [
        elected("zookeeper", "2.8.2", kraft=False), elected("quorum", "4.1.1"), elected("before", "3.9.1"),
        elected("eligible", "4.1.1"), elected("two-of-one", "4.1.1", partitions=2), elected("none", "4.1.1", counted=0),
    ]  # fmt: skip
    for name, at, tables in (one for sim in made for one in sweeps(sim)):
        if name == "eligible":
            level = {"feature": "eligible.leader.replicas.version", "min_level": 0, "max_level": 1}
            tables["features"] = [*tables["features"], level]
        yield name, at, tables


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    home = tmp_path_factory.mktemp("elections")
    land_rows(Path(home), "elections", rows())
    names = ["before", "eligible", "none", "quorum", "two-of-one", "zookeeper"]
    return {row["cluster"]: row for row in analyse_by_duckdb(home, names, ("offset_rewind",))}


@pytest.mark.parametrize("cluster", ["zookeeper", "quorum"])
def test_a_log_that_has_grown_past_what_it_lost(results: dict[str, Row], cluster: str) -> None:
    (found,) = results[cluster]["detections"]
    assert (found["cause"], found["strength"]) == ("unclean_election", "conclusive")
    assert found["subjects"][1:] == ["topic orders", "partition orders-0"]
    values = {line["metric"]: line["value"] for line in found["evidence"]}
    assert (
        values["unclean elections counted meanwhile"]
        == values["partitions whose new leader was outside the ISR before"]
        == 1
    )
    assert "records by which leaders' logs became shorter" not in values  # how many are gone is not known


@pytest.mark.parametrize("cluster", ["before", "eligible", "two-of-one"])
def test_a_count_that_may_be_of_something_else_proves_nothing(results: dict[str, Row], cluster: str) -> None:
    """KRaft before 4.1 counts wrongly, an eligible replica lacks nothing, and one election is not two."""
    found = results[cluster]["detections"]
    assert [(one["cause"], one["strength"]) for one in found] == [("unclean_election", "suggestive")]


def test_a_leader_that_came_back_into_the_set_is_none(results: dict[str, Row]) -> None:
    assert (results["none"]["state"], results["none"]["detections"]) == ("quiet", [])
