"""Real clusters under load, swept, analysed through the command line: takes a home, gives what the live tests read.

One module of scenarios for each group of symptoms. They wait more than they compute, so PARALLEL of them run at a time;
more would hold up each other's brokers.
"""

import json
import os
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
from _pytest.mark import ParameterSet

from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.live import (
    availability,
    benchmark_loads,
    bugs370,
    cleaner,
    connect,
    coordinators,
    crippled,
    deadlocked,
    disks,
    expired,
    fetches,
    floods,
    frozen,
    hanging,
    held,
    idle_crowds,
    isolated,
    joined_quorum,
    killed,
    lagging,
    late_cleaner,
    late_voters,
    log_lines,
    lost_ids,
    metrics_endpoint,
    offsets,
    old_loads,
    owned,
    quorum,
    rebalances,
    retries,
    saturation,
    scraped_clients,
    settled,
    skew,
    stale,
    storm,
    tls_buffer,
    unclean,
    unled,
    unsettled,
    unused,
    usage,
    warm_ups,
    zk28,
)
from support.live.commands import fleet_command

SCENARIO_OF = (  # of clusters whose tests are of several scenarios
    dict.fromkeys(fetches.FETCHES, "fetches")
    | dict.fromkeys(fetches.FIXED, "fetches-fixed")
    | dict.fromkeys(fetches.RELEASES, "releases")
    | dict.fromkeys(fetches.LOOK_ALIKES, "look-alikes")
    | dict.fromkeys(fetches.OLD, "old-releases")
)
# one scenario for each signature at least
EVERY_RUN = (
    "skew", "storms", "stops", "offsets", "retries", "availability", "transactions", "quorum", "disks", "saturation",
    "cleaner", "rebalances", "coordinators", "fetches",
)  # fmt: skip
PARALLEL = 3
Row = dict[str, Any]


class Days(dict[str, str]):
    """Each cluster's day, that of its last sweep. A cluster that was never swept raises with what went wrong."""

    def __init__(self, failures: Mapping[str, BaseException]) -> None:
        super().__init__()
        self.failures = failures

    def __missing__(self, cluster: str) -> str:
        told = [f"{name}: {failure!r}" for name, failure in self.failures.items()]
        raise LookupError(f"{cluster} was never swept; scenarios that failed: {'; '.join(told) or 'none'}")


class Measured(NamedTuple):
    """The home after everything ran. A scenario that failed costs the others nothing."""

    home: Path
    days: Days
    seconds: dict[str, float]

    @property
    def failures(self) -> Mapping[str, BaseException]:
        """What each scenario that failed raised."""
        return self.days.failures

    def findings(self, cluster: str) -> list[Row]:
        """What `kafka-fleet findings` prints of a cluster."""
        return [one for one in self.printed(self.days[cluster]) if one["cluster"] == cluster]

    def printed(self, ds: str) -> list[Row]:
        """Everything that `kafka-fleet findings --format json` prints for a day."""
        return _printed(self.home, ds)

    def finding(self, cluster: str, advisory: str) -> Row:
        """One cluster's finding on one advisory."""
        return next(one for one in self.findings(cluster) if one["advisory"] == advisory)

    def state(self, cluster: str, signature: str) -> Row:
        """State, detections and missing inputs of a signature on a cluster."""
        folder = self.home / f"signatures/ds={self.days[cluster]}"
        rows: list[Row] = json.loads((folder / str(current_generation(folder)) / "signatures.json").read_text())
        return next(one for one in rows if (one["cluster"], one["signature"]) == (cluster, signature))

    def facts(self, table: str, **keys: object) -> list[Row]:
        """Rows of a fact table on the day of the named cluster."""
        folder = self.home / f"facts/{table}/ds={self.days[str(keys['cluster'])]}"
        rows = pq.read_table(folder / str(current_generation(folder))).to_pylist()
        return [row for row in rows if all(row[key] == value for key, value in keys.items())]

    def raw(self, table: str, cluster: str) -> list[Row]:
        """Raw rows of a cluster, in the order of its sweeps."""
        sweeps = [one for one in manifests(self.home, self.days[cluster])[0] if one.cluster == cluster]
        return read_rows(self.home, sweeps, table)

    def dossier(self, cluster: str) -> Row:
        """What the cluster's letter is written from."""
        folder = self.home / f"findings/ds={self.days[cluster]}"
        found: Row = json.loads((folder / str(current_generation(folder)) / f"clusters/{cluster}.json").read_text())
        return found


