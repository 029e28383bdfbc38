"""A cluster's findings in full: takes a day's findings and report, gives a card with an address for each, in groups.

Letters show the first screen and link to these addresses; nothing that was found is left out here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.domain import Verdict
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.report.cards import make_card
from kafka_fleet.report.finding_addresses import EXPOSED, UNDECIDED, finding_place
from kafka_fleet.report.formatting import plural, sentence
from kafka_fleet.report.model import LEVELS
from kafka_fleet.report.sanitize import cleaned
from kafka_fleet.report.sections import sort_key
from kafka_fleet.report.view_models import Card

LIMITS = replace(LEVELS[0], rows=100, subjects=60, evidence=40, sentences=40, table=100)  # no mail client cuts this
MOST = 400  # findings on a page; a catalogue has some 110
_PLACES = {"exposed": EXPOSED, "unknown": UNDECIDED}
_TITLES: tuple[tuple[Verdict, str], ...] = (
    ("confirmed", "Confirmed"),
    ("look_alike", "Look-alikes"),
    ("exposed", "Exposed by release and configuration"),
    ("unknown", "Could not be decided"),
)


@dataclass(frozen=True)
class FullFinding:
    """One finding with its address, its key, its symptom and all that is known of it."""

    place: str
    key: str
    signature: str | None
    card: Card


@dataclass(frozen=True)
class Group:
    """Findings of one verdict, the worst first. parts: those of one reason together, where that is what counts.

    opened: shown unfolded at first.
    """

    place: str
    title: str
    verdict: Verdict
    count: int
    opened: bool
    parts: tuple[tuple[str, tuple[FullFinding, ...]], ...]


def _by_release(found: Sequence[FullFinding]) -> tuple[tuple[str, tuple[FullFinding, ...]], ...]:
    """Exposures by the release that closes them, the one that closes most first."""
    parts: dict[str, list[FullFinding]] = {}
    for one in found:
        to = one.card.upgrade_to
        parts.setdefault(f"Closed by {to}" if to else "No release that closes it was named", []).append(one)
    order = sorted(parts.items(), key=lambda part: (not part[0].startswith("Closed"), -len(part[1]), part[0]))
    return tuple((f"{title}: {plural(len(own), 'issue')}", tuple(own)) for title, own in order)


def _by_reason(found: Sequence[FullFinding]) -> tuple[tuple[str, tuple[FullFinding, ...]], ...]:
    """What could not be decided by what was missing, the reason that holds up most first."""
    parts: dict[str, list[FullFinding]] = {}
    for one in found:
        reasons = " ".join(one.card.missing.items) or "No reason was recorded."
        parts.setdefault(reasons, []).append(one)
    order = sorted(parts.items(), key=lambda part: (-len(part[1]), part[0]))
    return tuple((f"{sentence(title)} ({plural(len(own), 'issue')})", tuple(own)) for title, own in order)


def finding_groups(
    report: ClusterReport, findings: Sequence[Finding], advisories: Mapping[str, Advisory]
) -> tuple[Group, ...]:
    """Every finding of the cluster but those not affected, by verdict, the worst first."""
    limits = LIMITS
    light = cleaned(report.model_copy(update={"signatures": []}), limits.clip)
    signatures = {
        one.signature: cleaned(one.model_copy(update={"charts": []}), limits.clip) for one in report.signatures
    }
    groups = []
    for verdict, title in _TITLES:
        own = sorted((cleaned(one, limits.clip) for one in findings if one.verdict == verdict), key=sort_key)
        shown = [
            FullFinding(
                finding_place(one),
                one.key,
                one.signature,
                make_card(one, advisories, signatures.get(one.signature or ""), light.ds, limits, ""),
            )
            for one in own[:MOST]
        ]
        if not shown:
            continue
        parts = {"exposed": _by_release, "unknown": _by_reason}.get(verdict, lambda some: (("", tuple(some)),))(shown)
        place = _PLACES.get(verdict, verdict.replace("_", "-"))
        groups.append(Group(place, title, verdict, len(own), verdict in ("confirmed", "look_alike"), parts))
    return tuple(groups)
