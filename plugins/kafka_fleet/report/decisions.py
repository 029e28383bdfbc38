"""What needs a decision today: takes the clusters of a day, gives what was proven and nobody has accepted.

That is what is confirmed, and of symptoms that no known issue explains those that weigh high there: partitions without
a leader are no bug of Kafka, and cannot wait. What is new beside the day before comes first, then what weighs most.
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
from kafka_fleet.report.owner_sentences import OwnerSentences, owner_sentences
from kafka_fleet.report.priority import weighed
from kafka_fleet.report.trouble import can_wait, capital, own_severity
from kafka_fleet.report.view_models import Cut, cut_list

MOST = 15
_NAME = 40  # characters of a name in a sentence
_SUBJECTS = 4  # names beside a sentence
_PRESSING = ("critical", "high")
# (cluster, key) -> why its acknowledgement is void, None where it holds
Accepted = Mapping[tuple[str, str], str | None]
NEW, KNOWN, UNCOMPARED = "new", "known", ""


@dataclass(frozen=True)
class Decision:
    """One finding. name: of its issue, or its symptom. when: until when it can wait, a sentence.

    state: `new` or `known` beside the day before, empty where that is not compared.
    accepted_before: why an acknowledgement of it does not hold any more; empty where there is none.
    """

    cluster: str
    environment: str
    name: str
    place: str
    weight: str
    when: str
    sentence: str
    where: str
    action: str
    meanwhile: str
    state: str
    accepted_before: str


@dataclass(frozen=True)
class Decisions:
    """The open ones, the most pressing first; how many are acknowledged, and how many are new."""

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


def may_need_one(row: FindingRow) -> bool:
    """Whether it is of a kind that needs a decision, as far as a row without its figures tells."""
    return row.verdict == "confirmed" or (row.verdict == "look_alike" and row.advisory is None)


def _weight(row: FindingRow, environment: str) -> str:
    """What it weighs there, if it needs a decision; else empty."""
    if row.verdict == "confirmed":
        return weighed(row.severity, environment)
    if not (may_need_one(row) and isinstance(row, Finding) and row.strength == "conclusive"):
        return ""
    weight = weighed(own_severity(row, load_signatures()), environment)
    return weight if weight in _PRESSING else ""


def _words(row: FindingRow, title: str) -> OwnerSentences | None:
    """It in the owner's words, where the figures for them are known."""
    signature = load_signatures().get(row.signature or "")
    if not isinstance(row, Finding) or signature is None:
        return None
    return owner_sentences(row, signature, title, _SUBJECTS // 2, _NAME)


def _decision(member: Member, row: FindingRow, weight: str, advisories: Mapping[str, Advisory]) -> Decision:
    advisory = advisories.get(row.advisory or "")
    title = own_text(advisory.title) if advisory else row.key
    said = _words(row, title)
    bug = row.verdict == "confirmed"
    return Decision(
        cluster=member.cluster,
        environment=member.environment,
        name=row.key if bug else f"{row.signature}, {row.cause}: no known bug is proven",
        place=finding_place(row),
        weight=weight,
        when=can_wait(weight, member.environment, member.report.ds) if member.report else "",
        sentence=capital(said.what) if said else title,
        where=_where(row),
        action=_action(member, row) if bug or said is None else said.act,
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

    before: by cluster the keys of such findings on the last day before on which it was measured; None: not compared.
    """
    found, held = [], 0
    for one in members:
        for row in one.rows:
            weight = _weight(row, one.environment)
            if not weight:
                continue
            place = (one.cluster, row.key)
            if place in accepted and accepted[place] is None:
                held += 1
                continue
            state = UNCOMPARED
            if before is not None:
                state = KNOWN if row.key in before.get(one.cluster, ()) else NEW
            made = _decision(one, row, weight, advisories)
            found.append(replace(made, state=state, accepted_before=accepted.get(place) or ""))
    found.sort(key=lambda one: (one.state != NEW, SEVERITIES.index(one.weight), one.cluster, one.name))
    return Decisions(cut_list(found, MOST), sum(one.state == NEW for one in found), held)
