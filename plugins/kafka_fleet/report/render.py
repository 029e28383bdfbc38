"""Letters on disk: takes a judged day under home, writes its letters and the fleet page, and shows them all at once.

reports/ds=D/g0003/<cluster>.{html,txt}, index.html   one generation
reports/ds=D/_current.json                            which generation readers follow
reports/ds=D/<cluster>.{html,txt}, index.html         copies of it at the paths that people link to
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.letter import Letter, render_index, render_letter
from kafka_fleet.report.view_models import Json
from kafka_fleet.store import generations
from kafka_fleet.store.files import list_names, replace_file
from kafka_fleet.store.versions import document

_CLUSTER = re.compile(r"(?!index$)(?:[a-z0-9-]{1,63}|entry [0-9]{1,6})")
_GENERATION = re.compile(r"g\d{4,}")
_SHOWN = (".html", ".txt")

__all__ = ["Day", "Letter", "publish", "read_day", "render_index", "render_letter", "write_letter"]


class Day(NamedTuple):
    """A judged day: dossier per cluster, and the list of all findings."""

    dossiers: dict[str, Json]
    findings: list[Json]


def _folder(home: Path, stage: str, ds: str, generation: str) -> Path:
    if not _GENERATION.fullmatch(generation):
        raise ValueError(f"{generation[:40]!r} is no generation")
    return home / stage / f"ds={generations.checked_day(ds)}" / generation


def _name(cluster: str) -> str:
    if not _CLUSTER.fullmatch(cluster):
        raise ValueError(f"{cluster[:40]!r} cannot name a letter")
    return cluster


@lru_cache(maxsize=2)
def _parsed(path: Path, modified: int, size: int) -> Any:
    return document(path.read_bytes(), "/".join(path.parts[-3:]))


def _read(path: Path) -> Any:
    stat = path.stat()
    return _parsed(path, stat.st_mtime_ns, stat.st_size)


def read_day(home: Path, ds: str, generation: str) -> Day:
    """What the judge step wrote. Raises FileNotFoundError for a day that was not judged, ValueError for bad names."""
    folder = _folder(home, "findings", ds, generation)
    findings: list[Json] = _read(folder / "findings.json")
    documents = (document(p.read_bytes(), f"{p.stem} of {ds}") for p in sorted((folder / "clusters").glob("*.json")))
    return Day({str(document["cluster"]): document for document in documents}, findings)


def write_letter(home: Path, ds: str, generation: str, cluster: str) -> list[Path]:
    """Write one cluster's letter into its generation; gives the paths of its HTML and text."""
    source = _folder(home, "findings", ds, generation)
    dossier = document((source / "clusters" / f"{_name(cluster)}.json").read_bytes(), f"{cluster} of {ds}")
    letter = render_letter(dossier, _read(source / "findings.json"), load_advisories())
    target = _folder(home, "reports", ds, generation)
    paths = [target / f"{cluster}{suffix}" for suffix in _SHOWN]
    for path, content in zip(paths, (letter.html, letter.text), strict=True):
        replace_file(path, content.encode("utf-8"))
    return paths


def publish(home: Path, ds: str, generation: str) -> list[Path]:
    """Write the fleet page, flip the pointer, then put copies at reports/ds=D/ and remove stale ones.

    Readers that follow the pointer see the whole day or none of it; each copy is replaced whole. Safe to repeat.
    A cluster whose letter failed is red on the fleet page, and its older letter does not stay in the new one's place.
    """
    folder = _folder(home, "reports", ds, generation)
    day = read_day(home, ds, generation)
    written = [name for name in sorted(day.dossiers) if all((folder / f"{name}{kind}").is_file() for kind in _SHOWN)]
    if day.dossiers and not written:
        raise FileNotFoundError(f"none of the {len(day.dossiers)} letters of {ds} is written yet in {generation}")
    index = render_index(ds, day.dossiers, day.findings, unwritten=day.dossiers.keys() - set(written))
    replace_file(folder / "index.html", index.encode("utf-8"))
    generations.publish(folder.parent, generation)
    fresh = {f"{name}{suffix}" for name in written for suffix in _SHOWN} | {"index.html"}
    for name in sorted(fresh):
        replace_file(folder.parent / name, (folder / name).read_bytes())
    for old in list_names(folder.parent):
        if old.endswith(_SHOWN) and old not in fresh:
            (folder.parent / old).unlink()
    return [folder.parent / name for name in sorted(fresh)]
