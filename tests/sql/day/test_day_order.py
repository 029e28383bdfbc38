"""Days judged in their order, each before the next was measured, and in another order side by side: the same values.

But for the days since when a cluster has had a finding: these are known from the days that were judged before.
Every night a broker is measured over midnight, so that each day's facts begin with a sweep of the day before.

FLEET_DAYS=30 FLEET_SIDE_BY_SIDE=4 python -m pytest tests/sql/day/test_day_order.py
judges as many days as that, so many at once.
"""

import json
import os
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from fleet_spark.facts import fact_queries, write_facts
from fleet_spark.judge import tables_needed, write_findings
from fleet_spark.parquet import read_footer
from fleet_spark.tables import Day
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.store.generations import claim_generation
from support.builders.mutations import across_midnight
from support.generators.seed import SEED
from support.homes.recorded import Sweep, changed, land_all
from support.homes.stored_days import pointers, published
from support.spark_runs.analysed import spark

DAYS = int(os.environ.get("FLEET_DAYS", "4"))
pytestmark = [pytest.mark.sampled, pytest.mark.timeout(300 * DAYS), pytest.mark.xdist_group("jobs")]
SIDE_BY_SIDE = int(os.environ.get("FLEET_SIDE_BY_SIDE", "2"))
SHOWN_BY = "follower331"
# what is measured in the night after each day but the last
NIGHTS = tuple(islice(cycle(("idle331", SHOWN_BY, "idle331")), DAYS - 1))
SIGNATURE = "fetch_latency"


def nights() -> list[Sweep]:
    """One cluster's sweeps: each night three before midnight and two after."""
    found = []
    for number, scenario in enumerate(NIGHTS):
        sweeps = changed(scenario, "orders", across_midnight)
        for one in sweeps:
            one.move(timedelta(days=number))
        found += sweeps
    return found


def judge(home: Path, ds: str) -> str:
    """Judge one day in a session of its own, whose views no other day sees."""
    day = Day(spark().newSession(), home, ds, claim_generation(home, ds), sql_dir())
    write_facts(day, [], tables_needed(day.sql, [SIGNATURE]))
    write_findings(day, None, [], [SIGNATURE])
    return day.generation


def without_first_days(value: Any) -> Any:
    """A JSON value without the members that depend on which days were judged before."""
    if isinstance(value, dict):
        return {key: without_first_days(one) for key, one in value.items() if key not in ("first_day", "last_day")}
    return [without_first_days(one) for one in value] if isinstance(value, list) else value


def stages(home: Path, days: Sequence[str]) -> dict[str, Any]:
    """What is published of each day: its documents, rows of its fact tables."""
    found: dict[str, Any] = {}
    for stage in ("findings", "signatures"):
        for ds in days:
            documents = published(home, stage, ds).items()
            found[f"{stage} {ds}"] = {path: without_first_days(json.loads(content)) for path, content in documents}
    for folder, generation in pointers(home).items():
        if folder.startswith("facts/"):
            rows = read_footer(home / folder / generation).read().to_pylist()
            found[folder] = sorted(json.dumps(row, default=str, sort_keys=True) for row in rows)
    return found


def verdict(home: Path, ds: str) -> str:
    """On the bug that the nights of SHOWN_BY show."""
    rows = json.loads(published(home, "findings", ds)["findings.json"])
    return next(row["verdict"] for row in rows if row["advisory"] == "KAFKA-14334")


@pytest.mark.fault(47)
def test_days_in_any_order_and_side_by_side(tmp_path: Path) -> None:
    sweeps = nights()
    days = sorted({one.at.date().isoformat() for one in sweeps})
    assert len(days) == len(NIGHTS) + 1
    ordered, mixed = tmp_path / "ordered", tmp_path / "mixed"
    for ds in days:  # no later day is measured yet
        land_all(ordered, [one for one in sweeps if one.at.date().isoformat() == ds])
        judge(ordered, ds)
    land_all(mixed, sweeps)
    dice, order = random.Random(SEED), list(days)  # noqa: S311 - to be had again
    while order[0] == days[0]:
        dice.shuffle(order)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        assert set(pool.map(lambda ds: judge(mixed, ds), order)) == {"g0001"}
    one_by_one, side_by_side = stages(ordered, days), stages(mixed, days)
    assert one_by_one.keys() == side_by_side.keys()
    made = fact_queries(sql_dir(), tables_needed(sql_dir(), [SIGNATURE]))
    assert len(one_by_one) == (len(made) + 2) * len(days), "findings and signatures besides"
    for stage, content in one_by_one.items():
        assert content == side_by_side[stage], (stage, order)

    for ds, before in zip(days[1:], days, strict=False):
        rows = [json.loads(row) for row in one_by_one[f"facts/broker_intervals/ds={ds}"]]
        over = [row for row in rows if row["from_at"].startswith(before) and row["to_at"].startswith(ds)]
        assert {row["broker"] for row in over if row["same_process"]} == {1, 2}, "facts reach over midnight"
    about = [{*NIGHTS[max(0, number - 1) : number + 1]} for number in range(len(days))]
    told = ["confirmed" if SHOWN_BY in nights else "exposed" for nights in about]
    assert told[:4] == ["exposed", "confirmed", "confirmed", "exposed"]
    assert [verdict(ordered, ds) for ds in days] == told, "the night before and the one after count, and no other"
