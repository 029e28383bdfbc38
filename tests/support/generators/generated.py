"""Generated fleets, analysed once per test run: clean clusters, one per fault, and random rows for the oracles."""

import atexit
import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from support.generators.fleetgen.analysis import analyse
from support.generators.fleetgen.benchmark import clean_specs, fault_specs
from support.generators.fleetgen.healthy import healthy
from support.generators.fleetgen.landing import land_bulk, land_each, land_rows
from support.generators.fleetgen.score import Planted
from support.generators.fleetgen.shape import DS, Spec
from support.generators.random_commits import RandomCommits
from support.generators.random_errors import RandomErrors
from support.generators.random_fetches import RandomFetches
from support.generators.random_sets import RandomSets
from support.generators.random_skew import RandomSkew
from support.generators.random_stops import RandomStops
from support.generators.random_storms import RandomStorms
from support.generators.seed import SEED
from support.spark_runs.analysed import spark

CLEAN = 20
KINDS: dict[str, tuple[Any, int]] = {
    "sets": (RandomSets, 200), "errors": (RandomErrors, 100), "skew": (RandomSkew, 150), "storms": (RandomStorms, 100),
    "stops": (RandomStops, 200), "fetch": (RandomFetches, 150), "commits": (RandomCommits, 150),
}  # fmt: skip
VIEWS = (
    "isr_held", "isr_streaks", "produce_errors", "producer_losses", "skew_rates", "skew_topics", "skew_turns",
    "skew_producers", "partition_skew_detections",
    "connection_spans", "bursts", "reconnect_storm_detections", "restarts", "judged_restarts",
    "fetch_spans", "topic_windows", "group_windows", "legal_waits", "caused_windows", "late_commits",
    "skipping_groups", "rewound_partitions", "coordinator_logs", "broker_findings",
)  # fmt: skip
EACH = "each-sweep"  # the first clean cluster once more, landed sweep by sweep
Row = dict[str, Any]


class Generated(NamedTuple):
    """Detections of every signature on every cluster, and the steps of signatures that the oracles look at."""

    home: Path
    results: list[Row]
    views: dict[str, list[Row]]

    def facts(self, table: str) -> list[Row]:
        """Stored rows of a fact table."""
        return pq.read_table(self.home / f"facts/{table}/ds={DS}/g0001").to_pylist()

    def detections(self, signature: str, kind: str) -> dict[str, list[Row]]:
        """Detections of one signature on the random fleets of one kind, by cluster."""
        rows = [row for row in self.results if row["signature"] == signature and row["cluster"].startswith(f"{kind}-")]
        return {row["cluster"]: row["detections"] for row in rows}


@cache
def clean() -> list[Spec]:
    """The clean clusters."""
    return clean_specs(0, CLEAN)


@cache
def faulty() -> list[tuple[Planted, Spec]]:
    """One cluster per fault, at twice the threshold."""
    return [(label, spec) for label, spec in fault_specs(range(1, 2)) if label.k == 2]


def drawn(kind: str, count: int) -> list[Any]:
    """Random fleets of one kind, a seed of its own for each: cluster ids are `<kind>-<number>`."""
    seeds = Random(f"{SEED} {kind}")  # noqa: S311
    return [KINDS[kind][0](Random(seeds.getrandbits(64)), f"{kind}-{number}") for number in range(count)]  # noqa: S311


@cache
def generated() -> Generated:
    """Everything in one home, through the real facts and signatures; the folder goes when the test run ends."""
    home = Path(tempfile.mkdtemp(prefix="fleet-tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    clusters = [spec.cluster for spec in clean()] + [label.cluster for label, _spec in faulty()] + [EACH]
    land_bulk(home, "clean", clean())
    land_bulk(home, "faults", [spec for _label, spec in faulty()])
    land_each(home, replace(healthy(0), cluster=EACH))
    for kind, (_made, count) in KINDS.items():
        fleets = drawn(kind, count)
        land_rows(home, kind, (sweep for fleet in fleets for sweep in fleet.sweeps()))
        clusters += [fleet.cluster for fleet in fleets]
    results = analyse(home, clusters, session=spark())
    views = {name: [row.asDict() for row in spark().table(name).collect()] for name in VIEWS}
    return Generated(home, results, views)
