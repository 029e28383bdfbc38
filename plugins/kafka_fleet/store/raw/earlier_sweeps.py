"""Last sweeps of earlier days: takes a home, a day and names of tables, gives these tables alone of each of them.

A day begins with each cluster's last sweep of the day before, of which it has every table. What grows over days needs
more of them, and of few tables alone: the others of those sweeps are not opened.
"""

from collections.abc import Collection, Iterator
from datetime import date, timedelta
from pathlib import Path

from kafka_fleet.store.files import list_names, read_all, tells_of_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import MANIFESTS, raw_name
from kafka_fleet.store.raw.manifests import Manifest, data_file_fault, read_manifest
from kafka_fleet.store.raw.tombstones import retired


def earlier_sweeps(
    home: Path, ds: str, days: int, tables: Collection[str], clusters: Collection[str]
) -> list[Manifest]:
    """The last sweep of each of these clusters on each of so many days before the last two, with these tables of it.

    The day itself and the one before are not among them. A day that was not stored, whose raw is gone, or whose
    tombstone or last sweep is damaged gives none. Raises OSError when the disk or the bucket does.
    """
    found = []
    for back in range(2, days + 1):
        day = (date.fromisoformat(ds) - timedelta(days=back)).isoformat()
        paths = list(_newest(home, day, clusters))
        read = read_all(lambda path: _tables_of(home, path, tables), paths, home)
        found += [one for one in read if one is not None]
    return sorted(found, key=lambda one: (one.cluster, one.sweep_at))


def _newest(home: Path, ds: str, clusters: Collection[str]) -> Iterator[Path]:
    """Manifests of the last sweeps of a day: their names sort as their times do."""
    folder = Home(home).manifests(ds)
    try:
        gone = retired(home, ds)
    except ValueError:  # damaged: what is there of that day is not known, and the day that is judged has its own
        return iter(())
    newest: dict[str, str] = {}
    for name in sorted(list_names(folder)):
        cluster = name.partition(".")[0]
        if cluster in clusters and name.endswith(".json") and raw_name(MANIFESTS, ds, name) not in gone:
            newest[cluster] = name
    return (folder / name for name in newest.values())


def _tables_of(home: Path, path: Path, tables: Collection[str]) -> Manifest | None:
    """The sweep with those of these tables alone that have rows; None where none has, or it cannot be used."""
    try:
        sweep = read_manifest(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        return None
    files = {table: sweep.files[table] for table in tables if table in sweep.files}
    kept = {
        table: file for table, file in files.items() if file.rows and not data_file_fault(home, file, sweep.bounded)
    }
    return sweep._replace(files=kept) if kept else None
