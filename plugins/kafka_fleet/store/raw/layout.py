"""Where files of raw lie: takes a path that a commit names, says whose place it is, or that it is nobody's.

A manifest is a file like any other, and may be damaged or made up: what it names is read and deleted only where landing
or compaction would have put it.
"""

import re
from typing import NamedTuple

_SWEEP = r"(?P<sweep>(?P<date>[0-9]{8})T[0-9]{6}\.[0-9]{6}Z)"
_FILE = re.compile(
    r"raw/(?P<folder>[a-z][a-z0-9_]{0,62})/ds=(?P<ds>[0-9]{4}-[0-9]{2}-[0-9]{2})/"
    rf"(?P<cluster>[a-z0-9-]{{1,63}})(?:\.(?:{_SWEEP}|(?P<joined>joined[0-9]{{1,6}})))?\.(?P<kind>parquet|json)"
)
_TEMPORARY = re.compile(r"(?P<before>.*/)\.(?P<name>[^/]+)\.[0-9]+\.[0-9]+\.tmp")


class RawLocation(NamedTuple):
    """Of one file: the folder, a table or `manifests` or `joined`; the day; the cluster; the sweep, None of several."""

    folder: str
    ds: str
    cluster: str
    sweep: str | None


def raw_location(path: str) -> RawLocation | None:
    """The place that a path relative to the home names; None where landing and compaction put nothing."""
    found = _FILE.fullmatch(path)
    if found is None or found["folder"] == "retired":
        return None
    if found["sweep"] and found["date"] != found["ds"].replace("-", ""):
        return None
    if found["kind"] == "json":
        due = found["folder"] == ("manifests" if found["sweep"] else "joined") and not found["joined"]
    else:
        due = found["folder"] not in ("manifests", "joined") and bool(found["sweep"] or found["joined"])
    return RawLocation(found["folder"], found["ds"], found["cluster"], found["sweep"]) if due else None


def on_its_way(path: str) -> RawLocation | None:
    """The place of a file that was still being written under its temporary name; None as with `place`."""
    found = _TEMPORARY.fullmatch(path)
    return raw_location(found["before"] + found["name"]) if found else None


def data_place(path: str, table: str, ds: str, cluster: str) -> RawLocation:
    """The place of a data file of this table, day and cluster. Raises ValueError for any other path."""
    found = raw_location(path)
    if found is None or found[:3] != (table, ds, cluster):
        raise ValueError("it names a file where its rows cannot be")
    return found
