"""Retention: takes a home and the days to keep, says by manifests and pointers what may go, and deletes that.

A day's raw files are deleted once N newer days are stored and every cluster of that day was judged with all signatures.
Days are counted as they are stored, not by the clock: one that is wrong makes no day old. Each cluster's last
sweep stays where the next day's raw stays: that day begins with it. Of what was computed, generations go that no
pointer names, and facts of the days whose raw goes. A day that is being judged is left alone; files that no manifest
names are named to the user and stay.
"""

import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from kafka_fleet.schema.raw_tables import STATES_VERSION
from kafka_fleet.settings import LEAST_RAW_DAYS
from kafka_fleet.store import bucket
from kafka_fleet.store.files import list_names, read_all
from kafka_fleet.store.generations import current_generation
from kafka_fleet.store.home import Home
from kafka_fleet.store.home_names import (
    JOINED,
    MANIFESTS,
    POINTER,
    PUBLISHED,
    RETIRED,
    day_of,
    days_in,
    is_generation,
    manifest_name,
    raw_name,
)
from kafka_fleet.store.judgement_status import unjudged
from kafka_fleet.store.raw.days import stored_days
from kafka_fleet.store.raw.landing import ORPHAN_SECONDS
from kafka_fleet.store.raw.manifests import Manifest, read_joined, read_manifest
from kafka_fleet.store.raw.tombstones import Retired, finish_retirement, retire, unfinished
from kafka_fleet.store.raw.trusted_clock import changed_at, trusted_time
from kafka_fleet.store.versions import NewerVersion, refuse_newer

RUNNING_SECONDS = ORPHAN_SECONDS  # a generation that was claimed later than this ago may be under way
BUSY = "it is being judged"


class Raw(NamedTuple):
    """What manifests name of a day's raw: cluster -> file -> bytes, once in all and once of its last sweep alone."""

    files: dict[str, dict[str, int]]
    last: dict[str, dict[str, int]]
    unnamed: list[str]


class Plan(NamedTuple):
    """What may go. raw: files by day, and their bytes; trees: folders of generations; kept: a sentence for each day
    that is old and stays; unnamed: files of old days that no manifest names; begun: days left half deleted;
    now: the moment up to which ages were counted; doubt: why nothing may go, None where it may; unjudged: those of the
    kept that nothing but a judgement frees, and why."""

    raw: dict[str, dict[str, int]]
    trees: list[Path]
    kept: list[str]
    unnamed: list[str]
    begun: list[Retired]
    now: float
    doubt: str | None = None
    unjudged: Mapping[str, str] = MappingProxyType({})


def plan(home: Path, keep_raw_days: int, now: float | None = None) -> Plan:
    """Look, and delete nothing. Raises ValueError for fewer than LEAST_RAW_DAYS, or where a pointer is damaged.

    The newest stored day, which may be under way, and so many stored days before it stay. now: a moment that has passed
    for certain; without it the clock's, as far as the stored sweeps bear it out.
    """
    if keep_raw_days < LEAST_RAW_DAYS:
        raise ValueError(
            f"at least {LEAST_RAW_DAYS} days of raw are kept: a day begins with the last sweeps of the one before"
        )
    if now is None:
        now, doubt = trusted_time(home)
        if doubt:
            return Plan({}, [], [], [], [], now, doubt)
    stored = stored_days(home)
    old = stored[: -1 - keep_raw_days]
    begun, untold = unfinished(home)
    found, kept = {}, [f"{ds} stays: {why}" for ds, why in untold.items()]
    bound: dict[str, str] = {}
    for ds in (one for one in old if one not in untold):
        try:
            raw = _raw(home, ds)
        except NewerVersion as error:
            kept.append(f"{ds} stays: {error}")
            continue
        if reason := _stays(home, ds, set(raw.files), now):
            kept.append(f"{ds} stays: {reason}")
            bound |= {} if reason == BUSY else {ds: reason}
        else:
            found[ds] = raw
    going = {}
    for ds, raw in found.items():
        after = (date.fromisoformat(ds) + timedelta(days=1)).isoformat()
        spared = set() if after in found or after not in stored else {f for own in raw.last.values() for f in own}
        going[ds] = {file: size for own in raw.files.values() for file, size in own.items() if file not in spared}
    unnamed = [name for raw in found.values() for name in raw.unnamed]
    quiet = [ds for ds in _judged_days(home) if not _running(home, ds, now)]
    # who was killed between raw and facts left facts of a day that has no raw
    bare = [ds for ds in quiet if old and ds <= old[-1] and ds not in stored]
    trees = [tree for ds in quiet for tree in _unreferenced(home, ds, ds in found or ds in bare)]
    return Plan({ds: files for ds, files in going.items() if files}, trees, kept, unnamed, begun, now, None, bound)


