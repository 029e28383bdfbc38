"""The fleet of a soak: takes its sizes and a seed, gives each sweep's fleet file, faults, clock, and simulator.

Jolokia is real HTTP from `tests/support/servers/simulated_brokers.py`, one process of its own. The admin protocol's
rows are handed over (see one_collect). One cluster, DEAD, refuses every connection of the day, and its admin protocol
does not answer.
"""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks.one_collect import admin_sweep
from fleet_demo.processes import LOOPBACK, free_port
from kafka_fleet.collect.admin.client import AdminSweep

ROOT = Path(__file__).resolve().parents[1]
DEAD = "cluster-0000"
REFUSED = "refused"
# what a broker's sweep comes to: kind of fault -> (outcome, kind) of its row in the raw table brokers
EXPECTED: dict[str, tuple[str, str | None]] = {
    "ok": ("ok", None),
    REFUSED: ("failed", "unreachable"),
    "error": ("failed", "http"),
    "cut": ("failed", "cut_off"),
    "hang": ("failed", "timeout"),
    "garbage": ("failed", "not_json"),
}
FAULTS = tuple(kind for kind in EXPECTED if kind != "ok")
TOPICS, PARTITIONS = 2, 3
ADMIN_DEAD = "no broker answers (the soak's dead cluster)"


class Soak(NamedTuple):
    """Sizes of a soak: a day of `sweeps` sweeps, evenly spread; `share` of the living brokers fails in each."""

    clusters: int = 200
    sweeps: int = 144
    brokers: int = 2
    share: float = 0.05
    seed: int = 1
    day: str = "2026-11-20"

    @property
    def names(self) -> list[str]:
        """Cluster ids; the first is the dead one."""
        return [f"cluster-{number:04d}" for number in range(self.clusters)]

    def at(self, tick: int) -> datetime:
        """When a sweep begins, by the clock of the soak: spread over the day from midnight on, in whole seconds."""
        return datetime.fromisoformat(self.day).replace(tzinfo=UTC) + timedelta(days=1) * tick // self.sweeps

    def faults(self, tick: int) -> dict[tuple[str, int], str]:
        """Which brokers fail in a sweep, and how: a share of the living, at least one, and all of the dead cluster."""
        living = [(name, broker) for name in self.names if name != DEAD for broker in range(1, self.brokers + 1)]
        chance = random.Random(f"{self.seed} {tick}")  # noqa: S311 - chooses who fails
        hit = chance.sample(living, max(1, round(len(living) * self.share)))
        found = {place: FAULTS[(tick + number) % len(FAULTS)] for number, place in enumerate(hit)}
        return found | {(DEAD, broker): REFUSED for broker in range(1, self.brokers + 1)}

    def expected(self, ticks: Iterable[int]) -> Counter[tuple[str, str, str | None]]:
        """Broker sweeps by (cluster, outcome, kind) over these sweeps."""
        counted: Counter[tuple[str, str, str | None]] = Counter()
        for tick in ticks:
            faults = self.faults(tick)
            for name in self.names:
                for broker in range(1, self.brokers + 1):
                    counted[name, *EXPECTED[faults.get((name, broker), "ok")]] += 1
        return counted

    def fleet_file(self, tick: int, port: int, nobody: int) -> str:
        """The fleet file of one sweep; port: of the simulator, nobody: one where nothing listens."""
        faults, entries = self.faults(tick), []
        for name in self.names:
            urls = {}
            for broker in range(1, self.brokers + 1):
                kind = faults.get((name, broker), "ok")
                there = nobody if kind == REFUSED else port
                urls[broker] = f"http://{LOOPBACK}:{there}/{kind}/{broker}/jolokia"
            entry: dict[str, Any] = {"id": name, "environment": "development", "owners": ["nobody@example.org"]}
            host = f"{'dead' if name == DEAD else 'alive'}.example.org"
            entries.append({**entry, "bootstrap_servers": [f"{host}:9092"], "jolokia": {"brokers": urls}})
        return yaml.dump({"version": 1, "clusters": entries}, Dumper=yaml.CSafeDumper)

    def admin(self, servers: list[str], *_rest: object) -> AdminSweep:
        """In place of the admin protocol: its rows, or that it did not answer."""
        if servers[0].startswith("dead."):
            return AdminSweep("failed", ADMIN_DEAD, ["every admin table"], None, None, {})
        return admin_sweep(self.brokers, TOPICS, PARTITIONS, self.brokers)


class Clock:
    """In place of `datetime` where a sweep asks for the time: the soak's own, which runs on as the real one does."""

    def __init__(self) -> None:
        self.begin(datetime(2026, 1, 1, tzinfo=UTC))

    def begin(self, at: datetime) -> None:
        """Set it."""
        self._at, self._since = at, time.monotonic()

    def now(self, zone: Any = None) -> datetime:
        """As datetime.now."""
        return (self._at + timedelta(seconds=time.monotonic() - self._since)).astimezone(zone)


class Simulator:
    """The process that answers for every broker."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.port = int(self._line()["port"])
        self.nobody = free_port()

    def _line(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise SystemExit("soak: the simulator has ended")
        found: dict[str, Any] = json.loads(line)
        return found

    def tick(self, tick: int, at: datetime) -> None:
        """Let the log ends and the agents' clock go on."""
        if self._process.stdin:
            print(json.dumps({"tick": tick, "at": at.timestamp()}), file=self._process.stdin, flush=True)
        self._line()


@contextmanager
def simulator(soak: Soak) -> Iterator[Simulator]:
    """The simulator of a fleet; its process ends with the block."""
    sizes = {"brokers": soak.brokers, "topics": TOPICS, "partitions": PARTITIONS, "replication": soak.brokers}
    command = [sys.executable, str(ROOT / "tests/support/servers/simulated_brokers.py")]
    command += [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Simulator(process)
    finally:
        process.communicate()  # ends its standard input
