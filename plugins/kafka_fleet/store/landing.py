"""Raw store, written: takes the tables of one sweep and commits them by manifest.

    raw/<table>/ds=YYYY-MM-DD/<cluster>.<sweep>.parquet     data, immutable
    raw/manifests/ds=YYYY-MM-DD/<cluster>.<sweep>.json      the commit: files, rows, bytes, sha256

A data file without a manifest does not exist for any reader, so a killed collector leaves nothing half-landed.
"""

import hashlib
import io
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.store.files import replace_file, tells_of_file
from kafka_fleet.store.manifests import JOINED, DataFile, Manifest, fault, read_manifest, read_table, sweep_id
from kafka_fleet.store.previous import COLUMNS, with_previous
from kafka_fleet.store.schemas import SCHEMA_VERSION, raw_schemas
from kafka_fleet.store.tables import Item, as_table

_CLUSTER = re.compile(r"[a-z0-9-]{1,63}")
ORPHAN_SECONDS = 24 * 3600
WRITERS = 4  # files at a time: a small one waits for the disk longer than it takes to make


class Before(NamedTuple):
    """The sweep before one of the same cluster: when it was taken, and the log ends that it found."""

    sweep_at: datetime
    ends: pa.Table


def land(
    home: Path,
    cluster: str,
    sweep_at: datetime,
    tables: Mapping[str, Iterable[Item]],
    before: Callable[[], Before | None] | None = None,
) -> Manifest:
    """Commit one sweep. A table's items are rows as dicts, or Arrow tables of many rows; `cluster` and `sweep_at` are
    added here. A table without rows has no file. before: gives what sweep_before() gave, if it was asked for already.

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
        return _land(
            home, cluster, sweep_at, tables, before or (lambda: sweep_before(home, cluster, sweep_at)), written
        )
    except BaseException:
        for path in reversed(written):
            path.unlink(missing_ok=True)
        raise


def _land(
    home: Path,
    cluster: str,
    sweep_at: datetime,
    tables: Mapping[str, Iterable[Item]],
    before: Callable[[], Before | None],
    written: list[Path],
) -> Manifest:
    sweep, ds = sweep_id(sweep_at), sweep_at.astimezone(UTC).date().isoformat()
    made = {
        name: as_table(tables.get(name, ()), schema, {"cluster": cluster, "sweep_at": sweep_at})
        for name, schema in raw_schemas().items()
    }
    _lay_beside(before, made)

    def store(name: str) -> DataFile:
        buffer = io.BytesIO()
        pq.write_table(made[name], buffer, compression="zstd")
        content = buffer.getvalue()
        relative = f"raw/{name}/ds={ds}/{cluster}.{sweep}.parquet"
        replace_file(home / relative, content, new=True)
        written.append(home / relative)
        return DataFile(name, relative, made[name].num_rows, len(content), hashlib.sha256(content).hexdigest())

    # the first file alone settles which of two rivals lands the sweep: each might be the first with some file else
    names = sorted((name for name in made if made[name].num_rows), key=lambda name: name != "sweeps")
    files = {name: store(name) for name in names[:1]}
    with ThreadPoolExecutor(WRITERS) as pool:  # a failure is raised once the others have ended: all they left is known
        files |= {file.table: file for file in pool.map(store, names[1:])}
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


def _lay_beside(before: Callable[[], Before | None], made: dict[str, pa.Table]) -> None:
    """Give partitions the log ends of the cluster's sweep before, and say which one that is.

    A sweep that lands late, or whose predecessor is damaged, has none: the day then finds them itself.
    """
    if not made["partitions"].num_rows or made["sweeps"].num_rows != 1:
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
    found = _before(home, cluster, sweep_at)
    file = found.files.get("partitions") if found else None
    return Before(found.sweep_at, read_table(home / file.path, columns=COLUMNS)) if found and file else None


def _before(home: Path, cluster: str, sweep_at: datetime) -> Manifest | None:
    day = sweep_at.astimezone(UTC).date()
    for ds in (day, day - timedelta(days=1)):
        names = sorted(path.name for path in (home / f"raw/manifests/ds={ds}").glob(f"{cluster}.*.json"))
        earlier = [name for name in names if name < f"{cluster}.{sweep_id(sweep_at)}.json"]
        if earlier:
            return _whole(home, home / f"raw/manifests/ds={ds}" / earlier[-1], "partitions")
    return None


def _whole(home: Path, path: Path, table: str) -> Manifest | None:
    try:
        manifest = read_manifest(path)
        damaged = table in manifest.files and fault(home, manifest.files[table])
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not tells_of_file(home, error):
            raise
        return None  # the day names it as damaged
    return None if damaged else manifest


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
