"""What a measurement points to without proving it: takes a day on which nothing is confirmed, gives labelled lines.

An exposure whose symptom was measured, but not conclusively, is no confirmed bug and no look-alike. Its reader gets the
figure and what to do as well, under a word that says how sure it is.
"""

from collections.abc import Mapping, Sequence

from kafka_fleet.documents.cluster_report import ClusterReport
from kafka_fleet.documents.finding import Finding
from kafka_fleet.knowledge.advisories import Advisory
from kafka_fleet.knowledge.signatures import Signature
from kafka_fleet.report.exposure_weight import weighed_exposures
from kafka_fleet.report.formatting import plural
from kafka_fleet.report.screen_model import Brevity, Ids, few
from kafka_fleet.report.trouble import capital, who_acts, words_of

_OPEN = ("exposed", "unknown")


def suspicions(
    report: ClusterReport, findings: Sequence[Finding], advisories: Mapping[str, Advisory], accepted: frozenset[str]
) -> list[Finding]:
    """Known issues that the day neither confirms nor rules out, and whose symptom was seen; what weighs most first."""
    own = [
        one for one in findings if one.verdict in _OPEN and one.advisory and one.has_symptom and one.key not in accepted
    ]
    return [one for one, _weight in weighed_exposures(own, advisories, report)]


def suspicion_facts(
    suspects: Sequence[Finding],
    report: ClusterReport,
    advisories: Mapping[str, Advisory],
    signatures: Mapping[str, Signature],
    ids: Ids,
    brief: Brevity,
) -> tuple[tuple[str, str], ...]:
    """Label and text of each line about the first of them; the others are counted. Empty where there is none."""
    if not suspects:
        return ()
    first = suspects[0]
    said = words_of(first, advisories, signatures, brief)
    named = f" ({first.key})" if ids.take(first.key) else ""
    more = f" {plural(len(suspects) - 1, 'more suspicion')} in the report." if len(suspects) > 1 else ""
    facts = [("Suspected", f"{few(capital(said.short), max(16, brief.words))}{named}. It is not proven.{more}")]
    if said.proof is not None:
        usual = f"; healthy: {said.proof.healthy}" if said.proof.healthy else ""
        facts.append(("Figure", f"{said.proof.value} {few(said.proof.says, max(16, brief.words))}{usual}."))
    facts.append(("Do", few(said.act, max(30, brief.words))))
    facts.append(("Who", capital(f"{who_acts(first, said, False, report, brief)}.")))
    return tuple(facts)
