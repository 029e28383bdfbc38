"""Compaction: takes a finished day, joins each cluster's sweeps into few files, later removes what they stand for.

    raw/<table>/ds=YYYY-MM-DD/<cluster>.joined<n>.parquet   rows of sweeps that follow each other, in their order; of
                                                            tables that describe, a row per state (states.py)
    raw/joined/ds=YYYY-MM-DD/<cluster>.json                 the commit: the sweeps, and the files that hold them

A day of 144 sweeps has 144 small files per table and cluster, and opening them costs more than their rows. The day's
last sweep keeps its own: the next day reads it alone. So do damaged sweeps: they are evidence.
"""

import hashlib
import io
import json
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.schema.raw_tables import STATES, STATES_VERSION, raw_schemas
from kafka_fleet.store.files import list_names, read_all, replace_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import data_name, days_in, manifest_name, raw_name
from kafka_fleet.store.raw.garbage import remove_orphans, remove_retiring
from kafka_fleet.store.raw.landing import ORPHAN_SECONDS
from kafka_fleet.store.raw.manifests import DataFile, Manifest, manifests, read_table
from kafka_fleet.store.raw.states import StateRuns
from kafka_fleet.store.raw.temporary_files import remove_temporaries
from kafka_fleet.store.raw.trusted_clock import changed_at, trusted_time
from kafka_fleet.store.versions import as_raw, unknown_columns

GROUP_ROWS = 131_072  # of a row group: several small sweeps share one, a large sweep has its own
LARGE = 2**20
FILE_BYTES = 16 * 2**20  # a file is closed at the next sweep beyond this: every core has one to read
AT_ONCE = 8  # sweeps of one table that are read together: a bucket is slow to answer, and a large table fills memory
SUPERSEDED_SECONDS = ORPHAN_SECONDS  # joined sweeps stay so long: who listed them before still reads them


class _Files:
    """Files of one table under way: sweeps go in, a file is written as it is full."""

    def __init__(self, home: Path, table: str, prefix: str) -> None:
        self.home, self.table, self.prefix = home, table, prefix
        self.closed: list[DataFile] = []
        self._begin()

    def _begin(self) -> None:
        self.buffer = io.BytesIO()
        self.writer = pq.ParquetWriter(self.buffer, raw_schemas()[self.table], compression="zstd")
        self.waiting: list[pa.Table] = []
        self.rows = 0

    @property
    def path(self) -> str:
        """Of the file that the next sweep goes to."""
        return f"{self.prefix}{len(self.closed)}.parquet"

    def add(self, rows: pa.Table) -> None:
        """One sweep."""
        self.waiting.append(rows)
        self.rows += rows.num_rows
        if sum(table.num_rows for table in self.waiting) >= GROUP_ROWS:
            self._flush()
        if self.buffer.tell() >= FILE_BYTES:
            self.close()

    def _flush(self) -> None:
        if self.waiting:
            self.writer.write_table(pa.concat_tables(self.waiting), row_group_size=GROUP_ROWS)
            self.waiting = []

    def close(self) -> None:
        """Write the file; one without rows is none."""
        self._flush()
        self.writer.close()
        if self.rows:
            self.closed.append(_written(self.home, self.table, self.path, self.rows, self.buffer.getvalue()))
        self._begin()


class _States(NamedTuple):
    """The file of one table's states. begun: how many of its rows begin with each sweep."""

    file: DataFile
    begun: Counter[datetime]


def _states_of(home: Path, ds: str, cluster: str, sweeps: list[Manifest], table: str) -> _States | None:
    """Write the states of a table. None where it has no row, where columns of a newer version would be lost, and where
    so much changes that they take more than one file: then it is joined as the others are.
    """
    schema = raw_schemas()[table]
    runs = StateRuns(schema)
    for begin in range(0, len(sweeps), AT_ONCE):
        some = sweeps[begin : begin + AT_ONCE]
        read = iter(
            read_all(lambda file: _landed(home, file), [s.files[table] for s in some if table in s.files], home)
        )
        for sweep in some:
            rows = next(read) if table in sweep.files else schema.empty_table()
            if unknown_columns(table, rows):
                return None
            runs.add(sweep.sweep_at, as_raw(table, rows))
    found = runs.table()
    buffer = io.BytesIO()
    pq.write_table(found, buffer, compression="zstd", row_group_size=GROUP_ROWS)
    if not found.num_rows or buffer.tell() > FILE_BYTES:
        return None
    path = raw_name(table, ds, f"{cluster}.joined0.parquet")
    return _States(
        _written(home, table, path, found.num_rows, buffer.getvalue()), Counter(found["sweep_at"].to_pylist())
    )


def _landed(home: Path, file: DataFile) -> pa.Table:
    """The rows of a sweep's own file. Raises OSError where they are not as many as were landed."""
    rows = read_table(home / file.path)
    if rows.num_rows != file.rows:
        raise OSError(f"{file.path} has {rows.num_rows} rows, {file.rows} were landed")
    return rows


def _written(home: Path, table: str, path: str, rows: int, content: bytes) -> DataFile:
    file = DataFile(table, path, rows, len(content), hashlib.sha256(content).hexdigest())
    replace_file(home / file.path, content)
    return file


