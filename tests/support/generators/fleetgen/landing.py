"""Generated sweeps into a home: takes Specs, runs them, lands sweep by sweep or in bulk, by the same schemas.

In bulk one manifest names one file per raw table with the rows of many clusters and sweeps: the store's readers go by
manifest and by the rows' own `cluster` and `sweep_at`, so facts are the same (test_trust.py compares them).
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.schema.raw_tables import SCHEMA_VERSION, raw_schemas
from kafka_fleet.store.files import replace_file
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import Manifest, sweep_id
from support.generators.fleetgen.model import Model
from support.generators.fleetgen.rows import Tables, sweep_rows, utc
from support.generators.fleetgen.shape import Spec

Row = dict[str, Any]


def swept(spec: Spec) -> Iterator[tuple[datetime, Tables]]:
    """Run a cluster-day: its sweeps in order, sweep 0 on the day before."""
    model = Model(spec)
    for number in range(spec.sweeps + 1):
        model.advance(spec.at(number) + model.rng.uniform(0, 3))
        if number not in spec.skipped:
            yield utc(model.now), sweep_rows(model, number)


def land_each(home: Path, spec: Spec) -> list[Manifest]:
    """Every sweep through the library, as a collector does."""
    return [land(home, spec.cluster, at, tables) for at, tables in swept(spec)]


def land_bulk(home: Path, name: str, specs: Iterable[Spec]) -> int:
    """All sweeps of many clusters by one manifest a day, called `name`. Gives the number of rows."""
    return land_rows(home, name, ((spec.cluster, at, tables) for spec in specs for at, tables in swept(spec)))


def land_rows(home: Path, name: str, sweeps: Iterable[tuple[str, datetime, Tables]]) -> int:
    """The same of sweeps that come from elsewhere: cluster, time, tables."""
    days: dict[str, dict[str, list[Row]]] = {}
    last: dict[str, datetime] = {}
    for cluster, at, tables in sweeps:
        ds = at.date().isoformat()
        last[ds] = max(at, last.get(ds, at))
        for table, rows in tables.items():
            where = days.setdefault(ds, {}).setdefault(table, [])
            where += [{**row, "cluster": cluster, "sweep_at": at} for row in rows]
    for ds, found in days.items():
        _commit(home, name, ds, last[ds], found)
    return sum(len(rows) for found in days.values() for rows in found.values())


def _commit(home: Path, name: str, ds: str, at: datetime, tables: dict[str, list[Row]]) -> None:
    sweep, files = sweep_id(at), []
    for table, schema in raw_schemas().items():
        if tables.get(table):
            buffer = io.BytesIO()
            pq.write_table(pa.Table.from_pylist(tables[table], schema=schema), buffer, compression="zstd")
            content = buffer.getvalue()
            path = f"raw/{table}/ds={ds}/{name}.{sweep}.parquet"
            replace_file(home / path, content, new=True)
            files.append({"table": table, "path": path, "rows": len(tables[table]), "bytes": len(content),
                          "sha256": hashlib.sha256(content).hexdigest()})  # fmt: skip
    manifest = {"cluster": name, "sweep": sweep, "sweep_at": at.astimezone(UTC).isoformat(), "files": files,
                "schema_version": SCHEMA_VERSION}  # fmt: skip
    replace_file(home / f"raw/manifests/ds={ds}/{name}.{sweep}.json", json.dumps(manifest).encode())
