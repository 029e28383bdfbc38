"""A day that comes with the program: takes a home, lands sweeps there that were recorded from real brokers."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from kafka_fleet.base.errors import UsageError
from kafka_fleet.base.resources import sweeps_dir
from kafka_fleet.store.raw.days import stored_days
from kafka_fleet.store.raw.landing import land
from kafka_fleet.store.raw.manifests import Manifest, manifests

Tables = dict[str, list[dict[str, Any]]]


def _recorded(clusters: Collection[str]) -> dict[tuple[str, datetime], Tables]:
    """The rows of each sweep by raw table."""
    found: dict[tuple[str, datetime], Tables] = defaultdict(lambda: defaultdict(list))
    for path in sorted(sweeps_dir().glob("*.parquet")):
        table = pq.read_table(path)
        for row in table.filter(pc.field("cluster").isin(list(clusters))).to_pylist():
            found[row.pop("cluster"), row.pop("sweep_at")][path.stem].append(row)
    return found


def land_recorded_day(home: Path, clusters: Collection[str]) -> tuple[str, list[Manifest]]:
    """The day, and its sweeps; what is landed already stays. Raises UsageError for a home with anything else in it."""
    sweeps = _recorded(clusters)
    if not sweeps:
        raise UsageError("this installation has no recorded day")
    (ds,) = {at.date().isoformat() for _cluster, at in sweeps}
    there = manifests(home, ds)[0]
    if set(stored_days(home)) - {ds} or {one.cluster for one in there} - set(clusters):
        raise UsageError(f"{home} has sweeps of its own: name another folder, or one that is not there yet")
    landed = {(one.cluster, one.sweep_at) for one in there}
    for (cluster, at), tables in sorted(sweeps.items(), key=lambda item: item[0]):
        if (cluster, at) not in landed:
            try:
                land(home, cluster, at, tables)
            except FileExistsError:
                raise UsageError(f"{home} has parts of a sweep that was never finished: name another folder") from None
    return ds, manifests(home, ds)[0]
