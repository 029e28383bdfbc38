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
from typing import Any

from support.generators.days import quiet, quiet_events
from support.generators.days.cluster import Sim
from support.generators.days.rows import sweeps
from support.generators.fleetgen.analysis import analyse, analyse_by_duckdb
from support.generators.fleetgen.landing import land_rows

Row = dict[str, Any]
ELSEWHERE = {"steady", "group", "clients", "finished", "come_back"}  # what days are made of


def every_day() -> dict[str, Callable[[], list[Sim]]]:
    """Functions of the two modules by name, in the order in which they stand there."""
    return {
        name: made
        for module in (quiet, quiet_events)
        for name, made in vars(module).items()
        if inspect.isfunction(made) and made.__module__ == module.__name__ and name not in ELSEWHERE
    }


def judged(names: Sequence[str] = (), engine: str = "duckdb") -> dict[str, list[Row]]:
    """Results of every signature, as signatures.json has them, by the name of the day."""
    began = time.monotonic()
    made = {name: day() for name, day in every_day().items() if not names or name in names}
    whose = {sim.name: name for name, sims in made.items() for sim in sims}
    found: dict[str, list[Row]] = {name: [] for name in made}
    with tempfile.TemporaryDirectory(prefix="fleet-days-") as folder:
        home = Path(folder)
        land_rows(home, "days", (sweep for sims in made.values() for sim in sims for sweep in sweeps(sim)))
        print(f"{len(whose)} clusters: {time.monotonic() - began:.0f} s", flush=True)
        judge = analyse_by_duckdb if engine == "duckdb" else analyse
        for row in judge(home, sorted(whose)):
            found[whose[row["cluster"]]].append(row)
    return found


@cache
def all_judged() -> dict[str, list[Row]]:
    """All of them, once per process."""
    return judged()


def main() -> int:
    """Print a line per detection."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    given = parser.parse_args()
    for name, rows in judged(given.names, given.engine).items():
        told = [(row["cluster"], row["signature"], one) for row in rows for one in row["detections"]]
        print(f"{name}: {'quiet' if not told else ''}")
        for cluster, signature, one in told:
            print(f"  {cluster}: {signature}/{one['cause']} {one['strength']}, {', '.join(one['subjects'])}")
        for row in rows:
            if row["state"] == "not_evaluated":
                print(f"  {row['cluster']}: {row['signature']} is not evaluated: {'; '.join(row['missing'])[:150]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
