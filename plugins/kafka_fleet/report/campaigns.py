"""Upgrade campaigns: takes the clusters of a day, gives each candidate release, its pay-off and what is in its way.

A release is a candidate of a cluster where its plan says so; what it closes there are findings of that day. A finding
counts once: as confirmed, else as a security matter, else as another exposure.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kafka_fleet.documents.cluster_report import PlanCandidate
from kafka_fleet.knowledge.releases import Release, parse_release
from kafka_fleet.report.fleet_members import Member
from kafka_fleet.report.obstacles import KINDS, Obstacle, obstacles
from kafka_fleet.report.view_models import Cut, cut_list

MOST = 12  # releases
FIRST = 3  # of them, those that are not folded
NAMES = 8  # clusters that are named
IN_THE_WAY = 3  # clusters that are named for each kind of obstacle, with what was seen there
_ORDER = tuple(KINDS)


@dataclass(frozen=True)
class Gain:
    """What a release closes on one cluster, or on all of them: confirmed, security, other exposures; what it opens."""

    confirmed: int
    security: int
    exposed: int
    opens: int

    @property
    def closes(self) -> int:
        """All that it closes."""
        return self.confirmed + self.security + self.exposed

    def __add__(self, other: "Gain") -> "Gain":
        return Gain(
            self.confirmed + other.confirmed,
            self.security + other.security,
            self.exposed + other.exposed,
            self.opens + other.opens,
        )


@dataclass(frozen=True)
class InTheWay:
    """One kind of obstacle of a campaign: how many clusters have it, and which, with what was seen there."""

    kind: str
    said: str
    certain: bool
    count: int
    clusters: Cut


@dataclass(frozen=True)
class Campaign:
    """One release: the clusters it would take, what it closes there by finding, and what is in its way.

    issues: ids that it closes with the number of clusters, the most frequent confirmed ones first. free: clusters with
    nothing certain in the way.
    """

    release: str
    supported: bool
    count: int
    free: int
    clusters: Cut
    gain: Gain
    issues: Cut
    in_the_way: tuple[InTheWay, ...]


@dataclass(frozen=True)
class Campaigns:
    """The releases by pay-off, and the clusters of which no upgrade can be told, each with the reason."""

    rows: Cut
    without: Cut

    @property
    def first(self) -> tuple[Campaign, ...]:
        """Those that pay most; the others are folded."""
        return tuple(self.rows.items[:FIRST])

    @property
    def later(self) -> tuple[Campaign, ...]:
        """The others."""
        return tuple(self.rows.items[FIRST:])


def gain(member: Member, candidate: PlanCandidate, security: Collection[str]) -> Gain:
    """What a candidate closes on a cluster. security: ids of security matters."""
    verdicts = member.verdicts
    confirmed = {key for key in candidate.closes if verdicts.get(key) == "confirmed"}
    exposed = {key for key in candidate.closes if verdicts.get(key) == "exposed"}
    matters = {key for key in exposed if key in security or key.startswith("CVE-")}
    return Gain(len(confirmed), len(matters), len(exposed - matters), len(set(candidate.opens)))


def candidates(member: Member) -> list[PlanCandidate]:
    """Releases that its brokers could go to."""
    return member.report.plan.candidates.server if member.report and member.report.judged else []


def _why_none(member: Member) -> str:
    """Why no upgrade of a cluster can be told; empty where one can, or where none is needed."""
    report = member.report
    if report is None:
        return "this day has no document of it"
    if candidates(member):
        return ""
    if report.declaration_error:
        return "its entry in the fleet file is not valid"
    if not report.judged:
        return "it was set aside" if report.set_aside is not None else "it was never reached"
    steps = report.plan.now or report.plan.next
    if steps and "candidates" not in report.plan.model_fields_set:  # a day of a version that did not keep them
        return "its day keeps the steps of its plan and not the releases to choose from"
    return report.plan.note or ("" if member.releases else "no broker release was read")


def _in_the_way(found: Sequence[tuple[str, Obstacle]]) -> tuple[InTheWay, ...]:
    rows = []
    for kind in _ORDER:
        own = sorted((name, one) for name, one in found if one.kind == kind)
        if own:
            said = KINDS[kind] if kind != "java" else f"{own[0][1].detail} on brokers: not measured"
            named = [name if kind == "java" or not one.detail else f"{name} ({one.detail})" for name, one in own]
            rows.append(InTheWay(kind, said, own[0][1].certain, len(own), cut_list(named, IN_THE_WAY)))
    return tuple(rows)


def _campaign(release: str, taken: Sequence[tuple[Member, PlanCandidate]], security: Collection[str]) -> Campaign:
    target = parse_release(release)
    total, closed, worst = Gain(0, 0, 0, 0), Counter[str](), Counter[str]()
    way: list[tuple[str, Obstacle]] = []
    for one, candidate in taken:
        total += gain(one, candidate, security)
        closed.update(set(candidate.closes))
        worst.update(key for key in set(candidate.closes) if one.verdicts.get(key) == "confirmed")
        way += [(one.cluster, found) for found in (obstacles(one, target) if target else [])]
    held = {name for name, found in way if found.certain}
    first = sorted(taken, key=lambda pair: (-gain(pair[0], pair[1], security).confirmed, pair[0].cluster))
    issues = sorted(closed, key=lambda key: (-worst[key], not key.startswith("CVE-"), -closed[key], key))
    return Campaign(
        release=release,
        supported=any(candidate.supported for _one, candidate in taken),
        count=len(taken),
        free=sum(one.cluster not in held for one, _candidate in taken),
        clusters=cut_list([one.cluster for one, _candidate in first], NAMES),
        gain=total,
        issues=cut_list([(key, closed[key], worst[key]) for key in issues], NAMES),
        in_the_way=_in_the_way(way),
    )


def _pays(one: Campaign) -> tuple[int, int, int, bool, int, Release]:
    """Sorts by pay-off: confirmed, security, exposures; then support, what it opens, and the shortest way."""
    found = one.gain
    target = parse_release(one.release) or Release((0,))
    return -found.confirmed, -found.security, -found.exposed, not one.supported, found.opens, target


def campaigns(members: Sequence[Member], security: Collection[str]) -> Campaigns:
    """Every candidate release that closes something, by pay-off. security: ids of advisories that are such matters."""
    taken: dict[str, list[tuple[Member, PlanCandidate]]] = {}
    for one in sorted(members, key=lambda found: found.cluster):
        for candidate in candidates(one):
            if gain(one, candidate, security).closes:
                taken.setdefault(candidate.release, []).append((one, candidate))
    rows = sorted((_campaign(release, pairs, security) for release, pairs in taken.items()), key=_pays)
    reasons = [(one.cluster, why) for one in sorted(members, key=lambda m: m.cluster) if (why := _why_none(one))]
    return Campaigns(cut_list(rows, MOST), cut_list(reasons, 2 * NAMES))
