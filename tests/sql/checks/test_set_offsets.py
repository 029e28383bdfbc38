"""Committed offsets that others set, from raw rows to detections: a sync beside an operator's reset."""

from pathlib import Path
from typing import Any

import pytest

from kafka_fleet.knowledge.signatures import load_signatures
from support.generators.days.cluster import EVERY_S, Sim
from support.generators.days.quiet import clients, finished, steady
from support.generators.days.rows import sweeps
from support.generators.days.traffic import produce, read
from support.generators.fleetgen.analysis import analyse_by_duckdb
from support.generators.fleetgen.landing import land_rows

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("duckdb")]
Row = dict[str, Any]
BACK = 5_000


def reset(name: str, group: str, stopped: bool) -> Sim:
    """A group's offsets go back. stopped: it has read until the first sweep of the day; else nobody ever has."""
    sim = Sim(name, "3.9.1", sweeps=4)
    sim.topic("orders", 3)
    sim.built()
    clients(sim, "3.9.1")
    produce(sim, steady(sim, "orders", 4))
    keys, set_back = sim.keys("orders"), 2 * EVERY_S + 200
    if stopped:
        read(sim, group, f"{group}-0", keys, until=EVERY_S + 60)
    else:
        sim.groups[group] = []
    for key in keys:
        at = sim.logs[key].end_at(EVERY_S)
        sim.commits[group, key] += [(EVERY_S + 70, at), (set_back, at - BACK)]
    return finished(sim)


@pytest.mark.sampled("set-offsets")
def test_offsets_that_a_sync_sets_are_no_reset(tmp_path: Path) -> None:
    """MirrorMaker moves offsets back of a group that has no member there: by them nothing is read again."""
    sims = [reset("mirrored", "billing", stopped=False), reset("operated", "billing", stopped=True)]
    land_rows(tmp_path, "resets", (sweep for sim in sims for sweep in sweeps(sim)))
    results = analyse_by_duckdb(tmp_path, ["mirrored", "operated"])
    assert {row["signature"] for row in results} == set(load_signatures()), "DuckDB reads the queries of them all"
    found: dict[str, Row] = {row["cluster"]: row for row in results if row["signature"] == "offset_rewind"}
    assert found["mirrored"]["state"] == "quiet"
    (manual,) = found["operated"]["detections"]
    assert (manual["cause"], manual["strength"]) == ("manual", "conclusive")
    assert manual["bounds"]["records_back"] == 3 * BACK
