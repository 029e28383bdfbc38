"""Raw store: takes the tables of one sweep and commits them by manifest; reads back what manifests name.

    raw/<table>/ds=YYYY-MM-DD/<cluster>.<sweep>.parquet     data, immutable
    raw/manifests/ds=YYYY-MM-DD/<cluster>.<sweep>.json      the commit: files, rows, bytes, sha256

A data file without a manifest does not exist for any reader, so a killed collector leaves nothing half-landed.
"""

import hashlib
import io
import json
import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.store.files import each, read_file, replace_file, tells_of_file
from kafka_fleet.store.previous import COLUMNS, with_previous
from kafka_fleet.store.schemas import SCHEMA_VERSION, raw_schemas
from kafka_fleet.store.tables import Item, as_table

_CLUSTER = re.compile(r"[a-z0-9-]{1,63}")
JOINED = "joined"  # raw/joined/: what compaction committed
ORPHAN_SECONDS = 24 * 3600


class DataFile(NamedTuple):
    """One data file of a sweep, path relative to the home."""

    table: str
    path: str
    rows: int
    bytes: int
    sha256: str


class Manifest(NamedTuple):
    """One committed sweep. joined: its rows are in files that it shares with other sweeps of the day (compaction)."""

    cluster: str
    sweep: str
    sweep_at: datetime
    schema_version: int
    files: dict[str, DataFile]
    joined: bool = False


class Damaged(NamedTuple):
    """A sweep that is committed and cannot be used: a file is gone or its bytes are not those that were written."""

    cluster: str
    sweep: str
    reason: str


def sweep_id(at: datetime) -> str:
    """Name of a sweep: its start in UTC to the microsecond; sorts as time does."""
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")


def land(home: Path, cluster: str, sweep_at: datetime, tables: Mapping[str, Iterable[Item]]) -> Manifest:
    """Commit one sweep. A table's items are rows as dicts, or Arrow tables of many rows; `cluster` and `sweep_at` are
    added here. A table without rows has no file.

    Raises pyarrow.ArrowInvalid for a value that does not fit its column, FileExistsError for a sweep that is landed
    already, OSError when the disk does. What was written before is no sweep without its manifest, and is removed.
    """
    unknown = sorted(set(tables) - set(raw_schemas()))
    if unknown:
        raise KeyError(f"no such raw table: {', '.join(unknown)}")
    if not _CLUSTER.fullmatch(cluster):
        raise ValueError(f"{cluster[:40]!r} is no cluster id and cannot name files")
    written: list[Path] = []
    try:
        return _land(home, cluster, sweep_at, tables, written)
    except BaseException:
        for path in reversed(written):
            path.unlink(missing_ok=True)
        raise


def _land(
    home: Path,
    cluster: str,
    sweep_at: datetime,
    tables: Mapping[str, Iterable[Item]],
    written: list[Path],
) -> Manifest:
    sweep, ds = sweep_id(sweep_at), sweep_at.astimezone(UTC).date().isoformat()
    files: dict[str, DataFile] = {}
    made = {
        name: as_table(tables.get(name, ()), schema, {"cluster": cluster, "sweep_at": sweep_at})
        for name, schema in raw_schemas().items()
    }
    _lay_beside(home, cluster, sweep_at, made)
    for name, table in made.items():
        if not table.num_rows:
            continue
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        content = buffer.getvalue()
        relative = f"raw/{name}/ds={ds}/{cluster}.{sweep}.parquet"
        replace_file(home / relative, content, new=True)
        written.append(home / relative)
        files[name] = DataFile(name, relative, table.num_rows, len(content), hashlib.sha256(content).hexdigest())
    manifest = Manifest(cluster, sweep, sweep_at, SCHEMA_VERSION, files)
    content = json.dumps(
        {
            "cluster": cluster,
            "sweep": sweep,
            "sweep_at": sweep_at.astimezone(UTC).isoformat(),
            "schema_version": SCHEMA_VERSION,
            "files": [file._asdict() for file in files.values()],
        },
        sort_keys=True,
        indent=1,
    ).encode()
    path = home / f"raw/manifests/ds={ds}/{cluster}.{sweep}.json"
    written.append(path)
    replace_file(path, content)
    return manifest


def _lay_beside(home: Path, cluster: str, sweep_at: datetime, made: dict[str, pa.Table]) -> None:
    """Give partitions the log ends of the cluster's sweep before, and say which one that is.

    A sweep that lands late, or whose predecessor is damaged, has none: the day then finds them itself.
    """
    before = _before(home, cluster, sweep_at)
    if before is None or not made["partitions"].num_rows or made["sweeps"].num_rows != 1:
        return
    file = before.files.get("partitions")
    earlier = read_table(home / file.path, columns=COLUMNS) if file else None
    table = with_previous(made["partitions"], earlier) if earlier is not None else None
    if table is None:
        return
    made["partitions"] = table
    at = pa.array([before.sweep_at], raw_schemas()["sweeps"].field("previous_sweep_at").type)
    place = made["sweeps"].schema.get_field_index("previous_sweep_at")
    made["sweeps"] = made["sweeps"].set_column(place, "previous_sweep_at", at)


