"""What needs a decision today: takes the clusters of a day, gives confirmed findings that nobody has accepted.

Those that were not confirmed on the day before come first, then what weighs most where it is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kafka_fleet.documents.cluster_report import PlanStep
from kafka_fleet.documents.finding import Finding, FindingRow
from kafka_fleet.domain import SEVERITIES
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import load_signatures
from kafka_fleet.report.cards import component_words, own_text
from kafka_fleet.report.finding_addresses import finding_place
from kafka_fleet.report.fleet_members import Member
from kafka_fleet.report.owner_sentences import owner_sentences
from kafka_fleet.report.priority import weighed
from kafka_fleet.report.view_models import Cut, cut_list

MOST = 15
_NAME = 40  # characters of a name in a sentence
_SUBJECTS = 4  # names beside a sentence
# (cluster, key) -> why its acknowledgement is void, None where it holds
Accepted = Mapping[tuple[str, str], str | None]
NEW, KNOWN, UNCOMPARED = "new", "known", ""


@dataclass(frozen=True)
class Decision:
    """One confirmed finding. state: `new` or `known` beside the day before, empty where that is not compared.

    accepted_before: why an acknowledgement of it does not hold any more; empty where there is none.
    """

    cluster: str
    environment: str
    key: str
    place: str
    weight: str
    sentence: str
    where: str
    action: str
    meanwhile: str
    state: str
    accepted_before: str


@dataclass(frozen=True)
class Decisions:
    """The open ones, the most pressing first; how many of the confirmed are acknowledged, and how many are new."""

    rows: Cut
    new: int
    acknowledged: int


def _where(row: FindingRow) -> str:
    named = [one for one in row.subjects if not one.startswith("and ")]
    more = len(named) - _SUBJECTS
    return ", ".join(named[:_SUBJECTS]) + (f" and {more:,} more" if more > 0 else "")


def _upgrade(step: PlanStep, row: FindingRow) -> str:
    who = component_words([step.component])
    start = f" from {row.release}" if row.release else ""
    return f"Upgrade {who}{'' if who.endswith('s') else 's'}{start} to {step.release}."


def _action(member: Member, row: FindingRow) -> str:
    """The step of the plan that closes it, in words; else that no release does."""
    plan = member.report.plan if member.report else None
    steps = [step for step in (plan.now, plan.next, plan.clients) if step] if plan else []
    found = next((step for step in steps if row.key in step.closes), None)
    return _upgrade(found, row) if found else "No release that closes it could be named: use the way round."


def _sentence(row: FindingRow, title: str) -> str:
    """What is wrong in the owner's words, where the figures for it are known; else the issue's title."""
    signature = load_signatures().get(row.signature or "")
    if not isinstance(row, Finding) or signature is None:
        return title
    said = owner_sentences(row, signature, title, _SUBJECTS // 2, _NAME).what
    return said[:1].upper() + said[1:]


def _decision(member: Member, row: FindingRow, advisories: Mapping[str, Advisory]) -> Decision:
    advisory = advisories.get(row.advisory or "")
    return Decision(
        cluster=member.cluster,
        environment=member.environment,
        key=row.key,
        place=finding_place(row),
        weight=weighed(row.severity, member.environment),
        sentence=_sentence(row, own_text(advisory.title) if advisory else row.key),
        where=_where(row),
        action=_action(member, row),
        meanwhile=own_text(getattr(row, "workaround", None) or (advisory.workaround if advisory else "")),
        state=UNCOMPARED,
        accepted_before="",
    )


def decisions(
    members: Sequence[Member],
    advisories: Mapping[str, Advisory],
    accepted: Accepted,
    before: Mapping[str, Collection[str]] | None,
) -> Decisions:
    """What to decide.

    before: by cluster the keys that were confirmed on the last day before on which it was measured; None: not compared.
    """
    found, held = [], 0
    for one in members:
        for row in one.rows:
            if row.verdict != "confirmed":
                continue
            place = (one.cluster, row.key)
            if place in accepted and accepted[place] is None:
                held += 1
                continue
            state = UNCOMPARED
            if before is not None:
                state = KNOWN if row.key in before.get(one.cluster, ()) else NEW
            made = _decision(one, row, advisories)
            found.append(replace(made, state=state, accepted_before=accepted.get(place) or ""))
    found.sort(key=lambda one: (one.state != NEW, SEVERITIES.index(one.weight), one.cluster, one.key))
    return Decisions(cut_list(found, MOST), sum(one.state == NEW for one in found), held)
