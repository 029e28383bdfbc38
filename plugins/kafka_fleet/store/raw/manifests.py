"""Raw store, read: takes a home and a day, gives the sweeps that are committed and whole, and those that are damaged.

A sweep is committed by a manifest of its own (landing.py), or with others of its day by one that joins them
(compaction.py). A data file that no manifest names does not exist.
"""

import hashlib
import io
import json
from collections.abc import Container, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.schema.raw_tables import STATES_VERSION
from kafka_fleet.store.files import list_names_between, other_size, read_all, read_file, tells_of_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import JOINED, MANIFESTS, day_of, raw_name
from kafka_fleet.store.raw.layout import data_place
from kafka_fleet.store.raw.parquet_footers import too_much
from kafka_fleet.store.raw.states import rows_at
from kafka_fleet.store.raw.sweep_quota import READ_BYTES
from kafka_fleet.store.raw.tombstones import retired
from kafka_fleet.store.versions import NewerVersion, as_raw, newer, refuse_newer

_NAME = "%Y%m%dT%H%M%S.%fZ"


class DataFile(NamedTuple):
    """One data file of a sweep, path relative to the home."""

    table: str
    path: str
    rows: int
    bytes: int
    sha256: str


class Manifest(NamedTuple):
    """One committed sweep. joined: its rows are in files that it shares with other sweeps of the day (compaction).

    bounded: who stored it bounded every value; without that the files are looked into before they are used.
    """

    cluster: str
    sweep: str
    sweep_at: datetime
    schema_version: int
    files: dict[str, DataFile]
    joined: bool = False
    bounded: bool = False


class Joined(NamedTuple):
    """What compaction committed of one cluster and day: its files by path, and the sweeps whose rows they hold."""

    cluster: str
    files: dict[str, DataFile]
    sweeps: list[Manifest]
    bounded: bool = False


class Damaged(NamedTuple):
    """A sweep that is committed and cannot be used: a file is gone or its bytes are not those that were written."""

    cluster: str
    sweep: str
    reason: str


def sweep_id(at: datetime) -> str:
    """Name of a sweep: its start in UTC to the microsecond; sorts as time does."""
    return at.astimezone(UTC).strftime(_NAME)


def read_manifest(path: Path) -> Manifest:
    """The manifest at a path. Raises OSError, or ValueError, KeyError or TypeError for one that is damaged."""
    content = json.loads(read_file(path))
    refuse_newer(content["schema_version"], "it")
    files = {one["table"]: DataFile(**one) for one in content["files"]}
    at, ds = datetime.fromisoformat(content["sweep_at"]), _day_of(path)
    if path.stem != f"{content['cluster']}.{content['sweep']}" or content["sweep"] != sweep_id(at):
        raise ValueError("it does not say what its name says")
    if any(data_place(one.path, one.table, ds, content["cluster"]).sweep != sweep_id(at) for one in files.values()):
        raise ValueError("it names a file of another sweep")
    bounded = content.get("bounded") is True
    return Manifest(content["cluster"], content["sweep"], at, content["schema_version"], files, bounded=bounded)


def read_joined(path: Path) -> Joined:
    """What is joined of a cluster and day by the commit at a path. Raises as read_manifest, but for newer versions."""
    content = json.loads(read_file(path))
    cluster, files, sweeps = content["cluster"], {one["path"]: DataFile(**one) for one in content["files"]}, []
    if cluster != path.stem:
        raise ValueError("it does not say what its name says")
    for file in files.values():
        data_place(file.path, file.table, _day_of(path), cluster)
    for one in content["sweeps"]:
        at = datetime.fromisoformat(one["sweep_at"])
        own = {table: files[name]._replace(rows=rows) for table, (name, rows) in dict(one["tables"]).items()}
        if any(file.table != table for table, file in own.items()):
            raise ValueError("it names a table's rows in a file of another")
        sweeps.append(Manifest(cluster, sweep_id(at), at, one["schema_version"], own, joined=True))
    return Joined(cluster, files, sweeps, content.get("bounded") is True)


def _day_of(path: Path) -> str:
    return day_of(path.parent.name)


def manifests(home: Path, ds: date | str) -> tuple[list[Manifest], list[Damaged]]:
    """Committed sweeps of one day in order of (cluster, time), each file checked against its size and sha256.

    A sweep that was joined to others is read from there, and from its own files as long as it still has them and
    those are not whole.
    """
    gone = retired(home, ds)
    whole, damaged = _joined(home, ds, gone)
    paths = Home(home).manifests(ds).glob("*.json")
    own = [path for path in paths if path.stem.partition(".")[::2] not in whole]
    own = [path for path in own if raw_name(MANIFESTS, ds, path.name) not in gone]
    for found in read_all(lambda path: _checked(home, path), own, home):
        key = found.cluster, found.sweep
        if isinstance(found, Damaged):
            damaged[key] = found
        else:
            whole[key] = found
            damaged.pop(key, None)
    return [whole[key] for key in sorted(whole)], [damaged[key] for key in sorted(damaged)]