def _before(home: Path, cluster: str, sweep_at: datetime) -> Manifest | None:
    """The last whole sweep of a cluster before a moment, on its UTC day or the day before."""
    day = sweep_at.astimezone(UTC).date()
    for ds in (day, day - timedelta(days=1)):
        names = sorted(path.name for path in (home / f"raw/manifests/ds={ds}").glob(f"{cluster}.*.json"))
        earlier = [name for name in names if name < f"{cluster}.{sweep_id(sweep_at)}.json"]
        if earlier:
            return _whole(home, home / f"raw/manifests/ds={ds}" / earlier[-1], "partitions")
    return None


def _whole(home: Path, path: Path, table: str) -> Manifest | None:
    try:
        manifest = _read_manifest(path)
        damaged = table in manifest.files and _fault(home, manifest.files[table])
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        return None  # the day names it as damaged
    return None if damaged else manifest


def _read_manifest(path: Path) -> Manifest:
    content = json.loads(read_file(path))
    files = {one["table"]: DataFile(**one) for one in content["files"]}
    at = datetime.fromisoformat(content["sweep_at"])
    if path.stem != f"{content['cluster']}.{content['sweep']}" or content["sweep"] != sweep_id(at):
        raise ValueError("it does not say what its name says")
    return Manifest(content["cluster"], content["sweep"], at, content["schema_version"], files)


def manifests(home: Path, ds: date | str) -> tuple[list[Manifest], list[Damaged]]:
    """Committed sweeps of one day in order of (cluster, time), each file checked against its size and sha256.

    A sweep that was joined to others is read from there, and from its own files as long as it still has them and
    those are not whole.
    """
    whole, damaged = _joined(home, ds)
    paths = (home / f"raw/manifests/ds={ds}").glob("*.json")
    own = [path for path in paths if path.stem.partition(".")[::2] not in whole]
    for found in each(lambda path: _checked(home, path), own, home):
        key = found.cluster, found.sweep
        if isinstance(found, Damaged):
            damaged[key] = found
        else:
            whole[key] = found
            damaged.pop(key, None)
    return [whole[key] for key in sorted(whole)], [damaged[key] for key in sorted(damaged)]


def _checked(home: Path, path: Path) -> Manifest | Damaged:
    cluster, _dot, sweep = path.stem.partition(".")
    try:
        manifest = _read_manifest(path)
        reason = next((r for r in (_fault(home, file) for file in manifest.files.values()) if r), None)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        reason = "its manifest cannot be read"
    return Damaged(cluster, sweep, reason) if reason else manifest


def _joined(home: Path, ds: date | str) -> tuple[dict[tuple[str, str], Manifest], dict[tuple[str, str], Damaged]]:
    """Sweeps that compaction joined, by (cluster, sweep): those that are whole, and those of damaged files."""
    whole, damaged = {}, {}
    for path in (home / f"raw/{JOINED}/ds={ds}").glob("*.json"):
        try:
            content = json.loads(read_file(path))
            files = {one["path"]: DataFile(**one) for one in content["files"]}
            faults = dict(zip(files, each(lambda file: _fault(home, file), files.values(), home), strict=True))
            for one in content["sweeps"]:
                own = {table: files[name]._replace(rows=rows) for table, (name, rows) in one["tables"].items()}
                at = datetime.fromisoformat(one["sweep_at"])
                key = content["cluster"], sweep_id(at)
                whole[key] = Manifest(*key, at, one["schema_version"], own, joined=True)
                reason = next((faults[file.path] for file in own.values() if faults[file.path]), None)
                if reason:
                    del whole[key]
                    damaged[key] = Damaged(*key, reason)
        except (OSError, ValueError, KeyError, TypeError) as error:
            if not tells_of_file(home, error):
                raise
            damaged[path.stem, ""] = Damaged(path.stem, "(all joined)", "their manifest cannot be read")
    return whole, damaged


def _fault(home: Path, file: DataFile) -> str | None:
    try:
        content = read_file(home / file.path)
    except OSError as error:
        if not tells_of_file(home, error):
            raise
        return f"{file.table}: {error.strerror or 'there is no such object'}"
    same = len(content) == file.bytes and hashlib.sha256(content).hexdigest() == file.sha256
    return None if same else f"{file.table}: the bytes are not those that were written"


def read_rows(home: Path, sweeps: Iterable[Manifest], table: str) -> list[dict[str, Any]]:
    """Rows of one table over the given sweeps, in their order; for tools and tests, Spark reads the files itself."""
    found: list[dict[str, Any]] = []
    for one in (m for m in sweeps if table in m.files):
        only = [("sweep_at", "=", one.sweep_at)] if one.joined else None
        path = home / one.files[table].path
        found += read_table(path, schema=raw_schemas()[table], filters=only).to_pylist()
    return found


def read_table(path: Path, **options: Any) -> pa.Table:
    """A Parquet file of the home, by the options of pyarrow's function of that name."""
    return pq.read_table(io.BytesIO(read_file(path)), **options)


def remove_orphans(home: Path, ds: date | str, now: float | None = None) -> int:
    """Delete temporary and uncommitted files of one day that are older than a day. Gives their number."""
    committed = {path.stem for path in (home / f"raw/manifests/ds={ds}").glob("*.json")}  # damaged ones are evidence
    for path in (home / f"raw/{JOINED}/ds={ds}").glob("*.json"):
        committed |= {path.stem, *(Path(file["path"]).stem for file in json.loads(path.read_text())["files"])}
    limit, removed = (now or time.time()) - ORPHAN_SECONDS, 0
    for path in (home / "raw").glob(f"*/ds={ds}/*"):
        if path.stem not in committed and path.stat().st_mtime < limit:
            path.unlink(missing_ok=True)
            removed += 1
    return removed
