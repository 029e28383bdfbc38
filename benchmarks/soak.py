"""`python -m benchmarks.soak`: a day of sweeps of many clusters at an accelerated clock, then the day is judged.

Prints, and gates: outcomes of all brokers against the faults injected, memory, open files and threads of the
collecting process over the sweeps, files on the disk against the manifests before and after compaction, clusters judged
and letters written. Ends with 1 when a gate is missed. `--no-judge` leaves Spark out; `--home` keeps what is written.
"""

import argparse
import ctypes
import gc
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from benchmarks.measure import gate, machine
from benchmarks.soak_fleet import DEAD, Clock, Simulator, Soak, simulator
from benchmarks.soak_judged import judge
from kafka_fleet.base import parallel
from kafka_fleet.collect import sweep
from kafka_fleet.collect.connections.http import Limits
from kafka_fleet.collect.jolokia import bulks as jolokia
from kafka_fleet.config.credentials import local_credentials
from kafka_fleet.config.fleet import load_fleet
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import JOINED, manifest_name, raw_name
from kafka_fleet.store.raw.compaction import compact, remove_superseded
from kafka_fleet.store.raw.garbage import remove_orphans
from kafka_fleet.store.raw.manifests import manifests, read_rows

LIMITS = Limits(read_s=3.0)  # a broker that hangs costs this twice
_LIBC = ctypes.CDLL(None)  # of glibc
GROWTH = 0.05  # of the median, over the day: more is no flat memory
DAYS_LATER = 2 * 86_400


class Reading(NamedTuple):
    """The collecting process after one sweep of the fleet: resident bytes, open files, threads; and its seconds.

    kept: what is resident still when the allocators have given back what is free.
    """

    rss: int
    kept: int
    files: int
    threads: int
    seconds: float


def collect(soak: Soak, home: Path, hold: Callable[[], None] = lambda: None) -> tuple[list[Reading], int]:
    """All sweeps of the day, in this process; its readings, and broker sweeps that came to another outcome than due."""
    clock, folder = Clock(), home.parent
    for module in (sweep, jolokia):
        setattr(module, "datetime", clock)  # noqa: B010 - a stand-in, for mypy too
    setattr(sweep, "sweep_admin", soak.admin)  # noqa: B010
    readings, wrong = [], 0
    try:
        with simulator(soak) as agents:
            for tick in range(soak.sweeps):
                hold()
                started = time.monotonic()
                wrong += _sweep(soak, tick, home, folder / "soak-fleet.yaml", agents, clock)
                readings.append(_reading(time.monotonic() - started))
                if tick % 12 == 0 or tick == soak.sweeps - 1:
                    print(f"  {tick + 1}/{soak.sweeps}: {_told(readings[-1])}", flush=True)
    finally:
        from kafka_fleet.collect.admin.client import sweep_admin

        for module in (sweep, jolokia):
            setattr(module, "datetime", datetime)  # noqa: B010
        setattr(sweep, "sweep_admin", sweep_admin)  # noqa: B010
    return readings, wrong


def _sweep(soak: Soak, tick: int, home: Path, fleet: Path, agents: Simulator, clock: Clock) -> int:
    agents.tick(tick, soak.at(tick))
    fleet.write_text(soak.fleet_file(tick, agents.port, agents.nobody), encoding="utf-8")
    clusters, resolver = load_fleet(fleet).clusters, local_credentials()
    clock.begin(soak.at(tick))
    found = parallel.run_in_parallel(
        clusters,
        lambda one: one.id,
        lambda one: sweep.sweep_cluster(one, home, resolver, LIMITS),
        parallel.PARALLEL,
        lambda _line: None,
    )
    counted = Counter((one.cluster, b[1], b[2]) for one in found for b in one.brokers)
    due = soak.expected([tick])
    for outcome in sorted((counted - due) | (due - counted), key=str):
        print(f"  sweep {tick}: {outcome}: {counted[outcome]} instead of {due[outcome]}")
    return (counted - due).total()


def _reading(seconds: float) -> Reading:
    rss = _resident()
    gc.collect()
    pa.default_memory_pool().release_unused()
    _LIBC.malloc_trim(0)  # what sixteen threads have freed lies in pieces, more of it the more the machine has to do
    return Reading(rss, _resident(), len(os.listdir("/proc/self/fd")), threading.active_count(), seconds)


