"""`python -m benchmarks.growth`: how cost grows with work: the slope of its logarithm over 1, 4 and 16 times the work.

Three series: `partitions` (a day of one cluster, facts and signatures by Spark), `clusters` (a day of many small
clusters, that is of many small files, as they landed and after compaction), `collection` (a sweep of one cluster by
`kafka-fleet collect` from simulated agents). Each point is a process of its own; the median of its rounds counts. Ends
with 1 when a slope of wall time exceeds 1.10 or one of peak memory 1.05.
"""

import argparse
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks.analysis import run
from benchmarks.collect_simulated import Case, fleet_file, measured, simulators
from benchmarks.large_day import make
from benchmarks.measure import gate, machine
from kafka_fleet.store.raw.compaction import compact, remove_superseded
from kafka_fleet.store.raw.manifests import manifests
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.landing import land_each
from support.generators.fleetgen.shape import DS

FACTORS = (1, 4, 16)
MOST_WALL, MOST_MEMORY = 1.10, 1.05


class Point(NamedTuple):
    """One size: rows (or values) of it, the command's wall seconds and the peak of its resident memory in MiB."""

    work: float
    wall: float
    peak: float


def slope(points: list[Point], what: Callable[[Point], float]) -> float:
    """Least-squares slope of log(what) over log(work)."""
    xs, ys = [math.log(one.work) for one in points], [math.log(what(one)) for one in points]
    return statistics.linear_regression(xs, ys).slope


def _rows(home: Path, ds: str) -> int:
    return sum(file.rows for one in manifests(home, ds)[0] for file in one.files.values())


def _analysed(home: Path, ds: str, rounds: int) -> Point:
    walls, peaks = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as work:
            found = run("spark", home, ds, Path(work))
        walls.append(found["facts"] + found["signatures"])
        peaks.append(found["peak"])
    return Point(_rows(home, ds), statistics.median(walls), statistics.median(peaks))


def partitions(folder: Path, largest: int, rounds: int) -> Iterator[tuple[str, Point]]:
    """A day of 96 sweeps of one cluster."""
    for factor in FACTORS:
        home = folder / f"partitions{factor}"
        ds, _rows_made = make(home, largest * factor // FACTORS[-1], 96, copies=1)
        yield "partitions", _analysed(home, ds, rounds)


def clusters(folder: Path, largest: int, rounds: int) -> Iterator[tuple[str, Point]]:
    """A day of small clusters with 25 sweeps each; the same after compaction."""
    for factor in FACTORS:
        home = folder / f"clusters{factor}"
        for number in range(largest * factor // FACTORS[-1]):
            land_each(home, replace(healthy(number), cluster=f"small-{number:04d}"))
        yield "clusters, as landed", _analysed(home, DS, rounds)
        began = time.monotonic()
        compact(home, DS)
        remove_superseded(home, DS, time.time() + timedelta(days=2).total_seconds())
        print(f"  compaction: {time.monotonic() - began:.1f} s", flush=True)
        yield "clusters, compacted", _analysed(home, DS, rounds)


def collection(folder: Path, largest: int, rounds: int) -> Iterator[tuple[str, Point]]:
    """One sweep of a cluster of eight brokers, replication factor 3; the work is the values read."""
    for factor in FACTORS:
        topics = largest * factor // FACTORS[-1] // 200
        case = Case("growth", 1, 8, topics, 200)
        with simulators(case) as ports:
            found = [measured(case, fleet_file(case, ports, 0, 0)[0], folder) for _ in range(rounds)]
        middle = {name: statistics.median(one[name] for one in found) for name in ("values", "wall_s", "peak_mib")}
        yield "collection", Point(middle["values"], middle["wall_s"], middle["peak_mib"])


SERIES = {"partitions": (partitions, 200_000), "clusters": (clusters, 160), "collection": (collection, 200_000)}


def main() -> int:
    """Run the series, print points and slopes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("series", nargs="*", metavar="SERIES", help=f"of {', '.join(SERIES)}; default all")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the full size, for a try")
    options = parser.parse_args()
    print(machine())
    points: dict[str, list[Point]] = {}
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        for name in options.series or SERIES:
            series, largest = SERIES[name]
            for label, point in series(Path(folder), round(largest * options.share), options.rounds):
                points.setdefault(label, []).append(point)
                print(f"  {label}: {point.work:,.0f}: {point.wall:.1f} s, {point.peak:.0f} MiB", flush=True)
    held = []
    for label, found in points.items():
        held.append(gate(f"{label}: slope of wall time", slope(found, lambda one: one.wall), MOST_WALL))
        held.append(gate(f"{label}: slope of peak memory", slope(found, lambda one: one.peak), MOST_MEMORY))
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
