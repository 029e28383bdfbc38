"""What is stored that a close look starts from: takes a home, gives numbers of the sweep before, and the last looks."""

from collections import defaultdict
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kafka_fleet.store.files import list_names_between, tells_of_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.landing import Before
from kafka_fleet.store.raw.manifests import data_file_fault, read_table, sweep_id

MOST = 20  # sweeps with looks that are gone back
Rows = list[dict[str, Any]]


def rows_before(
    home: Path, before: Before, table: str, columns: Collection[str], brokers: Collection[int]
) -> dict[int, Rows]:
    """Rows of some brokers in a raw table of the sweep before, by broker; none of a file that is gone or damaged."""
    found: dict[int, Rows] = defaultdict(list)
    file = before.files.get(table)
    if file is None or data_file_fault(home, file, before.bounded):
        return found
    only = [("broker", "in", sorted(brokers))]
    for row in read_table(home / file.path, columns=["broker", *sorted(columns)], filters=only).to_pylist():
        found[row["broker"]].append(row)
    return found


def last_looks(home: Path, cluster: str, sweep_at: datetime) -> list[Rows]:
    """Rows of `looks` of the last sweeps of this UTC day that have any, the latest first.

    A sweep that was not stored is among them where its file is left: its brokers had their turn all the same.
    """
    folder = Home(home).raw_day("looks", sweep_at.astimezone(UTC).date())
    earlier = [
        name
        for name in list_names_between(folder, f"{cluster}.", ".parquet")
        if name < f"{cluster}.{sweep_id(sweep_at)}"
    ]
    found = []
    for name in reversed(earlier[-MOST:]):
        try:
            found.append(read_table(folder / name).to_pylist())
        except (OSError, ValueError) as error:
            if not tells_of_file(home, error):
                raise
    return found
