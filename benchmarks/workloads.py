"""`scripts/prove workloads`: healthy loads and the bug itself on real brokers, judged; takes names, prints and gates.

scripts/prove workloads --part --only steady,bursts --releases 3.3.1 --sides followers --sweeps 7 --every 15

Each case is a cluster of its own, swept by `kafka-fleet collect` and judged, all in one day, by `kafka-fleet analyze`.
A healthy one must have no conclusive detection and no confirmed advisory; delayed readers on the affected release must
be confirmed. Ends with 1 when a case says otherwise, or did not run.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks.measure import figure, gate
from benchmarks.workload_cases import AFFECTED, BUG, FIXED, FOUNDING, LEADERS, RACKS, WORKLOADS, Workload
from benchmarks.workload_events import EVENTS, Clients, Tools
from fleet_demo.cluster import Cluster, ClusterError
from fleet_demo.processes import end, spawn
from fleet_demo.topics import create_topic
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import MANIFESTS, days_in
from kafka_fleet.store.raw.manifests import manifests

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = str(Path(sys.executable).with_name("kafka-fleet"))
SIDES = ("leaders", "followers")
SETTINGS = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    "group.initial.rebalance.delay.ms": 3000,
    "log.cleaner.backoff.ms": 2000,
}
Json = dict[str, Any]
Expected = str  # healthy, bug, or open: conclusive or not, but nothing else than the bug


class Case(NamedTuple):
    """One cluster: its id, release, what may be said of it, what it does, and options of its Cluster."""

    id: str
    release: str
    expected: Expected
    run: Callable[[Cluster, Tools], None]
    options: Json


def fetching(work: Workload, side: str, sweeps: int, cluster: Cluster, tools: Tools) -> None:
    """Readers, then writers, and sweeps while they run."""
    for topic, config in work.topics.items():
        create_topic(cluster, topic, replica_assignment=LEADERS, config=config)
    tools.sweep()
    clients = tools.clients({"readers": work.readers(side), "writers": work.writers})
    clients.wait(lambda now: now[1] > 0)
    for number in range(sweeps):
        time.sleep(tools.every_s if number else 5.0)
        tools.sweep()
    sent, got, _held = clients.counts()
    if got < 0.5 * sent:  # of transactions and bursts the last part is not read yet
        raise ClusterError(f"{cluster.name}: {sent} records were sent and {got} read")


def every_case(sweeps: int) -> dict[str, list[Case]]:
    """Cases by the name of their workload."""
    found: dict[str, list[Case]] = {}
    for name, work in WORKLOADS.items():
        for release in (AFFECTED, FIXED):
            for side in SIDES:
                slow = side == "followers" and release == AFFECTED
                expected = ("bug" if work.bug else "open") if slow else "healthy"
                case_id = f"{name}-{release.replace('.', '')}-{side}"
                run = partial(fetching, work, side, sweeps)
                found.setdefault(name, []).append(Case(case_id, release, expected, run, {}))
    for name, event in EVENTS.items():
        for release in event.releases:
            one = Case(f"{name}-{release.replace('.', '')}", release, "healthy", event.run, dict(event.options))
            found.setdefault(name, []).append(one)
    return found


def collected_by() -> str:
    """A digest of all that decides what a case's sweeps hold."""
    parts = ("plugins/kafka_fleet/collect", "demo/fleet_demo", "benchmarks")
    paths = [path for part in parts for path in sorted((ROOT / part).rglob("*.*"))]
    kept = [path for path in paths if "__pycache__" not in path.parts
            and (path.parent.name != "benchmarks" or path.name.startswith("workload"))]  # fmt: skip
    return hashlib.sha256(b"".join(path.read_bytes() for path in kept if path.is_file())).hexdigest()


@contextmanager
def _tools(case: Case, cluster: Cluster, home: Path, every_s: float) -> Iterator[Tools]:
    """Sweeps through the command line, as a scheduler does; clients end with the block."""
    fleet = cluster.workdir / "fleet.yaml"
    fleet.write_text(yaml.safe_dump({"version": 1, "clusters": [cluster.fleet_entry(id=case.id)]}))
    numbers = count()

    def sweep() -> None:
        done = subprocess.run([PROGRAM, "collect", "--fleet", str(fleet), "--home", str(home)], text=True,
                              capture_output=True, check=False, timeout=300)  # fmt: skip
        if done.returncode:
            raise ClusterError(f"{case.id}: collect ended with {done.returncode}: {done.stdout}{done.stderr}")

    with ExitStack() as started:

        def clients(told: Json) -> Clients:
            number = next(numbers)
            out, log = (cluster.workdir / f"clients-{number}.{kind}" for kind in ("out", "log"))
            out.touch()
            words = json.dumps({"bootstrap": cluster.bootstrap_servers, **told})
            command = [sys.executable, "-m", "benchmarks.workload_clients", words]
            process = spawn(command, log, out, {"PYTHONPATH": str(ROOT)})
            started.callback(end, process, 0.0)
            return Clients(process, out, log)

        yield Tools(sweep, clients, every_s)


def run(case: Case, home: Path, every_s: float) -> None:
    """Start the cluster, let its workload run and sweep it, stop it. Raises ClusterError with the reason."""
    config = SETTINGS | dict(case.options.get("broker_config", {}))
    options = {**case.options, "broker_config": config}
    with (
        Cluster(case.id, case.release, brokers=3, racks=RACKS, **options) as cluster,
        _tools(case, cluster, home, every_s) as tools,
    ):
        case.run(cluster, tools)


