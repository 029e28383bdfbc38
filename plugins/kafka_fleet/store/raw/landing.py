"""Raw store, written: takes the tables of one sweep and commits them by manifest.

    raw/<table>/ds=YYYY-MM-DD/<cluster>.<sweep>.parquet     data, immutable
    raw/manifests/ds=YYYY-MM-DD/<cluster>.<sweep>.json      the commit: files, rows, bytes, sha256

A data file without a manifest does not exist for any reader, so a killed collector leaves nothing half-landed.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import pyarrow as pa

from kafka_fleet.schema.arrow import Item
from kafka_fleet.schema.raw_tables import SCHEMA_VERSION, raw_schemas
from kafka_fleet.store.files import list_names_between, replace_file, tells_of_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import MANIFESTS, data_name, days_in, manifest_name
from kafka_fleet.store.raw.client_names import fewer_names
from kafka_fleet.store.raw.manifests import DataFile, Manifest, data_file_fault, read_manifest, read_table, sweep_id
from kafka_fleet.store.raw.offset_deltas import COLUMNS, with_previous
from kafka_fleet.store.raw.row_validation import Refused, validated_rows
from kafka_fleet.store.raw.sweep_quota import Over, Room, encoded, fit_quota
from kafka_fleet.store.raw.unstored_rows import with_unstored

_CLUSTER = re.compile(r"[a-z0-9-]{1,63}")
ORPHAN_SECONDS = 24 * 3600  # a file that no commit names is a dead writer's then
FIRST = ("declarations", "sweeps")  # written before all others, in this order
ROOM = Room()  # of one sweep
WRITERS = 4  # files at a time: a small one waits for the disk longer than it takes to make


class Before(NamedTuple):
    """The sweep before one of the same cluster: when it was taken, the log ends that it found, and its other files."""

    sweep_at: datetime
    ends: pa.Table
    files: Mapping[str, DataFile]
    bounded: bool


class Around(NamedTuple):
    """What is stored of a cluster around a moment: the sweep before it, and the last sweep's name where it is later."""

    before: Before | None
    after: str | None


class Landing:
    """One sweep on its way into the store: files are written as their tables are known, a manifest makes them a sweep.

    A table's items are rows as dicts, or Arrow tables of many rows; `cluster` and `sweep_at` are added here. A table
    without rows has no file. Values beyond their columns' bounds and rows beyond the quota are not stored, and the
    rows of brokers and of the sweep say so. As a context, it removes what was written and not committed.
    """

    def __init__(self, home: Path, cluster: str, sweep_at: datetime) -> None:
        if not _CLUSTER.fullmatch(cluster):
            raise ValueError(f"{cluster[:40]!r} is no cluster id and cannot name files")
        self.home, self.cluster, self.sweep_at = home, cluster, sweep_at
        self.sweep, self._ds = sweep_id(sweep_at), sweep_at.astimezone(UTC).date().isoformat()
        self._written: list[Path] = []
        self._files: dict[str, DataFile] = {}
        self._room = ROOM
        self._refused: list[Refused] = []
        self._over: list[Over] = []

    def __enter__(self) -> "Landing":
        return self

    def __exit__(self, kind: type[BaseException] | None, _v: BaseException | None, _tb: TracebackType | None) -> None:
        if kind is not None:
            self.discard()

    def discard(self) -> None:
        """Remove what was written."""
        for path in reversed(self._written):
            path.unlink(missing_ok=True)

    def store(self, tables: Mapping[str, Iterable[Item]]) -> None:
        """Write tables that are known whole, as far as half of the room goes. Raises as land() does."""
        made, contents = self._fitting(self._made(tables), self._room.half)
        self._room = self._room.less(made, contents)
        self._write(made, contents)

    def commit(
        self,
        tables: Mapping[str, Iterable[Item]],
        before: Callable[[], Before | None],
        allowed: Callable[[], None] = lambda: None,
    ) -> Manifest:
        """Write the other tables, among them partitions and sweeps, and the manifest. Raises as land() does.

        allowed: asked when all but the manifest is written; what it raises leaves nothing of the sweep.
        """
        made = self._made(tables)
        _lay_beside(before, made)
        made, contents = self._fitting(made, self._room)
        for name, table in with_unstored(made, self._refused, self._over).items():
            made[name], contents[name] = table, encoded(table)
        self._write(made, contents)
        manifest = Manifest(self.cluster, self.sweep, self.sweep_at, SCHEMA_VERSION, self._files, bounded=True)
        content = json.dumps(
            {
                "cluster": self.cluster,
                "sweep": self.sweep,
                "sweep_at": self.sweep_at.astimezone(UTC).isoformat(),
                "schema_version": SCHEMA_VERSION,
                "bounded": True,
                "files": [file._asdict() for file in self._files.values()],
            },
            sort_keys=True,
            indent=1,
        ).encode()
        allowed()
        path = self.home / manifest_name(self._ds, self.cluster, self.sweep)
        self._written.append(path)
        replace_file(path, content)
        return manifest

    def _made(self, tables: Mapping[str, Iterable[Item]]) -> dict[str, pa.Table]:
        unknown = sorted(set(tables) - set(raw_schemas()))
        if unknown:
            raise KeyError(f"no such raw table: {', '.join(unknown)}")
        made = {}
        for name, items in tables.items():
            made[name], refused = validated_rows(name, items, self.cluster, self.sweep_at)
            self._refused += refused
        self._over += fewer_names(made)
        return made

    def _fitting(self, made: dict[str, pa.Table], room: Room) -> tuple[dict[str, pa.Table], dict[str, bytes]]:
        with ThreadPoolExecutor(WRITERS) as pool:
            tables, contents, over = fit_quota(made, room, lambda make, tables: list(pool.map(make, tables)))
        self._over += over
        return tables, contents

    def _write(self, made: Mapping[str, pa.Table], contents: Mapping[str, bytes]) -> None:
        names = sorted(contents, key=lambda name: (*(name != first for first in FIRST), -made[name].num_rows))
        # the first file alone decides which of two writers lands the sweep: else each could be first with some file
        alone = 0 if self._files else 1
        self._files |= {name: self._file(name, made[name], contents[name]) for name in names[:alone]}
        with ThreadPoolExecutor(WRITERS) as pool:  # a failure is raised once the others have ended: all is known then
            files = pool.map(lambda name: self._file(name, made[name], contents[name]), names[alone:])
            self._files |= {file.table: file for file in files}

    def _file(self, name: str, table: pa.Table, content: bytes) -> DataFile:
        relative = data_name(name, self._ds, self.cluster, self.sweep)
        replace_file(self.home / relative, content, new=True)
        self._written.append(self.home / relative)
        return DataFile(name, relative, table.num_rows, len(content), hashlib.sha256(content).hexdigest())


