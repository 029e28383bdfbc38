"""What is acknowledged of a published day: takes the fleet file's path and a day, gives who accepted which finding.

The file is edited at any time, so it is looked at each time; a large one takes seconds to parse, so that is kept.
"""

import time
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from kafka_fleet.config.acknowledgements import (
    Acknowledgement,
    Acknowledgements,
    acknowledgement_states,
    acknowledgements_path,
    load_acknowledgements,
)
from kafka_fleet.documents.published import Damaged, Published

FRESH_S = 2.0  # two edits within one tick of a file system's clock look alike: what is younger is read again
Standing = dict[tuple[str, str], tuple[Acknowledgement, str | None]]


def accepted_beside(fleet_file: Path | None) -> Acknowledgements:
    """The acknowledgements as they are now; none without a fleet file. One that cannot be reached is a fault."""
    if fleet_file is None:
        return Acknowledgements([], [])
    path = acknowledgements_path(fleet_file)
    try:
        found = path.stat()  # before it is read: what is written in between is read again
    except (FileNotFoundError, NotADirectoryError):
        return load_acknowledgements(path)
    except OSError as error:
        return Acknowledgements([], [(None, f"{path.name}: cannot be read: {error.strerror}")])
    if time.time() - max(found.st_mtime, found.st_ctime) < FRESH_S:
        return load_acknowledgements(path)
    return _loaded(path, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))


@lru_cache(maxsize=2)
def _loaded(path: Path, _stamp: tuple[int, ...]) -> Acknowledgements:
    return load_acknowledgements(path)


def standing_of(source: Published, ds: str, clusters: Collection[str], entries: Sequence[Acknowledgement]) -> Standing:
    """(cluster, key of a finding) -> its acknowledgement, and why that does not hold on the day (None: it does).

    A finding whose cluster's brief cannot be read has none: nobody knows whether it is as it was accepted.
    """
    own: dict[str, list[Acknowledgement]] = {}
    for one in entries:
        own.setdefault(one.cluster, []).append(one)
    found: Standing = {}
    for cluster in own.keys() & set(clusters):
        try:
            short = source.day_summary(ds, cluster)
        except Damaged:
            continue
        states = acknowledgement_states(own[cluster], cluster, short.rows, ds) if short else {}
        found |= {(cluster, key): state for key, state in states.items()}
    return found
