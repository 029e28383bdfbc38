"""`python -m benchmarks.collect_simulated`: sweeps at the sizes that need a simulator, with and without faults.

Takes the names of cases (all by default); prints wall time, values per second and peak memory of the collector, a child
process, and the gates; ends with 1 when one is missed. Jolokia is real HTTP from
`tests/support/servers/simulated_brokers.py`, two processes of their own that answer with rendered bytes; the admin
protocol's rows are handed over (see one_collect).
Faults hit a share of the brokers, chosen by a seed: refused, HTTP 503, cut off in mid-answer, slow, dripping.
"""

import argparse
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks.measure import gate, machine
from fleet_demo.processes import LOOPBACK, free_port
from kafka_fleet.store.raw.manifests import manifests, read_rows

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ("refused", "busy", "cut", "slow", "drip")
SHARE = 0.05


class Case(NamedTuple):
    """A fleet: clusters of equal size, replication factor 3."""

    about: str
    clusters: int
    brokers: int
    topics: int
    partitions: int  # of each topic

    @property
    def sizes(self) -> dict[str, int]:
        """The arguments of the simulator and the child process, in this order."""
        return {"brokers": self.brokers, "topics": self.topics, "partitions": self.partitions, "replication": 3}


CASES = {
    "8x75000": Case("200,000 partitions on 8 brokers", 1, 8, 1000, 200),
    "150x4000": Case("200,000 partitions on 150 brokers", 1, 150, 1000, 200),
    "1000x6": Case("1,000 clusters of 6 brokers, 100 partitions each", 1000, 6, 10, 10),
}


@contextmanager
def simulators(case: Case, number: int = 2) -> Iterator[list[int]]:
    """That many simulator processes, each serving every broker of the case; their ports."""
    command = [sys.executable, str(ROOT / "tests/support/servers/simulated_brokers.py")]
    command += [word for name, size in case.sizes.items() for word in (f"--{name}", str(size))]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(number)
    ]
    try:
        ports = []
        for one in started:
            ports += [int(json.loads(line)["port"]) for line in itertools.islice(one.stdout or [], 1)]
        yield ports
    finally:
        for one in started:
            one.communicate()  # ends its standard input


def fleet_file(case: Case, ports: list[int], faults: float, seed: int) -> tuple[str, dict[str, int]]:
    """The fleet file's text and how many brokers got which fault; at least one broker when there is a share at all."""
    places = [(cluster, broker) for cluster in range(case.clusters) for broker in range(1, case.brokers + 1)]
    chance = random.Random(seed)  # noqa: S311 - chooses who fails
    hit = chance.sample(places, max(1, round(len(places) * faults)) if faults else 0)
    kinds = {place: FAULTS[number % len(FAULTS)] for number, place in enumerate(hit, start=seed)}
    nobody = free_port()
    entries: list[dict[str, Any]] = []
    for cluster in range(case.clusters):
        urls = {}
        for broker in range(1, case.brokers + 1):
            kind = kinds.get((cluster, broker), "ok")
            port = nobody if kind == "refused" else ports[(cluster + broker) % len(ports)]
            urls[broker] = f"http://{LOOPBACK}:{port}/{kind}/{broker}/jolokia"
        entry = {"id": f"cluster-{cluster:04d}", "environment": "development", "owners": ["nobody@example.org"]}
        entries.append({**entry, "bootstrap_servers": [f"{LOOPBACK}:{nobody}"], "jolokia": {"brokers": urls}})
    counted = {kind: list(kinds.values()).count(kind) for kind in FAULTS if kind in kinds.values()}
    return yaml.dump({"version": 1, "clusters": entries}, Dumper=yaml.CSafeDumper), counted


def measured(case: Case, text: str, folder: Path) -> dict[str, Any]:
    """Run one collection in a child process; its figures, with the values and outcomes that were landed."""
    fleet = folder / "fleet.yaml"
    fleet.write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory(dir=folder) as home:
        command = [sys.executable, "-m", "benchmarks.one_collect", str(fleet), home, *map(str, case.sizes.values())]
        child = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        found: dict[str, Any] = json.loads(child.stdout)
        whole, damaged = manifests(Path(home), datetime.now(UTC).date())
        if found["code"] or damaged or len(whole) != case.clusters:
            raise SystemExit(f"{case.about}: {len(whole)} sweeps landed, {len(damaged)} damaged; {found}")
        brokers = read_rows(Path(home), whole, "brokers")
        found["values"] = sum(row["values"] for row in brokers)
        found["landed_mib"] = sum(file.bytes for one in whole for file in one.files.values()) / 2**20
        found["failed"] = sum(row["outcome"] == "failed" for row in brokers)
        found["partitions"] = sum(one.files["partitions"].rows for one in whole if "partitions" in one.files)
    return found


def _show(label: str, runs: list[dict[str, Any]]) -> dict[str, float]:
    middle = {name: statistics.median(run[name] for run in runs) for name in ("wall_s", "cpu_s", "peak_mib", "values")}
    middle["rate"] = middle["values"] / middle["wall_s"]
    one = runs[-1]
    print(
        f"  {label:12} {middle['wall_s']:7.2f} s wall {middle['cpu_s']:7.2f} s CPU {middle['peak_mib']:6.0f} MiB peak"
        f" {middle['values']:10,.0f} values {middle['rate']:10,.0f}/s {one['partitions']:8,} replicas"
        f" {one['failed']:4} brokers failed {one['landed_mib']:6.1f} MiB landed",
        flush=True,
    )
    return middle


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collect_simulated", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default all")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.cases) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {machine()}; medians of {options.rounds} interleaved rounds")
    held = []
    for name in options.cases or CASES:
        case = CASES[name]
        plain: list[dict[str, Any]] = []
        faulty: list[dict[str, Any]] = []
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder, simulators(case) as ports:
            for number in range(options.rounds):
                plain.append(measured(case, fleet_file(case, ports, 0, 0)[0], Path(folder)))
                text, hit = fleet_file(case, ports, SHARE, options.seed + number)
                faulty.append(measured(case, text, Path(folder)))
        print(f"\n{name}: {case.about}; faults of the last round: {hit}")
        sound, broken = _show("no fault", plain), _show("with faults", faulty)
        if case.clusters == 1:
            held.append(gate("wall time of the sweep", sound["wall_s"], 30, " s"))
            held.append(gate("peak memory of the collector", sound["peak_mib"], 1024, " MiB"))
            held.append(gate("100,000 values/s over the rate", 100_000 / sound["rate"], 1.0))
        held.append(gate("wall time with faults / without", broken["wall_s"] / sound["wall_s"], 1.3))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