def judge(home: Path) -> tuple[dict[str, list[Json]], dict[str, list[Json]]]:
    """Analyse every day of the home: findings and states of signatures by cluster."""
    findings: dict[str, list[Json]] = {}
    states: dict[str, list[Json]] = {}
    for ds in days_in(Home(home).raw_folder(MANIFESTS)):
        if not manifests(home, ds)[0]:
            continue
        subprocess.run([PROGRAM, "analyze", "--home", str(home), "--date", ds], check=True)
        printed = subprocess.run([PROGRAM, "findings", "--home", str(home), "--date", ds, "--format", "json"],
                                 check=True, capture_output=True, text=True).stdout  # fmt: skip
        for one in json.loads(printed):
            findings.setdefault(one["cluster"], []).append(one)
        day = Home(home).day(ds)
        for one in json.loads(day.generation(str(current_generation(day.signatures))).signatures.read_text()):
            states.setdefault(one["cluster"], []).append(one)
    return findings, states


def wrong(case: Case, findings: list[Json], states: list[Json]) -> list[str]:
    """What was said of a case and must not be, or was not and must; with the words for its line of the result."""
    sure = {f"{one['signature']}/{found['cause']}" for one in states for found in one["detections"]
            if found["strength"] == "conclusive"}  # fmt: skip
    confirmed = {one["advisory"] for one in findings if one["verdict"] == "confirmed"}
    if case.expected == "healthy":
        return sorted({f"{one} is conclusive" for one in sure} | {f"{one} is confirmed" for one in confirmed})
    said = sorted(f"{one} is confirmed" for one in confirmed - {BUG})
    said += sorted(f"{one} is conclusive" for one in sure if one != "fetch_latency/follower")
    return said + ([f"{BUG} is not confirmed"] if case.expected == "bug" and BUG not in confirmed else [])


def line(findings: list[Json], states: list[Json]) -> str:
    """What fired, and the verdicts on the founding advisories that are more than the release and its settings."""
    fired = [f"{one['signature']}/{found['cause']} {found['strength']}" for one in states
             for found in one["detections"]]  # fmt: skip
    told = [f"{one['advisory']} {one['verdict']}" for one in findings if one["advisory"] in FOUNDING
            and (one["verdict"] in ("confirmed", "look_alike") or one["advisory"] == BUG)]  # fmt: skip
    return f"{', '.join(sorted(fired)) or 'nothing fired'}; {', '.join(told)}"


def main() -> int:
    """Run the cases, judge, print a line per case and the gates."""
    parser = argparse.ArgumentParser(prog="scripts/prove workloads", description=__doc__)
    parser.add_argument("--only", default="", help="names of workloads, with commas between them; default all")
    parser.add_argument("--releases", default="", help="only these")
    parser.add_argument("--sides", default="", help="leaders or followers; default both")
    parser.add_argument("--sweeps", type=int, default=7)
    parser.add_argument("--every", type=float, default=15.0, help="seconds between sweeps")
    parser.add_argument("--parallel", type=int, default=1, help="clusters at a time")
    parser.add_argument("--home", type=Path, default=ROOT / "build/workloads", help="where sweeps are kept: cases that "
                        "ran there with the same collector are not run again, until all cases held")  # fmt: skip
    options = parser.parse_args()
    known = every_case(options.sweeps)
    names = [one for one in options.only.split(",") if one] or list(known)
    if unknown := sorted(set(names) - set(known)):
        parser.error(f"no such workload: {', '.join(unknown)}; known: {', '.join(known)}")
    left_out = set(SIDES) - set(options.sides.split(",")) if options.sides else set()
    releases = (
        options.releases.split(",") if options.releases else [one.release for own in known.values() for one in own]
    )
    cases = [one for name in names for one in known[name]
             if one.release in releases and one.id.rpartition("-")[2] not in left_out]  # fmt: skip
    home: Path = options.home
    home.mkdir(parents=True, exist_ok=True)
    failed: dict[str, str] = {}
    collector = collected_by()

    def one(case: Case) -> None:
        done = home / f"{case.id}.done"
        if done.exists() and done.read_text() == collector:
            return
        began = time.monotonic()
        for part in Home(home).raw.glob(f"*/*/{case.id}.*"):
            part.unlink()  # of a run that failed: another cluster under the same id
        Home(home).latest(case.id).unlink(missing_ok=True)
        try:
            run(case, home, options.every)
            done.write_text(collector)
        except Exception as error:  # the others run all the same, and the proof fails
            failed[case.id] = f"{type(error).__name__}: {error}"
        print(f"{datetime.now(UTC):%H:%M:%S} {case.id}: {failed.get(case.id, 'ran')}, "
              f"{time.monotonic() - began:.0f} s", flush=True)  # fmt: skip

    with ThreadPoolExecutor(options.parallel) as pool:
        list(pool.map(one, cases))
    findings, states = judge(home)
    bad, missed = 0, 0
    for case in cases:
        if case.id in failed:
            continue
        about = findings.get(case.id, []), states.get(case.id, [])
        said = wrong(case, *about)
        missed += any("not confirmed" in text for text in said)
        bad += any("not confirmed" not in text for text in said)
        figure(f"{case.id} ({case.expected})", line(*about) + (f" WRONG: {'; '.join(said)}" if said else ""))
    held = [
        gate("cases that did not run", len(failed), 0),
        gate("cases of which something is told for sure that is not so", bad, 0),
        gate("cases of the bug that are not confirmed", missed, 0),
    ]
    if all(held) and not (options.only or options.releases or options.sides):
        shutil.rmtree(home)
    return int(not all(held))


if __name__ == "__main__":
    sys.exit(main())
