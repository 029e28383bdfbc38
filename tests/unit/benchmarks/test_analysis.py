"""The benchmark of a large day, on a small one: both engines beside Spark read the day that it makes."""

import json
from pathlib import Path

import duckdb
import pytest

from benchmarks.analysis import by_duckdb, by_polars
from benchmarks.large_day import make
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures

PARTITIONS, SWEEPS, COPIES = 50, 4, 3

pytestmark = [pytest.mark.xdist_group("duckdb"), pytest.mark.sampled("duckdb")]


def test_a_small_day_is_judged_and_its_partitions_are_summed(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    ds, rows = make(home, PARTITIONS, SWEEPS, COPIES)
    assert rows >= PARTITIONS * COPIES * SWEEPS
    assert by_duckdb(home, ds, work).keys() == by_polars(home, ds, work).keys() == {"start", "facts", "signatures"}
    states = json.loads((work / "duckdb.json").read_text())["states"]
    assert states.keys() == load_signatures(sql_dir()).keys()
    assert set(states.values()) <= {"quiet", "not_evaluated"}, "the day is healthy"
    assert "quiet" in states.values()
    ours, theirs = f"'{work}/polars_rates.parquet'", f"'{work}/partition_rates.parquet'"
    by_sweep = "SELECT epoch_us({}), sum(records) FROM {} WHERE topic LIKE 'events-%' GROUP BY ALL ORDER BY ALL"
    summed = duckdb.sql(by_sweep.format("sweep_at", ours)).fetchall()
    assert len(summed) == SWEEPS - 1, "Polars reads the day alone"
    assert summed == duckdb.sql(by_sweep.format("to_sweep", theirs)).fetchall()[1:], "the others its first interval too"
