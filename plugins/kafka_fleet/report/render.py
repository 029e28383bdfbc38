"""Letters on disk: takes a judged day under home, writes its letters and the fleet page, and shows them all at once.

reports/ds=D/g0003/<cluster>.{html,txt}, index.html   one generation
reports/ds=D/_current.json                            which generation readers follow
reports/ds=D/<cluster>.{html,txt}, index.html         copies of it at the paths that people link to
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kafka_fleet.config.acknowledgements import Acknowledgement, acknowledgement_states
from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding, parsed_findings
from kafka_fleet.documents.knowledge import knowledge_of
from kafka_fleet.documents.summary import DaySummary
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.decisions import Accepted
from kafka_fleet.report.letter import Letter, render_index, render_letter
from kafka_fleet.store import generations
from kafka_fleet.store.files import list_names, replace_file
from kafka_fleet.store.home import Home, HomeGeneration
from kafka_fleet.store.versions import document

_CLUSTER = re.compile(r"(?!index$)(?:[a-z0-9-]{1,63}|entry [0-9]{1,6})")
_SHOWN = (".html", ".txt")

__all__ = ["Day", "Letter", "publish", "read_day", "render_index", "render_letter", "write_letter"]


class Day(NamedTuple):
    """A judged day: report per cluster, and all findings (docs/reference/findings.md)."""

    reports: dict[str, ClusterReport]
    findings: list[Finding]


def _name(cluster: str) -> str:
    if not _CLUSTER.fullmatch(cluster):
        raise ValueError(f"{cluster[:40]!r} cannot name a letter")
    return cluster


@lru_cache(maxsize=2)
def _parsed(path: Path, modified: int, size: int) -> list[Finding]:
    return parsed_findings(document(path.read_bytes(), "/".join(path.parts[-3:])))


def _read(path: Path) -> list[Finding]:
    stat = path.stat()
    return _parsed(path, stat.st_mtime_ns, stat.st_size)


def read_day(home: Path, ds: str, generation: str) -> Day:
    """What the judge step wrote. Raises FileNotFoundError for a day that was not judged, ValueError for bad names."""
    of = Home(home).generation(ds, generation)
    findings = _read(of.finding_list)
    paths = sorted(of.clusters.glob("*.json"))
    reports = [ClusterReport.model_validate(document(p.read_bytes(), f"{p.stem} of {ds}")) for p in paths]
    return Day({one.cluster: one for one in reports}, findings)


def write_letter(home: Path, ds: str, generation: str, cluster: str) -> list[Path]:
    """Write one cluster's letter into its generation; gives the paths of its HTML and text."""
    of = Home(home).generation(ds, generation)
    content = document(of.cluster(_name(cluster)).read_bytes(), f"{cluster} of {ds}")
    rests_on, report = knowledge_of(of), ClusterReport.model_validate(content)
    known = str(rests_on) if rests_on else None
    letter = render_letter(report, _read(of.finding_list), load_advisories(), knowledge=known)
    paths = [of.letter(cluster, "html"), of.letter(cluster, "txt")]
    for path, content in zip(paths, (letter.html, letter.text), strict=True):
        replace_file(path, content.encode("utf-8"))
    return paths


def _accepted(of: HomeGeneration, findings: Sequence[Finding], known: Sequence[Acknowledgement]) -> Accepted:
    """Of clusters with something confirmed. Raises OSError, NewerVersion."""
    found: dict[tuple[str, str], str | None] = {}
    sick = {one.cluster for one in findings if one.verdict == "confirmed"}
    for cluster in sorted(sick & {one.cluster for one in known}):
        path = of.verdict(_name(cluster))
        if path.is_file():  # versions before it was kept had no acknowledgements that look at it
            rows = DaySummary.model_validate(document(path.read_bytes(), f"{cluster} of {of.day.ds} in brief")).rows
            states = acknowledgement_states(known, cluster, rows, of.day.ds)
            found |= {(cluster, key): void for key, (_entry, void) in states.items()}
    return found


def publish(home: Path, ds: str, generation: str, known: Sequence[Acknowledgement] | None = None) -> list[Path]:
    """Write the fleet page, flip the pointer, then put copies at reports/ds=D/, where links lead; remove stale ones.

    Readers that follow the pointer see the whole day or none of it; each copy is replaced whole. Safe to repeat.
    known: acknowledgements, which the fleet page counts and does not ask to decide again; None: not known here.
    A cluster whose letter failed is red on the fleet page, and its older letter does not stay in the new one's place.
    """
    folder = Home(home).generation(ds, generation).letters
    day = read_day(home, ds, generation)
    written = [name for name in sorted(day.reports) if all((folder / f"{name}{kind}").is_file() for kind in _SHOWN)]
    if day.reports and not written:
        raise FileNotFoundError(f"none of the {len(day.reports)} letters of {ds} is written yet in {generation}")
    accepted = None if known is None else _accepted(Home(home).generation(ds, generation), day.findings, known)
    index = render_index(ds, day.reports, day.findings, day.reports.keys() - set(written), accepted)
    replace_file(folder / "index.html", index.encode("utf-8"))
    generations.publish(folder.parent, generation)
    fresh = {f"{name}{suffix}" for name in written for suffix in _SHOWN} | {"index.html"}
    for name in sorted(fresh):
        replace_file(folder.parent / name, (folder / name).read_bytes())
    for old in list_names(folder.parent):
        if old.endswith(_SHOWN) and old not in fresh:
            (folder.parent / old).unlink()
    return [folder.parent / name for name in sorted(fresh)]
