"""The newest whole sweep of a cluster, and its tables: takes a home, gives rows as they were landed, column by column.

A day is judged from all of its sweeps; what is asked of a cluster now is asked of this one alone.
"""

import io
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.schema.bounds import within_bounds
from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.files import list_names_between, read_all, read_file, tells_of_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import MANIFESTS, days_in, raw_name
from kafka_fleet.store.raw.manifests import Manifest, data_file_fault, read_manifest, read_table
from kafka_fleet.store.raw.states import rows_at
from kafka_fleet.store.raw.tombstones import retired
from kafka_fleet.store.versions import RENAMED, as_raw

MOST = 20  # damaged sweeps that are passed over


class SweepTables:
    """Tables of one sweep. `lost` are those that it did not read, by the name of the table."""

    def __init__(self, sweep: Manifest, tables: Mapping[str, pa.Table]) -> None:
        self.sweep, self._tables = sweep, tables

    def table(self, name: str) -> pa.Table:
        """Rows of a raw table; none where the sweep has none of it."""
        found = self._tables.get(name)
        return raw_schemas()[name].empty_table() if found is None else found

    @cached_property
    def lost(self) -> frozenset[str]:
        """Tables of the Kafka protocol that could not be read; `*` where nothing of it was."""
        rows = self.table("sweeps").to_pylist()
        if not rows or rows[0]["admin_outcome"] not in ("ok", "partial"):
            return frozenset({"*"})
        return frozenset(rows[0]["admin_missing"] or ())

    def unread(self, name: str) -> bool:
        """Whether a table of the Kafka protocol is not known as a whole."""
        return "*" in self.lost or name in self.lost


def newest_sweep(home: Path, cluster: str, wanted: Sequence[str]) -> Manifest | None:
    """The last sweep of which these tables are whole; None where the cluster has none. Raises OSError, NewerVersion."""
    tried = 0
    for ds in reversed(days_in(Home(home).raw_folder(MANIFESTS))):
        folder, gone = Home(home).manifests(ds), retired(home, ds)
        for name in reversed(list_names_between(folder, f"{cluster}.", ".json")):
            if raw_name(MANIFESTS, ds, name) in gone:
                continue
            if (found := _whole(home, folder / name, wanted)) is not None:
                return found
            tried += 1
            if tried >= MOST:
                return None
    return None


def _whole(home: Path, path: Path, wanted: Sequence[str]) -> Manifest | None:
    try:
        found = read_manifest(path)
        files = [found.files[table] for table in wanted if table in found.files]
        return None if any(read_all(lambda f: data_file_fault(home, f, found.bounded), files, home)) else found
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        return None


def sweep_tables(home: Path, sweep: Manifest, wanted: Mapping[str, Sequence[str]]) -> SweepTables:
    """The tables of a sweep, by name with the columns that are wanted; all of them where none are named.

    Raises OSError, and pyarrow.ArrowInvalid for a file that is none of Parquet.
    """
    names = [name for name in wanted if name in sweep.files]
    read = read_all(lambda name: _rows(home, sweep, name, wanted[name]), names, home)
    return SweepTables(sweep, dict(zip(names, read, strict=True)))


def _rows(home: Path, sweep: Manifest, name: str, columns: Sequence[str]) -> pa.Table:
    if sweep.joined or not columns:
        rows = as_raw(name, read_table(home / sweep.files[name].path))
        rows = rows_at(sweep.sweep_at, rows) if sweep.joined else rows
    else:  # an older file may lack some of the columns, or call them otherwise
        old = [was for was, now in RENAMED.get(name, {}).items() if now in columns]
        file = pq.ParquetFile(io.BytesIO(read_file(home / sweep.files[name].path)))
        rows = as_raw(name, file.read(columns=[*columns, *old]))
    return within_bounds(rows.select(list(columns)) if columns else rows)
