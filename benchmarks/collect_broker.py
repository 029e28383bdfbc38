"""`python -m benchmarks.collect_broker`: one sweep of a real broker against curl and against the JMX exporter.

Takes a number of partitions and of rounds; prints medians, ratios and gates, and ends with 1 when a gate is missed.
Everything runs against one broker process in one run: curl of the two bulk answers that a sweep consists of (the same
POST bodies), the sweep inside this process and as the command line, each down to committed Parquet, and a scrape of the
exporter. Before that, every value of the exporter's answer is compared with what a sweep landed. With `--metrics` the
exporter has docs/exporter-rules.yml, and a sweep by it stands beside one by Jolokia, which reads the same. By `--calls`
the answer of the broker's own MBeans stands beside the same without the search for threads that wait for each other.
"""

import argparse
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import yaml

from benchmarks.broker import RELEASE, broker
from benchmarks.measure import Operation, Timing, gate, interleaved, machine
from kafka_fleet.cli import main as cli
from kafka_fleet.collect.jolokia import bulks as jolokia
from kafka_fleet.schema import mbeans
from kafka_fleet.schema.exporter_rules import rules_file
from kafka_fleet.store.raw.manifests import manifests, read_rows

WARM_UP = 8  # rounds before those that count: the broker's JVM compiles both agents' code
BROKER, UNCALLED = "curl, the broker's own MBeans", "curl, the same without the search"
METRICS, METRICS_ID = "sweep by the metrics endpoint", "benchmark-metrics"
CURL, ANSWER, SWEEP, COMMAND, SCRAPE = (
    "curl, both bulk answers",
    "curl, the per-partition answer",
    "sweep in this process",
    "sweep by kafka-fleet collect",
    "curl, scrape of the exporter",
)
_SERIES = re.compile(r'^(?:log|partition)_(\w+)\{partition="(\d+)",topic="([^"]+)",?\} (\S+)$', re.MULTILINE)


def _bodies(folder: Path) -> list[Path]:
    paths = []
    for request in (mbeans.PARTITIONS, mbeans.BROKER):
        path = folder / f"{request}.json"
        path.write_text(json.dumps([mbeans.read_request(bean) for bean in mbeans.beans(request)]), encoding="utf-8")
        paths.append(path)
    return paths


def _curl(url: str, *bodies: Path) -> list[str]:
    """One curl process; several bodies go over one connection, as the collector's do."""
    command = ["curl"]
    for number, body in enumerate(bodies):
        command += ["--next"] * bool(number)
        command += ["--silent", "--fail", "--output", "/dev/null", "--header", "Content-Type: application/json"]
        command += ["--data-binary", f"@{body}", url]
    return command if bodies else ["curl", "--silent", "--fail", "--output", "/dev/null", url]


def compare(scrape: str, home: Path) -> int:
    """Check each series of a scrape against the landed value of the newest sweep; the number of equal values.

    Raises SystemExit when one differs or is missing on either side.
    """
    whole, _damaged = manifests(home, datetime.now(UTC).date())
    columns = {
        "logendoffset": "log_end_offset",
        "logstartoffset": "log_start_offset",
        "size": "size_bytes",
        "insyncreplicascount": "isr_count",
        "replicascount": "replicas_count",
    }
    landed = {
        (name, row["topic"], row["partition"]): row[column]
        for row in read_rows(home, whole[-1:], "partitions")
        for name, column in columns.items()
        if not row["topic"].startswith("__")  # the metadata log grows between the two readings
    }
    series = _SERIES.findall(scrape)
    scraped = {(name, t, int(number)): float(value) for name, number, t, value in series if not t.startswith("__")}
    if scraped != landed:
        wrong = sorted(key for key in {*scraped, *landed} if scraped.get(key) != landed.get(key))
        raise SystemExit(f"{len(wrong)} values of the exporter and of the sweep differ, such as {wrong[:3]}")
    return len(landed)


def compare_sweeps(home: Path) -> int:
    """Check each replica's values of the newest sweeps by Jolokia and by the metrics endpoint; how many are equal.

    Raises SystemExit when one differs.
    """
    whole, _damaged = manifests(home, datetime.now(UTC).date())
    found = []
    for metrics in (False, True):
        newest = [one for one in whole if (one.cluster == METRICS_ID) == metrics][-1:]
        rows = read_rows(home, newest, "partitions")
        keys = ("topic", "partition")
        found.append({
            tuple(row[key] for key in keys): {name: row[name] for name in mbeans.tables()["partitions"].columns}
            for row in rows
            if not row["topic"].startswith("__")
        })  # fmt: skip
    if found[0] != found[1]:
        wrong = sorted(key for key in {*found[0], *found[1]} if found[0].get(key) != found[1].get(key))
        raise SystemExit(f"{len(wrong)} replicas differ between the two sweeps, such as {wrong[:3]}")
    return sum(len(row) for row in found[0].values())


def _beside_metrics(folder: Path, options: argparse.Namespace) -> tuple[dict[str, Timing], int]:
    """Costs of a sweep by Jolokia, by the metrics endpoint and of a scrape; how many values both sweeps share."""
    with broker(options.partitions, folder, options.policy, rules_file()) as (cluster, metrics):
        fleet, home = folder / "fleet.yaml", folder / "home"
        other = cluster.fleet_entry(id=METRICS_ID, jolokia=None, metrics={"brokers": {1: metrics}})
        fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [cluster.fleet_entry(), other]}), encoding="utf-8")
        made = [_sweep(fleet, home, name) for name in ("benchmark", METRICS_ID)]
        for one in made:
            one()
        equal = compare_sweeps(home)
        command = _curl(metrics)
        operations = [
            Operation(SWEEP, made[0]),
            Operation(METRICS, made[1]),
            Operation(SCRAPE, lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)),
        ]
        interleaved(operations, WARM_UP)
        return interleaved(operations, options.rounds, cluster.pids[1]), equal


