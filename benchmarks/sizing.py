"""What a fleet needs: takes a stored day to measure by and the fleet's size, prints bytes and requests per day.

python -m benchmarks.large_day build/sizing --partitions 20000 --sweeps 12 --copies 3
python -m benchmarks.sizing build/sizing --date 2026-11-20 --clusters 1000 --partitions 10000000 --copies 3

Tables that grow with partitions are counted by their rows, the others by sweep. The manifests say what was stored.
"""

import argparse
from collections import Counter
from typing import NamedTuple

from kafka_fleet.store.bucket import open_home
from kafka_fleet.store.raw.manifests import Manifest, manifests

GROWING = {"partitions": "replica", "topics": "partition"}  # one row per replica, one row per partition


class Measured(NamedTuple):
    """Of a stored day: bytes per row of the growing tables, bytes of the others and files per sweep, rows per sweep."""

    row_bytes: dict[str, float]
    other_bytes: float
    files: float
    rows: dict[str, float]


def measured(sweeps: list[Manifest]) -> Measured:
    """Means over the day's sweeps."""
    stored: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    files = [file for sweep in sweeps for file in sweep.files.values()]
    for file in files:
        stored[file.table] += file.bytes
        rows[file.table] += file.rows
    others = sum(size for table, size in stored.items() if table not in GROWING)
    return Measured(
        {table: stored[table] / rows[table] for table in GROWING},
        others / len(sweeps),
        (len(files) + len(sweeps)) / len(sweeps),
        {table: rows[table] / len(sweeps) for table in GROWING},
    )


def main() -> None:
    """Print the day's measures and what follows from them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=open_home)
    parser.add_argument("--date", required=True)
    parser.add_argument("--clusters", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=10_000_000, help="of the whole fleet, without replicas")
    parser.add_argument("--copies", type=int, default=3, help="replication factor")
    parser.add_argument("--sweeps", type=int, default=144, help="per day")
    parser.add_argument("--days", type=int, default=30, help="days of raw that are kept")
    given = parser.parse_args()
    sweeps, _damaged = manifests(given.home, given.date)
    one = measured(sweeps)
    for table, size in one.row_bytes.items():
        print(f"{table}: {one.rows[table]:,.0f} rows per sweep, {size:.2f} bytes per row ({GROWING[table]})")
    print(f"other tables: {one.other_bytes:,.0f} bytes per sweep; {one.files:.1f} files per sweep, with the manifest")
    replicas = given.partitions * given.copies
    sweep = replicas * one.row_bytes["partitions"] + given.partitions * one.row_bytes["topics"]
    sweep += given.clusters * one.other_bytes
    day = sweep * given.sweeps
    print(f"a sweep of the fleet: {replicas:,} replicas, {sweep / 1e9:.2f} GB, {given.clusters * one.files:,.0f} files")
    print(f"a day: {replicas * given.sweeps:,} rows of partitions, {day / 1e9:.0f} GB raw, "
          f"{given.clusters * one.files * given.sweeps:,.0f} files")  # fmt: skip
    print(f"{given.days} days: {day * given.days / 1e12:.1f} TB raw")
    print(f"written all day: {day / 86_400 / 1e6:.1f} MB/s on average")


if __name__ == "__main__":
    main()