def land(home: Path, cluster: str, sweep_at: datetime, tables: Mapping[str, Iterable[Item]]) -> Manifest:
    """Commit one sweep whose tables are all known.

    Raises pyarrow.ArrowInvalid for a value that does not fit its column, FileExistsError for a sweep that is landed
    already, OSError when the disk does. What was written before is no sweep without its manifest, and is removed.
    """
    with Landing(home, cluster, sweep_at) as landing:
        return landing.commit(tables, lambda: sweep_before(home, cluster, sweep_at))


def _lay_beside(before: Callable[[], Before | None], made: dict[str, pa.Table]) -> None:
    """Give partitions the log ends of the cluster's sweep before, and say which one that is.

    A sweep that lands late, or whose predecessor is damaged, has none: the day then finds them itself.
    """
    rows = [made[name].num_rows if name in made else 0 for name in ("partitions", "sweeps")]
    if not rows[0] or rows[1] != 1:
        return
    earlier = before()
    table = with_previous(made["partitions"], earlier.ends) if earlier is not None else None
    if earlier is None or table is None:
        return
    made["partitions"] = table
    at = pa.array([earlier.sweep_at], raw_schemas()["sweeps"].field("previous_sweep_at").type)
    place = made["sweeps"].schema.get_field_index("previous_sweep_at")
    made["sweeps"] = made["sweeps"].set_column(place, "previous_sweep_at", at)


def sweep_before(home: Path, cluster: str, sweep_at: datetime) -> Before | None:
    """The log ends of the last whole sweep of a cluster before a moment, on its UTC day or the day before."""
    return _before(home, cluster, sweep_at, _own(home, cluster, sweep_at.astimezone(UTC).date()))


def sweeps_around(home: Path, cluster: str, sweep_at: datetime) -> Around:
    """What is stored of a cluster on both sides of a moment. The names of its day are read once: they may be very many.

    A day that was joined has its last sweep's own manifest still. Of the days before only the folders' names are read.
    """
    today = _own(home, cluster, sweep_at.astimezone(UTC).date())
    return Around(_before(home, cluster, sweep_at, today), _after(home, cluster, sweep_at, today))


def _before(home: Path, cluster: str, sweep_at: datetime, today: list[Path]) -> Before | None:
    earlier = [path for path in today if _sweep(path) < sweep_id(sweep_at)]
    earlier = earlier or _own(home, cluster, sweep_at.astimezone(UTC).date() - timedelta(days=1))
    found = _whole(home, earlier[-1], "partitions") if earlier else None
    file = found.files.get("partitions") if found else None
    if not found or not file:
        return None
    return Before(found.sweep_at, read_table(home / file.path, columns=COLUMNS), found.files, found.bounded)


def _after(home: Path, cluster: str, sweep_at: datetime, today: list[Path]) -> str | None:
    day = sweep_at.astimezone(UTC).date().isoformat()
    for ds in reversed([one for one in days_in(Home(home).raw_folder(MANIFESTS)) if one > day]):
        if later := _own(home, cluster, ds):
            return _sweep(later[-1])
    return _sweep(today[-1]) if today and _sweep(today[-1]) > sweep_id(sweep_at) else None


def _own(home: Path, cluster: str, ds: date | str) -> list[Path]:
    """Manifests of a cluster and day, in order of time."""
    folder = Home(home).manifests(ds)
    return [folder / name for name in list_names_between(folder, f"{cluster}.", ".json")]


def _sweep(manifest: Path) -> str:
    return manifest.stem.partition(".")[2]


def _whole(home: Path, path: Path, table: str) -> Manifest | None:
    try:
        manifest = read_manifest(path)
        damaged = table in manifest.files and data_file_fault(home, manifest.files[table], manifest.bounded)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        return None  # the day names it as damaged
    return None if damaged else manifest
