"""A sweep that an earlier version stored though the next one began while it ran: the day is the one without it."""

import copy
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from fleet_spark.facts import write_facts
from fleet_spark.judge import tables_needed, write_findings
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.store.generations import claim_generation
from support.homes.recorded import Sweep, changed, land_all, recorded_day
from support.spark_runs.analysed import Analysed, spark

pytestmark = [pytest.mark.timeout(1200), pytest.mark.fault(36), pytest.mark.sampled("hostile-days")]
COMPARED = ("broker_intervals", "partition_rates", "broker_counters", "commit_intervals", "group_coordinators",
            "offset_rewinds", "log_end_losses", "leader_log_ends", "broker_assignments", "host_counters",
            "discarded_intervals")  # fmt: skip
EMPTY = ("offset_rewinds", "log_end_losses", "discarded_intervals")  # of a healthy day
SIGNATURES = ["offset_rewind"]
LATE, SLOW_S = timedelta(seconds=15), timedelta(seconds=1)


def read_later(sweep: Sweep, by: timedelta) -> None:
    """Of the same processes, which began when they did."""
    for row in (row for rows in sweep.tables.values() for row in rows):
        row |= {name: value + by for name, value in row.items() if isinstance(value, datetime)}


def sweeps_of(cluster: str) -> tuple[list[Sweep], Sweep]:
    """Five sweeps; and one that began before the fourth and read, slowly, what the fifth would have read."""
    sweeps = changed("follower331", cluster, lambda _: None)
    for number, one in enumerate(sweeps):
        one.tables["hosts"] = [{"broker": 1, "outcome": "ok", "read_at": one.at, "listen_drops": 10 * number}]
        if number > 2:  # broker 2 is elected
            for row in one.tables["partitions"]:
                row["replicas_count"], row["isr_count"] = (2, 2) if row["broker"] == 2 else (0, 0)
    slow = copy.deepcopy(sweeps[-1])
    slow.at = sweeps[-2].at - SLOW_S
    for row in slow.tables["group_offsets"]:  # stamped when they were asked for
        row["read_at"] = sweeps[-2].at - SLOW_S / 2
    sweeps[-1].at += LATE
    read_later(sweeps[-1], LATE)
    return sweeps, slow


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    home: Path = tmp_path_factory.mktemp("overlapped")
    plain, _slow = sweeps_of("plain")
    both, slow = sweeps_of("overlapped")
    land_all(home, [*plain, *both[:-1], slow, both[-1]])  # the slow one ended after the other
    ds = recorded_day()
    made = Day(spark(), home, ds, claim_generation(home, ds), sql_dir())
    write_facts(made, [], {*(tables_needed(made.sql, SIGNATURES) or ()), *COMPARED})
    write_findings(made, None, [], SIGNATURES)
    return Analysed(home, ds, made.generation)


def test_which_sweep_was_overlapped(day):
    _sweeps, slow = sweeps_of("overlapped")
    found = day.facts("cluster_sweeps", overlapped=True)
    assert [(row["cluster"], row["sweep_at"]) for row in found] == [("overlapped", slow.at)]


@pytest.mark.parametrize("table", COMPARED)
def test_nothing_is_compared_with_it(day, table):
    def rows(cluster: str) -> list[str]:
        return sorted(repr({**row, "cluster": ""}) for row in day.facts(table, cluster=cluster))

    assert rows("overlapped") == rows("plain")
    assert bool(rows("plain")) == (table not in EMPTY)


def test_a_healthy_cluster_lost_nothing(day):
    states = json.loads(day.outputs()["signatures.json"])
    found = {one["cluster"]: (one["state"], one["detections"]) for one in states if one["signature"] == SIGNATURES[0]}
    assert found == {"plain": ("quiet", []), "overlapped": ("quiet", [])}
