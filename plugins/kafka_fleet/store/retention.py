"""Retention: takes a home and the days to keep, says by manifests and pointers what may go, and deletes that.

Raw older than the days to keep goes when its day is judged with every cluster that has sweeps. Each cluster's last
sweep stays where the next day's raw stays: that day begins with it. Of what was computed, generations go that no
pointer names, and facts of the days whose raw goes. A day that is being judged is left alone; files that no manifest
names are named to the user and stay.
"""

import json
import re
import time
from collections import defaultdict
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.store import bucket
from kafka_fleet.store.files import each, names, read_file
from kafka_fleet.store.generations import POINTER, current
from kafka_fleet.store.landing import ORPHAN_SECONDS
from kafka_fleet.store.manifests import JOINED, DataFile, Manifest, read_manifest
from kafka_fleet.store.retired import Retired, finish, retire, unfinished
from kafka_fleet.store.versions import NewerVersion, refuse_newer

LEAST_DAYS = 2  # yesterday is judged today, and begins with the last sweeps of the day before
RUNNING_SECONDS = ORPHAN_SECONDS  # a generation that was claimed later than this ago may be under way
STAGES = ("findings", "signatures", "reports")
_DAY, _GENERATION = re.compile(r"ds=(\d{4}-\d{2}-\d{2})"), re.compile(r"g\d{4,}")


class Raw(NamedTuple):
    """What manifests name of a day's raw: cluster -> file -> bytes, once in all and once of its last sweep alone."""

    files: dict[str, dict[str, int]]
    last: dict[str, dict[str, int]]
    unnamed: list[str]


class Plan(NamedTuple):
    """What may go. raw: files by day, and their bytes; trees: folders of generations; kept: a sentence for each day
    that is old and stays; unnamed: files of old days that no manifest names; begun: days left half deleted."""

    raw: dict[str, dict[str, int]]
    trees: list[Path]
    kept: list[str]
    unnamed: list[str]
    begun: list[Retired]


def plan(home: Path, keep_raw_days: int, today: date | None = None, now: float | None = None) -> Plan:
    """Look, and delete nothing. Raises ValueError for fewer than LEAST_DAYS, or where a pointer is damaged."""
    if keep_raw_days < LEAST_DAYS:
        raise ValueError(
            f"at least {LEAST_DAYS} days of raw are kept: a day begins with the last sweeps of the one before"
        )
    first = (today or datetime.now(UTC).date()) - timedelta(days=keep_raw_days)
    busy = {ds for ds in _days(home / "runs") if _running(home, ds, now or time.time())}
    old = [ds for ds in _raw_days(home) if ds < first.isoformat()]
    found, kept = {}, []
    for ds in old:
        try:
            raw = _raw(home, ds)
        except NewerVersion as error:
            kept.append(f"{ds} stays: {error}")
            continue
        reason = "it is being judged" if ds in busy else _unjudged(home, ds, set(raw.files))
        if reason:
            kept.append(f"{ds} stays: {reason}")
        else:
            found[ds] = raw
    going = {}
    for ds, raw in found.items():
        after = (date.fromisoformat(ds) + timedelta(days=1)).isoformat()
        spared = (
            set() if after in found or after not in _raw_days(home) else {f for own in raw.last.values() for f in own}
        )
        going[ds] = {file: size for own in raw.files.values() for file, size in own.items() if file not in spared}
    unnamed = [name for raw in found.values() for name in raw.unnamed]
    trees = [tree for ds in _judged_days(home) if ds not in busy for tree in _unreferenced(home, ds, ds in found)]
    return Plan({ds: files for ds, files in going.items() if files}, trees, kept, unnamed, unfinished(home))


def carry_out(home: Path, what: Plan) -> None:
    """Delete it. Raises OSError; what is left then is whole for every reader, and a next plan has the rest."""
    for begun in what.begun:
        finish(home, begun)
    for ds, files in what.raw.items():
        retire(home, ds, files)
    for tree in what.trees:
        _remove(tree)


def _days(folder: Path) -> list[str]:
    return [found[1] for name in names(folder) if (found := _DAY.fullmatch(name))]


def _raw_days(home: Path) -> list[str]:
    return sorted({*_days(home / "raw/manifests"), *_days(home / f"raw/{JOINED}")})


def _judged_days(home: Path) -> list[str]:
    tables = [f"facts/{table}" for table in names(home / "facts")]
    return sorted({ds for stage in (*STAGES, "runs", *tables) for ds in _days(home / stage)})