@cache
def _printed(home: Path, ds: str) -> list[Row]:
    done = fleet_command("findings", "--home", str(home), "--date", ds, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[Row] = json.loads(done.stdout)
    return found


def _timed(scenario: Callable[[Path], object], home: Path) -> float:
    begin = time.monotonic()
    scenario(home)
    return time.monotonic() - begin


SCENARIOS: dict[str, Callable[[Path], object]] = {
    "storms": storm.run,
    "stops": zk28.run,
    "offsets": offsets.run,
    "retries": retries.run,
    "scraped-clients": scraped_clients.run,
    "availability": availability.run,
    "transactions": hanging.run,
    "transactions-others": hanging.others,
    "quorum": quorum.run,
    "disks": disks.run,
    "saturation": saturation.run,
    "cleaner": cleaner.run,
    # not among the first, beside which the other workers start their JVMs: how late brokers answer is compared
    "skew": skew.run,
    "rebalances": rebalances.waiting,
    "rebalances-others": rebalances.others,
    "fetches": fetches.followed,
    "expired": expired.run,
    "frozen": frozen.run,
    "tls-buffer": tls_buffer.run,
    "unclean": unclean.run,
    "unled": unled.run,
    "held": held.run,
    "lagging": lagging.run,
    "late-cleaner": late_cleaner.run,
    "settled": settled.run,
    "unsettled": unsettled.run,
    "connect": connect.run,
    "warm-ups": warm_ups.run,
    "late-voters": late_voters.run,
    "idle-crowds": idle_crowds.run,
    "benchmark-loads": benchmark_loads.run,
    "floods": floods.run,
    "isolated": isolated.run,
    "crippled": crippled.run,
    "stale": stale.run,
    "old-loads": old_loads.run,
    "lost-ids": lost_ids.run,
    "coordinators": coordinators.stuck,
    "coordinators-others": coordinators.others,
    "owned": owned.both,
    "killed-collectors": killed.run,
    "usage": usage.run,
    "unused": unused.run,
    "log-lines": log_lines.run,
    "quorum-joined": joined_quorum.run,
    "quorum-bugs": bugs370.run,
    "skew-look-alikes": skew.look_alikes,
    "cleaner-others": cleaner.others,
    "saturation-combined": saturation.combined,
    "deadlocks": deadlocked.run,
    "storms-others": storm.others,
    "fetches-fixed": fetches.fixed,
    "releases": fetches.releases,
    "history": fetches.scraped,
    "metrics": metrics_endpoint.run,
    "metrics-rules": metrics_endpoint.run_rule_sets,
    "look-alikes": fetches.look_alikes,
    "old-releases": fetches.old_releases,
}


def of_scenario(name: str, *values: object) -> ParameterSet:
    """Parameters of a test that reads what this scenario left, in the runs that have it."""
    marks = [pytest.mark.scenario(name)]
    return pytest.param(*values, marks=marks if name in EVERY_RUN else [*marks, pytest.mark.sampled(name)])


def measure(home: Path, names: Collection[str]) -> Measured:
    """Run these scenarios, then analyse every day that has sweeps. Raises the reasons when none could be run."""
    with ThreadPoolExecutor(PARALLEL) as pool:
        runs = {name: pool.submit(_timed, SCENARIOS[name], home) for name in SCENARIOS if name in names}
        raised = {name: run.exception() for name, run in runs.items()}
    failures = {name: failure for name, failure in raised.items() if failure is not None}
    if len(failures) == len(runs):
        raise BaseExceptionGroup("no scenario ran", list(failures.values()))
    seconds = {name: run.result() for name, run in runs.items() if name not in failures}
    begin = time.monotonic()
    days = Days(failures)
    for folder in sorted((home / "raw/manifests").iterdir()):
        ds = folder.name.removeprefix("ds=")
        days |= {one.cluster: ds for one in manifests(home, ds)[0]}
    for ds in sorted(set(days.values())):
        done = fleet_command("analyze", "--home", str(home), "--date", ds)
        assert done.returncode == 0, done.stderr[-4000:]
    seconds["analyze"] = time.monotonic() - begin
    print(f"live, {datetime.now(UTC):%H:%M} UTC, {os.cpu_count()} cores:", {n: round(s) for n, s in seconds.items()})
    return Measured(home, days, seconds)
