"""What the fleet's page is for: takes the clusters of a day, gives decisions, campaigns, the map and who is missing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.campaigns import Campaigns, campaigns
from kafka_fleet.report.decisions import Decisions, decisions
from kafka_fleet.report.fleet_members import Member
from kafka_fleet.report.release_map import LEGEND, ReleaseMap, release_map
from kafka_fleet.report.unmeasured import unmeasured
from kafka_fleet.report.view_models import Cut


@dataclass(frozen=True)
class FleetDecides:
    """The parts above the table of clusters. acknowledged: acknowledgements were looked at."""

    decisions: Decisions
    campaigns: Campaigns
    map: ReleaseMap
    legend: Mapping[str, str]
    unmeasured: Cut
    acknowledged: bool


def fleet_decides(
    members: Sequence[Member],
    advisories: Mapping[str, Advisory],
    accepted: Mapping[tuple[str, str], str | None],
    before: Mapping[str, Collection[str]] | None,
    last: Mapping[str, str],
    acknowledged: bool = False,
) -> FleetDecides:
    """All of it. accepted, before: see decisions. last: by cluster the last day before on which it was measured."""
    security = {key for key, advisory in advisories.items() if advisory.security}
    found = campaigns(members, security)
    return FleetDecides(
        decisions=decisions(members, advisories, accepted, before),
        campaigns=found,
        map=release_map(members, found, security),
        legend=LEGEND,
        unmeasured=unmeasured(members, last),
        acknowledged=acknowledged,
    )