def _running(home: Path, ds: str, now: float) -> bool:
    """Whether the day's last claim is young and not published: its run may be under way, or died today."""
    folder = home / f"runs/ds={ds}"
    claimed = [name for name in names(folder) if _GENERATION.fullmatch(name)]
    if not claimed:
        return False
    last = max(claimed, key=lambda name: int(name[1:]))
    young = (folder / last).stat().st_mtime > now - RUNNING_SECONDS
    return young and current(home / f"reports/ds={ds}") != last


def _unjudged(home: Path, ds: str, clusters: set[str]) -> str | None:
    """Why a day is not judged with all its clusters; None where it is."""
    generation = current(home / f"findings/ds={ds}")
    if generation is None:
        return "it is not judged"
    judged = {Path(name).stem for name in names(home / f"findings/ds={ds}/{generation}/clusters")}
    absent = sorted(clusters - judged)
    return f"it is judged without {', '.join(absent[:3])}" if absent else None


def _raw(home: Path, ds: str) -> Raw:
    """By manifests alone: no data file is read. Raises NewerVersion."""
    files: dict[str, dict[str, int]] = defaultdict(dict)
    sweeps: dict[str, list[Manifest]] = defaultdict(list)
    paths = sorted((home / f"raw/manifests/ds={ds}").glob("*.json"))
    for path, one in zip(paths, each(_readable, paths, home), strict=True):
        if one is not None:
            sweeps[one.cluster].append(one)
            own = {file.path: file.bytes for file in one.files.values()}
            files[one.cluster] |= own | {f"raw/manifests/ds={ds}/{path.name}": 0}
    for path in sorted((home / f"raw/{JOINED}/ds={ds}").glob("*.json")):
        try:
            content = json.loads(read_file(path))
            for sweep in content["sweeps"]:
                refuse_newer(sweep["schema_version"], f"what is joined of {path.stem}")
            own = {file.path: file.bytes for file in (DataFile(**one) for one in content["files"])}
        except NewerVersion:
            raise
        except (ValueError, KeyError, TypeError):
            continue  # damaged: it names nothing, and is evidence
        files[path.stem] |= own | {f"raw/{JOINED}/ds={ds}/{path.name}": 0}
    last = {}
    for cluster, found in sweeps.items():
        newest = max(found, key=lambda one: one.sweep_at)
        last[cluster] = {file.path: file.bytes for file in newest.files.values()}
        last[cluster][f"raw/manifests/ds={ds}/{cluster}.{newest.sweep}.json"] = 0
    named = {name for own in files.values() for name in own}
    tables = [name for name in names(home / "raw") if name != "retired"]
    there = [f"raw/{table}/ds={ds}/{name}" for table in tables for name in names(home / f"raw/{table}/ds={ds}")]
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
    tables = [home / f"facts/{table}/ds={ds}" for table in names(home / "facts")]
    folders = [home / f"{stage}/ds={ds}" for stage in STAGES]
    referenced = {current(folder) for folder in (*folders, *tables)}
    if not referenced - {None}:
        return []  # nothing of the day is published yet
    claims = home / f"runs/ds={ds}"
    claimed = sorted(
        (n for n in names(claims) if _GENERATION.fullmatch(Path(n).stem)), key=lambda n: int(Path(n).stem[1:])
    )
    kept = {*referenced, *(Path(name).stem for name in claimed[-1:])}
    found = [claims / name for name in claimed if Path(name).stem not in kept]
    for folder in (*folders, *tables):
        generations = [name for name in names(folder) if _GENERATION.fullmatch(name)]
        if facts_too and folder in tables:
            found += [folder / name for name in (POINTER, *generations) if name in names(folder)]
        else:
            found += [folder / name for name in generations if name not in referenced]
    return found


def _remove(tree: Path) -> None:
    """Delete a file, or a folder and all below it."""
    if tree.is_file():
        tree.unlink(missing_ok=True)
        return
    below = list(tree.rglob("*"))
    folders = [] if bucket.holds(tree) else [path for path in below if path.is_dir()]  # a bucket has none
    each(lambda path: path.unlink(missing_ok=True), [path for path in below if path not in folders], tree)
    for folder in sorted(folders, reverse=True) + [tree] * (not bucket.holds(tree)):
        with suppress(FileNotFoundError):  # a rival was faster
            folder.rmdir()
