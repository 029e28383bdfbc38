"""`python -m benchmarks.poison`: every column of raw with every value that its type bears, through every query.

PYTHONPATH=…:tests python -m benchmarks.poison [--part 1/4] [--every 1]
A recorded cluster to which much happens is written as many times as there are columns and values to try, each time
with one of them changed; then clusters of extremes, each with a seed of its own. Batches of them are judged as one day.
Prints what failed, by query, column and value, and how many were tried; ends with 1 where anything did.
"""

import argparse
import contextlib
import io
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import gate, machine
from fleet_spark.facts import write_facts
from fleet_spark.judge import write_findings
from support.homes.recorded import recorded_day
from support.poison.attacks import Poisoned, attacks, cells, extreme, made, singles
from support.poison.poisoned_days import Failure, failures, held

BATCH = 200
EXTREMES = 400


def batches(part: int, parts: int, every: int) -> Iterator[tuple[list[Poisoned], dict[str, str]]]:
    """Clusters to judge together, and what was done to each."""
    changes = [*attacks().items(), *singles(), *((f"extreme {seed}", extreme(seed)) for seed in range(EXTREMES))]
    chosen = changes[part - 1 :: parts][::every]
    for first in range(0, len(chosen), BATCH):
        done = {f"cluster-{number}": one for number, one in enumerate(chosen[first : first + BATCH])}
        yield (
            [made(name, change) for name, (_what, change) in done.items()],
            {name: what for name, (what, _change) in done.items()},
        )


def judged(home: Path, poisoned: list[Poisoned], by_query: bool) -> list[Failure]:
    """What fails in a day of these clusters: nothing, where it can be judged as a whole."""
    if not by_query:
        day = held(home / "whole", recorded_day(), poisoned)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                write_facts(day, [])
                write_findings(day, None, [], [])
        except Exception as error:
            found = list(failures(home / "again", recorded_day(), poisoned))
            return found or [Failure("none alone", "all", f"{type(error).__name__}: {error}")]
        return []
    return list(failures(home / "again", recorded_day(), poisoned))


def main() -> int:
    """Judge every batch; 1 when any query failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.poison", description=__doc__)
    parser.add_argument("--part", default="1/1", help="which part of how many, for machines beside each other")
    parser.add_argument("--every", type=int, default=1, help="try every n-th only")
    parser.add_argument("--by-query", action="store_true", help="try each query by itself from the start")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    print(machine(), flush=True)
    began, tried, failed = time.monotonic(), 0, Counter[str]()
    for poisoned, done in batches(part, parts, options.every):
        home = Path(tempfile.mkdtemp(prefix="fleet-poison-"))
        try:
            for one in judged(home, poisoned, options.by_query):
                failed[one.query] += 1
                print(f"{one.query}: {done.get(one.cluster, one.cluster)}: {one.error}", flush=True)
        finally:
            shutil.rmtree(home)
        tried += len(poisoned)
        print(f"{tried} clusters, {sum(failed.values())} failures, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{len(cells())} columns of raw; {tried} clusters, of which {EXTREMES} of extremes when all are tried")
    return 0 if gate(f"failures, in {len(failed)} queries", sum(failed.values()), 0) else 1


if __name__ == "__main__":
    sys.exit(main())