def _beside_reads(folder: Path, options: argparse.Namespace) -> dict[str, Timing]:
    """Costs of the second bulk as it is, and without the operations that it calls."""
    with broker(options.partitions, folder, options.policy) as (cluster, _metrics):
        url = cluster.jolokia_urls[1] + "/" + jolokia.QUERY
        reads = [mbeans.read_request(bean) for bean in mbeans.beans(mbeans.BROKER) if bean.operation is None]
        without = folder / "without.json"
        without.write_text(json.dumps(reads), encoding="utf-8")
        commands = {BROKER: _curl(url, _bodies(folder)[1]), UNCALLED: _curl(url, without)}
        operations = [
            Operation(name, partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL))
            for name, command in commands.items()
        ]
        interleaved(operations, WARM_UP)
        return interleaved(operations, options.rounds, cluster.pids[1])


def _sweep(fleet: Path, home: Path, name: str) -> Callable[[], None]:
    """One sweep of a cluster of the file, inside of this process. It raises SystemExit when it is not whole."""

    def swept() -> None:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = cli.main(["collect", "--fleet", str(fleet), "--home", str(home), "--cluster", name])
        if code or "  ok  " not in said.getvalue():
            raise SystemExit(f"the sweep failed:\n{said.getvalue()}")

    return swept


def _shown(found: Mapping[str, Timing], base: float, over: str) -> None:
    print(f"  {'':32} {'wall ms':>8} {'min':>7} {'max':>7} {'broker CPU ms':>14} {over:>9}")
    for label, one in found.items():
        low, high = min(one.walls) * 1e3, max(one.walls) * 1e3
        print(f"  {label:32} {one.wall * 1e3:8.0f} {low:7.0f} {high:7.0f} {one.cpu * 1e3:14.0f} {one.wall / base:9.2f}")
    print()


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collect_broker", description=__doc__)
    parser.add_argument("--partitions", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--policy", action="store_true", help="the agent checks each read against its policy")
    parser.add_argument("--metrics", action="store_true", help="a sweep by the metrics endpoint beside one by Jolokia")
    parser.add_argument("--calls", action="store_true", help="what the search for threads that wait costs the broker")
    options = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {machine()}")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        if options.calls:
            found = _beside_reads(folder, options)
            print(f"Kafka {RELEASE}, {options.partitions} partitions; medians of {options.rounds} interleaved rounds\n")
            _shown(found, found[UNCALLED].wall, "x without")
            more = found[BROKER].cpu - found[UNCALLED].cpu
            return 0 if gate("CPU of the broker for the search, per sweep", 1e3 * more, 5.0, " ms") else 1
        if options.metrics:
            found, equal = _beside_metrics(folder, options)
            print(f"Kafka {RELEASE}, {options.partitions} partitions, {equal} values equal in both sweeps;")
            print(f"medians of {options.rounds} interleaved rounds after {WARM_UP} to warm up\n")
            _shown(found, found[SWEEP].wall, "x Jolokia")
            ratio = found[METRICS].cpu / found[SWEEP].cpu
            return 0 if gate("sweep by the metrics endpoint / by Jolokia, broker CPU", ratio, 3.0) else 1
        with broker(options.partitions, folder, options.policy) as (cluster, metrics):
            fleet, home = folder / "fleet.yaml", folder / "home"
            fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [cluster.fleet_entry()]}), encoding="utf-8")
            arguments = ["collect", "--fleet", str(fleet), "--home", str(home)]

            swept = _sweep(fleet, home, "benchmark")

            def run(command: list[str]) -> None:
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

            swept()
            scrape = subprocess.run(["curl", "--silent", "--fail", metrics], check=True, capture_output=True, text=True)
            equal = compare(scrape.stdout, home)
            url = cluster.jolokia_urls[1] + "/" + jolokia.QUERY
            bodies = _bodies(folder)
            script = str(Path(sys.executable).parent / "kafka-fleet")
            operations = [
                Operation(CURL, lambda: run(_curl(url, *bodies))),
                Operation(ANSWER, lambda: run(_curl(url, bodies[0]))),
                Operation(SWEEP, swept),
                Operation(COMMAND, lambda: run([script, *arguments])),
                Operation(SCRAPE, lambda: run(_curl(metrics))),
            ]
            interleaved(operations, WARM_UP)
            found = interleaved(operations, options.rounds, cluster.pids[1])
    print(f"Kafka {RELEASE}, {options.partitions} partitions, {equal} values equal in scrape and sweep;")
    print(f"medians of {options.rounds} interleaved rounds after {WARM_UP} to warm up\n")
    _shown(found, found[CURL].wall, "x curl")
    held = [
        gate("sweep in this process / curl", found[SWEEP].wall / found[CURL].wall, 1.5),
        gate("sweep / scrape of the exporter, wall", found[SWEEP].wall / found[SCRAPE].wall, 1.0),
        gate("sweep / scrape of the exporter, broker CPU", found[SWEEP].cpu / found[SCRAPE].cpu, 1.0),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
