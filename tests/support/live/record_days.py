"""Records days that real brokers give, judged: runs their scenarios, one at a time, and writes tests/data/days.

PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_days             every day, about 25 minutes
PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_days skew323     the named ones
PYTHONPATH=plugins:spark:demo:tests python -m support.live.record_days keyed323    of the corpus: no broker is run

What no scenario here runs is in the corpus of real days (tests/data/corpus), and is judged from there.

A day is kept if it shows what days.yaml says of it; else it is named, the archive before it stays, and the exit code is
1. What depends on the machine's pace (partition_skew, reconnect_storm) wants a machine that does nothing else.
"""

import getpass
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from fleet_demo.cluster import ClusterError
from kafka_fleet.report.render import read_day
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import days_in
from support.homes.corpus import open_archive
from support.homes.golden_homes import pack
from support.homes.judged_days import RecordedDay, place_in, recorded_days
from support.live import (
    availability,
    calm,
    cleaner,
    coordinators,
    deadlocked,
    expired,
    frozen,
    hanging,
    lost_ids,
    netns,
    offsets,
    old_loads,
    owned,
    pushed_sweeps,
    quorum,
    rebalances,
    retries,
    saturation,
    scraped_clients,
    skew,
    unclean,
    unled,
    zk28,
)
from support.live.commands import fleet_command
from support.live.scenarios import running

ROOT = Path(__file__).resolve().parents[3]
FETCHES = ["follower331"]
SWEEPS, EVERY_S = 7, 9.0
LOGS = "/var/lib/kafka"
Scenario = Callable[[Path], object]


def fetches(home: Path) -> None:
    """Reads from a follower, as the live tests have them."""
    with running(FETCHES, home, SWEEPS, EVERY_S):
        pass


SCENARIOS: dict[Scenario, Iterable[str]] = {
    fetches: FETCHES,
    skew.run: [skew.STICKY],
    netns.run: [netns.NAME],
    frozen.run: [frozen.FROZEN],
    lost_ids.run: [lost_ids.LOST],
    zk28.run: [zk28.DEAD, zk28.KILLED],
    offsets.run: [offsets.DECLARED],
    expired.run: [expired.EXPIRED],
    unclean.run: [unclean.NAME],
    old_loads.older: [old_loads.OLDER],
    retries.run: ["declared"],
    pushed_sweeps.run: [pushed_sweeps.UNRETRIED],
    availability.run: [availability.DARK],
    unled.run: [unled.UNLED],
    hanging.run: [hanging.HANGING],
    quorum.run: [quorum.ELECTED],
    saturation.run: [saturation.DEADLOCK],
    deadlocked.run: [deadlocked.QUOTAS, deadlocked.HELD],
    cleaner.deleted: [cleaner.DELETED],
    rebalances.waiting: [rebalances.STUCK, rebalances.LATE],
    coordinators.stuck: [coordinators.STUCK],
    owned.run: [owned.OWNED],
    scraped_clients.run: [scraped_clients.DROPPED],
    calm.steady: [calm.STEADY],
    calm.away: [calm.AWAY],
}


def swept_days(names: list[str]) -> Iterator[tuple[str, Path]]:
    """Each day of the names (all where there are none) with a home that has its sweeps, for as long as it is asked."""
    days = recorded_days()
    runs: list[tuple[Scenario, Iterable[str]]] = [*SCENARIOS.items()]
    run = {name for _, clusters in runs for name in clusters}
    runs += [(partial(open_archive, cluster=name), [name]) for name in days if name not in run]
    for scenario, clusters in runs:
        wanted = [name for name in clusters if name in (names or days)]
        if wanted:
            print("recording", *wanted, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                scenario(Path(folder))
                yield from ((name, Path(folder)) for name in wanted)


def alone(swept: Path, cluster: str, home: Path) -> str:
    """Copy the sweeps of one cluster into a home of its own; their day."""
    commits = {Home(swept).manifests(ds) for ds in days_in(Home(swept).raw_folder("manifests"))}

    def others(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(folder) in commits and name.partition(".")[0] != cluster]

    shutil.copytree(Home(swept).raw, Home(home).raw, ignore=others)
    days = [ds for ds in days_in(Home(home).raw_folder("manifests")) if any(Home(home).manifests(ds).iterdir())]
    if len(days) != 1:
        raise ClusterError(f"{cluster} was swept on {len(days)} days")
    return days[0]


def shows(day: RecordedDay, home: Path) -> str | None:
    """What a judged home shows and must not, or must and does not; None where it is as it should be."""
    judged = read_day(home, *place_in(home))
    seen = {one.key: one for one in judged.findings if one.cluster == day.cluster}
    if day.finding is not None:
        found = seen.get(day.finding)
        told = f"{found.verdict}, {found.cause} {found.strength}" if found else "not there"
        return None if found and found.verdict == day.verdict and found.cause else f"{day.finding} is {told}"
    measured = [key for key, one in seen.items() if one.verdict in ("confirmed", "look_alike")]
    if measured:
        return f"{', '.join(measured)} was measured"
    reached = judged.reports[day.cluster].reached
    return None if reached == (day.verdict != "unknown") else f"it was {'' if reached else 'not '}reached"


def unnamed(home: Path) -> None:
    """Brokers of a scenario keep their logs in a temporary folder of this machine: it is named as a server would."""
    folder = re.compile(rf"{re.escape(tempfile.gettempdir())}/[\w.-]+(?=/)")
    for path in [path for path in home.rglob("*.json") if path.is_file()]:
        path.write_text(folder.sub(LOGS, path.read_text(encoding="utf-8")), encoding="utf-8")


def of_this_machine(home: Path) -> list[str]:
    """Where files name a folder of this machine, its host or its user: the file, and the text around it."""
    names = [str(ROOT), str(Path.home()), f"{tempfile.gettempdir()}/", f"/{getpass.getuser()}/", socket.gethostname()]
    words = re.compile("|".join(rf"(?<![\w.-]){re.escape(name)}(?:(?<=/)|(?![\w-]|\.\w))" for name in names))
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in home.rglob("*") if path.is_file()]
    return [f"{name}: {text[max(0, one.start() - 60) : one.end() + 60]}" for name, text in texts
            for one in words.finditer(text)]  # fmt: skip


def record(day: RecordedDay, swept: Path) -> str | None:
    """Judge a day and keep it; the reason where that cannot be."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        ds = alone(swept, day.cluster, home)
        done = fleet_command("analyze", "--home", str(home), "--date", ds)
        if done.returncode:
            return done.stderr.strip()[-2000:]
        for stage in ("raw", "facts"):
            shutil.rmtree(home / stage)
        for lock in home.rglob(".*.lock"):
            lock.unlink()
        unnamed(home)
        if fault := shows(day, home):
            return fault
        if named := of_this_machine(home):
            return "names this machine: " + "; ".join(named[:5])
        pack(home, day.archive)
    return None


def main(names: list[str]) -> int:
    """Entry point."""
    days = recorded_days()
    if unknown := sorted(set(names) - set(days)):
        print(f"no such day: {', '.join(unknown)}; known: {', '.join(days)}", file=sys.stderr)
        return 2
    missed = []
    for name, swept in swept_days(names):
        if fault := record(days[name], swept):
            print(f"{name} is not recorded: {fault}", file=sys.stderr, flush=True)
            missed.append(name)
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
