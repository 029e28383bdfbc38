"""Raw that goes away: takes the files of a day, lets all of them vanish at once for every reader, then deletes them.

    raw/retired/ds=YYYY-MM-DD.json      the commit: the files that are no more, manifests among them

It is there while they are being deleted, so a day is never seen by half, and who was killed in the middle is finished
by the next who comes by.
"""

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.store.files import read_all, read_file, replace_file
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import DAY, day_of, is_commit, retired_name
from kafka_fleet.store.raw.layout import raw_location
from kafka_fleet.store.versions import NewerVersion, document


class Retired(NamedTuple):
    """One day that is being deleted: the files, relative to the home."""

    ds: str
    files: frozenset[str]


def retired(home: Path, ds: date | str) -> frozenset[str]:
    """Files of a day that are no more, even if they are there still. Raises ValueError for a commit that is damaged."""
    name = retired_name(ds)
    try:
        files = frozenset[str](document(read_file(home / name), name)["files"])
        places = [raw_location(file) for file in files]
        if any(one is None or one.ds != str(ds) for one in places):
            raise ValueError
    except FileNotFoundError:
        return frozenset()
    except NewerVersion:
        raise
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{name} cannot be read, so what is there of {ds} is not known") from None
    return files


def unfinished(home: Path) -> tuple[list[Retired], dict[str, str]]:
    """Days of which somebody began to delete files and did not end; and why, of those whose commit is damaged."""
    begun, untold = [], {}
    for ds in sorted(day_of(path.stem) for path in Home(home).retired.glob(f"{DAY}*.json")):
        try:
            begun.append(Retired(ds, retired(home, ds)))
        except ValueError as error:
            untold[ds] = str(error)
    return begun, untold


def retire(home: Path, ds: str, files: Iterable[str]) -> None:
    """Delete files of a day, as one step for readers. Raises OSError; a next call, or `finish`, goes on from there."""
    named = sorted({*files, *retired(home, ds)})
    content = {"schema_version": 1, "ds": ds, "files": named}
    replace_file(home / retired_name(ds), json.dumps(content, indent=1).encode())
    finish_retirement(home, Retired(ds, frozenset(named)))


def finish_retirement(home: Path, one: Retired) -> None:
    """Delete what is named. Manifests go first, so that the data are nobody's should the commit itself get lost."""
    commits = {name for name in one.files if is_commit(name)}
    for names in (commits, one.files - commits):
        read_all(lambda name: (home / name).unlink(missing_ok=True), sorted(names), home)
    (home / retired_name(one.ds)).unlink(missing_ok=True)
