"""What killed writers left in raw: takes a home and a day, removes what landing or compaction never committed.

Only regular files under the names that those two give, a day old or more. Whatever else lies there is somebody else's.
Where a commit of joined files cannot be read, nothing says which files it stands for: all of that cluster and day stay.
"""

from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.store import bucket
from kafka_fleet.store.files import read_all
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import DAY, JOINED, MANIFESTS, raw_name
from kafka_fleet.store.raw.landing import ORPHAN_SECONDS
from kafka_fleet.store.raw.layout import on_its_way, raw_location
from kafka_fleet.store.raw.manifests import read_joined
from kafka_fleet.store.raw.trusted_clock import changed_at

_RETIRING = (f".{DAY}", ".tmp")  # raw/retired/.ds=D.json.….tmp


class Orphans(NamedTuple):
    """How many files were removed, and the clusters whose files stay since they cannot be identified."""

    removed: int
    untold: list[str]


def remove_orphans(home: Path, ds: date | str, now: float) -> Orphans:
    """Delete temporary and uncommitted files of one day that are older than a day at a moment. Raises OSError."""
    committed = {path.stem for path in Home(home).manifests(ds).glob("*.json")}  # damaged ones are evidence
    commits = sorted(Home(home).joined(ds).glob("*.json"))
    kept: set[str] = set()  # files that joined sweeps share
    untold = []
    for path, named in zip(commits, read_all(_named, commits, home), strict=True):
        kept |= named or set()
        untold += [path.stem] if named is None else []
    removed = 0
    for path in Home(home).raw_files(ds):
        name = raw_name(path.parent.parent.name, ds, path.name)
        written, begun = raw_location(name), on_its_way(name)
        whose = written or begun
        if whose is None or whose.cluster in untold:
            continue
        if written and (written.folder in (MANIFESTS, JOINED) or path.stem in committed or name in kept):
            continue
        removed += _removed(path, now)
    return Orphans(removed, untold)


def remove_retiring(home: Path, now: float) -> int:
    """Delete what killed retentions left on its way below raw/retired, older than a day. Gives the number of files."""
    found = [path for path in Home(home).retired.glob(".*") if path.name.endswith(_RETIRING[1])]
    return sum(_removed(path, now) for path in found if path.name.startswith(_RETIRING[0]))


def _removed(path: Path, now: float) -> bool:
    with suppress(FileNotFoundError):  # a sweep that lands just now renames its files
        regular = bucket.is_bucket_path(path) or (path.is_file() and not path.is_symlink())
        if regular and changed_at(path) < now - ORPHAN_SECONDS:
            path.unlink()
            return True
    return False


def _named(path: Path) -> set[str] | None:
    """Files that a commit of joined sweeps names; None where it cannot be read."""
    try:
        return set(read_joined(path).files)
    except (ValueError, KeyError, TypeError):
        return None
