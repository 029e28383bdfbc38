"""How much the sweeps of one cluster may hold on one day: takes their manifests, gives the clusters that hold more.

The quota of a sweep (quota.py) bounds what one may store. A day holds any number of them, and all of it is read by the
queries that judge the whole fleet.
"""

from collections.abc import Iterable
from typing import NamedTuple

from kafka_fleet.store.raw.manifests import DataFile, Manifest

# 200,000 partitions in three copies, each read by two groups, are 2 million rows and 12 MB a sweep
# (benchmarks/quota.py); both bounds are twice what 144 such sweeps hold
ROWS = 600_000_000
BYTES = 4 * 2**30


class DayHeld(NamedTuple):
    """What the sweeps of a cluster hold on a day: their number, and the rows and bytes of their files."""

    sweeps: int
    rows: int
    bytes: int

    @property
    def sentence(self) -> str:
        """Why the cluster is not judged."""
        return (
            f"Not judged on this day: its {self.sweeps:,} sweeps hold {self.rows:,} rows in {self.bytes:,} bytes; "
            f"the most that is judged of one cluster and day is {ROWS:,} rows and {BYTES:,} bytes."
        )


def beyond_quota(sweeps: Iterable[Manifest]) -> dict[str, DayHeld]:
    """The clusters whose sweeps hold more than a day may, in the order of their names. A file counts once."""
    numbers: dict[str, int] = {}
    files: dict[str, dict[str, DataFile]] = {}
    for one in sweeps:
        numbers[one.cluster] = numbers.get(one.cluster, 0) + 1
        files.setdefault(one.cluster, {}).update({file.path: file for file in one.files.values()})
    found = {
        cluster: DayHeld(numbers[cluster], sum(one.rows for one in held), sum(one.bytes for one in held))
        for cluster, held in ((cluster, list(held.values())) for cluster, held in sorted(files.items()))
    }
    return {cluster: held for cluster, held in found.items() if held.rows > ROWS or held.bytes > BYTES}
