"""Records the sweeps that the fast tests read: runs real brokers, writes one Parquet file per raw table.

PYTHONPATH=plugins:spark:demo:tests python -m support.live.record
Run it again after a change of the raw schemas; the expectations of the fast tests hold for any recording.
"""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from kafka_fleet.schema.raw_tables import raw_schemas
from kafka_fleet.store.raw.manifests import manifests, read_rows
from support.homes.recorded import FOLDER
from support.live.scenarios import avoid_midnight, running

RECORDED = [
    ["follower331", "follower332", "idle331", "slow331"],
    ["crowd331", "mixed331", "minbytes331", "redirect312"],
]
SWEEPS, EVERY_S = 5, 14.0


def main() -> None:
    """Record every scenario on one day; a recording replaces the earlier one as a whole."""
    avoid_midnight(900)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(prefix="kafka-demo-") as work:
        home = Path(folder)
        for batch in RECORDED:
            print("recording", *batch, flush=True)
            with running(batch, home, SWEEPS, EVERY_S, Path(work)):
                pass
        days = sorted(path.name.removeprefix("ds=") for path in (home / "raw/manifests").iterdir())
        sweeps = [one for ds in days for one in manifests(home, ds)[0]]
        FOLDER.mkdir(parents=True, exist_ok=True)
        for table, schema in raw_schemas().items():
            path, rows = FOLDER / f"{table}.parquet", read_rows(home, sweeps, table)
            path.unlink(missing_ok=True)
            if rows:
                pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")
        print(f"{len(sweeps)} sweeps; {sum(p.stat().st_size for p in FOLDER.iterdir()) // 1024} kB", flush=True)


if __name__ == "__main__":
    main()
