"""Affected releases in words: takes an advisory, gives per release line who has it, who has the fix, where to go."""

from itertools import groupby
from typing import NamedTuple

from docs_generator.markdown import escape, table
from kafka_fleet.knowledge.advisories import CLIENT, Advisory, load_advisories
from kafka_fleet.knowledge.releases import Release, catalogue
from kafka_fleet.upgrade.plan import upgrade_to


class Line(NamedTuple):
    """One release line of the catalogue: its name and, as texts, who has the issue, its first fix, and the target."""

    name: str
    has: str
    fix: str
    target: str


def _who(line: list[Release], inside: list[Release]) -> str:
    if len(inside) == len(line):
        return "every release"
    if len(inside) == 1:
        return str(inside[0])
    run = line[line.index(inside[0]) :][: len(inside)] == inside
    return f"{inside[0]} to {inside[-1]}" if run else ", ".join(map(str, inside))


def _target(advisory: Advisory, release: Release) -> str:
    """Where the newest affected release of a line is sent to, on the day of the release table."""
    fleet = "client" if advisory.upgrade_component in CLIENT else "server"
    if fleet not in advisory.families:
        return "-"
    found = upgrade_to(advisory, [str(release)], load_advisories(), fleet=fleet)
    return found.release or escape(found.why)


def lines(advisory: Advisory) -> list[Line]:
    """Every line of the catalogue that has an affected release, oldest first."""
    if advisory.affected is None:
        return []
    known, releases = catalogue(), advisory.affected.releases
    found = []
    for _number, group in groupby(sorted(known.dates), key=lambda release: release.line):
        line = list(group)
        inside = [release for release in line if release in releases]
        if not inside:
            continue
        after = [release for release in line if release > inside[-1]]
        awaited = [r for r in known.expected if r.line == line[0].line and r not in releases]
        fix = str(after[0]) if after else f"{awaited[0]}, not published yet" if awaited else "none on this line"
        found.append(Line(line[0].line_text, _who(line, inside), fix, _target(advisory, inside[-1])))
    return found


def affected_table(advisory: Advisory) -> str:
    """Table of the lines, neighbours that read alike in one row; a sentence where no release decides or none has it."""
    if advisory.affected is None:
        return "No release decides: it is about settings or operation, so the preconditions alone do."
    if advisory.affected.never_released:
        return "No published release has it: the fault came and went while a release was made."
    found = lines(advisory)
    if not found:
        return "No release whose artifacts exist has it."
    rows = []
    for alike, group in groupby(found, key=lambda line: line[1:]):
        names = [line.name for line in group]
        rows.append([names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}", *alike])
    return table(["Line", "Has it", "First fix on the line", "Go to"], rows)


def affected_short(advisory: Advisory) -> str:
    """The same in one cell of the index: spans of releases, oldest first."""
    if advisory.affected is None:
        return "no release decides"
    releases = advisory.affected.releases
    spans: list[list[Release]] = []
    before = False
    for release in sorted(catalogue().dates):
        inside = release in releases
        if inside:
            spans = [*spans[:-1], [*spans[-1], release]] if before else [*spans, [release]]
        before = inside
    return ", ".join(str(s[0]) if len(s) == 1 else f"{s[0]} to {s[-1]}" for s in spans) or "none published"
