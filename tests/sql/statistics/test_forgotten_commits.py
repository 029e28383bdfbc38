"""Groups that a load of their coordinator takes back, from raw rows to detections, look-alikes, and computed again."""

from pathlib import Path

import pytest

from support.generators.days.cluster import EVERY_S, OFFSET_PARTITIONS, Sim
from support.generators.days.quiet import clients, finished, steady
from support.generators.days.rows import sweeps
from support.generators.days.traffic import produce, read
from support.generators.fleetgen.analysis import analyse_by_duckdb
from support.generators.fleetgen.landing import land_rows
from support.generators.fleetgen.state import offsets_partition
from support.oracles.forgotten_oracle import forgotten
from support.oracles.rewind_oracle import RewindOracle
from support.oracles.same_rows import limits

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("duckdb")]
DAY, SWEEPS = "2026-11-20", 8
RESTARTED, LED = 3, 2  # broker, and the one partition of the offsets log that it leads
RESTART = 5 * EVERY_S + 100  # between sweeps 5 and 6
GROUPS = [f"reader-{number}" for number in range(200)]
OWN = [one for one in GROUPS if offsets_partition(one, OFFSET_PARTITIONS) == LED][:5]
OTHERS = [one for one in GROUPS if offsets_partition(one, OFFSET_PARTITIONS) < LED][:10]


def fleet(name: str, back: list[str], to_s: float, restarts: tuple[int, ...] = (RESTARTED,)) -> Sim:
    """Fifteen groups commit what they read. These brokers are restarted, and some groups are back at a time before."""
    sim = Sim(name, "2.4.1", kraft=False, sweeps=SWEEPS)
    sim.topic("orders", 1)
    for place, broker in enumerate(restarts):
        sim.restart(broker, RESTART + 60 * place, RESTART + 60 * place + 20, elected_back=RESTART + 60 * place + 30)
    sim.built()
    clients(sim, "2.4.1")
    produce(sim, steady(sim, "orders", 2))
    (key,) = sim.keys("orders")
    for group in [*OWN, *OTHERS]:
        read(sim, group, f"{group}-0", [key])
        commits = [(k * EVERY_S / 2, sim.logs[key].end_at(k * EVERY_S / 2)) for k in range(2 * SWEEPS)]
        if group in back:
            commits = [(t, offset if t < RESTART else sim.logs[key].end_at(to_s)) for t, offset in commits]
        sim.commits[group, key] = commits
    return finished(sim)


@pytest.mark.sampled("forgotten-commits")
def test_what_a_load_forgets_is_told_apart_from_what_others_set_back(tmp_path: Path) -> None:
    sims = [
        fleet("commits-forgotten", OWN, EVERY_S),
        fleet("commits-elsewhere", [*OWN, OTHERS[0]], EVERY_S),
        fleet("commits-stored", OWN, 4 * EVERY_S),  # applications with offsets of their own
        fleet("commits-rolled", OWN, EVERY_S, restarts=(1, 2, 3)),
        fleet("commits-few", OWN[:2], EVERY_S),
        fleet("commits-quiet", [], EVERY_S),
    ]
    land_rows(tmp_path, "commits", (sweep for sim in sims for sweep in sweeps(sim)))
    found = {
        row["cluster"]: [(one["cause"], one["strength"]) for one in row["detections"]]
        for row in analyse_by_duckdb(tmp_path, [one.name for one in sims], ("offset_rewind",))
    }
    pointed = [("stale_load", "suggestive")]
    assert found == {
        "commits-forgotten": [("stale_load", "conclusive")],
        "commits-elsewhere": [("manual", "suggestive"), *pointed],
        "commits-stored": pointed, "commits-rolled": pointed, "commits-few": pointed, "commits-quiet": [],
    }  # fmt: skip
    again = forgotten(RewindOracle(tmp_path, DAY, limits("offset_rewind")))
    assert {(cluster, group) for cluster, group, _at in again} == {("commits-forgotten", one) for one in OWN}
