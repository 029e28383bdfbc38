"""The last sweep of each cluster: takes what a sweep saw when it began, lets it be stored only if that is so still.

    raw/latest/<cluster>        the name of the sweep that was committed last

Two sweeps that overlap (one by hand beside the scheduled one, a retry beside a task that was thought dead) read the
cluster at times that do not follow from the order in which they began: what is compared from one to the other would go
backwards, as data that was lost does. So of two that overlap the one that ends first is stored.
"""

from pathlib import Path

from kafka_fleet.store.files import read_file, update_file
from kafka_fleet.store.home import Home


class Overlapped(RuntimeError):
    """Another sweep of the cluster was stored while this one ran; one sentence."""


def latest(home: Path, cluster: str) -> str | None:
    """Name of the sweep that was committed last, to be asked for before anything is read of the cluster; None of none.

    Homes of earlier versions have none. Raises OSError when the disk or the bucket does.
    """
    try:
        return read_file(Home(home).latest(cluster)).decode("ascii", "replace")
    except FileNotFoundError:
        return None


def advance_latest(home: Path, cluster: str, seen: str | None, sweep: str) -> None:
    """Make a sweep the last one. Raises Overlapped where another was stored since `seen` was, and OSError.

    A process that dies between this and its manifest leaves the name of a sweep that is not there, which harms nobody.
    """

    def follow(found: bytes | None) -> bytes:
        name = None if found is None else found.decode("ascii", "replace")
        if name not in (None, seen, sweep):  # its own name: the answer to a put of it was lost on the way
            raise Overlapped(
                f"{cluster}: nothing of this sweep is stored: another one of the cluster, {name}, was while it ran"
            )
        return sweep.encode()

    path = Home(home).latest(cluster)
    update_file(path, follow, lock=path.with_name(f".{cluster}.lock"))
