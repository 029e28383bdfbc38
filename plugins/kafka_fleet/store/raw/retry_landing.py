"""A sweep whose time is fixed, landed after a try that was killed: takes what land() takes, removes first what is left.

An import names its sweeps by their windows, so a second try finds the names taken. On a disk who lands such a sweep
holds a lock that the kernel lets go when the process dies; so files without a commit are a dead one's, at once. A
bucket has no locks: there it waits for the other writer's commit.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from kafka_fleet.schema.arrow import Item
from kafka_fleet.store import bucket
from kafka_fleet.store.files import list_names
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import data_name
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import Manifest, sweep_id

RIVAL_S = 60.0  # in a bucket: files of a sweep without a commit for so long are a dead one's
LOOK_S = 1.0


def land_again(home: Path, cluster: str, sweep_at: datetime, tables: Mapping[str, Iterable[Item]]) -> Manifest | None:
    """Commit a sweep, as land() does, though files of it may be there. None: another writer has landed it.

    Raises pyarrow.ArrowInvalid for a value that does not fit its column, OSError when the disk does.
    """
    ds, sweep = sweep_at.astimezone(UTC).date(), sweep_id(sweep_at)
    folder = Home(home).manifests(ds)
    with _alone(folder):
        try:
            return land(home, cluster, sweep_at, tables)
        except FileExistsError:
            if _committed(folder / f"{cluster}.{sweep}.json"):
                return None
        for table in list_names(Home(home).raw):
            (home / data_name(table, ds, cluster, sweep)).unlink(missing_ok=True)
        return land(home, cluster, sweep_at, tables)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    if bucket.is_bucket_path(folder):
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _committed(path: Path) -> bool:
    end = time.monotonic() + (RIVAL_S if bucket.is_bucket_path(path) else 0.0)
    while not path.exists():
        if time.monotonic() >= end:
            return False
        time.sleep(LOOK_S)
    return True
