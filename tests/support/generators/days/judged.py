"""Every named day through the real facts and signatures: takes days, gives what was told of each cluster.

PYTHONPATH=…:tests python -m support.generators.days.judged NAME … prints detections of the named days, or of all;
--engine spark
"""

import argparse
import inspect
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.duckdb_engine import Duck
from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.conditions import Answered
from support.generators.days import quiet, quiet_events, quiet_groups, quiet_loads, quiet_rolls
from support.generators.days.cluster import Sim
from support.generators.days.rows import sweeps
from support.generators.fleetgen.analysis import analyse, analyse_by_duckdb, conditions_by_duckdb
from support.generators.fleetgen.landing import land_rows
from support.generators.fleetgen.shape import DS

Row = dict[str, Any]
ELSEWHERE = {"steady", "group", "clients", "finished", "come_back", "by_own_controllers"}  # what days are made of


def every_day() -> dict[str, Callable[[], list[Sim]]]:
    """Functions of the modules by name, in the order in which they stand there."""
    return {
        name: made
        for module in (quiet, quiet_events, quiet_rolls, quiet_groups, quiet_loads)
        for name, made in vars(module).items()
        if inspect.isfunction(made) and made.__module__ == module.__name__ and name not in ELSEWHERE
    }


class Judged(NamedTuple):
    """Results of every signature, as signatures.json has them, by the name of the day; and what conditions answered."""

    signatures: dict[str, list[Row]]
    conditions: dict[str, dict[str, dict[str, Answered]]]  # day -> cluster -> condition
    releases: dict[str, str]  # of clusters


def judged(names: Sequence[str] = (), engine: str = "duckdb") -> Judged:
    """All days, or the named ones, in one home. Spark answers no conditions here."""
    began = time.monotonic()
    made = {name: day() for name, day in every_day().items() if not names or name in names}
    whose = {sim.name: name for name, sims in made.items() for sim in sims}
    found: dict[str, list[Row]] = {name: [] for name in made}
    answers: dict[str, dict[str, dict[str, Answered]]] = {name: {} for name in made}
    with tempfile.TemporaryDirectory(prefix="fleet-days-") as folder:
        home = Path(folder)
        land_rows(home, "days", (sweep for sims in made.values() for sim in sims for sweep in sweeps(sim)))
        print(f"{len(whose)} clusters: {time.monotonic() - began:.0f} s", flush=True)
        clusters = sorted(whose)
        if engine == "duckdb":
            duck = Duck(home, DS, sql_dir())
            results = analyse_by_duckdb(home, clusters, duck=duck)
            for cluster, of_one in conditions_by_duckdb(duck, clusters).items():
                answers[whose[cluster]][cluster] = of_one
        else:
            results = analyse(home, clusters)
        for row in results:
            found[whose[row["cluster"]]].append(row)
    return Judged(found, answers, {sim.name: sim.release for sims in made.values() for sim in sims})


@cache
def all_judged() -> Judged:
    """All of them, once per process."""
    return judged()


def main() -> int:
    """Print a line per detection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    given = parser.parse_args()
    all_of = judged(given.names, given.engine)
    for name, rows in all_of.signatures.items():
        told = [(row["cluster"], row["signature"], one) for row in rows for one in row["detections"]]
        print(f"{name}: {'quiet' if not told else ''}")
        for cluster, signature, one in told:
            print(f"  {cluster}: {signature}/{one['cause']} {one['strength']}, {', '.join(one['subjects'])}")
        for row in rows:
            if row["state"] == "not_evaluated":
                print(f"  {row['cluster']}: {row['signature']} is not evaluated: {'; '.join(row['missing'])[:150]}")
        for cluster, of_one in all_of.conditions[name].items():
            for condition, one in of_one.items():
                if one.holds:
                    print(f"  {cluster}: {condition}: {one.sentence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