def _told(one: Reading) -> str:
    return f"{one.seconds:.1f} s, {one.rss / 2**20:.0f} MiB, {one.kept / 2**20:.0f} of them kept"


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def growth(values: Sequence[float]) -> float:
    """Growth over the run by a straight line through all but the first sixth, as a share of the median."""
    late = values[len(values) // 6 :]
    line = statistics.linear_regression(range(len(late)), late)
    return line.slope * len(values) / statistics.median(late)


def on_disk(home: Path) -> set[str]:
    """Every file of raw, relative to the home."""
    return {str(path.relative_to(home)) for path in Home(home).raw.rglob("*") if path.is_file()}


def named(home: Path, ds: str) -> set[str]:
    """What manifests name: their data files, themselves, the commits of joined files, and each cluster's last sweep."""
    found = set()
    for one in manifests(home, ds)[0]:
        if one.cluster != DEAD:  # of which nothing was measured
            latest = Home(home).latest(one.cluster).relative_to(home)
            found |= {str(latest), str(latest.with_name(f".{one.cluster}.lock"))}
        found |= {file.path for file in one.files.values()}
        own = manifest_name(ds, one.cluster, one.sweep)
        found.add(raw_name(JOINED, ds, f"{one.cluster}.json") if one.joined else own)
    return found


def stored(soak: Soak, home: Path) -> list[bool]:
    """Gates on what lies in raw: before compaction, after it, and when it is tidied up."""
    ds, held = soak.day, []
    whole, damaged = manifests(home, ds)
    files = on_disk(home)
    due = soak.clusters * soak.sweeps
    print(f"  {len(whole)} sweeps in {len(files)} files, {sum(len(m.files) + 1 for m in whole)} by their manifests")
    held.append(gate("sweeps missing or damaged", due - len(whole) + len(damaged), 0))
    held.append(gate("files that no manifest names, or that are named and absent", len(files ^ named(home, ds)), 0))
    rows = read_rows(home, whole, "brokers")
    landed = Counter((row["cluster"], row["outcome"], row["kind"]) for row in rows)
    expected = soak.expected(range(soak.sweeps))
    faults = sum(number for (_cluster, outcome, _kind), number in expected.items() if outcome == "failed")
    print(f"  {len(rows)} rows of brokers, {faults} of them failed as injected")
    held.append(gate("rows of brokers that do not say the injected fault", len(rows) - (landed & expected).total(), 0))
    started = time.monotonic()
    compact(home, ds)
    seconds, later = time.monotonic() - started, time.time() + DAYS_LATER
    removed = remove_superseded(home, ds, later) + remove_orphans(home, ds, later).removed
    after = on_disk(home)
    print(f"  compacted in {seconds:.1f} s; {removed} files removed, {len(after)} left")
    held.append(gate("files that no manifest names then, or named and absent", len(after ^ named(home, ds)), 0))
    held.append(gate("sweeps missing then", due - len(manifests(home, ds)[0]), 0))
    again = Counter((r["cluster"], r["outcome"], r["kind"]) for r in read_rows(home, manifests(home, ds)[0], "brokers"))
    held.append(gate("rows of brokers that differ then", (landed - again).total() + (again - landed).total(), 0))
    return held


def soaked(soak: Soak, home: Path, hold: Callable[[], None] = lambda: None) -> tuple[list[bool], list[Reading]]:
    """Collect a day; gates that held, and the readings."""
    readings, wrong = collect(soak, home, hold)
    seconds = [one.seconds for one in readings]
    print(f"  {sum(seconds):.0f} s of sweeps, median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s")
    return [gate("broker sweeps with another outcome than injected", wrong, 0)], readings


def flat(readings: list[Reading]) -> list[bool]:
    """Gates on what the collecting process took over the day."""
    held = []
    for name, unit in (("rss", 2**20), ("kept", 2**20), ("files", 1), ("threads", 1)):
        values = [float(getattr(one, name)) for one in readings]
        print(f"  {name}: {values[0] / unit:.1f} first, {max(values) / unit:.1f} most, {values[-1] / unit:.1f} last")
        held.append(gate(f"growth of {name} over the run, share of the median", growth(values), GROWTH))
    return held


def main() -> int:
    """Run the soak."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    sizes: dict[str, Any] = Soak()._asdict()
    for name, value in sizes.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    parser.add_argument("--home", type=Path, help="an empty folder; a temporary one without")
    parser.add_argument("--no-judge", action="store_true", help="without Spark")
    parser.add_argument("--hold", type=Path, metavar="FILE", help="wait between two sweeps while this file is there")
    options = parser.parse_args()
    soak = Soak(**{name: getattr(options, name) for name in sizes})

    def hold() -> None:
        while options.hold and options.hold.exists():
            time.sleep(5)

    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {machine()}; {soak}", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        home = options.home or Path(folder) / "home"
        home.mkdir(parents=True, exist_ok=True)
        held, readings = soaked(soak, home, hold)
        held += flat(readings) + stored(soak, home)
        if not options.no_judge:
            hold()
            held += judge(soak, home)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