def carry_out(home: Path, what: Plan) -> list[str]:
    """Delete it, but of no day that meanwhile is being judged, or was judged in part: a sentence for each of these.

    Raises OSError; what is left then is whole for every reader, and a next plan has the rest.
    """
    kept = {}
    for begun in what.begun:
        finish_retirement(home, begun)
    for ds, files in what.raw.items():
        if reason := _stays(home, ds, {PurePosixPath(file).name.partition(".")[0] for file in files}, what.now):
            kept[ds] = f"{ds} stays: {reason}"
        else:
            retire(home, ds, files)
    for tree in what.trees:
        ds = day_of(tree.parent.name)
        if ds not in kept and _running(home, ds, what.now):
            kept[ds] = f"{ds} stays: {BUSY}"
        if ds not in kept:
            _remove(tree)
    return list(kept.values())


def _judged_days(home: Path) -> list[str]:
    of = Home(home)
    stages = [of.stage("runs"), *(of.stage(one) for one in PUBLISHED)]
    tables = [of.facts(table) for table in list_names(of.stage("facts"))]
    return sorted({ds for folder in (*stages, *tables) for ds in days_in(folder)})


def _stays(home: Path, ds: str, clusters: set[str], now: float) -> str | None:
    return BUSY if _running(home, ds, now) else unjudged(home, ds, clusters)


def _running(home: Path, ds: str, now: float) -> bool:
    """Whether the day's last claim is young and not published: its run may be under way, or died today."""
    day = Home(home).day(ds)
    claimed = [name for name in list_names(day.runs) if is_generation(name)]
    if not claimed:
        return False
    last = max(claimed, key=lambda name: int(name[1:]))
    young = changed_at(day.runs / last) > now - RUNNING_SECONDS
    return young and current_generation(day.reports) != last


def _raw(home: Path, ds: str) -> Raw:
    """By manifests alone: no data file is read. Raises NewerVersion."""
    files: dict[str, dict[str, int]] = defaultdict(dict)
    sweeps: dict[str, list[Manifest]] = defaultdict(list)
    paths = sorted(Home(home).manifests(ds).glob("*.json"))
    for path, one in zip(paths, read_all(_readable, paths, home), strict=True):
        if one is not None:
            sweeps[one.cluster].append(one)
            own = {file.path: file.bytes for file in one.files.values()}
            files[one.cluster] |= own | {raw_name(MANIFESTS, ds, path.name): 0}
    for path in sorted(Home(home).joined(ds).glob("*.json")):
        try:
            joined = read_joined(path)
            for sweep in joined.sweeps:
                refuse_newer(sweep.schema_version, f"what is joined of {path.stem}", STATES_VERSION)
            own = {file.path: file.bytes for file in joined.files.values()}
        except NewerVersion:
            raise
        except (ValueError, KeyError, TypeError):
            continue  # damaged: it names nothing, and is evidence
        files[path.stem] |= own | {raw_name(JOINED, ds, path.name): 0}
    last = {}
    for cluster, found in sweeps.items():
        newest = max(found, key=lambda one: one.sweep_at)
        last[cluster] = {file.path: file.bytes for file in newest.files.values()}
        last[cluster][manifest_name(ds, cluster, newest.sweep)] = 0
    named = {name for own in files.values() for name in own}
    folders = [name for name in list_names(Home(home).raw) if name != RETIRED]
    there = [raw_name(one, ds, name) for one in folders for name in list_names(Home(home).raw_day(one, ds))]
    return Raw(dict(files), last, [name for name in there if name not in named])


def _readable(path: Path) -> Manifest | None:
    try:
        return read_manifest(path)
    except NewerVersion:
        raise
    except (ValueError, KeyError, TypeError):
        return None  # damaged: it names nothing, and is evidence


def _unreferenced(home: Path, ds: str, facts_too: bool) -> list[Path]:
    """Generations of a day that no pointer names. Of runs the last claim stays: its number must not come again."""
    day = Home(home).day(ds)
    tables, folders = day.all_facts(), [day.stage(stage) for stage in PUBLISHED]
    if any(folder.is_symlink() for folder in (*folders, *tables)):
        return []  # what is behind a link is not the home's to delete
    referenced = {current_generation(folder) for folder in (*folders, *tables)}
    if not referenced - {None}:
        return []  # nothing of the day is published yet
    claims = day.runs
    claimed = sorted(
        (n for n in list_names(claims) if is_generation(Path(n).stem)), key=lambda n: int(Path(n).stem[1:])
    )
    kept = {*referenced, *(Path(name).stem for name in claimed[-1:])}
    found = [claims / name for name in claimed if Path(name).stem not in kept]
    for folder in (*folders, *tables):
        generations = [name for name in list_names(folder) if is_generation(name)]
        if facts_too and folder in tables:
            found += [folder / name for name in (POINTER, *generations) if name in list_names(folder)]
        else:
            found += [folder / name for name in generations if name not in referenced]
    return found


def _remove(tree: Path) -> None:
    """Delete a file, or a folder and all below it; a link goes itself, and nothing that it points at."""
    if bucket.is_bucket_path(tree):
        below = [tree] if tree.is_file() else list(tree.rglob("*"))
        read_all(lambda path: path.unlink(missing_ok=True), below, tree)
        return
    if tree.is_symlink() or tree.is_file():
        tree.unlink(missing_ok=True)
        return
    for folder, folders, files in os.walk(tree, topdown=False):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in (*files, *links):
            Path(folder, name).unlink(missing_ok=True)
        with suppress(FileNotFoundError):  # another process was faster
            os.rmdir(folder)
