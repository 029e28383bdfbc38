"""Sweeps recorded from real brokers (tests/data/sweeps): takes a home, lands them there, changed or as they were.

write_home(home)                                       every recorded cluster, on the day of the recording
write_home(home, ["follower331"], days=-1)             one of them, as if recorded a day earlier

As a program, `python -m support.homes.recorded HOME`: every cluster, and HOME/fleet.yaml for commands that want one.
"""

import copy
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import Manifest

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sweeps"
EPOCH_MS = ("jvm_start_ms", "app_start_ms")  # moments that are stored as numbers, as the broker gives them
Row = dict[str, Any]


@dataclass
class Sweep:
    """The rows of one sweep by raw table; rows name neither cluster nor sweep_at, which land() adds."""

    cluster: str
    at: datetime
    tables: dict[str, list[Row]]

    def rows(self, table: str, **keys: object) -> list[Row]:
        """Rows of a table whose columns have the given values."""
        return [row for row in self.tables.get(table, []) if all(row[key] == value for key, value in keys.items())]

    def move(self, by: timedelta) -> None:
        """Let it have happened at another time, its brokers' starts with it."""
        self.at += by
        for row in (row for rows in self.tables.values() for row in rows):
            for name, value in row.items():
                if isinstance(value, datetime):
                    row[name] = value + by
                elif name in EPOCH_MS and value is not None:
                    row[name] = value + round(by / timedelta(milliseconds=1))


@cache
def _recorded() -> dict[str, list[Sweep]]:
    found: dict[tuple[str, datetime], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(FOLDER.glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            found[row.pop("cluster"), row.pop("sweep_at")][path.stem].append(row)
    clusters: dict[str, list[Sweep]] = defaultdict(list)
    for (cluster, at), tables in sorted(found.items(), key=lambda item: item[0]):
        clusters[cluster].append(Sweep(cluster, at, dict(tables)))
    return dict(clusters)


def scenarios() -> list[str]:
    """Names of the recorded clusters."""
    return sorted(_recorded())


def recording(scenario: str) -> list[Sweep]:
    """The sweeps of one recorded cluster in time order, a copy that may be changed."""
    return copy.deepcopy(_recorded()[scenario])


def recorded_day() -> str:
    """The UTC day of the recording, YYYY-MM-DD."""
    return max(one.at for sweeps in _recorded().values() for one in sweeps).date().isoformat()


def land_all(home: Path, sweeps: Iterable[Sweep]) -> list[Manifest]:
    """Commit sweeps to a home through the library."""
    return [land(home, one.cluster, one.at, one.tables) for one in sweeps]


def write_home(home: Path, names: Iterable[str] | None = None, days: int = 0) -> list[Manifest]:
    """Land recorded clusters, all or the named ones, moved by whole days."""
    landed = []
    for name in scenarios() if names is None else names:
        sweeps = recording(name)
        for one in sweeps:
            one.move(timedelta(days=days))
        landed += land_all(home, sweeps)
    return landed


def changed(scenario: str, cluster: str, change: Callable[[list[Sweep]], list[Sweep] | None]) -> list[Sweep]:
    """A recording under another cluster id after a change; the change returns the sweeps to keep, or None for all."""
    sweeps = recording(scenario)
    kept = change(sweeps)
    sweeps = sweeps if kept is None else kept
    for one in sweeps:
        one.cluster = cluster
    return sweeps


def fleet_file(names: Iterable[str]) -> str:
    """A fleet file of these clusters, which answer nowhere any more."""
    entry = {
        "environment": "production",
        "owners": ["kafka-platform@example.org"],
        "bootstrap_servers": ["127.0.0.1:9092"],
        "jolokia": {"url_template": "http://{host}:8778/jolokia"},
    }
    clusters = [{"id": name, **copy.deepcopy(entry)} for name in names]  # else YAML would write aliases
    return yaml.safe_dump({"version": 1, "clusters": clusters}, sort_keys=False)


def main(arguments: list[str]) -> int:
    """Entry point."""
    if len(arguments) != 1:
        print("usage: python -m support.homes.recorded HOME", file=sys.stderr)
        return 2
    home = Path(arguments[0])
    if (home / "raw").exists():
        print(f"{home} has sweeps already; take another folder", file=sys.stderr)
        return 2
    home.mkdir(parents=True, exist_ok=True)
    landed = write_home(home)
    (home / "fleet.yaml").write_text(fleet_file(scenarios()))
    print(f"{len(landed)} sweeps of {len(scenarios())} clusters, recorded on {recorded_day()}; {home / 'fleet.yaml'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