def join(home: Path, ds: str, cluster: str, sweeps: list[Manifest]) -> int:
    """Commit these whole sweeps of a day, in order of time, as joined files. Gives the number of files.

    Raises OSError when the disk does; nothing is committed then, and a next try begins anew.
    """
    states = {table: made for table in STATES if (made := _states_of(home, ds, cluster, sweeps, table))}
    open_: dict[str, _Files] = {}
    kept: list[DataFile] = []
    listed: list[dict[str, Any]] = []
    for sweep in sweeps:
        places = {t: (own.file.path, own.begun[sweep.sweep_at]) for t, own in states.items() if t in sweep.files}
        others = [file for table, file in sweep.files.items() if table not in states]
        small = [file for file in others if file.bytes < LARGE]
        read = read_all(lambda file: _landed(home, file), small, home)
        found = {file.table: rows for file, rows in zip(small, read, strict=True)}
        for file in others:
            rows = found.get(file.table)
            # columns of a newer version would be lost: such a file is kept, as a large one is
            if rows is None or unknown_columns(file.table, rows):
                places[file.table] = (file.path, file.rows)
                kept.append(file)
                continue
            files = open_.setdefault(
                file.table, _Files(home, file.table, raw_name(file.table, ds, f"{cluster}.joined"))
            )
            places[file.table] = (files.path, file.rows)
            files.add(as_raw(file.table, rows))
        at = sweep.sweep_at.astimezone(UTC).isoformat()
        listed.append({"sweep_at": at, "schema_version": STATES_VERSION, "tables": places})
    written = [own.file for own in states.values()]
    for files in open_.values():
        files.close()
        written += files.closed
    # bounded: files of whole sweeps are what landing bounded, or were looked into
    files_of = [file._asdict() for file in (*kept, *written)]
    commit = {"cluster": cluster, "sweeps": listed, "files": files_of, "bounded": True}
    content = json.dumps(commit, sort_keys=True, indent=1).encode()
    replace_file(Home(home).joined_commit(ds, cluster), content)
    return len(kept) + len(written)


def compact(home: Path, ds: str, today: date | None = None) -> dict[str, tuple[int, int]]:
    """Join every cluster's sweeps of a finished day: cluster -> (sweeps joined, files they have now).

    A cluster whose day is joined already is left alone, also when a sweep came late. Raises ValueError for a day that
    has not ended, OSError when the disk does: clusters that were done stay done.
    """
    if date.fromisoformat(ds) >= (today or datetime.now(UTC).date()):
        raise ValueError(f"{ds} has not ended: its sweeps are still landing")
    by_cluster: dict[str, list[Manifest]] = {}
    done = {path.stem for path in Home(home).joined(ds).glob("*.json")}
    for sweep in manifests(home, ds)[0]:
        if sweep.cluster not in done:
            by_cluster.setdefault(sweep.cluster, []).append(sweep)
    found = {}
    for cluster, sweeps in by_cluster.items():
        if len(sweeps) > 2:  # one to keep, and two at least to join
            found[cluster] = (len(sweeps) - 1, join(home, ds, cluster, sweeps[:-1]))
    return found


def remove_superseded(home: Path, ds: str, now: float) -> int:
    """Delete the own files of sweeps that at a moment are joined for a day and are whole there. Gives their number."""
    limit = now - SUPERSEDED_SECONDS
    # the last sweep's own manifest stays; where there is no other, nothing has to be read to know that all is done
    loose = Counter(path.name.partition(".")[0] for path in Home(home).manifests(ds).glob("*.json"))
    commits = Home(home).joined(ds).glob("*.json")
    old = {path.stem for path in commits if loose[path.stem] > 1 and changed_at(path) < limit}
    removed = 0
    for sweep in manifests(home, ds)[0] if old else []:
        if sweep.joined and sweep.cluster in old:
            own = [home / manifest_name(ds, sweep.cluster, sweep.sweep)]  # first: data without it does not exist
            own += [home / data_name(table, ds, sweep.cluster, sweep.sweep) for table in sweep.files]
            kept = {home / file.path for file in sweep.files.values()}
            for path in own:
                if path not in kept and path.exists():
                    path.unlink()
                    removed += 1
    return removed


def compact_finished(home: Path, ds: str, today: date | None = None) -> list[str]:
    """Compact a day if it has ended; a line for each cluster."""
    if date.fromisoformat(ds) >= (today or datetime.now(UTC).date()):
        return [f"{ds} has not ended: its sweeps stay as they landed"]
    joined = compact(home, ds, today)
    return [f"{cluster}: {sweeps} sweeps of {ds} are in {files} files" for cluster, (sweeps, files) in joined.items()]


def tidy(home: Path, now: float | None = None) -> list[str]:
    """Remove what no reader needs any more: of raw, by day, and what killed writers left elsewhere. A line for each.

    now: a moment that has passed for certain; without it the clock's, as far as the stored sweeps bear it out.
    """
    if now is None:
        found = trusted_time(home)
        if found.doubt:
            return [found.doubt]
        now = found.now
    told = []
    folders = [Home(home).raw_folder(name) for name in list_names(Home(home).raw)]
    for day in sorted({day for folder in folders for day in days_in(folder)}):
        superseded, orphans = remove_superseded(home, day, now), remove_orphans(home, day, now)
        removed = superseded + orphans.removed
        told += [f"{day}: {removed} files removed that no reader needs"] if removed else []
        told += [f"{day}: what is joined of {one} cannot be read; its files stay as they are" for one in orphans.untold]
    left = remove_temporaries(home, now) + remove_retiring(home, now)
    return told + ([f"{left} files removed that killed writers left"] if left else [])
