"""The benchmark of the judgement: takes a number of clean cluster-days, prints precision and recall per signature.

PYTHONPATH=plugins:spark:tests python -m support.generators.fleetgen.benchmark --clean 1000 --faults 40 \\
    --work build/benchmark

Chunks that are done are kept in the work folder, with their first seed, and not run again; exit code 1 when a gate is
not passed.
"""

import argparse
import json
import secrets
import shutil
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.store.files import replace_file
from support.generators.fleetgen import noise
from support.generators.fleetgen.analysis import analyse, analyse_by_duckdb
from support.generators.fleetgen.catalogue import every_fault
from support.generators.fleetgen.faults.common import FACTORS
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.judged_by import queries_hash
from support.generators.fleetgen.landing import land_bulk
from support.generators.fleetgen.score import Planted, Score, failures, score
from support.generators.fleetgen.shape import Spec

SEEN = 10_000  # rules were tuned on seeds below, and tests use the first of them
CHUNK = 60
FILES = 4  # manifests of a chunk: Spark reads their files in parallel


def first_seed(work: Path, given: int | None) -> int:
    """The first seed of a work folder: the one that is given, that of its chunks, or one that no rule has seen.

    Raises ValueError when the folder has chunks of another first seed, or of other queries.
    """
    work.mkdir(parents=True, exist_ok=True)
    kept, by = work / "seed", queries_hash(sql_dir())
    if kept.exists():
        old, queries = kept.read_text().split()
        if queries != by or given not in (None, int(old)):
            raise ValueError(f"{work} has results of seeds from {old} by queries {queries}: remove it, or take another")
        return int(old)
    first = given if given is not None else SEEN + secrets.randbelow(10**9)
    kept.write_text(f"{first} {by}")
    return first


def clean_specs(first: int, count: int) -> list[Spec]:
    """Clean cluster-days by seed."""
    return [healthy(seed) for seed in range(first, first + count)]


def fault_specs(seeds: range, only: Sequence[str] = ()) -> list[tuple[Planted, Spec]]:
    """Every fault at every factor for each seed, with the thresholds in force."""
    values = {
        name: {key: float(t.value) for key, t in one.thresholds.items()}
        for name, one in load_signatures(sql_dir()).items()
    }
    wanted = [one for one in every_fault() if one.signature in values and (not only or one.signature in only)]
    found = []
    for seed, fault, k in product(seeds, wanted, FACTORS):  # seed by seed, so that more of them come last
        spec = fault.spec(seed, k, values[fault.signature])
        found.append((planted(spec, fault.cause, k), spec))
    return found


def planted(spec: Spec, fault: str = "", k: float = 0.0) -> Planted:
    """What a cluster's labels say."""
    return Planted(spec.cluster, frozenset(spec.truth), frozenset(spec.allowed), frozenset(spec.open), fault, k)


def run_chunk(
    name: str, specs: list[Spec], work: Path, only: Sequence[str] = (), engine: str = "spark"
) -> list[dict[str, Any]]:
    """Generate, land and analyse some clusters as one day; the home is removed afterwards."""
    began, home = time.monotonic(), work / f"home-{name}"
    shutil.rmtree(home, ignore_errors=True)
    rows = sum(land_bulk(home, f"{name}-{part}", specs[part::FILES]) for part in range(FILES))
    landed = time.monotonic()
    judge = {"spark": analyse, "duckdb": analyse_by_duckdb}[engine]
    results = judge(home, [one.cluster for one in specs], only)
    shutil.rmtree(home)
    took = f"{landed - began:.0f} s to generate, {time.monotonic() - landed:.0f} s to analyse"
    print(f"{name}: {len(specs)} cluster-days, {rows} rows, {took}", flush=True)
    return results


class Run(NamedTuple):
    """What was planted in which cluster and what was told of it, from a first seed on. whole: nothing is left."""

    first: int
    labels: list[Planted]
    results: list[dict[str, Any]]
    whole: bool

    def scores(self) -> list[Score]:
        """Figures of every signature that was judged, over the clusters that were."""
        return [score(name, self.labels, self.results) for name in sorted({one["signature"] for one in self.results})]


def run(work: Path, clean: int, faults: int, chunk: int = CHUNK, given_seed: int | None = None,
        only: Sequence[str] = (), engine: str = "duckdb", steps: int = 10**6) -> Run:  # fmt: skip
    """Judge what is not there yet, in chunks that stay in the work folder. steps: most new chunks."""
    first = first_seed(work, given_seed)
    healthy_ones = clean_specs(first, clean)
    faulty = fault_specs(range(first + 1, first + faults + 1), only)
    labels = [planted(spec) for spec in healthy_ones] + [label for label, _spec in faulty]
    specs, results = healthy_ones + [spec for _label, spec in faulty], list[dict[str, Any]]()
    for start in range(0, len(specs), chunk):
        part = specs[start : start + chunk]
        done = work / f"{part[0].cluster}..{part[-1].cluster}.json"
        if not done.exists():
            if steps == 0:
                return Run(first, labels, results, False)
            steps -= 1
            found = run_chunk(f"chunk-{start}", part, work, only, engine)
            replace_file(done, json.dumps(found, default=float).encode())  # DuckDB gives decimals
        results += json.loads(done.read_text())
    return Run(first, labels, results, True)


def main() -> int:
    """Run what is not there yet, print what was told wrongly or missed, and what missed its gate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--clean", type=int, default=1000, help="clean cluster-days")
    parser.add_argument("--faults", type=int, default=40, help="clusters per fault and factor")
    parser.add_argument("--first-seed", type=int, help="of the clean ones; faults begin there too. Default: drawn anew")
    parser.add_argument("--chunk", type=int, default=CHUNK, help="cluster-days analysed in one go")
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--steps", type=int, default=10**6, help="stop after so many new chunks (run again to go on)")
    parser.add_argument("--signature", action="append", default=[], help="only this signature (may be repeated)")
    parser.add_argument(
        "--engine", choices=("spark", "duckdb"), default="duckdb", help="duckdb: the same queries, faster"
    )
    given = parser.parse_args()
    print("noise:", json.dumps(noise.figures(), default=str))
    made = run(given.work, given.clean, given.faults, given.chunk, given.first_seed, given.signature, given.engine,
               given.steps)  # fmt: skip
    scores = made.scores()
    for one in scores:
        print(f"{one.signature}: {one.evaluated} of {one.clean} clean days evaluated; found of planted: {one.by_k}")
        for text in (*one.false, *one.wrong, *one.missed):
            print(f"{one.signature}: {text}")
    failed = [sentence for one in scores for sentence in failures(one)]
    print("\n".join(failed) or "every gate is passed")
    return 2 if not made.whole else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
