"""What the fleet's page decides: takes a published day, gives decisions, campaigns, map and who is missing.

A generation never changes, so its documents are read once; acknowledgements and the day before are looked at each time.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from kafka_fleet.config.acknowledgements import Acknowledgement, acknowledgement_states
from kafka_fleet.documents.published import Damaged, Published
from kafka_fleet.documents.summary import ClusterSummary, DaySummary
from kafka_fleet.knowledge.advisories import load_advisories
from kafka_fleet.report.decisions import may_need_one
from kafka_fleet.report.fleet_decides import FleetDecides, fleet_decides
from kafka_fleet.report.fleet_members import Member, member

Summaries = Mapping[str, Mapping[str, ClusterSummary]]


@lru_cache(maxsize=2)
def _members(home: Path, ds: str, _generation: str, clusters: tuple[str, ...]) -> dict[str, Member]:
    """Every cluster of a generation. One whose documents cannot be read is a member without any."""
    source = Published(home)
    sick = source.proven(ds)
    found = {}
    for name in clusters:
        short = _summary(source, ds, name)
        whole = {row.key: row for row in sick.get(name, ())}  # with the figures that a sentence is made of
        rows = [whole.get(row.key, row) if may_need_one(row) else row for row in short.rows] if short else []
        found[name] = member(name, source.light_report(ds, name) if short else None, rows)
    return found


def _summary(source: Published, ds: str, cluster: str) -> DaySummary | None:
    """A cluster's day in brief; None where there is none that can be read."""
    try:
        return source.day_summary(ds, cluster)
    except Damaged:
        return None


def _measured(cluster: str, summaries: Summaries) -> list[str]:
    """Days on which a cluster was judged, the latest first."""
    return [ds for ds in sorted(summaries, reverse=True) if (row := summaries[ds].get(cluster)) and row.judged]


def _any(one: Member) -> bool:
    return any(map(may_need_one, one.rows))


def _accepted(
    members: Sequence[Member], entries: Sequence[Acknowledgement], source: Published, ds: str
) -> dict[tuple[str, str], str | None]:
    """(cluster, key) -> why the acknowledgement of a finding does not hold, None where it does."""
    clusters = {one.cluster for one in entries}
    found: dict[tuple[str, str], str | None] = {}
    for one in members:
        # as the file keeps them: names are compared before they are made harmless
        short = _summary(source, ds, one.cluster) if one.cluster in clusters and _any(one) else None
        states = acknowledgement_states(entries, one.cluster, short.rows, ds) if short else {}
        found |= {(one.cluster, key): void for key, (_entry, void) in states.items()}
    return found


def decides_of(
    source: Published,
    ds: str,
    names: Sequence[str],
    summaries: Summaries,
    entries: Sequence[Acknowledgement],
) -> FleetDecides:
    """The parts of the page above its table. names: clusters to look at. summaries: of this day and of days before."""
    known = _members(source.home, ds, source.generation(ds), tuple(sorted(summaries.get(ds, {}))))
    members = [known[name] for name in sorted(names) if name in known]
    earlier = {one: rows for one, rows in summaries.items() if one < ds}
    before: dict[str, set[str]] | None = {} if any(earlier.values()) else None
    last = {}
    for one in members:
        days = _measured(one.cluster, earlier)
        if days and not (one.report and one.report.judged):
            last[one.cluster] = days[0]
        if before is not None and days and _any(one):
            short = _summary(source, days[0], one.cluster)
            before[one.cluster] = {row.key for row in short.rows if may_need_one(row)} if short else set()
    accepted = _accepted(members, entries, source, ds)
    return fleet_decides(members, load_advisories(), accepted, before, last, acknowledged=True)
