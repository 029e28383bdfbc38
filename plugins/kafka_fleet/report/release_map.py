"""Clusters x releases as a picture: takes the clusters of a day and their campaigns, gives a bounded grid of cells."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kafka_fleet.knowledge.releases import Release, parse_release
from kafka_fleet.report.campaigns import Campaigns, Gain, candidates, gain
from kafka_fleet.report.fleet_members import Member
from kafka_fleet.report.formatting import joined, plural
from kafka_fleet.report.obstacles import KINDS, obstacles

ROWS, COLUMNS = 40, 8
LEGEND = {
    "confirmed": "closes something confirmed",
    "security": "closes security matters",
    "exposed": "closes other exposures",
    "none": "closes nothing",
    "behind": "runs this or a later release",
    "unread": "no release was read",
}


@dataclass(frozen=True)
class MapCell:
    """One cluster and release: a key of the legend, the number that it closes, whether something is in the way."""

    key: str
    text: str
    held: bool
    said: str


@dataclass(frozen=True)
class MapRow:
    """One cluster with what it runs."""

    cluster: str
    runs: str
    confirmed: int
    cells: tuple[MapCell, ...]


@dataclass(frozen=True)
class ReleaseMap:
    """The grid: releases in their order; the clusters with most to gain first, `more` are left out."""

    releases: tuple[str, ...]
    rows: tuple[MapRow, ...]
    more: int


def _parts(found: Gain) -> str:
    said = [
        f"{count:,} {word}"
        for count, word in ((found.confirmed, "confirmed"), (found.security, "security"), (found.exposed, "exposed"))
        if count
    ]
    return f"closes {joined(said)}" if said else "closes nothing"


def _cell(member: Member, release: str, security: Collection[str]) -> MapCell:
    candidate = next((one for one in candidates(member) if one.release == release), None)
    if candidate is None:
        target = parse_release(release)
        behind = bool(member.releases) and target is not None and target <= max(member.releases)
        key = "behind" if behind else "unread" if not member.releases else "none"
        said = LEGEND[key] if key != "none" else "not a candidate of its plan"
        return MapCell(key, "", False, said)
    found = gain(member, candidate, security)
    target = parse_release(release)
    way = [one for one in (obstacles(member, target) if target else []) if one.certain]
    levels = (("confirmed", found.confirmed), ("security", found.security), ("exposed", found.exposed))
    key = next((name for name, count in levels if count), "none")
    said = _parts(found) + (f", opens {found.opens:,}" if found.opens else "")
    said += "".join(f"; in the way: {KINDS[one.kind]}" for one in way)
    return MapCell(key, f"{found.closes:,}" if found.closes else "0", bool(way), said)


def _columns(found: Campaigns) -> tuple[str, ...]:
    """The releases that pay most, in the order of releases."""
    best = [one.release for one in found.rows.items[:COLUMNS]]
    return tuple(sorted(best, key=lambda text: parse_release(text) or Release((0,))))


def release_map(members: Sequence[Member], found: Campaigns, security: Collection[str]) -> ReleaseMap:
    """The grid of a day; empty where no release is a candidate of any cluster."""
    columns = _columns(found)
    if not columns:
        return ReleaseMap((), (), 0)
    rows = []
    for one in members:
        if one.report is None or not one.report.judged:
            continue
        runs = joined([str(release) for release in one.releases[:3]]) or "not read"
        runs += f" and {plural(len(one.releases) - 3, 'more release')}" if len(one.releases) > 3 else ""
        rows.append(MapRow(one.cluster, runs, one.confirmed, tuple(_cell(one, name, security) for name in columns)))
    order = list(LEGEND)
    rows.sort(key=lambda row: (-row.confirmed, min(order.index(cell.key) for cell in row.cells), row.cluster))
    return ReleaseMap(columns, tuple(rows[:ROWS]), max(0, len(rows) - ROWS))
