"""Sweeps that came too late: takes a home and a day, gives the clusters that are judged without some of theirs."""

from pathlib import Path
from typing import NamedTuple

from kafka_fleet.store.excluded_clusters import set_aside
from kafka_fleet.store.files import list_names, read_file
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.raw.manifests import manifests, sweep_times
from kafka_fleet.store.versions import document


class Unread(NamedTuple):
    """generation: the published judgement. clusters: how many whole sweeps are stored, and how many it has read."""

    generation: str
    clusters: dict[str, tuple[int, int]]


def unread_sweeps(home: Path, ds: str) -> Unread | None:
    """None where the day is not judged. A cluster that the day is judged without is left alone.

    Names are compared first; data files are read only of a day that has more sweeps than were read. Raises OSError, and
    ValueError for documents that are damaged.
    """
    generation = current_generation(Home(home).day(ds).findings)
    if generation is None:
        return None
    folder = Home(home).generation(ds, generation).clusters
    aside = set_aside(home, ds, generation)
    read = {
        name.removesuffix(".json"): int(document(read_file(folder / name), name)["coverage"]["sweeps"])
        for name in list_names(folder)
        if name.endswith(".json") and name.removesuffix(".json") not in aside
    }
    more = {cluster for cluster, count in read.items() if len(sweep_times(home, ds, cluster)) > count}
    if not more:
        return Unread(generation, {})
    whole = [one.cluster for one in manifests(home, ds)[0] if one.cluster in more]
    stored = {cluster: whole.count(cluster) for cluster in sorted(more)}
    return Unread(generation, {one: (count, read[one]) for one, count in stored.items() if count > read[one]})