def sweep_times(home: Path, ds: date | str, cluster: str) -> list[datetime]:
    """When the sweeps of one cluster and day were taken, in order; damaged ones were taken, too.

    Raises OSError when the disk does, ValueError with a sentence for a commit that cannot be read.
    """
    path = Home(home).joined_commit(ds, cluster)
    own = list_names_between(Home(home).manifests(ds), f"{cluster}.", ".json")
    try:
        found = {datetime.strptime(Path(name).stem.partition(".")[2], _NAME).replace(tzinfo=UTC) for name in own}
        if path.exists():
            found |= {datetime.fromisoformat(one["sweep_at"]) for one in json.loads(read_file(path))["sweeps"]}
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"what is committed of {cluster} on {ds} cannot be read, so what is there is not known"
        ) from None
    return sorted(found)


def _checked(home: Path, path: Path) -> Manifest | Damaged:
    cluster, _dot, sweep = path.stem.partition(".")
    try:
        manifest = read_manifest(path)
        reason = _too_large(manifest.files.values())
        reason = reason or next(
            (r for r in (data_file_fault(home, f, manifest.bounded) for f in manifest.files.values()) if r), None
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        reason = str(error) if isinstance(error, NewerVersion) else "its manifest cannot be read"
    return Damaged(cluster, sweep, reason) if reason else manifest


def _joined(
    home: Path, ds: date | str, gone: Container[str]
) -> tuple[dict[tuple[str, str], Manifest], dict[tuple[str, str], Damaged]]:
    """Sweeps that compaction joined, by (cluster, sweep): those that are whole, and those of damaged files."""
    whole: dict[tuple[str, str], Manifest] = {}
    damaged: dict[tuple[str, str], Damaged] = {}
    for path in Home(home).joined(ds).glob("*.json"):
        if raw_name(JOINED, ds, path.name) in gone:
            continue
        try:
            found = read_joined(path)
            faults = _faults(home, found)
            for one in found.sweeps:
                reason = newer(one.schema_version, "it", STATES_VERSION)
                reason = reason or next((faults[file.path] for file in one.files.values() if faults[file.path]), None)
                if reason:
                    damaged[one.cluster, one.sweep] = Damaged(one.cluster, one.sweep, reason)
                else:
                    whole[one.cluster, one.sweep] = one
        except (OSError, ValueError, KeyError, TypeError) as error:
            if not tells_of_file(home, error):
                raise
            damaged[path.stem, ""] = Damaged(path.stem, "(all joined)", "their manifest cannot be read")
    return whole, damaged


def _faults(home: Path, joined: Joined) -> dict[str, str | None]:
    """Why each of the files, by path, cannot be used."""
    found = read_all(
        lambda file: _too_large([file]) or data_file_fault(home, file, joined.bounded), joined.files.values(), home
    )
    return dict(zip(joined.files, found, strict=True))


def data_file_fault(home: Path, file: DataFile, bounded: bool) -> str | None:
    """Why a data file cannot be used; None where its bytes are those that were written, and not too much to be read.

    bounded: who wrote it bounded every value.
    """
    other = f"{file.table}: the bytes are not those that were written"
    try:
        if other_size(home / file.path, file.bytes):
            return other  # and is not read: it may be of any size
        content = read_file(home / file.path)
    except OSError as error:
        if not tells_of_file(home, error):
            raise
        return f"{file.table}: {error.strerror or 'there is no such object'}"
    if len(content) != file.bytes or hashlib.sha256(content).hexdigest() != file.sha256:
        return other
    return None if bounded else too_much(file.table, content)


def _too_large(files: Iterable[DataFile]) -> str | None:
    """A sentence where a sweep's files, or a joined one, have more bytes than landing and compaction give them."""
    size = sum(file.bytes for file in files)
    most = f"{READ_BYTES / 1e6:,.0f} MB"
    return (
        f"{size / 1e6:,.0f} MB in its files, a sweep may have {most}: they are not opened"
        if size > READ_BYTES
        else None
    )


def read_rows(home: Path, sweeps: Iterable[Manifest], table: str) -> list[dict[str, Any]]:
    """Rows of one table over the given sweeps, in their order; for tools and tests, Spark reads the files itself."""
    found: list[dict[str, Any]] = []
    for one in (m for m in sweeps if table in m.files):
        rows = as_raw(table, read_table(home / one.files[table].path))
        found += (rows_at(one.sweep_at, rows) if one.joined else rows).to_pylist()
    return found


def read_table(path: Path, **options: Any) -> pa.Table:
    """A Parquet file of the home, by the options of pyarrow's function of that name."""
    return pq.read_table(io.BytesIO(read_file(path)), **options)
