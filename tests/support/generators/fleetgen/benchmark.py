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
from pathlib import Path
from typing import Any

from kafka_fleet.base.resources import sql_dir
from kafka_fleet.knowledge.signatures import load_signatures
from support.generators.fleetgen import noise
from support.generators.fleetgen.analysis import analyse, analyse_by_duckdb
from support.generators.fleetgen.catalogue import every_fault
from support.generators.fleetgen.faults.common import FACTORS
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.judged_by import queries_hash
from support.generators.fleetgen.landing import land_bulk
from support.generators.fleetgen.score import Planted, Score, failures, lower_share, score
from support.generators.fleetgen.shape import Spec

SEEN = 10_000  # rules were tuned on seeds below, and tests use the first of them
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
    found = []
    for fault in every_fault():
        for k in FACTORS if fault.signature in values and (not only or fault.signature in only) else ():
            for seed in seeds:
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


def table(scores: list[Score]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| Signature | Clean days (evaluated) | With a false finding | Upper 95 % bound per 100 | Precision | "
        + " | ".join(f"Recall {k:g}x" for k in FACTORS) + " |",
        "| --- | ---: | ---: | ---: | ---: | " + " | ".join("---:" for _ in FACTORS) + " |",
    ]  # fmt: skip
    for one in scores:
        shares = [_recall(one, k) for k in FACTORS]
        precision = "" if one.precision is None else f"{one.precision:.3f}"
        false = len({found[0] for found in one.false})
        cells = [
            one.signature,
            f"{one.clean} ({one.evaluated})",
            str(false),
            f"{one.most_false:.2f}",
            precision,
            *shares,
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _recall(one: Score, k: float) -> str:
    found, many = one.by_k.get(k, (0, 0))
    return f"{found / many:.2f} ({found}/{many}), at least {lower_share(found, many):.2f}" if many else ""


def main() -> int:
    """Run what is not there yet, print the figures and what missed its gate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--clean", type=int, default=1000, help="clean cluster-days")
    parser.add_argument("--faults", type=int, default=40, help="clusters per fault and factor")
    parser.add_argument("--first-seed", type=int, help="of the clean ones; faults begin there too. Default: drawn anew")
    parser.add_argument("--chunk", type=int, default=125, help="cluster-days analysed in one go")
    parser.add_argument("--work", type=Path, default=Path("build/benchmark"))
    parser.add_argument("--steps", type=int, default=10**6, help="stop after so many new chunks (run again to go on)")
    parser.add_argument("--signature", action="append", default=[], help="only this signature (may be repeated)")
    parser.add_argument(
        "--engine", choices=("spark", "duckdb"), default="spark", help="duckdb: the same queries, faster"
    )
    given = parser.parse_args()
    print("noise:", json.dumps(noise.figures(), default=str))
    first = first_seed(given.work, given.first_seed)
    clean = clean_specs(first, given.clean)
    faulty = fault_specs(range(first + 1, first + given.faults + 1), given.signature)
    labels = [planted(spec) for spec in clean] + [label for label, _spec in faulty]
    specs = clean + [spec for _label, spec in faulty]
    results: list[dict[str, Any]] = []
    given.work.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(specs), given.chunk):
        part = specs[start : start + given.chunk]
        done = given.work / f"{part[0].cluster}..{part[-1].cluster}.json"
        if not done.exists():
            if given.steps == 0:
                return 2
            given.steps -= 1
            found = run_chunk(f"chunk-{start}", part, given.work, given.signature, given.engine)
            done.write_text(json.dumps(found, default=float))  # DuckDB gives decimals
        results += json.loads(done.read_text())
    scores = [score(name, labels, results) for name in sorted({one["signature"] for one in results})]
    print(f"Queries: `sql/` {queries_hash(sql_dir())}; seeds from {first}\n\n{table(scores)}")
    for one in scores:
        for text in (*one.false, *one.wrong, *one.missed):
            print(f"{one.signature}: {text}")
    failed = [sentence for one in scores for sentence in failures(one)]
    print("\n".join(failed) or "every gate is passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
