"""Rows of one raw table over many sweeps: takes their manifests, gives an Arrow table; a shared file is read once."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from kafka_fleet.schema.bounds import within_bounds
from kafka_fleet.schema.raw_tables import STATES, raw_schemas
from kafka_fleet.store.files import read_all
from kafka_fleet.store.raw.manifests import Manifest, read_table
from kafka_fleet.store.versions import as_raw


def sweep_rows(home: Path, sweeps: Sequence[Manifest], table: str, columns: Sequence[str]) -> pa.Table:
    """Rows of these sweeps in these columns and `sweep_at`, in no order. Raises ValueError for a table of states."""
    if table in STATES:
        raise ValueError(f"{table}: a row may stand for several sweeps")
    wanted = ["sweep_at", *columns]
    paths = sorted({one.files[table].path for one in sweeps if table in one.files})
    read = read_all(lambda path: as_raw(table, read_table(home / path)).select(wanted), paths, home)
    empty = raw_schemas()[table].empty_table().select(wanted)
    found = pa.concat_tables([empty, *read])
    return within_bounds(found).filter(
        pc.is_in(found["sweep_at"], pa.array([one.sweep_at for one in sweeps], pa.timestamp("us", "UTC")))
    )
